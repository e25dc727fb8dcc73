"""How identifying are symbolized series? Points are grams: short words of symbols, wherever they stand."""

from __future__ import annotations

import numpy as np

from sequester.model import SymbolSeries
from sequester.release import Evidence
from sequester.risk import rarity, unicity
from sequester.risk.finding import explained, finding


@explained
def assess_symbols(
    data: SymbolSeries,
    *,
    knowledge: int = 4,
    length: int = 3,
    rare: int = 5,
    population: int | None = None,
    threshold: float = 0.09,
    sample: int = 1000,
    seed: int = 0,
) -> Evidence:
    """Unicity of grams, the risks of the three attackers, rare grams, uniquely long series.

    Parameters
    ----------
    knowledge
        Known grams for the headline and the three attackers; the curve always runs from 1 to 10.
    length
        Symbols in a known gram.
    """
    unicity.require_knowledge(knowledge, sample)
    _, owner_of = np.unique(data.persons.astype(str), return_inverse=True)
    held = rarity.held_by_people(data.symbols, data.offsets, owner_of, length, option="length")
    more = [
        rarity.whole_record_figure(rarity.classes_of_parts(data.symbols, data.offsets), owner_of, "the whole series"),
        *rarity.rare_figures(*held.sets, rare=rare, noun="grams"),
        *rarity.length_figures(np.bincount(owner_of, np.diff(data.offsets)).astype(int), "symbols"),
    ]
    who_fits = unicity.of_members(held.sets, sample, np.random.default_rng(seed), f"grams of {length} symbols")
    return finding(who_fits, points=knowledge, population=population, threshold=threshold, more=more)
