"""The sampler `day-types`: pooled rates, tilted by random effects of persons and days, calibrated by simulation.

Everything it uses is a count over at least k people of a cluster, or over all people. Rates keep the hour when an age
of bout is rare (proportional hazards). How much people differ inside clusters, and days inside people, is measured
over all people and given to simulated people at random; so the release keeps the spread that drawing every row from a
cluster's mean behaviour loses.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from sequester.methods.activity.shared.day_effects import (
    BORROWED_MINUTES,
    Usual,
    by_clock,
    by_day_and_part,
    days_of,
    per_row_by_clock,
    root,
    semidefinite,
    shown,
)
from sequester.methods.activity.shared.kernels.day_types import (
    AGES,
    PARTS,
    Hours,
    Laws,
    Rows,
    Tally,
    count_clusters,
    count_rows,
    simulate,
)
from sequester.primitives.threads import spread

if TYPE_CHECKING:
    from sequester.methods.activity.shared.clustering import Clusters
    from sequester.model import Activities

SMOOTH_MINUTES = 120.0
"""Minutes of the larger pool that are added to a smaller one before rates are taken."""
STEPS = (0.8, 0.8, 0.7, 0.7, 0.6, 0.6, 0.5, 0.5, 0.4, 0.4)
"""How far each round of calibration goes."""
SIMULATED = 1000
"""Rows simulated per round: what is calibrated is common to all clusters, so more people need no more."""
MOST_STATES = 24
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


@dataclass(kw_only=True)
class Model:
    """What calibration moves."""

    age: np.ndarray
    target: np.ndarray
    hour: np.ndarray
    slope: np.ndarray
    """Parts x states: how much of a cluster's difference from everyone has to be added to its rates."""
    noise: np.ndarray
    """States: variance of what an hour favours by itself."""
    between: np.ndarray
    within: np.ndarray


def hours_of(data: Activities) -> Hours:
    """The clock hours of the data's intervals."""
    at = data.start + np.arange(data.states.shape[1]) * np.timedelta64(data.interval_seconds, "s")
    hour = at.astype("datetime64[h]").astype(np.int64)
    firsts = np.flatnonzero(np.diff(hour, prepend=hour[0] - 1))
    day = hour[firsts] // 24
    weekend = ((day + 3) % 7 >= 5).astype(np.int64)  # 1970-01-01 was a Thursday
    return Hours(
        edges=np.append(firsts, len(at)).astype(np.int64),
        clock=hour[firsts] % 24,
        kind=weekend,
        day=np.unique(day, return_inverse=True)[1].astype(np.int64),
    )


