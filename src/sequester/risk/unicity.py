"""Question: how many people does someone single out who knows a few points of their record?

Unicity is the share of people who are alone with *p* known points, p = 1, 2, … (de Montjoye et al. 2013 use it for
mobility traces). People and points are drawn with a seed; every share carries a 95 % Wilson interval.

Question: what does only one person, or only a few, have? Rare grams, substrings, transitions, long records.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sequester.errors import InputError, ParameterError, counted
from sequester.primitives.intervals import percent, wilson
from sequester.release import Figure
from sequester.risk.known_points import agree_on_members, holders_of, numbered, sets_of

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


def require_knowledge(knowledge: int, sample: int, who: str = "assess") -> None:
    """Refuse numbers outside their range."""
    if isinstance(knowledge, bool) or not isinstance(knowledge, int) or not 1 <= knowledge <= DEPTH:
        raise ParameterError(f"{who}: knowledge must be a whole number in 1..{DEPTH}, got knowledge={knowledge!r}.")
    if isinstance(sample, bool) or not isinstance(sample, int) or sample < 1:
        raise ParameterError(f"{who}: sample must be a whole number of at least 1, got sample={sample!r}.")


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


def owners_per_code(starts: np.ndarray, codes: np.ndarray, n_codes: int) -> np.ndarray:
    """How many people hold each code; `codes[starts[o]:starts[o + 1]]` are the distinct codes of person *o*."""
    return np.bincount(codes, minlength=n_codes)


def rare_figures(starts: np.ndarray, codes: np.ndarray, n_codes: int, *, rare: int, noun: str) -> list[Figure]:
    """How many kinds of a thing are rare, and how many people have a rare one."""
    if isinstance(rare, bool) or not isinstance(rare, int) or rare < 2:
        raise ParameterError(f"assess: rare must be a whole number of at least 2, got rare={rare!r}.")
    n_people = len(starts) - 1
    held_by = owners_per_code(starts, codes, n_codes)
    name = noun.replace(" ", "_")
    holder = np.repeat(np.arange(n_people), np.diff(starts))
    exposed, alone = (_count_of(holder[held_by[codes] < limit], n_people) for limit in (rare, 2))
    return [
        Figure(name=f"rare_{name}", value=int(((held_by > 0) & (held_by < rare)).sum()), better="lower",
               says=f"Of {int((held_by > 0).sum())} different {noun}, those that fewer than "
                   f"{counted(rare, 'person has', 'people have')}."),
        Figure(name=f"people_with_rare_{name}", value=exposed / max(1, n_people), better="lower",
               says=f"Share of people with at least one of the {noun} that fewer than "
                   f"{counted(rare, 'person has', 'people have')}."),
        Figure(name=f"people_with_own_{name}", value=alone / max(1, n_people), better="lower",
               says=f"Share of people with at least one of the {noun} that nobody else has."),
    ]  # fmt: skip


def _count_of(people: np.ndarray, n_people: int) -> int:
    there = np.zeros(n_people, dtype=bool)
    there[people] = True
    return int(there.sum())


def length_figures(lengths: np.ndarray, noun: str) -> list[Figure]:
    """People whose record has a length of its own."""
    if not len(lengths):
        return []
    values, counts = np.unique(lengths, return_counts=True)
    longest = int(values[-1])
    before = int(values[-2]) if len(values) > 1 else longest
    return [
        Figure(name="people_of_unique_length", value=float((counts == 1).sum() / len(lengths)), better="lower",
               says=f"Share of people whose number of {noun} nobody else has."),
        Figure(name="longest_over_next", value=longest / before if counts[-1] == 1 and before else 1.0, better="lower",
               says=f"How much longer the longest record is than the next one (in {noun}); 1 when it is not alone."),
    ]  # fmt: skip


def whole_record_figure(classes: np.ndarray, owner: np.ndarray, noun: str) -> Figure:
    """Share of people at least one of whose whole records nobody else has, exactly and without sampling."""
    pairs = np.unique(np.column_stack([classes, owner]), axis=0)
    _, back, owners = np.unique(pairs[:, 0], return_inverse=True, return_counts=True)
    alone = len(np.unique(pairs[owners[back] == 1, 1]))
    return Figure(
        name="unique_whole_record",
        value=alone / max(1, len(np.unique(owner))),
        better="lower",
        says=f"Share of people alone with their whole record ({noun}); counted, not sampled.",
    )


def classes_of_rows(rows: np.ndarray) -> np.ndarray:
    """A number per row, equal for equal rows."""
    if rows.shape[1] == 0:
        return np.zeros(len(rows), dtype=np.int64)
    packed = np.ascontiguousarray(rows)
    return classes_of_parts(packed.reshape(-1), np.arange(len(rows) + 1) * rows.shape[1])


def classes_of_parts(values: np.ndarray, offsets: np.ndarray) -> np.ndarray:
    """A number per stretch `values[offsets[i]:offsets[i + 1]]`, equal for equal stretches."""
    plain = np.ascontiguousarray(values)
    seen: dict[bytes, int] = {}
    out = np.empty(len(offsets) - 1, dtype=np.int64)
    for i in range(len(out)):
        out[i] = seen.setdefault(plain[offsets[i] : offsets[i + 1]].tobytes(), len(seen))
    return out


class Held(NamedTuple):
    """Every stretch of the records, by number, and the numbers that each person holds."""

    at: np.ndarray
    """Where each stretch begins."""
    codes: np.ndarray
    """Its number; equal stretches have equal ones."""
    sets: Sets


def held_by_people(values: np.ndarray, offsets: np.ndarray, owner_of: np.ndarray, width: int, *, option: str) -> Held:
    """The stretches of `width` values, whose owner is that of their record; `option` is what told the width."""
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        raise ParameterError(f"assess: {option} must be a whole number of at least 1, got {option}={width!r}.")
    if len(values) == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    at, hashed = windows(values, offsets, width)
    codes, n_codes = numbered(hashed)
    owner = np.repeat(owner_of, np.diff(offsets))[at]
    return Held(at, codes, Sets(*sets_of(owner, codes, int(owner_of.max()) + 1, n_codes)))


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
