"""How identifying are symbolized series? Points are grams: short words of symbols, wherever they stand."""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError, ParameterError
from sequester.model import SymbolSeries
from sequester.release import Evidence
from sequester.risk import rarity, unicity
from sequester.risk.finding import by_person, explained, finding


@explained
def assess_symbols(
    data: SymbolSeries,
    *,
    points: int = 4,
    gram: int = 3,
    rare: int = 5,
    population: int | None = None,
    threshold: float = 0.09,
    sample: int = 1000,
    seed: int = 0,
) -> Evidence:
    """Unicity of grams, the risks of the three attackers, rare grams, uniquely long series.

    Parameters
    ----------
    points
        Known grams for the headline and the three attackers; the curve always runs from 1 to 10.
    gram
        Symbols in a known gram.
    """
    from sequester.primitives.known_points import agree_on_members, holders_of, sets_of

    unicity.require_points(points, sample)
    if isinstance(gram, bool) or not isinstance(gram, int) or gram < 1:
        raise ParameterError(f"assess: gram must be a whole number of at least 1, got gram={gram!r}.")
    if len(data.symbols) == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    rng = np.random.default_rng(seed)
    _, owner_of = np.unique(data.persons.astype(str), return_inverse=True)
    _, _, n_people = by_person(data.persons)
    lengths = np.diff(data.offsets)
    at, codes = windows(data.symbols, data.offsets, gram)
    owner = np.repeat(owner_of, lengths)[at]
    starts, members, n_codes = sets_of(owner, codes, n_people)
    people = unicity.sampled_people(n_people, sample, rng)
    known = unicity.known_members(starts, members, people, rng)
    matches = agree_on_members(starts, members, *holders_of(starts, members, n_codes), people, known)
    more = [
        rarity.whole_record_figure(rarity.classes_of_parts(data.symbols, data.offsets), owner_of, "the whole series"),
        *rarity.rare_figures(starts, members, n_codes, rare=rare, noun="grams"),
        *rarity.length_figures(np.bincount(owner_of, weights=lengths, minlength=n_people).astype(int), "symbols"),
    ]
    knowledge = unicity.Knowledge(
        matches=matches, n_people=n_people, noun=f"grams of {gram} symbols", short=int((known[:, -1] < 0).sum())
    )
    return finding(knowledge, points=points, population=population, threshold=threshold, more=more)


def windows(values: np.ndarray, offsets: np.ndarray, width: int) -> tuple[np.ndarray, np.ndarray]:
    """Start and a 64-bit hash of every stretch of `width` values that stays inside its record.

    The hash is a polynomial over scrambled values; with a random-looking 64-bit result two of a billion different
    stretches meet with a chance of a few percent, and then only make somebody look less unique than they are.
    """
    n = len(values)
    if n < width:
        return np.zeros(0, np.int64), np.zeros(0, np.uint64)
    end = np.repeat(offsets[1:], np.diff(offsets))
    at = np.flatnonzero(np.arange(n) + width <= end)
    scrambled = (values.astype(np.uint64) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    scrambled ^= scrambled >> np.uint64(29)
    hashed = np.zeros(n - width + 1, dtype=np.uint64)
    for j in range(width):
        hashed *= np.uint64(0xBF58476D1CE4E5B9)
        hashed += scrambled[j : n - width + 1 + j]
    hashed ^= hashed >> np.uint64(32)
    return at, hashed[at]
