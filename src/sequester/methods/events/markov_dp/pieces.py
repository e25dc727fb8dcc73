"""What a piece of a log is asked, and what it answers: integers that add up over pieces of whole people.

A question names a family of cells and what was released before; a piece answers with the gated sum of its people's
counts, or with how many of its people have a norm up to each point of a grid. Both are the same numbers whether a log
comes in one piece or in forty.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sequester.dp.gate import GRID, bound, gate_cells
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.moves import gated_totals, object_norms, transitions
from sequester.methods.events.markov_dp.tables import TABLES, Grid, Moves
from sequester.methods.events.markov_dp.value_cells import Cells, bins_of, pair_cells, value_before
from sequester.methods.events.shared.attributes import Attribute
from sequester.methods.events.shared.spans import DAY, HOUR, length_class, place, span_bins

MOMENTS_CLIP = math.sqrt(2)
"""Norm of a one and a place between -1 and 1."""
ID_BITS = 62
"""Bits of the hash of a whole trace: two of a million people's share one with a probability of one in nine million."""
LENGTH_EDGES = np.array([4, 8, 12, 17, 25])
"""Public classes of lengths of people with attributes: below 4, 4 to 7, and so on."""


class Question(NamedTuple):
    """Cells to count, and how."""

    about: str
    """A family of cells, as `CELLS` names them."""
    size: int
    """How many cells there are."""
    clip: float | None = None
    """Norm to which each person's counts are gated; None: norms are counted along the grid instead."""
    largest: float = 0.0
    """Of that grid."""
    told: Any = None
    """Released or public numbers on which the cells depend."""
    rho: float = 0.0
    """What the noise of the answer costs: known when it is asked, so that noise may be drawn where the people are."""


class Answer(NamedTuple):
    """A question with the sum of what all pieces answered."""

    question: Question
    total: np.ndarray


class Frame(NamedTuple):
    """What all pieces know."""

    n_states: int
    grid: Grid
    plan: Design


def median_grid(largest: float) -> np.ndarray:
    """Where a median norm may lie."""
    return np.geomspace(1.0, max(largest, 1.0 + 1e-9), 60)


@dataclass(frozen=True, kw_only=True)
class Piece:
    """People of a log with their states folded, cut to their first events."""

    states: np.ndarray
    offsets: np.ndarray
    times: np.ndarray
    values: np.ndarray | None = None
    """Code of every object in every declared column."""
    codes: np.ndarray | None = None
    """Code of every event in every column declared for events."""
    ids: np.ndarray | None = None
    """Keyed hash of every object's trace, where whole traces are counted."""
    rest: np.ndarray | None = None
    """Who is not described by a released variant; None: nobody is."""

    @property
    def n(self) -> int:
        """People."""
        return len(self.offsets) - 1

    @property
    def everybody_is_left(self) -> np.ndarray:
        """`rest`, where nothing was released yet."""
        return np.ones(self.n, bool) if self.rest is None else self.rest

    def traces(self) -> list[bytes]:
        """Every object's states as one key."""
        at = self.offsets.tolist()
        return [self.states[a:b].tobytes() for a, b in pairwise(at)]

    def hashed(self, key: bytes) -> np.ndarray:
        """`ID_BITS` bits of a keyed hash of every trace."""
        digests = (hashlib.blake2b(trace, digest_size=8, key=key).digest() for trace in self.traces())
        return (np.frombuffer(b"".join(digests), ">u8") >> (64 - ID_BITS)).astype(np.int64)

    def answers(self, questions: tuple[Question, ...], frame: Frame) -> list[np.ndarray]:
        """One array of integers per question."""
        view = View(self, frame)
        return [_answer(view, q) for q in questions]


class View:
    """A piece while it is asked: what several questions need is computed once."""

    def __init__(self, piece: Piece, frame: Frame) -> None:
        self.piece, self.frame = piece, frame

    @cached_property
    def transitions(self) -> tuple[np.ndarray, np.ndarray]:
        """Cells of all transitions and whose they are."""
        return transitions(self.piece.states, self.piece.offsets, self.frame.n_states)

    @cached_property
    def kept(self) -> np.ndarray:
        """The same, of people whom no released variant describes."""
        cells, owners = self.transitions
        return np.where(np.repeat(self.piece.everybody_is_left, np.diff(owners)), cells, -1)

    @cached_property
    def first(self) -> np.ndarray:
        """Whether an event is the first of its object."""
        out = np.zeros(len(self.piece.states), bool)
        out[self.piece.offsets[:-1]] = True
        return out

    @cached_property
    def gap_bin(self) -> np.ndarray:
        """Bin of the gap before every event."""
        times, grid = self.piece.times, self.frame.grid
        gap = np.diff(times, prepend=times[:1])
        return np.clip(np.searchsorted(grid.edges, gap, side="right") - 1, 0, grid.bins - 1)

    @cached_property
    def span_bin(self) -> np.ndarray:
        """Bin of the time from first to last event of every object."""
        p = self.piece
        return span_bins(p.times[p.offsets[1:] - 1] - p.times[p.offsets[:-1]], self.frame.plan.span_edges)

    @property
    def value_cells(self) -> Cells:
        """Where values of events are counted."""
        return Cells(bins=bins_of(self.frame.plan.event_values), n_states=self.frame.n_states)

    @cached_property
    def moves(self) -> Moves:
        """From which the tables of the time model follow."""
        p = self.piece
        return Moves(p.states, p.times, p.offsets, self.frame.n_states, self.frame.grid)


