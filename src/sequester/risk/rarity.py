"""Question: what does only one person, or only a few, have? Rare grams, substrings, transitions, long records."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.errors import InputError, ParameterError, counted
from sequester.release import Figure
from sequester.risk.known_points import numbered, sets_of
from sequester.risk.unicity import Sets


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
    """The stretches of `width` values, whose owner is that of their record; `option` is what gave the width."""
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
