"""The sampler day-types: kernels against plain loops, pools of k people, and the spread it gives back."""

from dataclasses import replace

import numpy as np
import pytest

import sequester as sq
from sequester.methods.activity.shared import day_counts
from sequester.methods.activity.shared.clustering import Clusters, Everybody
from sequester.methods.activity.shared.day_rates import Pools, hours_of
from sequester.methods.activity.shared.day_types import DayTypes, simulated
from sequester.methods.activity.shared.kernels.day_looks import Reference, add_cells, add_jumps, deviations
from sequester.methods.activity.shared.kernels.day_types import AGES, PARTS, Laws, Rows
from sequester.methods.activity.shared.kernels.refine import herd
from sequester.model import Activities
from sequester.samples.minutes import minutes
from tests.naive import day_looks as looks
from tests.naive import day_types as naive


def tiny(n=12, start="2024-03-08T21:40", seed=0, intervals=400, seconds=600):
    rng = np.random.default_rng(seed)
    states = np.repeat(rng.integers(0, 3, (n, intervals // 4 + 1)), 4, axis=1)[:, :intervals]
    states[:, ::7] = rng.integers(0, 3, states[:, ::7].shape)
    return Activities(
        states=states.astype(np.uint8),
        state_names=("a", "b", "c"),
        start=np.datetime64(start),
        interval_seconds=seconds,
    )


@pytest.mark.parametrize(("seconds", "intervals"), [(600, 400), (60, 300), (7200, 40)])
def test_counts_are_those_of_plain_loops(seconds, intervals):
    data = tiny(seconds=seconds, intervals=intervals)
    clusters = Clusters.of(np.repeat([0, 1], 6))
    pools = Pools(Everybody.of(data, sq.Engine(threads=1)), clusters, k=2)
    which = np.arange(12)
    tally, pooled = day_counts.tally(pools.where, which)
    wanted_tally, wanted_pooled = naive.count_rows(data.states, which, hours_of(data), 3)
    for found, wanted in zip((*tally, *pooled), (*wanted_tally, *wanted_pooled), strict=True):
        np.testing.assert_array_equal(found, wanted)


def test_counts_of_clusters_are_those_of_plain_loops():
    from sequester.methods.activity.shared.kernels.day_types import ClusterCounts, Members, count_clusters

    data = tiny()
    clusters = Clusters.of(np.array([0, 1, 1, 0, 0, 1, 1, 0, 1, 0, 0, 1]))
    age = np.random.default_rng(1).uniform(0.5, 2, (3, AGES, PARTS))
    counts = ClusterCounts(
        np.zeros((2, 2, 24, 3, 3)), np.zeros((2, 2, 24, 3)), np.zeros((2, 2, 24, 3), np.int64),
        np.zeros((2, 24, 3), np.int64),
    )  # fmt: skip
    states = data.states.view()
    states.flags.writeable = False
    which = np.array([1, 0])
    count_clusters(states, Members(clusters.order, clusters.bounds, which), hours_of(data), age, 0, 2, counts)
    for i, c in enumerate(which):
        members = clusters.order[clusters.bounds[c] : clusters.bounds[c + 1]]
        for found, wanted in zip(
            counts, naive.count_cluster(data.states, members, hours_of(data), age, 3), strict=True
        ):
            np.testing.assert_allclose(found[i], wanted, rtol=1e-12)


def test_simulated_rows_and_their_counts_are_those_of_plain_loops():
    data = tiny(seconds=300)
    sampler = DayTypes(
        Everybody.of(data, sq.Engine(threads=2)),
        Clusters.of(np.repeat([0, 1], 6)),
        k=2,
        generator=np.random.default_rng(2),
    )
    rng = np.random.default_rng(3)
    hours, n_days = sampler.cohort.hours, int(sampler.cohort.hours.day[-1]) + 1
    laws = Laws(
        rate=rng.uniform(0.001, 0.2, (2, 2, 24, 3, 3)), age=rng.uniform(0.3, 2, (3, AGES, PARTS)),
        target=rng.uniform(0.5, 2, (PARTS, 3, 3)), hour=rng.normal(0, 0.5, (2, 24, 3)),
        first=np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), noise=np.array([0.0, 0.4, 0.2]),
    )  # fmt: skip
    rows = Rows(
        cluster=np.array([0, 1, 1, 0, 1]), person=rng.normal(0, 1, (5, PARTS, 3)),
        day=rng.normal(0, 1, (5, n_days, PARTS, 3)), seeds=sampler._seeds(5),
    )  # fmt: skip
    tally, out = simulated(sampler.where, laws, rows, write=True)
    for u in range(5):
        wanted = naive.simulate_row(laws, hours, rows.person[u], rows.day[u], rows.cluster[u], rows.seeds[u])
        np.testing.assert_array_equal(out[u], wanted)
    counted, _ = naive.count_rows(out, np.arange(5), hours, 3)
    for found, wanted in zip(tally, counted, strict=True):
        np.testing.assert_array_equal(found, wanted)
    assert len(np.unique(out)) == 3


def test_looks_are_those_of_whole_arrays():
    rng = np.random.default_rng(6)
    counts = rng.multinomial(20, [0.6, 0.3, 0.1], (7, 30)).astype(np.uint16)
    counts[2, 4:9] = 0
    cell = rng.integers(0, 6, 30)
    spent = np.zeros((7, 6, 3))
    add_cells(counts, cell, spent)
    np.testing.assert_array_equal(spent, looks.cells(counts, cell, 6))
    total = np.zeros(3)
    wanted, pairs = looks.jumps(counts)
    assert add_jumps(counts, total) == pairs
    np.testing.assert_allclose(total, wanted)
    days = rng.integers(0, 9, (7, 5, PARTS, 3)).astype(float)
    days[3, 2] = 0
    usual = Reference(rng.dirichlet(np.ones(3), (2, PARTS)), rng.dirichlet(np.ones(3), (2, 2, PARTS)), 4.0)
    kind, cluster = np.array([0, 0, 1, 0, 1]), rng.integers(0, 2, 7)
    person, day = np.empty((7, PARTS, 3)), np.empty_like(days)
    deviations(days, kind, cluster, usual, person, day)
    for found, wanted in zip((person, day), looks.deviations(days, kind, cluster, usual), strict=True):
        np.testing.assert_allclose(found, wanted, atol=1e-12)


def test_herding_is_that_of_plain_loops_and_comes_nearer():
    rng = np.random.default_rng(4)
    shown = rng.poisson(10, (4, 30, 2, 3)).astype(np.float32)
    target = np.full((2, 3), 10.0)
    gap = rng.normal(0, 3, (2, 3))
    order = rng.permutation(30)
    wanted, left = naive.herd(shown, target, gap, order)
    mine = gap.copy()
    np.testing.assert_array_equal(herd(shown, target, mine, order), wanted)
    np.testing.assert_allclose(mine, left, atol=1e-6)
    assert np.abs(mine).sum() < np.abs(gap + (shown[0] - target).sum(axis=0)).sum()


@pytest.fixture(scope="module")
def people():
    return minutes(n_people=60, days=7, seed=2)


def test_day_types_keep_the_spread_that_independent_minutes_lose(people):
    new, old = (
        sq.measure(people, sq.anonymize(people, m, seed=1)) for m in (sq.MCKA(k=5), sq.MCKA(k=5, sampler="independent"))
    )
    truth = new["day-to-day SD, original"]
    assert abs(new["day-to-day SD, released"] / truth - 1) < 0.15
    assert old["day-to-day SD, released"] / truth < 0.8
    assert abs(new["RA, released"] - new["RA, original"]) < abs(old["RA, released"] - old["RA, original"])
    assert new["time-of-day profile distance"] < 0.02


def test_a_rare_state_is_not_drawn_even_as_the_first(people):
    states = people.states.copy()
    states[states == 2] = 0
    states[:3, :90] = 2  # three people begin in a state that nobody else ever has
    data = replace(people, states=states)
    release = sq.anonymize(data, sq.MCKA(k=5), seed=3)
    rows = np.stack(release.tables["sequences"]["states"].to_numpy(zero_copy_only=False))
    assert not (rows == 2).any()
    assert sq.verify(release, data).holds


def test_a_state_that_few_begin_in_is_not_begun_with(people):
    states = people.states.copy()
    states[:, :60] = 0
    states[:3, :60] = 1
    data = replace(people, states=states)
    release = sq.anonymize(data, sq.MCKA(k=5), seed=3)
    rows = np.stack(release.tables["sequences"]["states"].to_numpy(zero_copy_only=False))
    assert (rows[:, 0] == 0).all() and (rows == 1).any()


def test_many_states_are_refused_with_the_way_out():
    states = np.tile(np.arange(25, dtype=np.uint8), (10, 60))
    data = Activities(states=states, state_names=tuple(f"s{i}" for i in range(25)))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(data, sq.MCKA(k=5), seed=1)
    assert str(caught.value) == (
        "anonymize: the sampler day-types draws at most 24 states, the data has 25. Merge states, or set "
        "sampler='independent' in a plan or in Python."
    )
    assert sq.anonymize(data, sq.MCKA(k=5, sampler="independent"), seed=1)


@pytest.mark.parametrize(
    ("seconds", "intervals", "start"),
    [(60, 1, "2024-03-04T00:00"), (60, 90, "2024-03-04T13:07"), (86400, 5, "2024-03-04T00:00"),
     (3600, 60, "2024-03-09T22:00")],
)  # fmt: skip
def test_short_coarse_and_crooked_calendars_are_drawn(seconds, intervals, start):
    data = tiny(seconds=seconds, intervals=intervals, start=start)
    release = sq.anonymize(data, sq.MCKA(k=3, levels=("period",)), seed=1)
    assert sq.verify(release, data).holds


def test_a_seed_repeats_and_threads_do_not_matter(people):
    from sequester.engines import Engine

    one, two = (sq.anonymize(people, sq.MDAVKA(k=5), seed=1, engine=Engine(threads=t)) for t in (1, 2))
    assert one.tables["sequences"].equals(two.tables["sequences"])