Counted = tuple[np.ndarray, np.ndarray, np.ndarray | None]
"""Cells, whose they are, and what each person's counts are divided by."""


def _answer(view: View, question: Question) -> np.ndarray:
    if question.about == "people":
        return np.array([view.piece.n], np.int64)
    if question.about == "span moments":
        assert question.clip is not None
        return _span_moments(view, question.size, question.clip)
    cells, owners, divisors = CELLS[question.about](view, question.told)
    cells, owners = np.ascontiguousarray(cells, np.int64), np.ascontiguousarray(owners, np.int64)
    by = np.ones(len(owners) - 1) if divisors is None else divisors
    if question.clip is None:
        norms = np.sort(object_norms(cells, owners, by, max(question.size, 1)))
        below = np.searchsorted(norms, median_grid(question.largest), side="right")
        below = np.r_[below, len(norms)].astype(np.int64)
        return np.diff(below, prepend=0) if view.frame.plan.noise_in_shares else below
    clip = float(question.clip)
    return gated_totals(cells, owners, by, clip, bound(clip), float(GRID), question.size)


def _lengths(view: View, edges: np.ndarray) -> Counted:
    lengths = np.diff(view.piece.offsets)[view.piece.everybody_is_left]
    return np.searchsorted(edges, lengths, side="right") - 1, np.arange(len(lengths) + 1), None


def _spans(view: View, _told: None) -> Counted:
    return view.span_bin, np.arange(view.piece.n + 1), None


def _span_moments(view: View, size: int, clip: float) -> np.ndarray:
    """A one and the place of the span's bin, in the class of the object's length, gated: these are no counts."""
    p = view.piece
    values = np.stack([np.ones(p.n), place(view.frame.plan.span_edges)[view.span_bin]], axis=1)
    cells = 2 * length_class(np.diff(p.offsets))[:, None] + np.arange(2)
    total = np.zeros(size, np.int64)
    np.add.at(total, cells.ravel(), gate_cells(values.ravel(), 2 * np.arange(p.n + 1), clip))
    return total


def _pairs(view: View, everybody: bool) -> Counted:
    cells, owners = view.transitions
    return (cells if everybody else view.kept), owners, None


def _triples(view: View, declared: tuple[np.ndarray, bool]) -> Counted:
    """Per transition, the cell (context it and its predecessor form, next state), -1 where the context has no row."""
    contexts, everybody = declared
    side, (cells, owners) = view.frame.n_states + 1, view.transitions
    cells = cells if everybody else view.kept
    out = np.full(len(cells), -1, np.int64)
    place = np.searchsorted(contexts, cells[:-1])
    known = place < len(contexts)
    known[known] = contexts[place[known]] == cells[:-1][known]
    known[owners[1:-1] - 1] = False  # the next transition belongs to another object
    at = np.flatnonzero(known)
    out[at] = place[at] * side + cells[at + 1] % side
    out[at[cells[at + 1] < 0]] = -1
    return out, owners, None


def _gaps_to(view: View, _told: None) -> Counted:
    p, bins = view.piece, view.frame.grid.bins
    return np.where(view.first, -1, p.states * np.int64(bins) + view.gap_bin), p.offsets, None


def _gaps_between(view: View, gap_pairs: np.ndarray) -> Counted:
    p, bins = view.piece, view.frame.grid.bins
    pair = np.r_[-1, p.states[:-1].astype(np.int64) * (view.frame.n_states + 1) + p.states[1:]]
    place = np.asarray(np.searchsorted(gap_pairs, pair))
    known = ~view.first & (place < len(gap_pairs))
    known[known] = gap_pairs[place[known]] == pair[known]
    return np.where(known, place * bins + view.gap_bin, -1), p.offsets, None


def weekdays_from(unit: str) -> int:
    """First cell of the weekdays: hours come before them where there are hours."""
    return 24 if unit == "second" else 0


