"""Places of declared values in the rows that are counted: pairs of columns, values by state and by the one before."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations

import numpy as np

from sequester.methods.events.shared.attributes import Attribute
from sequester.model import EventLog


def pairs_size(declared: tuple[Attribute, ...]) -> int:
    """Cells of the tables of all pairs of columns."""
    return sum(len(a.values) * len(b.values) for a, b in combinations(declared, 2))


def pair_cells(values: np.ndarray, declared: tuple[Attribute, ...]) -> tuple[np.ndarray, int]:
    """Cell of every object in every table of two columns, one table after the other, and how many cells there are."""
    sizes = [len(a.values) for a in declared]
    out, begin = [], 0
    for j, k in combinations(range(len(sizes)), 2):
        out.append(begin + values[:, j] * sizes[k] + values[:, k])
        begin += sizes[j] * sizes[k]
    return np.stack(out, axis=1), begin


def bins_of(declared: tuple[Attribute, ...]) -> list[int]:
    """How many values each column may have, missing not counted."""
    return [len(a.values) - 1 for a in declared]


@dataclass(frozen=True, kw_only=True)
class Cells:
    """Places of all (state, column, bin) in one row: column after column."""

    bins: list[int]
    n_states: int

    @property
    def begin(self) -> np.ndarray:
        """First cell of every column."""
        return np.r_[0, np.cumsum([b * self.n_states for b in self.bins])]

    def of(self, states: np.ndarray, codes: np.ndarray) -> np.ndarray:
        """Cell of every event in every column (events x columns), -1 where it has no value."""
        cell = self.begin[:-1] + states[:, None].astype(np.int64) * self.bins + codes
        return np.where(codes < np.array(self.bins), cell, -1)

    def present(self, states: np.ndarray, codes: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Every (state, column) in which an object has a value, once, and where objects begin."""
        m = len(self.bins)
        owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
        event, column = np.nonzero(codes < np.array(self.bins))
        wide = self.n_states * m
        both = np.unique(owner[event] * np.int64(wide) + states[event].astype(np.int64) * m + column)
        return both % wide, np.searchsorted(both, np.arange(len(offsets)) * np.int64(wide))


def places(carried: np.ndarray, cells: Cells) -> tuple[np.ndarray, int]:
    """First cell of every (state, column) in the table by the value before, -1 where it has none; and its size."""
    out, at = np.full(carried.shape, -1, np.int64), 0
    for s, j in zip(*np.nonzero(carried), strict=True):
        out[s, j] = at
        at += (cells.bins[j] + 1) * cells.bins[j]
    return out, at


def event_codes(log: EventLog, declared: tuple[Attribute, ...], most: int) -> np.ndarray:
    """Code of every declared column in the first `most` events of every object."""
    sizes = np.diff(log.offsets)
    kept = np.arange(len(log.states)) - np.repeat(log.offsets[:-1], sizes) < most
    return np.stack([a.coded(log.attributes[a.name][kept]) for a in declared], axis=1)


def value_before(states: np.ndarray, codes: np.ndarray, offsets: np.ndarray, bins: list[int]) -> np.ndarray:
    """Code of the value before in the same object and state (events x columns); the number of bins where none is."""
    out = np.broadcast_to(np.array(bins), codes.shape).copy()
    for j, size in enumerate(bins):
        known = np.flatnonzero(codes[:, j] < size)
        owner = np.searchsorted(offsets, known, side="right")
        order = np.lexsort((known, states[known], owner))
        at = known[order]
        same = (owner[order][1:] == owner[order][:-1]) & (states[at][1:] == states[at][:-1])
        out[at[1:][same], j] = codes[at[:-1][same], j]
    return out
