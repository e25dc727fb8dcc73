"""What the repaired synthesis counts beside the paper's statistics, all of it tested like them.

The paper's generator ends a section by its duration and draws its gaps from a mean and a spread. Here the number of
events of a section is counted per cluster, END is one of the things that may follow a state, what follows a cluster
may be the end of the object, and gaps and pauses are counted in bins. Declared attributes of cases are influencing
factors (Definition 7): their values are counted over all and per cluster, and states and gaps may depend on them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.methods.events.markov_ratio.ensemble import (
    Ensemble,
    Family,
    Statistics,
    duration_bin,
    families,
    moment_values,
    section_starts,
    state_starts,
    statistics,
)
from sequester.methods.events.markov_ratio.passing import passes
from sequester.methods.events.markov_ratio.sections import Sections
from sequester.methods.events.markov_ratio.spans import count_spans
from sequester.methods.events.shared.bins import DAY, HOUR, gap_bin, length_edges
from sequester.model import EventLog

PREVIOUS = "previous gap"
LONGEST = 5000
"""A longer section counts as one of this many events."""
WIDEST = 3
"""A group of lengths ends at most at this multiple of its beginning, so that its end tells nobody's length."""
FEW = [Family(level="all", factor=None), Family(level="cluster", factor=None)]


@dataclass(frozen=True, kw_only=True)
class Ranges:
    """Groups of length bins, each told by enough sections to pass the test."""

    of_bin: np.ndarray
    """Group of every bin, -1 where nobody is."""
    low: np.ndarray
    high: np.ndarray
    """One past the longest length of the group."""

    @property
    def names(self) -> list[str]:
        """As they stand in the model."""
        return [f"{a}..{b - 1}" for a, b in zip(self.low.tolist(), self.high.tolist(), strict=True)]


@dataclass(frozen=True, kw_only=True)
class Counted:
    """The statistics of the repaired synthesis, those of the paper among them."""

    inner: Ensemble
    """Starts as in the paper; moves with END as the item after the last state."""
    outer: Ensemble
    """The same over clusters, END after the last cluster."""
    gap: Statistics
    """Bin of the gap after a pair of states (row a * S + b)."""
    gap_families: list[Family]
    lengths: Statistics
    """Group of lengths, over all sections."""
    ranges: Ranges
    length: Statistics
    """Bin of lengths per cluster."""
    duration: Statistics
    pause: Statistics
    """Bin of the pause between two sections, by the cluster of the first."""
    clock: Statistics
    """Hour of the day by state."""
    span: Statistics
    """Bin of the days from first to last event, by class of length (row); in logs of days alone."""
    spans: Statistics
    """The same over all objects and by the year of their start."""
    attribute: Statistics
    """Value of every declared column (row), over all objects and by the cluster of their first section."""

    @property
    def extra(self) -> dict[str, Statistics]:
        """What the paper does not count, by name."""
        every = (self.gap, self.lengths, self.length, self.duration, self.pause, self.clock, self.span, self.spans)
        return {x.name: x for x in (*every, self.attribute)}


def factor_of(column: str) -> str:
    """How an attribute is called among the factors: apart from the derived ones, whatever its name."""
    return f"attribute {column}"


def previous_gap(times: np.ndarray, first: np.ndarray) -> np.ndarray:
    """Class of the gap before every event: none, an hour, a day, more; 4 for the first of a section."""
    gap = np.diff(times, prepend=times[:1])
    return np.where(first, 4, np.searchsorted([1, HOUR, DAY], gap, side="right")).astype(np.int16)


def length_ranges(bins: np.ndarray, n_bins: int, epsilon: float, mode: str) -> Ranges:
    """Bins put together from the longest on until each group passes the test: nobody's length is lost.

    Rare lengths are long ones. Dropped one by one, as the test does elsewhere, they would shorten every log.
    """
    edges = length_edges(LONGEST)
    counts = np.bincount(bins, minlength=n_bins)
    groups: list[list[int]] = []  # bins of every group, falling
    open_: list[int] = []
    for b in np.flatnonzero(counts)[::-1].tolist():
        open_.append(b)
        if mode == "off" or passes(counts[open_].sum(), np.int64(len(bins)), epsilon):
            groups.append(open_)
            open_ = []
    if open_ and groups:
        groups[-1] += open_
    elif open_:
        groups = [open_]
    groups.reverse()
    of_bin = np.full(n_bins, -1, np.int64)
    low, high = np.zeros((2, len(groups)), np.int64)
    for g, own in enumerate(groups):
        of_bin[own] = g
        low[g] = edges[own[-1]]
        if len(own) == 1:
            high[g] = edges[own[0] + 1]
        else:
            above = edges[groups[g + 1][-1]] if g + 1 < len(groups) else edges[-1]
            high[g] = max(min(above, WIDEST * low[g]), low[g] + 1)
    return Ranges(of_bin=of_bin, low=low, high=high)


