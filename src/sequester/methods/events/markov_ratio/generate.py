"""From tested statistics to a synthetic log: how long every object is, which cluster it walks in, and its laws."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sequester.errors import InputError
from sequester.methods.events.markov_ratio.drawn import Drawn, Walked, draw
from sequester.methods.events.markov_ratio.ensemble import VALUES
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
from sequester.methods.events.markov_ratio.outline import Outline
from sequester.methods.events.markov_ratio.spans import with_spans
from sequester.methods.events.markov_ratio.tallies import Family, Statistics
from sequester.methods.events.shared.attributes import Attribute
from sequester.methods.events.shared.notes import Rules, arrivals
from sequester.methods.events.shared.spans import GAP_EDGES, length_edges


def indexed(x: Statistics) -> law_index.Laws:
    """Index what the test kept."""
    for what, have in (("cluster", x.cluster), ("value", x.value), ("row", x.row)):
        if have.max(initial=0) >= law_index.LARGEST[what]:
            raise InputError(
                f"markov-ratio: more than {law_index.LARGEST[what]} different {what}s cannot be told apart."
            )
    key = x.family.astype(np.int64)
    key = (key << law_index.CLUSTER_BITS) | (x.cluster + 1)
    key = (key << law_index.VALUE_BITS) | np.maximum(x.value, 0)
    key = (key << law_index.ROW_BITS) | x.row
    return law_index.laws(key, x.item, x.count, x.out_of)


UNITS = {"order": 0, "second": 1, "day": 2}
USUAL_GAP = {"order": 0, "second": 6, "day": 0}
"""Bin of a gap whose pair of states no model knows: a quarter of an hour to half an hour, or the same day."""
CANDIDATES = 4
"""Clusters of its length that an object chooses among by the season."""


def generate(
    log: Outline,
    counted: Counted,
    n_clusters: int,
    year0: int,
    declared: tuple[Attribute, ...],
    *,
    rules: Rules,
    poisson: bool,
    max_events: int,
    generator: np.random.Generator,
    threads: int,
    folder: Path | None,
) -> Drawn:
    """A log whose sections have measured lengths, END among their laws, and gaps from tested bins.

    Its codes are per object and declared column (-1: the test left none).
    """
    n_states, dates = len(log.state_names), log.days
    if poisson:
        day, size = np.unique(dates, return_counts=True)
        dates = np.repeat(day, generator.poisson(size))
    bars, finals = rules.masks(log.state_names)
    inner, outer, ranges = counted.inner, counted.outer, counted.ranges
    places = (*VALUES, *(factor_of(a.name) for a in declared))

    def families(kinds: list[Family]) -> law_index.Families:
        return law_index.Families(
            by_cluster=np.array([f.by_cluster for f in kinds]),
            factor=np.array([places.index(f.factor) if f.factor else -1 for f in kinds]),
        )

    tested = laws_of.Tested(
        families=families(inner.families), gap_families=families(counted.gap_families),
        outer=families(outer.families), few=families(FEW), start=indexed(inner.start), move=indexed(inner.move),
        gap=indexed(counted.gap), length=indexed(counted.length), duration=indexed(counted.duration),
        pause=indexed(counted.pause), attribute=indexed(counted.attribute), first=indexed(outer.start),
        then=indexed(outer.move),
    )  # fmt: skip
    single = log.n_sections == log.n_objects
    used = told_clusters(outer, single=single)
    longest = int(max(ranges.high.max(initial=2) - 1, 1))
    frame = laws_of.Frame(
        n_states=n_states,
        n_clusters=n_clusters,
        residual=np.cumsum(residual(counted.lengths, counted.length, ranges, used)),
        group_low=ranges.low,
        group_high=ranges.high,
        untold=untold(counted.attribute, tuple(len(a.values) for a in declared), used),
        length_edges=length_edges(LONGEST),
        gap_edges=GAP_EDGES,
        reach=arrivals(_whole_chain(inner.move, n_states), longest)[:longest],
        hours=_hours(counted.clock, n_states),
        openers=~log.preceded,
        bars=bars,
        finals=finals | ~log.followed,
        unit=UNITS[log.unit],
        usual_gap=USUAL_GAP[log.unit],
        max_events=max_events,
    )
    objects = _objects(dates, counted, used, single, generator)

    def some(at: slice, state: np.ndarray) -> Walked:
        here = laws_of.Objects(*(np.ascontiguousarray(x[at], np.int64) for x in objects))
        states, times, offsets, codes = synthesize(state, here, year0, tested, frame)
        return Walked(states.astype(np.int32), times, offsets, codes)

    drawn = draw(len(dates), some, generator, threads=threads, folder=folder)
    if log.unit != "order":
        drawn = with_spans(drawn, log.unit, year0, counted.span, counted.spans, generator)
    return drawn


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
        clusters, bins = np.full((2, n, CANDIDATES), -1, np.int32)
    else:
        clusters = np.where(by_cluster[:, None], cluster[entry], -1).astype(np.int32)
        bins = item[entry].astype(np.int16)
    return laws_of.Objects(dates, lengths, clusters, bins)  # narrow: there are as many of them as people


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
