"""Counts pooled over people: rates of everyone and of clusters, where rows begin, and what is usual.

A target that fewer than k people took, and a state that fewer than k people visited, are dropped everywhere. A
cluster's own hour counts only where at least k of its members visited the state in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sequester.errors import counted
from sequester.layouts.states import has_weekdays
from sequester.methods.activity.shared.day_effects import (
    BORROWED_MINUTES,
    Usual,
    by_clock,
    by_day_and_part,
    days_of,
)
from sequester.methods.activity.shared.kernels.day_types import (
    AGES,
    PARTS,
    WIDTH,
    ClusterCounts,
    Hours,
    Members,
    Pooled,
    Tally,
    count_clusters,
    count_rows,
)
from sequester.primitives.room import rest
from sequester.primitives.threads import spread

if TYPE_CHECKING:
    from sequester.methods.activity.shared.clustering import Clusters
    from sequester.model import Activities

SMOOTH_MINUTES = 120.0
"""Minutes of the larger pool that are added to a smaller one before rates are taken."""
BLOCK = 2048
"""Rows held at a time while counting and drawing."""


@dataclass(kw_only=True)
class Cohort:
    """Counts over all people, and what is usual in every cluster."""

    hours: Hours
    legal: np.ndarray
    """States that at least k people visited."""
    taken: np.ndarray
    """States x states: changes that at least k people made."""
    rate: np.ndarray
    """Kinds of day x 24 x states x states."""
    age: np.ndarray
    """States x ages x parts: factor on leaving."""
    profile: np.ndarray
    """Kinds of day x 24 x states: intervals per person."""
    first: np.ndarray
    """Clusters x states: where rows begin."""
    usual: Usual


def hours_of(data: Activities) -> Hours:
    """The clock hours of the data's intervals."""
    at = data.start + np.arange(data.states.shape[1]) * np.timedelta64(data.interval_seconds, "s")
    hour = at.astype("datetime64[h]").astype(np.int64)
    firsts = np.flatnonzero(np.diff(hour, prepend=hour[0] - 1))
    day = hour[firsts] // 24
    weekend = ((day + 3) % 7 >= 5).astype(np.int64) * has_weekdays(data)  # 1970-01-01 was a Thursday
    return Hours(
        edges=np.append(firsts, len(at)).astype(np.int64),
        clock=hour[firsts] % 24,
        kind=weekend,
        day=np.unique(day, return_inverse=True)[1].astype(np.int64),
    )


