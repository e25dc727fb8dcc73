"""The sampler `day-types`: pooled rates, tilted by random effects of persons and days, calibrated by simulation.

Everything it uses is a count over at least k people of a cluster, or over all people. Rates keep the hour when an age
of bout is rare (proportional hazards). How much people differ inside clusters, and days inside people, is measured
over all people and given to simulated people at random; so the release keeps the spread that drawing every row from a
cluster's mean behaviour loses.

Drawing some clusters at a time: tasks that a thread or a worker does.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sequester.engines.scratch import keep_all, load_all
from sequester.layouts.states import UNOBSERVED
from sequester.methods.activity.shared.clustering import Clusters, Everybody
from sequester.methods.activity.shared.day_counts import Norms, Where, added, cluster_rates, empty_tally, tally
from sequester.methods.activity.shared.day_effects import (
    BORROWED_MINUTES,
    by_clock,
    per_row_by_clock,
    semidefinite,
    shown,
)
from sequester.methods.activity.shared.day_rates import BLOCK, Pools
from sequester.methods.activity.shared.kernels.day_types import PARTS, Laws, Rows, Tally, simulate
from sequester.methods.activity.shared.kernels.refine import herd
from sequester.platform import remove
from sequester.primitives.row_file import RowFile, RowsInMemory
from sequester.primitives.sorting import spread


class Block(NamedTuple):
    """Some clusters, whole."""

    members: np.ndarray
    """Rows of the people behind them, one cluster after the other."""
    sizes: np.ndarray
    place: np.ndarray
    """Where the drawn rows go."""
    first: np.ndarray
    """Clusters x states: where rows begin."""
    cluster: np.ndarray
    person: np.ndarray
    day: np.ndarray
    tries: np.ndarray
    """Candidates x rows x 4 random words."""

    def parked(self, path: Path) -> Path:
        """The block as a file."""
        keep_all(path, self._asdict())
        return path


class Common(NamedTuple):
    """What all blocks are drawn with."""

    where: Where
    norms: Norms
    laws: Laws
    """Without rates and beginnings: those belong to the clusters of a block."""

    def laws_of(self, block: Block, rate: np.ndarray | None = None) -> Laws:
        """The laws of a block's clusters; their rates are counted, unless they are told."""
        if rate is None:
            rate = cluster_rates(self.where, self.norms, block.members, block.sizes)
        return self.laws._replace(rate=np.ascontiguousarray(rate), first=block.first)


def _opened(block: Block | Path) -> Block:
    if isinstance(block, Block):
        return block
    return Block(**load_all(block))


def candidates_of(common: Common, declared: Block | Path) -> tuple[np.ndarray, np.ndarray | None]:
    """A task: the days of every candidate, by clock; and the rates, if they need not travel."""
    block = _opened(declared)
    laws = common.laws_of(block)
    hours = common.where.hours
    rows = Rows(block.cluster, block.person, block.day, block.tries[0])
    days = [
        per_row_by_clock(simulated(common.where, laws, rows._replace(seeds=seeds))[0].hours, hours)
        for seeds in block.tries
    ]
    return np.stack(days), None if isinstance(declared, Path) else laws.rate


class Chosen(NamedTuple):
    """A block, and which seeds its rows are drawn with."""

    block: Block | Path
    seeds: np.ndarray
    rate: np.ndarray | None


def written(common: Common, out: RowFile | RowsInMemory, chosen: Chosen) -> int:
    """A task: draw the rows that were chosen, and put them in their places."""
    block = _opened(chosen.block)
    rows = Rows(block.cluster, block.person, block.day, chosen.seeds)
    drawn = simulated(common.where, common.laws_of(block, chosen.rate), rows, write=True)[1]
    out.put(block.place, drawn)
    return len(drawn)


def simulated(where: Where, laws: Laws, rows: Rows, *, write: bool = False) -> tuple[Tally, np.ndarray]:
    """What simulated rows show, and the rows themselves if they are to be written."""
    n, a, hours = len(rows.cluster), where.n_states, where.hours
    seen = np.zeros((n, len(hours.clock), a), np.uint16)
    out = np.empty((n, int(hours.edges[-1]) if write else 0), np.uint8)
    parts: list[Tally] = []

    def work(first: int, last: int) -> None:
        tally = empty_tally(seen, a)
        simulate(laws, hours, rows, first, last, tally, out)
        parts.append(tally)

    spread(work, n, where.threads)
    return added(parts), out


