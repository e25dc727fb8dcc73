"""What the repaired synthesis counts beside the paper's statistics, all of it tested like them.

The paper's generator ends a section by its duration and draws its gaps from a mean and a spread. Here the number of
events of a section is counted per cluster, END is one of the things that may follow a state, what follows a cluster
may be the end of the object, and gaps and pauses are counted in bins. Declared attributes of cases are influencing
factors (Definition 7): their values are counted over all and per cluster, and states and gaps may depend on them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sequester.methods.events.markov_ratio.ensemble import (
    MOST,
    Ensemble,
    duration_bin,
    families,
    moment_values,
    section_starts,
    state_starts,
)
from sequester.methods.events.markov_ratio.sections import Sections, passes
from sequester.methods.events.markov_ratio.spans import span_asks
from sequester.methods.events.markov_ratio.tallies import Ask, Family, Statistics, Threshold, statistics
from sequester.methods.events.shared.spans import DAY, GAP_EDGES, HOUR, gap_bin, length_edges
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
    """Bin of the time from first to last event, by class of length (row)."""
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


def length_ranges(counts: np.ndarray, epsilon: float, mode: str) -> Ranges:
    """Bins put together from the longest on until each group passes the test: nobody's length is lost.

    `counts` are sections per bin. Rare lengths are long ones. Dropped one by one, as the test does elsewhere, they
    would shorten every log.
    """
    edges, n_bins = length_edges(LONGEST), len(counts)
    groups: list[list[int]] = []  # bins of every group, falling
    open_: list[int] = []
    for b in np.flatnonzero(counts)[::-1].tolist():
        open_.append(b)
        if mode == "off" or passes(counts[open_].sum(), counts.sum(), epsilon):
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


def length_bins(sizes: np.ndarray) -> np.ndarray:
    """Bin of every length."""
    edges = length_edges(LONGEST)
    return np.minimum(np.searchsorted(edges, sizes, side="right") - 1, len(edges) - 2)


def measured_asks(
    log: EventLog,
    s: Sections,
    cluster: np.ndarray,
    n_clusters: int,
    factors: tuple[str, ...],
    section_factors: tuple[str, ...],
    year0: int,
    cases: Mapping[str, np.ndarray],
) -> Iterator[Ask]:
    """Everything that is counted, but the groups of lengths; `cases` has a code per object for every declared column.

    Large logs: what has served is let go before the next question is put.
    """
    states, n_states, times = log.states, len(log.state_names), log.times
    columns = {factor_of(name): codes.astype(np.int16) for name, codes in cases.items()}
    inner_factors = (*factors, *columns)
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
    yield Ask(
        "states", "move", families(inner_factors, clusters=True), row=states, item=following,
        shape=(n_states, n_states + 1), cluster=of_event, values=moments,
    )  # fmt: skip
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
    yield Ask(
        "states", "gap", gap_families, row=pair[go_on[:-1]], item=gap_bin(np.diff(times)[go_on[:-1]]).astype(np.int8),
        shape=(n_states * n_states, len(GAP_EDGES) - 1), cluster=of_event[go_on], values=values,
    )  # fmt: skip
    del pair, go_on, of_event, values
    inside = np.ones(s.n, bool)
    inside[s.of_object[1:] - 1] = False
    q = np.flatnonzero(inside)
    rest = times[s.bounds[q + 1]] - times[s.bounds[q + 1] - 1]
    yield Ask(
        "sections", "move", families(section_factors, clusters=False), row=cluster,
        item=np.where(inside, np.r_[cluster[1:], 0], n_clusters), shape=(n_clusters, n_clusters + 1),
        values=moment_values(s.times[s.bounds[:-1]], s.has_clock, year0),
    )  # fmt: skip
    yield from span_asks(log, year0, by_year="year" in section_factors)
    yield state_starts(states, s, n_states, cluster, inner_factors, year0, by_section)
    yield section_starts(s, cluster, n_clusters, section_factors, year0)
    n_bins = len(length_edges(LONGEST)) - 1
    bins = length_bins(np.diff(s.bounds))
    yield Ask("states", "length", FEW[1:], row=none, item=bins, shape=(1, n_bins), cluster=cluster)
    yield Ask("states", "duration", FEW, row=none, item=long, shape=(1, MOST["duration"]), cluster=cluster)
    yield Ask(
        "states", "pause", FEW, row=none[q], item=gap_bin(rest), shape=(1, len(GAP_EDGES) - 1), cluster=cluster[q]
    )
    yield Ask("states", "clock", FEW[:1], row=states[: len(hours)], item=hours, shape=(n_states, 24))
    each = np.tile(np.arange(len(columns)), log.n_records)
    coded = np.stack(list(columns.values()), axis=1).ravel() if columns else np.zeros(0, np.int64)
    of_first = np.repeat(cluster[s.of_object[:-1]], len(columns))
    yield Ask("states", "attribute", FEW, row=each, item=coded, shape=(max(1, len(columns)), 1 << 15), cluster=of_first)


def measured_statistics(
    found: Mapping[str, Statistics],
    lengths: np.ndarray,
    factors: tuple[str, ...],
    section_factors: tuple[str, ...],
    cases: Sequence[str],
    test: Threshold,
) -> Counted:
    """What was counted, put in its places; `lengths` are sections by bin of their length."""
    inner_factors = (*factors, *map(factor_of, cases))
    ranges = length_ranges(lengths, test.epsilon, test.mode)
    bins = np.flatnonzero(lengths)
    grouped = Ask(
        "states", "lengths", FEW[:1], row=np.zeros(len(bins), np.int64), item=ranges.of_bin[bins],
        shape=(1, len(ranges.low)), weight=lengths[bins],
    )  # fmt: skip
    inner, outer = families(inner_factors, clusters=True), families(section_factors, clusters=False)
    of_states = ("gap", "length", "duration", "pause", "clock", "span", "spans", "attribute")
    return Counted(
        inner=Ensemble(families=inner, start=found["states start"], move=found["states move"]),
        outer=Ensemble(families=outer, start=found["sections start"], move=found["sections move"]),
        gap_families=families((*inner_factors, PREVIOUS), clusters=True),
        lengths=statistics(grouped, test),
        ranges=ranges,
        **{name: found[f"states {name}"] for name in of_states},
    )


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
