"""Kernels of the activity family, on the arrays they take, against plain loops."""

import numpy as np
import pytest

from sequester.methods.activity.shared.kernels import (
    day_types,
    mdav,
    mixture,
    multilevel,
    refine,
)
from sequester.methods.activity.shared.kernels.day_types import AGES, PARTS
from sequester.utility import bouts
from tests.naive import bouts as naive_bouts
from tests.naive import clusters as naive
from tests.naive import day_types as naive_days
from tests.naive import samplers as naive_samplers

SEEDS = range(6)
FRIDAY = np.datetime64("2024-03-08T21:40", "s")


def rows(rng, n, m, n_states, stickiness=0.8):
    """States that nobody can write, as they come from a file."""
    states = rng.integers(0, n_states, (n, m)).astype(np.uint8)
    keep = rng.random((n, m)) < stickiness
    for t in range(1, m):
        states[:, t] = np.where(keep[:, t], states[:, t - 1], states[:, t])
    states.flags.writeable = False
    return states


def clusters(rng, n, size):
    return rng.permutation(n), np.append(np.arange(0, n - size + 1, size), n).astype(np.int64)


@pytest.mark.parametrize("seed", SEEDS)
def test_pairs_are_counted_one_by_one(seed):
    rng = np.random.default_rng(seed)
    states, part_of = rows(rng, 5, 60, 3), np.sort(rng.integers(0, 4, 60))
    assert (bouts._pairs(states, 3, part_of, 4) == naive_bouts.changes(states, 3, part_of, 4)).all()


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("n_states", [1, 4, 9])
def test_intervals_of_windows_are_counted_one_by_one(seed, n_states):
    rng = np.random.default_rng(seed)
    states = rows(rng, 3, 700, n_states, 0.95)
    edges = np.sort(rng.choice([0, 5, 128, 130, 256, 260, 600, 699, 700], 6)).astype(np.int64)
    want = naive.window_counts(states, n_states, edges)
    for count in (multilevel._count_few, multilevel._count_many):
        out = np.full(want.shape, -1, np.int32)
        count(states, edges, out)
        assert (out == want).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_shares_of_clusters(seed):
    rng = np.random.default_rng(seed)
    states, (order, bounds) = rows(rng, 11, 30, 4), clusters(rng, 11, 3)
    shares = np.zeros((3, 4, 30))
    mixture._shares(states, order, bounds, 1, 3, shares)
    assert not shares[0].any(), "the first cluster was not asked for"
    for c in (1, 2):
        own = [states[i].tolist() for i in order[bounds[c] : bounds[c + 1]]]
        for t in range(30):
            counts = [[row[t] for row in own].count(a) for a in range(4)]
            assert shares[c, :, t].tolist() == [n / len(own) for n in counts]


@pytest.mark.parametrize(("n", "size", "m"), [(7, 3, 10), (60, 30, 40), (11, 5, mixture.BLOCK + 7)])
def test_rows_of_a_mixture_are_those_of_plain_streams(n, size, m):
    rng = np.random.default_rng(n)
    states, (order, bounds) = rows(rng, n, m, 4), clusters(rng, n, size)
    place = rng.permutation(n)
    seeds = rng.integers(0, 2**64, (len(bounds) - 1, 4, mixture.LANES), dtype=np.uint64)
    out = np.empty((n, m), np.uint8)
    mixture._sample(states, order, bounds, place, 0, len(bounds) - 1, seeds, out)
    assert (
        out == naive_samplers.sample_mixture(states, order, bounds, place, seeds, mixture.LANES, mixture.BLOCK)
    ).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_rows_of_a_table_are_those_of_plain_streams(seed):
    rng = np.random.default_rng(seed)
    shares = np.ascontiguousarray(rng.dirichlet(np.ones(3), size=(2, 50)).transpose(0, 2, 1))
    bounds, place = np.array([0, 3, 5]), rng.permutation(5)
    seeds = rng.integers(0, 2**64, (2, 4, mixture.LANES), dtype=np.uint64)
    fast, slow = np.zeros((5, 50), np.uint8), np.zeros((5, 50), np.uint8)
    mixture._sample_table(shares, bounds, place, 0, 2, seeds, fast)
    naive_samplers.sample_shares(shares, bounds, place, seeds, mixture.LANES, slow)
    assert (fast == slow).all()


@pytest.mark.parametrize("seed", SEEDS)
def test_the_nearest_of_the_clusters_around(seed):
    rng = np.random.default_rng(seed)
    points, centres = (rng.integers(0, 4, (n, 3)).astype(float) for n in (40, 9))
    labels = rng.integers(0, 9, 40)
    around = np.array([rng.permutation([c for c in range(9) if c != own])[:6] for own in range(9)])
    out = np.empty((40, 3), np.int64)
    multilevel._nearest_among(points, centres, labels, around, out)
    for point, own, found in zip(points, labels, out.tolist()):
        by_distance = sorted(around[own].tolist(), key=lambda c: sum((point - centres[c]) ** 2))  # stable
        assert found == by_distance[:3]


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("exhaustive", [True, False])
def test_clusters_of_fixed_size_are_those_of_a_textbook(seed, exhaustive):
    rng = np.random.default_rng(seed)
    n, size = int(rng.integers(1, 40)), int(rng.integers(2, 6))
    x = rng.integers(0, [1, 3, 50][seed % 3], (n, 2, [1, 4, 8][seed % 3])).astype(float)
    labels = np.full(n, -1)
    found = mdav.mdav_into(x, size, exhaustive, labels)
    want = naive.mdav(x, size)
    assert naive.as_sets(labels) == {frozenset(c) for c in want} and found == len(want)