ROUNDS = 6
"""Rounds of calibration."""
ROUGH = 2
"""First rounds, far from the goal, that make do with half the copies."""
STEPS = (0.8, 0.8, 0.7, 0.7, 0.6, 0.6, 0.5, 0.5, 0.4, 0.4)
"""How far each round of calibration goes."""
FEWEST, PER_PERSON, MOST = 160, 0.65, 600
"""Rows simulated per round: more for more people, between two bounds. What is calibrated is common to all clusters, so
many people need no more rows; fewer would bring the noise of the simulation into the rates."""
CALM = 2.0
"""How hard the day-to-day spread of minutes pulls at the covariance of days."""
MOST_STATES = 24
"""Covariances and rates of more states would cost more than they tell."""


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
    roots: tuple[np.ndarray, np.ndarray]
    """Of both covariances: what standard normal numbers are multiplied with."""
    calm: float = 1.0
    """Factor on the measured covariance of days, so that daily minutes vary as they should."""


class DayTypes(Pools):
    """Fits a model to clustered data and draws rows from it."""

    def __init__(self, people: Everybody, clusters: Clusters, *, k: int, generator: np.random.Generator) -> None:
        super().__init__(people, clusters, k=k)
        self.people = people
        self.observed = np.array([name not in UNOBSERVED for name in people.data.state_names])
        self.generator = generator
        self.model = self._first_model()

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
            roots=(np.zeros((PARTS * a, PARTS * a)),) * 2,
        )

    def calibrate(self) -> None:
        """Move the model until simulated rows of some clusters show what their members show."""
        cohort, model, sizes = self.cohort, self.model, self.clusters.sizes
        rounds, rows = ROUNDS, int(np.clip(PER_PERSON * len(self.clusters.order), FEWEST, MOST))
        some = self.generator.permutation(len(sizes))
        some = np.sort(some[: int(np.searchsorted(np.cumsum(sizes[some]), rows)) + 1])
        copies = max(1, rows // int(sizes[some].sum()))
        members = self.clusters.order[self.members(some)]
        own = np.repeat(np.arange(len(some)), sizes[some])
        usual, borrowed = cohort.usual.take(some), BORROWED_MINUTES * self.minute
        real, _ = tally(self.where, members)
        real.hours[..., ~cohort.legal] = 0
        real.moved[:] = real.moved * cohort.taken
        look = partial(shown, hours=cohort.hours, usual=usual, borrowed=borrowed, observed=self.observed)
        goal = look(real.hours, cluster=own, copies=1)
        rate = cluster_rates(self.where, self.norms, members, sizes[some])
        apart = np.log(usual.cluster / usual.everyone)
        for r in range(rounds):
            step = STEPS[min(r, len(STEPS) - 1)]
            times = copies if r >= ROUGH else (copies + 1) // 2
            cluster = np.tile(own, times)
            rows_now = self._effects(cluster, np.repeat(np.arange(times), len(own)), apart)
            seen, _ = simulated(self.where, self._laws(rate, cohort.first[some]), rows_now)
            now = look(seen.hours, cluster=cluster, copies=times)
            model.hour += step * np.log((goal.profile + 5e-4) / (now.profile + 5e-4))
            model.slope += 0.6 * step * _slope(np.log(usual.cluster / now.by_cluster), apart)
            _move_age(model, real, seen, step)
            _move_targets(model, real, seen, times, step)
            model.noise = np.maximum(0.0, model.noise + 2 * step * (goal.jumps - now.jumps))
            if r < rounds - 2:  # the last rounds settle the means around effects that stay
                if r > 0 and now.day_to_day > 0:
                    model.calm *= np.clip(goal.day_to_day / now.day_to_day, 0.5, 2.0) ** (CALM * step)
                between = model.between + 1.2 * step * (goal.between - now.between)
                within = model.within + 1.2 * step * (model.calm * goal.within - now.within)
                model.between, for_people = semidefinite(between)
                model.within, for_days = semidefinite(within)
                model.roots = for_people, for_days

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
        person = (x @ self.model.roots[0].T).reshape(n, PARTS, -1) + (self.model.slope * apart)[cluster]
        day = self.generator.standard_normal((n, n_days, size)) @ self.model.roots[1].T
        return Rows(
            cluster=cluster.astype(np.int64),
            person=np.ascontiguousarray(person),
            day=day.reshape(n, n_days, PARTS, -1),
            seeds=self._seeds(n),
        )

    def _seeds(self, n: int) -> np.ndarray:
        return self.generator.integers(0, 2**64 - 1, size=(n, 4), dtype=np.uint64, endpoint=True)

    def draw(self, place: np.ndarray, candidates: int) -> np.ndarray:
        """A row per member; of `candidates` the one is kept that brings the day of all rows nearest to everyone's."""
        sizes = self.clusters.sizes
        out = self.people.room()
        nothing = np.zeros((0, 2, 24, self.n_states, self.n_states)), np.zeros((0, self.n_states))
        common = Common(self.where, self.norms, self._laws(*nothing))
        order = self.generator.permutation(len(sizes))
        blocks = np.split(order, np.flatnonzero(np.diff(np.cumsum(sizes[order]) // BLOCK)) + 1)
        gap = np.zeros((2, 24, self.n_states))
        for at in range(0, len(blocks), self.at_once):
            chosen = self._chosen(blocks[at : at + self.at_once], place, candidates, common, gap)
            self.engine.map(partial(written, common, out), chosen)
            for one in chosen:
                if isinstance(one.block, Path):
                    remove(one.block)
        return out.mapped(to_write=True)

    def _chosen(
        self, blocks: list[np.ndarray], place: np.ndarray, candidates: int, common: Common, gap: np.ndarray
    ) -> list[Chosen]:
        """Some blocks with the seeds that are kept. Blocks choose one after the other, whoever simulates candidates."""
        cohort, generator = self.cohort, self.generator
        ready: list[Block | Path] = []
        seeds, orders = [], []
        folder = self.people.folder if self.at_once > 1 else None
        for some in blocks:
            members, sizes = self.members(some), self.clusters.sizes[some]
            own = np.repeat(np.arange(len(some)), sizes)
            apart = np.log(cohort.usual.cluster[some] / cohort.usual.everyone)
            rows = self._effects(own, np.zeros(len(own), np.int64), apart)
            tries = np.stack([self._seeds(len(own)) for _ in range(candidates)])
            block = Block(
                self.clusters.order[members], sizes, place[members], np.ascontiguousarray(cohort.first[some]),
                rows.cluster, rows.person, rows.day, tries,
            )  # fmt: skip
            seeds.append(tries if candidates > 1 else rows.seeds)
            orders.append(generator.permutation(len(own)) if candidates > 1 else own)
            ready.append(block if folder is None else block.parked(folder / f"block-{some[0]}"))
        if candidates == 1:
            return [Chosen(block, words, None) for block, words in zip(ready, seeds)]
        whole = cohort.profile / np.maximum(cohort.profile.sum(axis=-1, keepdims=True), 1e-300)
        target = whole * by_clock(np.diff(cohort.hours.edges)[None, :, None], cohort.hours)
        out = []
        answers = self.engine.each(partial(candidates_of, common), ready)
        for found, words, order, (days, rate) in zip(ready, seeds, orders, answers):
            kept = herd(days, target, gap, order)
            out.append(Chosen(found, words[kept, np.arange(len(kept))], rate))
        return out


FLAT = 0.04
"""Mean squared difference of clusters below which a slope is not trusted much."""


def _slope(lacking: np.ndarray, apart: np.ndarray) -> np.ndarray:
    """Parts x states: what clusters lack, per unit of their difference from everyone."""
    return (lacking * apart).sum(axis=0) / ((apart**2).sum(axis=0) + 0.05 * len(apart) * FLAT)


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
