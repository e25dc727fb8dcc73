"""Counting some people at a time: tasks that a thread or a worker does, on rows in memory or in a file.

Counts are whole numbers, also where they are held as floats, so it does not matter how people are divided among tasks.
Numbers that are no counts belong to one cluster each, and a cluster is never divided.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.activity.shared.day_effects import by_clock, by_day_and_part, days_of
from sequester.methods.activity.shared.kernels.day_types import (
    AGES,
    PARTS,
    ClusterCounts,
    Hours,
    Members,
    Pooled,
    Tally,
    count_clusters,
    count_rows,
)
from sequester.primitives.row_file import RowFile, RowsInMemory
from sequester.primitives.sorting import spread


class Where(NamedTuple):
    """The rows of all people, and the hours that they fall into."""

    states: RowFile | RowsInMemory
    hours: Hours
    n_states: int
    threads: int
    """Of one task."""


class Norms(NamedTuple):
    """What the rates of a cluster are measured against."""

    rate: np.ndarray
    """Of everyone: kinds of day x 24 x states x states."""
    age: np.ndarray
    """States x ages x parts: factor on leaving."""
    taken: np.ndarray
    """States x states: changes that at least k people made."""
    k: int
    weight: float
    """Intervals of the larger pool that are added to a smaller one before rates are taken."""


class Counted(NamedTuple):
    """What the people of a block show, added up; clusters `first` and following, as many as the block touches."""

    first: int
    spent: np.ndarray
    """Clusters x kinds of day x parts x states."""
    begun: np.ndarray
    """Clusters x states: intervals of the first hour."""
    profile: np.ndarray
    beginners: np.ndarray
    ended: np.ndarray
    pooled: Pooled


def tally(where: Where, which: np.ndarray) -> tuple[Tally, Pooled]:
    """What the rows `which` show, and the counts behind the rates of everyone."""
    a, hours = where.n_states, where.hours
    seen = np.zeros((len(which), len(hours.clock), a), np.uint16)
    parts: list[tuple[Tally, Pooled]] = []
    states, at = where.states.rows(which)

    def work(first: int, last: int) -> None:
        mine = empty_tally(seen, a)
        pooled = Pooled(
            changes=np.zeros((2, 24, a, a), np.int64),
            risk=np.zeros((2, 24, a, AGES), np.int64),
            visitors=np.zeros(a, np.int64),
            leavers=np.zeros((a, a), np.int64),
        )
        count_rows(states, at, hours, first, last, mine, pooled)
        parts.append((mine, pooled))

    spread(work, len(which), where.threads)
    return added([t for t, _ in parts]), Pooled(*(np.sum(m, axis=0) for m in zip(*(m for _, m in parts))))


def counted_block(where: Where, block: tuple[np.ndarray, np.ndarray]) -> Counted:
    """A task: rows, and the cluster of each, in ascending order."""
    which, cluster = block
    hours, a = where.hours, where.n_states
    shown, pooled = tally(where, which)
    first = int(cluster[0])
    own = cluster - first
    spent = np.zeros((int(own[-1]) + 1, 2, PARTS, a))
    begun = np.zeros((len(spent), a))
    by_part = by_day_and_part(shown.hours, hours)
    for kind in (0, 1):
        np.add.at(spent[:, kind], own, by_part[:, days_of(hours, kind)].sum(axis=1))
    np.add.at(begun, own, shown.hours[:, 0].astype(np.float64))
    return Counted(
        first=first,
        spent=spent,
        begun=begun,
        profile=by_clock(shown.hours, hours),
        beginners=(shown.hours[:, 0] > 0).sum(axis=0),
        ended=shown.ended,
        pooled=pooled,
    )


def cluster_rates(where: Where, norms: Norms, rows: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Rates of clusters: everyone's, times the cluster's own ratio, then its hours where k members count.

    `rows` are the members, one cluster after the other.
    """
    a, n = where.n_states, len(sizes)
    counts = ClusterCounts(
        changes=np.zeros((n, 2, 24, a, a)),
        exposure=np.zeros((n, 2, 24, a)),
        people=np.zeros((n, 2, 24, a), np.int64),
        ever=np.zeros((n, 24, a), np.int64),
    )
    states, at = where.states.rows(rows)
    members = Members(at, np.r_[0, np.cumsum(sizes)].astype(np.int64), np.arange(n))
    spread(
        lambda first, last: count_clusters(states, members, where.hours, norms.age, first, last, counts),
        n,
        where.threads,
    )
    changes, exposure, people, ever = counts
    changes *= norms.taken
    weight = norms.weight
    expected = np.einsum("ckha,khab->cab", exposure, norms.rate)
    ratio = (changes.sum(axis=(1, 2)) + 10) / (expected + 10)
    base = norms.rate[None] * ratio[:, None, None]
    middle = base.mean(axis=1)
    enough = (ever >= norms.k)[..., None]
    hourly = (changes.sum(axis=1) * enough + weight * middle) / (exposure.sum(axis=1)[..., None] * enough + weight)
    base = base * (hourly / np.maximum(middle, 1e-12))[:, None]
    enough = (people >= norms.k)[..., None]
    return (changes * enough + weight * base) / (exposure[..., None] * enough + weight)


def empty_tally(seen: np.ndarray, a: int) -> Tally:
    """Nothing counted yet, for `a` states."""
    return Tally(
        hours=seen,
        risk=np.zeros((a, AGES, PARTS), np.int64),
        ended=np.zeros((a, AGES, PARTS), np.int64),
        moved=np.zeros((PARTS, a, a), np.int64),
    )


def added(parts: list[Tally]) -> Tally:
    """Slices share the rows' counts; the rest adds up."""
    return Tally(parts[0].hours, *(np.sum(x, axis=0) for x in list(zip(*parts))[1:]))
