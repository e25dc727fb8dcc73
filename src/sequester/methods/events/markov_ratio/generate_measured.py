"""Drawing the repaired synthesis: how long every object is, which cluster it walks in, and the laws_of."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np

from sequester.methods.events.markov_ratio.ensemble import VALUES, Family, Statistics
from sequester.methods.events.markov_ratio.generate import PARTS, indexed, neighbourhood, starts
from sequester.methods.events.markov_ratio.kernels import law_index
from sequester.methods.events.markov_ratio.kernels import object_laws as laws_of
from sequester.methods.events.markov_ratio.kernels.measured import synthesize
from sequester.methods.events.markov_ratio.measured import (
    FEW,
    LONGEST,
    Counted,
    factor_of,
    residual,
    told_clusters,
    untold,
)
from sequester.methods.events.markov_ratio.sections import Sections
from sequester.methods.events.markov_ratio.spans import with_spans
from sequester.methods.events.shared.attributes import Attribute
from sequester.methods.events.shared.bins import GAP_EDGES, length_edges
from sequester.methods.events.shared.reach import arrivals
from sequester.methods.events.shared.rules import Rules
from sequester.model import EventLog
from sequester.primitives.xoshiro import state_from

UNITS = {"order": 0, "second": 1, "day": 2}
USUAL_GAP = {"order": 0, "second": 6, "day": 0}
"""Bin of a gap whose pair of states no model knows: a quarter of an hour to half an hour, or the same day."""
CANDIDATES = 4
"""Clusters of its length that an object chooses among by the season."""


def generate_measured(
    data: EventLog,
    s: Sections,
    counted: Counted,
    year0: int,
    declared: tuple[Attribute, ...],
    *,
    rules: Rules,
    poisson: bool,
    weights: str,
    max_events: int,
    generator: np.random.Generator,
    threads: int = 1,
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A log whose sections have measured lengths, END among their laws, and gaps from tested bins.

    Returns states, times, offsets, and a code per object and declared column (-1: the test left none).
    """
    n_states = len(data.state_names)
    dates, _, _ = starts(s.times[s.bounds[:-1]][s.of_object[:-1]], np.diff(s.of_object), s.has_clock)
    if poisson:
        day, size = np.unique(dates, return_counts=True)
        dates = np.repeat(day, generator.poisson(size))
    bars, finals = rules.masks(data.state_names)
    followed, preceded = neighbourhood(data)
    inner, outer, ranges = counted.inner, counted.outer, counted.ranges
    places = (*VALUES, *(factor_of(a.name) for a in declared))

    def laws(x: Statistics) -> law_index.Laws:
        return indexed(x, weights=weights)

    def families(kinds: list[Family]) -> law_index.Families:
        return law_index.Families(
            by_cluster=np.array([f.by_cluster for f in kinds]),
            factor=np.array([places.index(f.factor) if f.factor else -1 for f in kinds]),
        )

    tested = laws_of.Tested(
        families=families(inner.families), gap_families=families(counted.gap_families),
        outer=families(outer.families), few=families(FEW), start=laws(inner.start), move=laws(inner.move),
        gap=laws(counted.gap), length=laws(counted.length), duration=laws(counted.duration),
        pause=laws(counted.pause), attribute=laws(counted.attribute), first=laws(outer.start), then=laws(outer.move),
    )  # fmt: skip
    single = s.n == data.n_records
    used = told_clusters(outer, single=single)
    longest = int(max(ranges.high.max(initial=2) - 1, 1))
    frame = laws_of.Frame(
        n_states=n_states,
        n_clusters=int(s.cluster_count),
        residual=np.cumsum(residual(counted.lengths, counted.length, ranges, used)),
        group_low=ranges.low,
        group_high=ranges.high,
        untold=untold(counted.attribute, tuple(len(a.values) for a in declared), used),
        length_edges=length_edges(LONGEST),
        gap_edges=GAP_EDGES,
        reach=arrivals(_whole_chain(inner.move, n_states), longest)[:longest],
        hours=_hours(counted.clock, n_states),
        openers=~preceded,
        bars=bars,
        finals=finals | ~followed,
        unit=UNITS[data.time_unit],
        usual_gap=USUAL_GAP[data.time_unit],
        max_events=max_events,
    )
    objects = _objects(dates, counted, used, single, generator)
    parts = np.linspace(0, len(dates), PARTS + 1).astype(int)

    def part(i: int, own: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        here = laws_of.Objects(*(x[parts[i] : parts[i + 1]] for x in objects))
        walked, moments, bounds, codes = synthesize(state_from(own), here, year0, tested, frame)
        return walked.astype(np.int32), moments, bounds, codes

    with ThreadPoolExecutor(threads) as pool:
        states, times, bounds, drawn = zip(*pool.map(part, range(PARTS), generator.spawn(PARTS)), strict=True)
    offsets = np.r_[0, np.cumsum(np.concatenate([np.diff(b) for b in bounds]))]
    moments = np.concatenate(times)
    if len(counted.span.count):
        moments = with_spans(moments, offsets, year0, counted.span, counted.spans, generator)
    return np.concatenate(states), moments, offsets, np.concatenate(drawn)


def _objects(
    dates: np.ndarray, counted: Counted, used: np.ndarray, single: bool, generator: np.random.Generator
) -> laws_of.Objects:
    """Lengths first where every object is one section: at evenly spaced shares, so that chance adds no error.

    Then clusters by how many of their sections have such a length. Both laws stay as they were counted, which drawing
    the cluster first would not achieve: the season's laws know frequent clusters only.
    """
    n = len(dates)
    empty = np.zeros((0, CANDIDATES), np.int64)
    total = np.bincount(counted.lengths.item, counted.lengths.count, minlength=len(counted.ranges.low))
    if not single or not total.sum():
        return laws_of.Objects(dates, np.zeros(0, np.int64), empty, empty)
    share = (generator.permutation(n) + generator.random()) / max(n, 1) * total.sum()
    group = np.minimum(np.searchsorted(np.cumsum(total), share, side="right"), np.flatnonzero(total)[-1])
    low, high = counted.ranges.low[group], counted.ranges.high[group]
    lengths = np.minimum((low * (high / low) ** generator.random(n)).astype(np.int64), high - 1)
    own = np.isin(counted.length.cluster, used)
    item, cluster, count = counted.length.item[own], counted.length.cluster[own], counted.length.count[own]
    of = counted.ranges.of_bin[item]
    order = np.argsort(of, kind="stable")
    running = np.r_[0, np.cumsum(count[order])]
    begin = running[np.searchsorted(of[order], np.arange(len(total)))]
    known = np.bincount(of, count, minlength=len(total)).astype(np.int64)
    draws = generator.random((n, CANDIDATES)) * known[group][:, None]
    entry = np.searchsorted(running, begin[group][:, None] + draws, side="right") - 1
    entry = order[np.clip(entry, 0, max(len(order) - 1, 0))] if len(order) else np.zeros((n, CANDIDATES), np.int64)
    by_cluster = generator.random(n) * np.maximum(total, known)[group] < known[group]
    if not len(order):
        clusters, bins = np.full((2, n, CANDIDATES), -1, np.int64)
    else:
        clusters = np.where(by_cluster[:, None], cluster[entry], -1).astype(np.int64)
        bins = item[entry].astype(np.int64)
    return laws_of.Objects(dates, lengths, np.ascontiguousarray(clusters), np.ascontiguousarray(bins))


def _whole_chain(move: Statistics, n_states: int) -> np.ndarray:
    """What the test left of the moves of the whole log, as shares; START is not needed."""
    all_ = move.family == 0
    counts = np.zeros((n_states + 1, n_states + 1))
    counts[move.row[all_], move.item[all_]] = move.count[all_]
    total = counts.sum(1, keepdims=True)
    return np.divide(counts, total, out=np.zeros_like(counts), where=total > 0)


def _hours(clock: Statistics, n_states: int) -> np.ndarray:
    out = np.zeros((n_states, 24))
    out[clock.row, clock.item] = clock.count
    return np.where(out.sum(1, keepdims=True) > 0, out, 1.0)