def count(
    log: EventLog,
    s: Sections,
    cluster: np.ndarray,
    factors: tuple[str, ...],
    section_factors: tuple[str, ...],
    year0: int,
    *,
    cases: dict[str, np.ndarray],
    **test: Any,
) -> Counted:
    """Count and test everything; `cases` has a code per object for every declared column."""
    states, n_states, times = log.states, len(log.state_names), log.times
    columns = {factor_of(name): codes.astype(np.int16) for name, codes in cases.items()}
    inner_factors = (*factors, *columns)
    kinds = families(inner_factors, clusters=True)
    n_events, none = len(states), np.zeros(s.n, np.int64)
    last = np.zeros(n_events, bool)
    last[s.bounds[1:] - 1] = True
    first = np.zeros(n_events, bool)
    first[s.bounds[:-1]] = True
    section = np.repeat(np.arange(s.n, dtype=np.int32), np.diff(s.bounds))
    owner = np.repeat(np.arange(log.n_records), np.diff(s.of_object))
    by_section = {name: codes[owner] for name, codes in columns.items()}
    long = duration_bin(s.durations, s.has_clock)
    moments = moment_values(s.times, s.has_clock, year0) | {"duration": long[section]}
    moments |= {name: codes[section] for name, codes in by_section.items()}
    of_event = cluster.astype(np.int32)[section]
    del section
    following = np.append(states[1:], 0).astype(np.int32)
    following[last] = n_states
    move = statistics("move", kinds, row=states, item=following, time=None, cluster=of_event, values=moments, **test)
    hours = moments["hour"] if log.time_unit == "second" else np.zeros(0, np.int16)
    moments[PREVIOUS] = previous_gap(times, first)
    del first
    # Every event that another follows: masks instead of places, and what has served is let go, for large logs.
    go_on = ~last & s.has_clock
    pair = (states.astype(np.int64) * n_states)[:-1] + states[1:] if len(states) > 1 else np.zeros(0, np.int64)
    gap_families = families((*inner_factors, PREVIOUS), clusters=True)
    used = {f.factor for f in gap_families}
    values = {name: moments.pop(name)[go_on] for name in list(moments) if name in used}
    del moments, following
    gap = statistics(
        "gap", gap_families, row=pair[go_on[:-1]], time=None, item=gap_bin(np.diff(times)[go_on[:-1]]).astype(np.int8),
        cluster=of_event[go_on], values=values, **test,
    )  # fmt: skip
    del pair, go_on, of_event, values
    of_section: dict[str, Any] = {"row": none, "time": None, "cluster": cluster, "values": {}, **test}
    n_bins = len(length_edges(LONGEST)) - 1
    length_bin = np.minimum(np.searchsorted(length_edges(LONGEST), np.diff(s.bounds), side="right") - 1, n_bins - 1)
    ranges = length_ranges(length_bin, n_bins, test["epsilon"], test["mode"])
    inside = np.ones(s.n, bool)
    inside[s.of_object[1:] - 1] = False
    q = np.flatnonzero(inside)
    rest = times[s.bounds[q + 1]] - times[s.bounds[q + 1] - 1]
    outer_kinds = families(section_factors, clusters=False)
    outer_move = statistics(
        "move", outer_kinds, row=cluster, item=np.where(inside, np.r_[cluster[1:], 0], int(cluster.max()) + 1),
        time=None, cluster=None, values=moment_values(s.times[s.bounds[:-1]], s.has_clock, year0), **test,
    )  # fmt: skip
    span, spans = count_spans(log, year0, by_year="year" in section_factors, **test)
    each = np.tile(np.arange(len(columns)), log.n_records)
    coded = np.stack(list(columns.values()), axis=1).ravel() if columns else np.zeros(0, np.int64)
    return Counted(
        inner=Ensemble(
            families=kinds,
            start=state_starts(states, s, cluster, inner_factors, year0, more=by_section, **test),
            move=move,
        ),
        outer=Ensemble(
            families=outer_kinds, start=section_starts(s, cluster, section_factors, year0, **test), move=outer_move
        ),
        gap=gap,
        gap_families=gap_families,
        lengths=statistics("lengths", FEW[:1], item=ranges.of_bin[length_bin], **of_section),
        ranges=ranges,
        length=statistics("length", FEW[1:], item=length_bin, **of_section),
        duration=statistics("duration", FEW, item=long, **of_section),
        pause=statistics(
            "pause", FEW, row=none[q], item=gap_bin(rest), time=None, cluster=cluster[q], values={}, **test
        ),
        clock=statistics(
            "clock", FEW[:1], row=states[: len(hours)], item=hours, time=None, cluster=None, values={}, **test
        ),
        span=span,
        spans=spans,
        attribute=statistics(
            "attribute", FEW, row=each, item=coded, time=None,
            cluster=np.repeat(cluster[s.of_object[:-1]], len(columns)), values={}, **test,
        ),
    )  # fmt: skip


def told_clusters(outer: Ensemble, *, single: bool) -> np.ndarray:
    """Clusters that an object may be in: those that passed the test among the clusters.

    What is counted inside a cluster passes easily (two of two always do), so a cluster that fails must not be used.
    """
    start = outer.start.item[outer.start.family == 0]
    after = outer.move.item[outer.move.family == 0]
    return np.unique(start if single else np.r_[start, after])


def residual(lengths: Statistics, length: Statistics, ranges: Ranges, used: np.ndarray) -> np.ndarray:
    """Sections by group of lengths that none of the clusters in use tells: counted over all, less what they kept."""
    n = len(ranges.low)
    out = np.bincount(lengths.item, lengths.count, minlength=n).astype(np.float64)
    own = np.isin(length.cluster, used)
    return np.maximum(out - np.bincount(ranges.of_bin[length.item[own]], length.count[own], minlength=n), 0.0)


def untold(attribute: Statistics, sizes: tuple[int, ...], used: np.ndarray) -> np.ndarray:
    """Objects by value of every column that none of these clusters tells, running sums (columns x most values)."""
    out = np.zeros((len(sizes), max(sizes, default=1)))
    every = attribute.family == 0
    np.add.at(out, (attribute.row[every], attribute.item[every]), attribute.count[every])
    whole = out.copy()
    own = ~every & np.isin(attribute.cluster, used)
    np.subtract.at(out, (attribute.row[own], attribute.item[own]), attribute.count[own])
    out = np.maximum(out, 0.0)
    lacks = out.sum(1) == 0
    out[lacks] = whole[lacks]
    return np.cumsum(out, axis=1)
