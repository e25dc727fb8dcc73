"""Counts pooled over people: rates of everyone and of clusters, where rows begin, and what is usual.

A target that fewer than k people took, and a state that fewer than k people visited, are dropped everywhere. A
cluster's own hour counts only where at least k of its members visited the state in it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from sequester.errors import counted
from sequester.layouts.states import has_weekdays
from sequester.methods.activity.shared.clustering import Clusters, Everybody
from sequester.methods.activity.shared.day_counts import Norms, Where, counted_block
from sequester.methods.activity.shared.day_effects import BORROWED_MINUTES, Usual
from sequester.methods.activity.shared.kernels.day_types import AGES, PARTS, WIDTH, Hours
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
    """Counts over the people of a clustered data set.

    Blocks of them are counted by the engine: its threads, or workers that open the file of rows.
    """

    def __init__(self, people: Everybody, clusters: Clusters, *, k: int) -> None:
        self.engine, self.n_states = people.engine, people.n_states
        self.where = Where(people.rows, hours_of(people.data), self.n_states, people.threads)
        self.clusters, self.k = clusters, k
        self.minute = 60.0 / people.data.interval_seconds
        self.cohort = self._count()

    @property
    def at_once(self) -> int:
        """Blocks at work at once: threads share one, workers have some each."""
        return 1 if self.engine.workers <= self.engine.threads else 2 * self.engine.workers

    def _count(self) -> Cohort:
        order, sizes = self.clusters.order, self.clusters.sizes
        cluster = np.repeat(np.arange(len(sizes)), sizes)
        n_clusters, a = len(sizes), self.n_states
        spent = np.zeros((n_clusters, 2, PARTS, a))
        first = np.zeros((n_clusters, a))
        beginners = np.zeros(a, np.int64)
        profile = np.zeros((2, 24, a))
        sums: list[np.ndarray] | None = None
        ended = np.zeros((a, AGES, PARTS), np.int64)
        starts = range(0, len(order), BLOCK)
        blocks = [(order[at : at + BLOCK], cluster[at : at + BLOCK]) for at in starts]
        alone = self.where._replace(threads=max(1, self.where.threads // len(blocks)))
        for some in self.engine.each(partial(counted_block, alone), blocks):
            here = slice(some.first, some.first + len(some.spent))
            spent[here] += some.spent
            first[here] += some.begun
            profile += some.profile
            beginners += some.beginners
            ended += some.ended
            sums = list(some.pooled) if sums is None else [x + y for x, y in zip(sums, some.pooled)]
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
            hours=self.where.hours,
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

    @property
    def norms(self) -> Norms:
        """What the rates of clusters are measured against."""
        cohort = self.cohort
        return Norms(cohort.rate, cohort.age, cohort.taken, self.k, SMOOTH_MINUTES * self.minute)

    def members(self, which: np.ndarray) -> np.ndarray:
        """Places in the order of clusters of the members of some of them, one cluster after the other."""
        bounds = self.clusters.bounds
        return np.concatenate([np.arange(bounds[c], bounds[c + 1]) for c in which])


def _first_states(first: np.ndarray, common: np.ndarray, legal: np.ndarray, visitors: np.ndarray) -> np.ndarray:
    """Shares of a cluster's first hour, without states in which fewer than k people begin."""
    kept = first * common
    likeliest = np.zeros(len(legal))
    likeliest[int(np.argmax(np.where(common if common.any() else legal, visitors, -1)))] = 1.0
    total = kept.sum(axis=1, keepdims=True)
    return np.where(total > 0, kept / np.maximum(total, 1e-300), likeliest)
