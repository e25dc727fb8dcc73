"""Question: how many people does someone single out who knows a few points of their record?

Unicity is the share of people who are alone with *p* known points, p = 1, 2, … (de Montjoye et al. 2013 use it for
mobility traces). People and points are drawn with a seed; every share carries a 95 % Wilson interval.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sequester.errors import ParameterError
from sequester.primitives.intervals import percent, wilson
from sequester.risk.known_points import agree_on_members, holders_of

DEPTH = 10
"""The curve runs from 1 to this many known points."""


@dataclass(frozen=True, kw_only=True)
class Knowledge:
    """What an observer is supposed to know, and how many people fit it."""

    matches: np.ndarray
    """Sampled people x points: how many people (the target included) agree on the first p points."""
    n_people: int
    noun: str
    """The points in words, `events at day precision`."""
    short: int = 0
    """Sampled people with fewer than `DEPTH` points: all they have is known."""

    def at(self, points: int) -> np.ndarray:
        """Matches of every sampled person when `points` points are known."""
        return self.matches[:, points - 1]


class Sets(NamedTuple):
    """Who holds what: `members[starts[o]:starts[o + 1]]` are the different codes of person *o*."""

    starts: np.ndarray
    members: np.ndarray
    n_codes: int


def sampled_people(n_people: int, sample: int, rng: np.random.Generator) -> np.ndarray:
    """People to look for: all of them, or a random `sample`, sorted."""
    if n_people <= sample:
        return np.arange(n_people)
    return np.sort(rng.choice(n_people, sample, replace=False))


def draw_points(available: int, rng: np.random.Generator) -> np.ndarray:
    """`DEPTH` distinct positions below `available` in random order, padded with -1."""
    out = np.full(DEPTH, -1, dtype=np.int64)
    if available:
        out[: min(DEPTH, available)] = rng.choice(available, min(DEPTH, available), replace=False)
    return out


def curve(knowledge: Knowledge) -> list[dict[str, Any]]:
    """One row per number of known points."""
    m = len(knowledge.matches)
    rows = []
    for p in range(1, DEPTH + 1):
        fits = knowledge.at(p)
        alone = int((fits == 1).sum())
        low, high = wilson(alone, m)
        rows.append(
            {
                "points": p,
                "unique": alone / m if m else 0.0,
                "low": low,
                "high": high,
                "mean_success": float(np.mean(1 / fits)) if m else 0.0,
                "median_matches": float(np.median(fits)) if m else 0.0,
            }
        )
    return rows


def sentence(rows: list[dict[str, Any]], points: int, noun: str) -> str:
    """The finding as a custodian would tell it."""
    row = rows[points - 1]
    return (
        f"{points} {noun} single{'s' if points == 1 else ''} out {percent(row['unique'])} of people "
        f"(95 % interval {percent(row['low'])} to {percent(row['high'])})."
    )


def require_knowledge(knowledge: int, sample: int) -> None:
    """Refuse numbers outside their range."""
    if isinstance(knowledge, bool) or not isinstance(knowledge, int) or not 1 <= knowledge <= DEPTH:
        raise ParameterError(f"assess: knowledge must be a whole number in 1..{DEPTH}, got knowledge={knowledge!r}.")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise ParameterError(f"assess: sample must be a whole number of at least 1, got sample={sample!r}.")


def of_members(sets: Sets, sample: int, rng: np.random.Generator, noun: str) -> Knowledge:
    """Someone knows members of the sets of sampled people: how many hold them all."""
    n_people = len(sets.starts) - 1
    people = sampled_people(n_people, sample, rng)
    known = known_members(sets.starts, sets.members, people, rng)
    matches = agree_on_members(sets.starts, sets.members, *holders_of(*sets), people, known)
    return Knowledge(matches=matches, n_people=n_people, noun=noun, short=int((known[:, -1] < 0).sum()))


def known_members(starts: np.ndarray, members: np.ndarray, people: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """People x DEPTH: members of each one's set that an observer happens to know, -1 where there are no more."""
    known = np.full((len(people), DEPTH), -1, dtype=np.int64)
    for a, person in enumerate(people):
        mine = members[starts[person] : starts[person + 1]]
        drawn = draw_points(len(mine), rng)
        known[a] = np.where(drawn >= 0, mine[drawn] if len(mine) else -1, -1)
    return known