def _starts(view: View, _told: None) -> Counted:
    p, plan = view.piece, view.frame.plan
    begin, at = p.times[p.offsets[:-1]], weekdays_from(plan.unit)
    day = np.clip(begin // DAY, plan.days[0], plan.days[-1])
    weekday = (begin // DAY + 3) % 7 + at
    season = plan.season_of_day[day - plan.days[0]] + at + 7
    columns = [begin % DAY // HOUR, weekday, season] if at else [weekday, season]
    return np.stack(columns, axis=1).ravel(), np.arange(p.n + 1) * len(columns), None


def _clock(view: View, _told: None) -> Counted:
    p, at = view.piece, weekdays_from(view.frame.plan.unit)
    weekday = (p.times // DAY + 3) % 7 + at
    if not at:
        return weekday, p.offsets, None
    return np.stack([p.times % DAY // HOUR, weekday], axis=1).ravel(), p.offsets * 2, None


def _state_hours(view: View, _told: None) -> Counted:
    p = view.piece
    return p.states * np.int64(24) + p.times % DAY // HOUR, p.offsets, None


def _table(name: str) -> Callable[[View, Any], Counted]:
    def cells(view: View, declared: tuple[np.ndarray, np.ndarray] | None) -> Counted:
        p = view.piece
        classes, divisors = None, None
        if declared is not None:
            cuts, means = declared
            classes = np.searchsorted(cuts, np.diff(p.offsets), side="right")
            divisors = means[classes]
        kept = None if TABLES[name].everybody else p.everybody_is_left
        return view.moves.cells(name, kept, classes), p.offsets, divisors

    return cells


def starts_of(declared: tuple[Attribute, ...]) -> np.ndarray:
    """First cell of every declared column in a row of all values, and one past the last."""
    return np.r_[0, np.cumsum([len(a.values) for a in declared])]


def _valued(view: View) -> np.ndarray:
    assert view.piece.values is not None
    return view.piece.values + starts_of(view.frame.plan.attributes)[:-1]


def _attributes(view: View, _told: None) -> Counted:
    cells = _valued(view)
    return cells.ravel(), np.arange(len(cells) + 1) * cells.shape[1], None


def _attribute_pairs(view: View, _told: None) -> Counted:
    assert view.piece.values is not None
    cells, _ = pair_cells(view.piece.values, view.frame.plan.attributes)
    return cells.ravel(), np.arange(len(cells) + 1) * cells.shape[1], None


def _value_states(view: View, _told: None) -> Counted:
    p = view.piece
    assert p.codes is not None
    return *view.value_cells.present(p.states, p.codes, p.offsets), None


def _values(view: View, _told: None) -> Counted:
    p = view.piece
    assert p.codes is not None
    return view.value_cells.of(p.states, p.codes).ravel(), p.offsets * p.codes.shape[1], None


def _values_before(view: View, place: np.ndarray) -> Counted:
    """The same events, by the bin before: `place` tells where the table of a state and column begins."""
    p, bins = view.piece, view.value_cells.bins
    assert p.codes is not None
    before = value_before(p.states, p.codes, p.offsets, bins)
    begin = np.where(p.codes < np.array(bins), place[p.states], -1)
    cell = np.where(begin >= 0, begin + before * np.array(bins) + p.codes, -1)
    return cell.ravel(), p.offsets * p.codes.shape[1], None


def _attribute_lengths(view: View, width: int) -> Counted:
    cells = _valued(view)
    lengths = np.searchsorted(LENGTH_EDGES, np.diff(view.piece.offsets), side="right")
    return (lengths[:, None] * width + cells).ravel(), np.arange(len(cells) + 1) * cells.shape[1], None


def present_states(states: np.ndarray, offsets: np.ndarray, n_states: int) -> np.ndarray:
    """Which states every object has (objects x states)."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out = np.zeros((len(offsets) - 1, n_states), bool)
    out[owner, states] = True
    return out


def _states_present(view: View, _told: None) -> Counted:
    p = view.piece
    owner, state = np.nonzero(present_states(p.states, p.offsets, view.frame.n_states))
    return state, np.r_[0, np.cumsum(np.bincount(owner, minlength=p.n))], None


def _attribute_states(view: View, width: int) -> Counted:
    cells, p = _valued(view), view.piece
    owner, state = np.nonzero(present_states(p.states, p.offsets, view.frame.n_states))
    bounds = np.r_[0, np.cumsum(np.bincount(owner, minlength=p.n))] * cells.shape[1]
    return (state[:, None] * width + cells[owner]).ravel(), bounds, None


CELLS: dict[str, Callable[[View, Any], Counted]] = {
    "lengths": _lengths,
    "spans": _spans,
    "pairs": _pairs,
    "triples": _triples,
    "gaps to": _gaps_to,
    "gaps between": _gaps_between,
    "starts": _starts,
    "clock": _clock,
    "state hours": _state_hours,
    **{name: _table(name) for name in TABLES},
    "attributes": _attributes,
    "attribute pairs": _attribute_pairs,
    "attribute lengths": _attribute_lengths,
    "states present": _states_present,
    "attribute states": _attribute_states,
    "value states": _value_states,
    "values": _values,
    "values before": _values_before,
}


def start_width(unit: str) -> int:
    """Cells of one object's start: hour, weekday and season, or the last two."""
    return 3 if unit == "second" else 2


def start_clip(unit: str) -> float:
    """Their norm: every one of them is one."""
    return math.sqrt(start_width(unit))
