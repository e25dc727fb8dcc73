"""How identifying is free text? Points are substrings someone remembers or has read elsewhere."""

from __future__ import annotations

import numpy as np

from sequester.errors import counted
from sequester.model import Corpus
from sequester.release import Evidence, Figure
from sequester.risk import rarity, unicity
from sequester.risk.finding import explained, finding


@explained
def assess_text(
    data: Corpus,
    *,
    knowledge: int = 1,
    length: int = 12,
    rare: int = 5,
    population: int | None = None,
    threshold: float = 0.09,
    sample: int = 1000,
    seed: int = 0,
) -> Evidence:
    """Unicity of substrings, the risks of the three attackers, rare substrings, uniquely long records.

    Parameters
    ----------
    knowledge
        Known substrings for the headline and the three attackers; the curve always runs from 1 to 10.
    length
        Characters in a known substring.
    """
    unicity.require_knowledge(knowledge, sample)
    _, owner_of = np.unique(data.persons.astype(str), return_inverse=True)
    characters, offsets = code_points(data)
    held = rarity.held_by_people(characters, offsets, owner_of, length, option="length")
    alone = covered(held.at[rarity.owners_per_code(*held.sets)[held.codes] == 1], length, len(characters))
    more = [
        rarity.whole_record_figure(rarity.classes_of_parts(data.utf8, data.offsets), owner_of, "a whole document"),
        Figure(name="text_of_one_person", value=float(alone.mean()), better="lower",
               says=f"Share of characters inside a substring of {length} that only one person's documents contain."),
        *rarity.rare_figures(*held.sets, rare=rare, noun="substrings"),
        *rarity.length_figures(np.bincount(owner_of, np.diff(offsets)).astype(int), "characters"),
    ]  # fmt: skip
    noun = f"substring{'s' if knowledge > 1 else ''} of {counted(length, 'character')}"
    who_fits = unicity.of_members(held.sets, sample, np.random.default_rng(seed), noun)
    return finding(who_fits, points=knowledge, population=population, threshold=threshold, more=more)


def code_points(data: Corpus) -> tuple[np.ndarray, np.ndarray]:
    """The corpus as Unicode code points, with the documents' offsets counted in them."""
    starts_character = (data.utf8 & 0xC0) != 0x80
    before = np.concatenate([[0], np.cumsum(starts_character)])
    whole = data.utf8.tobytes().decode("utf-8").encode("utf-32-le")
    return np.frombuffer(whole, dtype="<u4"), before[data.offsets]


def covered(starts: np.ndarray, length: int, n: int) -> np.ndarray:
    """Positions inside at least one stretch of `length` that begins at one of `starts`."""
    edges = np.zeros(n + 1, dtype=np.int64)
    edges += np.bincount(starts, minlength=n + 1)[: n + 1]
    edges -= np.bincount(starts + length, minlength=n + 1)[: n + 1]
    return np.cumsum(edges[:-1]) > 0
