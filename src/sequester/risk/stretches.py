"""Stretches of a record that someone may know: grams of symbols, substrings of a text, and who holds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.errors import InputError, ParameterError
from sequester.risk import unicity
from sequester.risk.known_points import numbered, sets_of


class Held(NamedTuple):
    """Every stretch of the records, by number, and the numbers that each person holds."""

    at: np.ndarray
    """Where each stretch begins."""
    codes: np.ndarray
    """Its number; equal stretches have equal ones."""
    sets: unicity.Sets


def held_by_people(values: np.ndarray, offsets: np.ndarray, owner_of: np.ndarray, width: int, *, option: str) -> Held:
    """The stretches of `width` values, whose owner is that of their record; `option` is what told the width."""
    if isinstance(width, bool) or not isinstance(width, int) or width < 1:
        raise ParameterError(f"assess: {option} must be a whole number of at least 1, got {option}={width!r}.")
    if len(values) == 0:
        raise InputError("assess: the data is empty. Check the source and the column roles.")
    at, hashed = windows(values, offsets, width)
    codes, n_codes = numbered(hashed)
    owner = np.repeat(owner_of, np.diff(offsets))[at]
    return Held(at, codes, unicity.Sets(*sets_of(owner, codes, int(owner_of.max()) + 1, n_codes)))


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