@pytest.mark.parametrize("seed", SEEDS)
def test_parts_are_split_one_by_one(seed):
    rng = np.random.default_rng(seed)
    x, (order, bounds) = rng.integers(0, 9, (31, 2, 4)).astype(float), clusters(rng, 31, 10)
    labels = np.full(31, -1)
    multilevel._split_some(x, order, bounds, 1, 3, 3, labels)
    assert (labels[:10] == -1).all(), "the first part was not asked for"
    for c in (1, 2):
        own = slice(bounds[c], bounds[c + 1])
        assert naive.as_sets(labels[own]) == {frozenset(part) for part in naive.mdav(x[order[own]], 3)}


@pytest.mark.parametrize("seed", SEEDS)
def test_candidates_are_chosen_one_after_the_other(seed):
    rng = np.random.default_rng(seed)
    shown, target = rng.poisson(10, (4, 30, 6)).astype(np.float32), np.full(6, 10.0)
    gap, order = rng.normal(0, 3, 6), rng.permutation(30)
    want, left = naive_days.herd(shown, target, gap, order)
    assert refine._herd(shown, target, gap, order).tolist() == want.tolist()
    np.testing.assert_allclose(gap, left, atol=1e-6)


def fifty_hours():
    """From eight in the evening over two midnights; the first hour is cut."""
    clock, day = np.arange(20, 70) % 24, np.arange(20, 70) // 24
    return day_types.Hours(np.r_[0, 3, 3 + 6 * np.arange(1, 50)], clock, (day >= 1).astype(np.int64), day)


def empty_tally(n):
    return day_types.Tally(
        np.zeros((n, 50, 3), np.uint16), *(np.zeros((3, AGES, PARTS), np.int64) for _ in "ab"),
        np.zeros((PARTS, 3, 3), np.int64),
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_days_are_counted_interval_by_interval(seed):
    rng, hours = np.random.default_rng(seed), fifty_hours()
    states, which = rows(rng, 8, int(hours.edges[-1]), 3, 0.9), rng.permutation(8)[:6]
    tally = empty_tally(6)
    pooled = day_types.Pooled(
        np.zeros((2, 24, 3, 3), np.int64), np.zeros((2, 24, 3, AGES), np.int64), np.zeros(3, np.int64),
        np.zeros((3, 3), np.int64),
    )  # fmt: skip
    day_types.count_rows(states, which, hours, 1, 6, tally, pooled)
    assert not tally.hours[0].any(), "the first row was not asked for"
    counted, all_counted = naive_days.count_rows(states, which[1:], hours, 3)
    assert (tally.hours[1:] == counted[0]).all()
    for found, wanted in zip((*tally[1:], *pooled), (*counted[1:], *all_counted), strict=True):
        assert (found == wanted).all() and wanted.any()


@pytest.mark.parametrize("seed", range(3))
def test_rows_of_day_types_are_those_of_plain_loops(seed):
    rng = np.random.default_rng(seed)
    hours = fifty_hours()
    laws = day_types.Laws(
        rate=rng.uniform(0.001, 0.2, (2, 2, 24, 3, 3)), age=rng.uniform(0.3, 2, (3, AGES, PARTS)),
        target=rng.uniform(0.5, 2, (PARTS, 3, 3)), hour=rng.normal(0, 0.5, (2, 24, 3)),
        first=np.array([[0.2, 0.3, 0.5], [1.0, 0.0, 0.0]]), noise=np.array([0.0, 0.4, 0.2]),
    )  # fmt: skip
    told = day_types.Rows(
        np.array([0, 1, 1, 0, 1]), rng.normal(0, 1, (5, PARTS, 3)), rng.normal(0, 1, (5, 3, PARTS, 3)),
        rng.integers(0, 2**64, (5, 4), dtype=np.uint64),
    )  # fmt: skip
    n = int(hours.edges[-1])
    tally = empty_tally(5)
    out = np.full((5, n), 9, np.uint8)
    day_types.simulate(laws, hours, told, 1, 5, tally, out)
    assert (out[0] == 9).all() and not tally.hours[0].any(), "the first row was not asked for"
    for u in range(1, 5):
        want = naive_days.simulate_row(laws, hours, told.person[u], told.day[u], told.cluster[u], told.seeds[u])
        assert out[u].tolist() == want.tolist()
    counted, _ = naive_days.count_rows(out, np.arange(1, 5), hours, 3)
    assert (tally.hours[1:] == counted[0]).all()
    assert all((found == wanted).all() for found, wanted in zip(tally[1:], counted[1:]))