class Pools:
    """Counts over the people of a clustered data set."""

    def __init__(self, data: Activities, clusters: Clusters, *, k: int, threads: int) -> None:
        self.states = np.ascontiguousarray(data.states).view()
        self.states.flags.writeable = False  # as the kernels are compiled for
        self.clusters, self.k, self.threads = clusters, k, threads
        self.n_states = len(data.state_names)
        self.minute = 60.0 / data.interval_seconds
        self.cohort = self._count(hours_of(data))

    def tally(self, which: np.ndarray, hours: Hours) -> tuple[Tally, Pooled]:
        """What the rows `which` show, and the counts behind the rates of everyone."""
        a = self.n_states
        seen = np.zeros((len(which), len(hours.clock), a), np.uint16)
        parts: list[tuple[Tally, Pooled]] = []

        def work(first: int, last: int) -> None:
            tally = empty_tally(seen, a)
            pooled = Pooled(
                changes=np.zeros((2, 24, a, a), np.int64),
                risk=np.zeros((2, 24, a, AGES), np.int64),
                visitors=np.zeros(a, np.int64),
                leavers=np.zeros((a, a), np.int64),
            )
            count_rows(self.states, which, hours, first, last, tally, pooled)
            parts.append((tally, pooled))

        which = which.astype(np.int64)
        spread(work, len(which), self.threads)
        return added([t for t, _ in parts]), Pooled(*(np.sum(m, axis=0) for m in zip(*(m for _, m in parts))))

    def _count(self, hours: Hours) -> Cohort:
        order, sizes = self.clusters.order, self.clusters.sizes
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        n_clusters, a = len(sizes), self.n_states
        spent = np.zeros((n_clusters, 2, PARTS, a))
        first = np.zeros((n_clusters, a))
        beginners = np.zeros(a, np.int64)
        profile = np.zeros((2, 24, a))
        sums: list[np.ndarray] | None = None
        ended = np.zeros((a, AGES, PARTS), np.int64)
        for at in range(0, len(order), BLOCK):
            some = slice(at, at + BLOCK)
            tally, more = self.tally(order[some], hours)
            profile += by_clock(tally.hours, hours)
            by_part = by_day_and_part(tally.hours, hours)
            for kind in (0, 1):
                np.add.at(spent[:, kind], cluster[some], by_part[:, days_of(hours, kind)].sum(axis=1))
            np.add.at(first, cluster[some], tally.hours[:, 0].astype(np.float64))
            beginners += (tally.hours[:, 0] > 0).sum(axis=0)
            ended += tally.ended
            sums = list(more) if sums is None else [x + y for x, y in zip(sums, more)]
            rest(self.states)
        assert sums is not None
        changes, at_risk, visitors, leavers = sums
        legal = visitors >= self.k
        if not legal.any():
            raise ValueError(f"no state is visited by {counted(self.k, 'row')}")
        taken = (leavers >= self.k) & legal
        changes = changes * taken
        age, rate = self._rates_of_everyone(changes, at_risk, ended)
        spent[..., ~legal] = 0
        profile[..., ~legal] = 0
        return Cohort(
            hours=hours,
            legal=legal,
            taken=taken,
            rate=rate,
            age=age,
            profile=profile / len(order),
            first=_first_states(first, legal & (beginners >= self.k), legal, visitors),
            usual=Usual.of(spent, BORROWED_MINUTES * self.minute),
        )

    def _rates_of_everyone(
        self, changes: np.ndarray, at_risk: np.ndarray, ended: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Age factors and rates, in turn: each is what the other leaves to explain."""
        part = np.arange(24) // WIDTH
        age = np.ones((self.n_states, AGES, PARTS))
        rate = self._shrunk(changes, at_risk, age)
        for _ in range(3):
            leaving = rate.sum(axis=-1)
            expected = np.zeros_like(age)
            for p in range(PARTS):
                expected[:, :, p] = np.einsum("kha,khag->ag", leaving[:, part == p], at_risk[:, part == p])
            overall = (ended.sum(axis=2) + 5) / (expected.sum(axis=2) + 5)
            age = (ended + 20 * overall[:, :, None]) / (expected + 20)
            rate = self._shrunk(changes, at_risk, age)
        return age, rate

    def _shrunk(self, changes: np.ndarray, at_risk: np.ndarray, age: np.ndarray) -> np.ndarray:
        """Everyone → that hour → that hour on that kind of day."""
        weight = SMOOTH_MINUTES * self.minute
        exposure = np.einsum("khag,agh->kha", at_risk, age[:, :, np.arange(24) // WIDTH])
        by_hour, x_hour = changes.sum(axis=0), exposure.sum(axis=0)
        overall = by_hour.sum(axis=0) / np.maximum(x_hour.sum(axis=0), 1)[:, None]
        hourly = (by_hour + weight * overall) / (x_hour + weight)[..., None]
        return (changes + weight * hourly) / (exposure + weight)[..., None]

    def rates(self, which: np.ndarray) -> np.ndarray:
        """Rates of some clusters: everyone's, times the cluster's own ratio, then its hours where k members count."""
        a, n = self.n_states, len(which)
        counts = ClusterCounts(
            changes=np.zeros((n, 2, 24, a, a)),
            exposure=np.zeros((n, 2, 24, a)),
            people=np.zeros((n, 2, 24, a), np.int64),
            ever=np.zeros((n, 24, a), np.int64),
        )
        cohort = self.cohort
        members = Members(self.clusters.order.astype(np.int64), self.clusters.bounds, which.astype(np.int64))
        spread(
            lambda first, last: count_clusters(self.states, members, cohort.hours, cohort.age, first, last, counts),
            n,
            self.threads,
        )
        changes, exposure, people, ever = counts
        changes *= cohort.taken
        weight = SMOOTH_MINUTES * self.minute
        expected = np.einsum("ckha,khab->cab", exposure, cohort.rate)
        ratio = (changes.sum(axis=(1, 2)) + 10) / (expected + 10)
        base = cohort.rate[None] * ratio[:, None, None]
        middle = base.mean(axis=1)
        enough = (ever >= self.k)[..., None]
        hourly = (changes.sum(axis=1) * enough + weight * middle) / (exposure.sum(axis=1)[..., None] * enough + weight)
        base = base * (hourly / np.maximum(middle, 1e-12))[:, None]
        enough = (people >= self.k)[..., None]
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


def _first_states(first: np.ndarray, common: np.ndarray, legal: np.ndarray, visitors: np.ndarray) -> np.ndarray:
    """Shares of a cluster's first hour, without states in which fewer than k people begin."""
    kept = first * common
    likeliest = np.zeros(len(legal))
    likeliest[int(np.argmax(np.where(common if common.any() else legal, visitors, -1)))] = 1.0
    total = kept.sum(axis=1, keepdims=True)
    return np.where(total > 0, kept / np.maximum(total, 1e-300), likeliest)
