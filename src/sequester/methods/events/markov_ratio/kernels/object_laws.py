"""What an object is before it walks: how long, in which cluster, with which attributes."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.events.markov_ratio.kernels.law_index import RECORDS as OF_LAWS
from sequester.methods.events.markov_ratio.kernels.law_index import Families, Laws, find, key_of
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.xoshiro import fraction

FACTORS = 6
"""Factors every moment has; those of declared columns follow."""


class Tested(NamedTuple):
    """What the test kept."""

    families: Families
    gap_families: Families
    outer: Families
    few: Families
    """Over all, and per cluster."""
    start: Laws
    move: Laws
    gap: Laws
    length: Laws
    """Per cluster."""
    duration: Laws
    pause: Laws
    attribute: Laws
    """Values of column j in row j."""
    first: Laws
    """Cluster of an object's first section."""
    then: Laws
    """Cluster of the next one; the number of clusters stands for the end."""


class Frame(NamedTuple):
    """Everything else a walk needs."""

    n_states: int
    n_clusters: int
    residual: np.ndarray
    """Running number of sections by group of lengths that no cluster tells."""
    group_low: np.ndarray
    group_high: np.ndarray
    """One past the longest length of a group."""
    untold: np.ndarray
    """Running number of objects by value that no cluster tells, a row per declared column."""
    length_edges: np.ndarray
    gap_edges: np.ndarray
    reach: np.ndarray
    """`reach[k, a]`: how likely a walk of the whole log now in a ends after k more states."""
    hours: np.ndarray
    """Per state, weights of 24 hours; 1 where nothing is known."""
    openers: np.ndarray
    bars: np.ndarray
    finals: np.ndarray
    unit: int
    """0: order, 1: second, 2: day."""
    usual_gap: int
    """Bin of a gap no model knows."""
    max_events: int


class Objects(NamedTuple):
    """What is known about every object before it walks."""

    dates: np.ndarray
    lengths: np.ndarray
    """How many events it has if no cluster tells; empty where objects have several sections."""
    clusters: np.ndarray
    """Clusters that have its length, some of them drawn by their counts, or -1 (objects x candidates)."""
    bins: np.ndarray
    """Bin of lengths that goes with each of them."""


RECORDS = OF_LAWS | {
    "Tested": Record(
        Tested, "Families, Families, Families, Families, Laws, Laws, Laws, Laws, Laws, Laws, Laws, Laws, Laws"
    ),
    "Frame": Record(
        Frame,
        "int64, int64, float64[::1], int64[::1], int64[::1], float64[:, ::1], int64[::1], float64[::1], "
        "float64[:, ::1], float64[:, ::1], boolean[::1], boolean[:, ::1], boolean[::1], int64, int64, int64",
    ),
    "Objects": Record(Objects, "int64[::1], int64[::1], int64[:, ::1], int64[:, ::1]"),
}


@kernel("uint64[::1], float64[::1]")
def _by_share(generator, running):
    u = fraction(generator) * running[-1]
    j = 0
    while j < len(running) - 1 and u >= running[j]:
        j += 1
    return j


@kernel("uint64[::1], Laws, int64", **RECORDS)
def _kept_entry(generator, law, row):
    """An entry of a row with the share the test left of it, or -1."""
    if row < 0 or fraction(generator) >= law.shares[row]:
        return np.int64(-1)
    lo, hi = law.bounds[row], law.bounds[row + 1]
    u = fraction(generator) * law.totals[hi - 1]
    e = lo
    while e < hi - 1 and u >= law.totals[e]:
        e += 1
    return e


@kernel("uint64[::1], Frame, int64", **RECORDS)
def in_bin(generator, frame, bin_):
    """A length of a bin."""
    low, high = frame.length_edges[bin_], frame.length_edges[bin_ + 1]
    return min(low + np.int64(fraction(generator) * (high - low)), high - 1)


@kernel("uint64[::1], Tested, Frame, int64", **RECORDS)
def wanted_length(generator, laws, frame, cluster):
    """How many events a section has: by its cluster, or by what no cluster tells."""
    if cluster >= 0:
        e = _kept_entry(generator, laws.length, find(laws.length, key_of(0, cluster, -1, 0)))
        if e >= 0:
            return in_bin(generator, frame, laws.length.items[e])
    if not len(frame.residual) or frame.residual[-1] <= 0.0:
        return np.int64(1)
    group = _by_share(generator, frame.residual)
    low, high = frame.group_low[group], frame.group_high[group]
    return min(np.int64(low * (high / low) ** fraction(generator)), high - 1)


@kernel("Laws, int64, int64", **RECORDS)
def _share_of(law, row, item):
    """Share of an item in a row whose items rise."""
    lo, hi = law.bounds[row], law.bounds[row + 1]
    a, b = lo, hi
    while a < b:
        middle = (a + b) // 2
        if law.items[middle] < item:
            a = middle + 1
        else:
            b = middle
    if a == hi or law.items[a] != item:
        return 0.0
    return (law.totals[a] - (law.totals[a - 1] if a > lo else 0)) / law.totals[hi - 1]


@kernel("Laws, Families, int64, int64[::1]", **RECORDS)
def _in_season(law, families, cluster, values):
    """How much more often an object starts in a cluster at such a moment than at any; 1 where nothing tells."""
    whole = find(law, key_of(0, -1, -1, 0))
    usual = _share_of(law, whole, cluster) if whole >= 0 else 0.0
    if usual <= 0.0:
        return 1.0
    total = 0.0
    weight = 0.0
    for f in range(len(families.factor)):
        value = values[families.factor[f]] if families.factor[f] >= 0 else np.int64(-1)
        if families.factor[f] >= 0 and value < 0:
            continue
        row = find(law, key_of(f, -1, value, 0))
        if row >= 0:
            total += _share_of(law, row, cluster)
            weight += 1.0
    return total / (weight * usual) if weight > 0.0 else 1.0


@kernel("uint64[::1], Tested, int64[::1], int64[::1]", **RECORDS)
def seasonal(generator, laws, clusters, values):
    """Place of the candidate that an object takes, by how usual its cluster is at such a moment."""
    total = 0.0
    for pass_ in range(2):
        u = fraction(generator) * total if pass_ else 0.0
        for k in range(len(clusters)):
            w = _in_season(laws.first, laws.outer, clusters[k], values)
            if not pass_:
                total += w
            else:
                u -= w
                if u < 0.0:
                    return k
        if total <= 0.0:
            return 0
    return len(clusters) - 1


@kernel("uint64[::1], Tested, Frame, int64, int64[::1]", **RECORDS)
def set_attributes(generator, laws, frame, cluster, values):
    """Draw the value of every declared column, by the cluster or by what no cluster tells."""
    for j in range(len(frame.untold)):
        e = np.int64(-1)
        if cluster >= 0:
            e = _kept_entry(generator, laws.attribute, find(laws.attribute, key_of(1, cluster, -1, j)))
        if e >= 0:
            values[FACTORS + j] = laws.attribute.items[e]
        elif frame.untold[j, -1] > 0.0:
            values[FACTORS + j] = _by_share(generator, frame.untold[j])
        else:
            values[FACTORS + j] = -1