class DayTypes:
    """Fits a model to clustered data and draws rows from it."""

    def __init__(
        self, data: Activities, clusters: Clusters, *, k: int, generator: np.random.Generator, threads: int
    ) -> None:
        self.states, self.clusters, self.k = data.states, clusters, k
        self.n_states = len(data.state_names)
        self.minute = 60.0 / data.interval_seconds
        self.generator, self.threads = generator, threads
        self.cohort = self._count(hours_of(data))
        self.model = self._first_model()

    # Counting -----------------------------------------------------------------------------------------------------

    def _tally(self, which: np.ndarray, hours: Hours) -> tuple[Tally, tuple[np.ndarray, ...]]:
        """What the rows `which` show, and the counts behind the rates of everyone."""
        a = self.n_states
        seen = np.zeros((len(which), len(hours.clock), a), np.uint16)
        parts: list[tuple[Tally, tuple[np.ndarray, ...]]] = []

        def work(first: int, last: int) -> None:
            tally = _empty(seen, a)
            more = (
                np.zeros((2, 24, a, a), np.int64),
                np.zeros((2, 24, a, AGES), np.int64),
                np.zeros(a, np.int64),
                np.zeros((a, a), np.int64),
            )
            count_rows(self.states, which, hours, first, last, tally, more)
            parts.append((tally, more))

        spread(work, len(which), self.threads)
        return _added([t for t, _ in parts]), tuple(np.sum(m, axis=0) for m in zip(*(m for _, m in parts)))

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
            tally, more = self._tally(order[some], hours)
            profile += by_clock(tally.hours, hours)
            by_part = by_day_and_part(tally.hours, hours)
            for kind in (0, 1):
                np.add.at(spent[:, kind], cluster[some], by_part[:, days_of(hours, kind)].sum(axis=1))
            np.add.at(first, cluster[some], tally.hours[:, 0].astype(np.float64))
            beginners += (tally.hours[:, 0] > 0).sum(axis=0)
            ended += tally.ended
            sums = list(more) if sums is None else [x + y for x, y in zip(sums, more)]
        assert sums is not None
        changes, at_risk, visitors, leavers = sums
        legal = visitors >= self.k
        if not legal.any():
            raise ValueError(f"no state is visited by {self.k} rows")
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
        part = np.arange(24) // 3
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
        exposure = np.einsum("khag,agh->kha", at_risk, age[:, :, np.arange(24) // 3])
        by_hour, x_hour = changes.sum(axis=0), exposure.sum(axis=0)
        overall = by_hour.sum(axis=0) / np.maximum(x_hour.sum(axis=0), 1)[:, None]
        hourly = (by_hour + weight * overall) / (x_hour + weight)[..., None]
        return (changes + weight * hourly) / (exposure + weight)[..., None]

    def rates(self, which: np.ndarray) -> np.ndarray:
        """Rates of some clusters: everyone's, times the cluster's own ratio, then its hours where k members count."""
        a, n = self.n_states, len(which)
        changes = np.zeros((n, 2, 24, a, a))
        exposure, people = np.zeros((n, 2, 24, a)), np.zeros((n, 2, 24, a), np.int64)
        ever = np.zeros((n, 24, a), np.int64)
        clusters, cohort = self.clusters, self.cohort
        spread(
            lambda first, last: count_clusters(
                self.states, clusters.order, clusters.bounds, which, cohort.hours, cohort.age, first, last,
                changes, exposure, people, ever,
            ),
            n,
            self.threads,
        )  # fmt: skip
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

    # Calibration --------------------------------------------------------------------------------------------------

    def _first_model(self) -> Model:
        a = self.n_states
        return Model(
            age=self.cohort.age.copy(),
            target=np.ones((PARTS, a, a)),
            hour=np.zeros((2, 24, a)),
            slope=np.zeros((PARTS, a)),
            noise=np.zeros(a),
            between=np.zeros((PARTS * a, PARTS * a)),
            within=np.zeros((PARTS * a, PARTS * a)),
        )

    def calibrate(self, rounds: int, rows: int = SIMULATED) -> None:
        """Move the model until simulated rows of some clusters show what their members show."""
        cohort, model, sizes = self.cohort, self.model, self.clusters.sizes
        some = self.generator.permutation(len(sizes))
        some = np.sort(some[: int(np.searchsorted(np.cumsum(sizes[some]), rows)) + 1])
        copies = max(1, round(rows / int(sizes[some].sum())))
        members = np.concatenate([np.arange(*self.clusters.bounds[c : c + 2]) for c in some])
        own = np.repeat(np.arange(len(some)), sizes[some])
        usual, borrowed = cohort.usual.take(some), BORROWED_MINUTES * self.minute
        real, _ = self._tally(self.clusters.order[members], cohort.hours)
        real.hours[..., ~cohort.legal] = 0
        real.moved[:] = real.moved * cohort.taken
        goal = shown(real.hours, cohort.hours, own, usual, copies=1, borrowed=borrowed)
        rate = self.rates(some)
        cluster = np.tile(own, copies)
        apart = np.log(usual.cluster / usual.everyone)
        for r in range(rounds):
            step = STEPS[min(r, len(STEPS) - 1)]
            rows_now = self._effects(cluster, np.repeat(np.arange(copies), len(own)), apart)
            tally, _ = self._simulated(self._laws(rate, cohort.first[some]), rows_now)
            now = shown(tally.hours, cohort.hours, cluster, usual, copies=copies, borrowed=borrowed)
            model.hour += step * np.log((goal.profile + 5e-4) / (now.profile + 5e-4))
            model.slope += 0.6 * step * _slope(np.log(usual.cluster / now.by_cluster), apart)
            _move_age(model, real, tally, step)
            _move_targets(model, real, tally, copies, step)
            model.noise = np.maximum(0.0, model.noise + 2 * step * (goal.jumps - now.jumps))
            if r < rounds - 2:  # the last rounds settle the means around effects that stay
                model.between = semidefinite(model.between + 1.2 * step * (goal.between - now.between))
                model.within = semidefinite(model.within + 1.2 * step * (goal.within - now.within))

    def _laws(self, rate: np.ndarray, first: np.ndarray) -> Laws:
        model = self.model
        return Laws(
            rate=np.ascontiguousarray(rate),
            age=model.age,
            target=model.target,
            hour=model.hour,
            first=np.ascontiguousarray(first),
            noise=np.sqrt(model.noise),
        )

    def _effects(self, cluster: np.ndarray, copy: np.ndarray, apart: np.ndarray) -> Rows:
        """Random people and days: those of a cluster average to nothing, so that its mean stays."""
        n, size = len(cluster), PARTS * self.n_states
        n_days = int(self.cohort.hours.day[-1]) + 1
        key = copy * (int(cluster.max(initial=0)) + 1) + cluster
        x = self.generator.standard_normal((n, size))
        sums = np.zeros((int(key.max(initial=0)) + 1, size))
        np.add.at(sums, key, x)
        count = np.maximum(np.bincount(key, minlength=len(sums)), 1)[:, None]
        x = (x - (sums / count)[key]) * np.sqrt(count / np.maximum(count - 1, 1))[key]
        person = (x @ root(self.model.between).T).reshape(n, PARTS, -1) + (self.model.slope * apart)[cluster]
        day = self.generator.standard_normal((n * n_days, size)) @ root(self.model.within).T
        return Rows(
            cluster=cluster.astype(np.int64),
            person=np.ascontiguousarray(person),
            day=day.reshape(n, n_days, PARTS, -1),
            seeds=self._seeds(n),
        )

    def _seeds(self, n: int) -> np.ndarray:
        return self.generator.integers(0, 2**64 - 1, size=(n, 4), dtype=np.uint64, endpoint=True)

    def _simulated(self, laws: Laws, rows: Rows, *, write: bool = False) -> tuple[Tally, np.ndarray]:
        n, a = len(rows.cluster), self.n_states
        hours = self.cohort.hours
        seen = np.zeros((n, len(hours.clock), a), np.uint16)
        out = np.empty((n, int(hours.edges[-1]) if write else 0), np.uint8)
        parts: list[Tally] = []

        def work(first: int, last: int) -> None:
            tally = _empty(seen, a)
            simulate(laws, hours, rows, first, last, tally, out)
            parts.append(tally)

        spread(work, n, self.threads)
        return _added(parts), out

    # Drawing ------------------------------------------------------------------------------------------------------

    def draw(self, place: np.ndarray, candidates: int) -> np.ndarray:
        """A row per member; of `candidates` the one is kept that brings the day of all rows nearest to everyone's."""
        from sequester.methods.activity.shared.kernels.herd import herd

        cohort, sizes, bounds = self.cohort, self.clusters.sizes, self.clusters.bounds
        out = np.empty(self.states.shape, np.uint8)
        gap = np.zeros((2, 24, self.n_states))
        whole = cohort.profile / np.maximum(cohort.profile.sum(axis=-1, keepdims=True), 1e-300)
        target = whole * by_clock(np.diff(cohort.hours.edges)[None, :, None], cohort.hours)
        order = self.generator.permutation(len(sizes))
        cuts = np.flatnonzero(np.diff(np.cumsum(sizes[order]) // BLOCK)) + 1
        for some in np.split(order, cuts):
            members = np.concatenate([np.arange(bounds[c], bounds[c + 1]) for c in some])
            own = np.repeat(np.arange(len(some)), sizes[some])
            laws = self._laws(self.rates(some), cohort.first[some])
            apart = np.log(cohort.usual.cluster[some] / cohort.usual.everyone)
            rows = self._effects(own, np.zeros(len(own), np.int64), apart)
            tries = [rows._replace(seeds=self._seeds(len(own))) for _ in range(candidates)]
            if candidates > 1:
                days = [per_row_by_clock(self._simulated(laws, t)[0].hours, cohort.hours) for t in tries]
                kept = herd(np.stack(days), target, gap, self.generator.permutation(len(own)))
                rows = rows._replace(seeds=np.stack([t.seeds for t in tries])[kept, np.arange(len(own))])
            out[place[members]] = self._simulated(laws, rows, write=True)[1]
        return out


def _empty(seen: np.ndarray, a: int) -> Tally:
    return Tally(
        hours=seen,
        risk=np.zeros((a, AGES, PARTS), np.int64),
        ended=np.zeros((a, AGES, PARTS), np.int64),
        moved=np.zeros((PARTS, a, a), np.int64),
    )


def _added(parts: list[Tally]) -> Tally:
    """Slices share the rows' counts; the rest adds up."""
    return Tally(parts[0].hours, *(np.sum(x, axis=0) for x in list(zip(*parts))[1:]))


def _first_states(first: np.ndarray, common: np.ndarray, legal: np.ndarray, visitors: np.ndarray) -> np.ndarray:
    """Shares of a cluster's first hour, without states in which fewer than k people begin."""
    kept = first * common
    likeliest = np.zeros(len(legal))
    likeliest[int(np.argmax(np.where(common if common.any() else legal, visitors, -1)))] = 1.0
    total = kept.sum(axis=1, keepdims=True)
    return np.where(total > 0, kept / np.maximum(total, 1e-300), likeliest)


def _slope(lacking: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Parts x states: what clusters lack, per unit of their difference from everyone."""
    return (lacking * apart).sum(axis=0) / ((apart**2).sum(axis=0) + 0.05 * len(apart) * FLAT)


FLAT = 0.04
"""Mean squared difference of clusters below which a slope is not trusted much."""


def _move_age(model: Model, real: Tally, now: Tally, step: float) -> None:
    wanted, found = real.ended / np.maximum(real.risk, 1), now.ended / np.maximum(now.risk, 1)
    ratio = np.where((real.ended > 0) & (now.ended > 0), wanted / np.maximum(found, 1e-12), 1.0)
    model.age *= np.exp(step * now.risk / (now.risk + 200.0) * np.log(np.clip(ratio, 0.3, 3.0)))


def _move_targets(model: Model, real: Tally, now: Tally, copies: int, step: float) -> None:
    """Where bouts go, apart from how many end."""
    wanted, found = real.moved.astype(np.float64), now.moved / copies
    both = (wanted > 0) & (found > 0)
    ratio = np.where(both, wanted / np.maximum(found, 1e-12), 1.0)
    ratio /= np.maximum(wanted.sum(axis=2), 1e-12)[..., None] / np.maximum(found.sum(axis=2), 1e-12)[..., None]
    ratio = np.where(wanted > 0, ratio, 1.0)
    model.target *= np.exp(step * wanted / (wanted + 20.0) * np.log(np.clip(ratio, 0.3, 3.0)))
