"""The tables of the time model: their cells, whose transitions they count, and their clips.

Every table counts the transitions of an object, each in one cell, so that one object's vector can be gated whatever the
features are. Clips follow from numbers that were released before; no table spends on a median of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sequester.methods.events.markov_dp.kernels.moves import BEFORE, HOURS, PLACES, SEEN, moves
from sequester.methods.events.shared.spans import DAY, GAP_EDGES, HOUR

LENGTH_CLASSES = 4
LENGTH_CLIP = 0.35
"""Norm of an object's transitions divided by the mean length of its class."""
DAY_EDGES = np.r_[0.0, GAP_EDGES[GAP_EDGES >= DAY]]
"""Gaps in a log of days: what is shorter than a day is none, and has no bins that only noise could fill."""
PARTS = 6


class Table(NamedTuple):
    """One table of counts."""

    clip_of: str
    """Released clip it follows: of `pairs` or of `gaps`."""
    times: float
    """Multiple of that clip."""
    everybody: bool
    """Whether people whom a released variant describes count as well."""


TABLES = {
    "seen": Table("pairs", 1.25, False),
    "place": Table("pairs", 1.25, False),
    "before": Table("pairs", 1.0, False),
    "gap before": Table("gaps", 1.0, True),
    "gap place": Table("gaps", 1.5, True),
    "hour": Table("pairs", 1.0, True),
    "gap hour": Table("gaps", 1.0, True),
    "gap part": Table("gaps", 1.0, True),
    "length": Table("", LENGTH_CLIP, False),
}
"""In the order in which they are measured."""
FEW = ("seen", "place", "before", "gap before", "gap place")
ALL = tuple(name for name in TABLES if name != "length")
STATE_TABLES = ("seen", "place", "before", "length")


@dataclass(frozen=True, kw_only=True)
class Grid:
    """Bins of time in one kind of log."""

    edges: np.ndarray
    """Gap bins, seconds."""
    parts: int
    """Parts of a gap bin, equal in logarithms."""
    gap_class: np.ndarray
    """Class of every gap bin: none, 1 min, 1 h, 8 h, 36 h, a week, 30 days, more; in days the first, then from 36 h."""

    @property
    def bins(self) -> int:
        """How many gap bins there are."""
        return len(self.edges) - 1

    @property
    def classes(self) -> int:
        """How many classes of gaps there are."""
        return int(self.gap_class[-1]) + 1


def grid_of(unit: str) -> Grid:
    """The bins of a log of seconds, of one of days without the bins inside a day, or of an order without gaps."""
    ends = np.array([1, 60, HOUR, 8 * HOUR, 1.5 * DAY, 7 * DAY, 30 * DAY])
    edges = {"second": GAP_EDGES, "day": DAY_EDGES, "order": GAP_EDGES[:2]}[unit]
    if unit == "day":
        ends = ends[[0, 4, 5, 6]]
    return Grid(edges=edges, parts=PARTS, gap_class=np.searchsorted(ends, edges[:-1], side="right"))


def shape_of(name: str, n_states: int, grid: Grid) -> tuple[int, ...]:
    """Cells of a table."""
    s, c = n_states, grid.classes
    return {
        "seen": (SEEN, s),
        "place": (PLACES, s),
        "before": (BEFORE, s, s),
        "gap before": (BEFORE, 2, s, c),
        "gap place": (PLACES, c),
        "hour": (HOURS, s, s),
        "gap hour": (HOURS, s, c),
        "gap part": (s, grid.bins, grid.parts),
        "length": (LENGTH_CLASSES, s + 1, s),
    }[name]


class Moves:
    """The moves of a log, from which the cells of every table follow."""

    def __init__(self, states: np.ndarray, times: np.ndarray, offsets: np.ndarray, n_states: int, grid: Grid) -> None:
        self.states, self.offsets, self.n_states, self.grid = states, offsets, n_states, grid
        self.first = np.zeros(len(states), bool)
        self.first[offsets[:-1]] = True
        self._rows = moves(
            np.ascontiguousarray(states, np.int32), np.ascontiguousarray(times, np.int64),
            np.ascontiguousarray(offsets, np.int64), n_states, grid.edges.astype(np.float64), grid.parts,
        )  # fmt: skip

    def cells(self, name: str, kept: np.ndarray | None = None, classes: np.ndarray | None = None) -> np.ndarray:
        """Cell of every event's move in a table, -1 where it has none; objects that are not `kept` have none."""
        seen, place, before, again, gap, part, hour = (row.astype(np.int64) for row in self._rows)
        b, s = self.states.astype(np.int64), self.n_states
        a = np.where(self.first, s, np.r_[0, b[:-1]])
        c = self.grid.gap_class[gap] if name in ("gap before", "gap place", "gap hour") else gap
        if name == "seen":
            out = seen * s + b
        elif name == "place":
            out = place * s + b
        elif name == "before":
            out = (before * s + a) * s + b
        elif name == "gap before":
            out = ((before * 2 + again) * s + b) * self.grid.classes + c
        elif name == "gap place":
            out = place * self.grid.classes + c
        elif name == "hour":
            out = (hour * s + a) * s + b
        elif name == "gap hour":
            out = (hour * s + b) * self.grid.classes + c
        elif name == "gap part":
            out = (b * self.grid.bins + gap) * self.grid.parts + part
        else:
            assert classes is not None
            out = (np.repeat(classes, np.diff(self.offsets)) * (s + 1) + a) * s + b
        if name not in ("seen", "place", "length"):
            out[self.first] = -1
        if kept is not None:
            out[~np.repeat(kept, np.diff(self.offsets))] = -1
        return out


def length_classes(weights: np.ndarray, edges: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Edges of length classes at the quartiles of a released length law, and the mean length in every class."""
    middle = (edges[:-1] + edges[1:] - 1) / 2
    below = np.cumsum(weights) / max(float(weights.sum()), 1e-9)
    at = [int(np.searchsorted(below, q)) for q in np.arange(1, LENGTH_CLASSES) / LENGTH_CLASSES]
    cuts = np.array([edges[min(j + 1, len(edges) - 2)] for j in at])
    of = np.searchsorted(cuts, middle, side="right")
    mass = np.bincount(of, weights, minlength=LENGTH_CLASSES)
    mean = np.bincount(of, weights * middle, minlength=LENGTH_CLASSES) / np.maximum(mass, 1e-9)
    return cuts, np.maximum(np.where(mass > 0, mean, 1.0), 1.0)
