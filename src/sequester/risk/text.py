"""How identifying is free text? Points are substrings someone remembers or has read elsewhere."""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError, ParameterError, counted
from sequester.model import Corpus
from sequester.release import Evidence, Figure
from sequester.risk import rarity, unicity
from sequester.risk.finding import by_person, explained, finding
from sequester.risk.symbols import windows


@explained
def assess_text(
    data: Corpus,
    *,
    points: int = 1,
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
    points
        Known substrings for the headline and the three attackers; the curve always runs from 1 to 10.
    length
        Characters in a known substring.
    """
    from sequester.primitives.known_points import agree_on_members, holders_of, numbered, sets_of

    unicity.require_points(points, sample)
    if isinstance(length, bool) or not isinstance(length, int) or length < 1:
        raise ParameterError(f"assess: length must be a whole number of at least 1, got length={length!r}.")
    if len(data.utf8) == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    rng = np.random.default_rng(seed)
    _, owner_of = np.unique(data.persons.astype(str), return_inverse=True)
    _, _, n_people = by_person(data.persons)
    characters, offsets = code_points(data)
    at, codes = windows(characters, offsets, length)
    owner = np.repeat(owner_of, np.diff(offsets))[at]
    dense, n_codes = numbered(codes)
    starts, members, _ = sets_of(owner, dense, n_people, n_codes)
    people = unicity.sampled_people(n_people, sample, rng)
    known = unicity.known_members(starts, members, people, rng)
    matches = agree_on_members(starts, members, *holders_of(starts, members, n_codes), people, known)
    held_by = rarity.owners_per_code(starts, members, n_codes)
    alone = covered(at[held_by[dense] == 1], length, len(characters))
    more = [
        rarity.whole_record_figure(rarity.classes_of_parts(data.utf8, data.offsets), owner_of, "a whole document"),
        Figure(name="text_of_one_person", value=float(alone.mean()), better="lower",
               says=f"Share of characters inside a substring of {length} that only one person's documents contain."),
        *rarity.rare_figures(starts, members, n_codes, rare=rare, noun="substrings"),
        *rarity.length_figures(np.bincount(owner_of, np.diff(offsets), n_people).astype(int), "characters"),
    ]  # fmt: skip
    knowledge = unicity.Knowledge(
        matches=matches,
        n_people=n_people,
        noun=f"substring{'s' if points > 1 else ''} of {counted(length, 'character')}",
        short=int((known[:, -1] < 0).sum()),
    )
    return finding(knowledge, points=points, population=population, threshold=threshold, more=more)


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
