"""Every fast kernel of the activity family against its plain-loop twin."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.methods.activity.shared.kernels import multilevel as clusters_near
from sequester.methods.activity.shared.kernels import refine as refining
from sequester.methods.activity.shared.kernels.day_looks import from_low_frequencies, low_frequencies, shares_from_noisy
from sequester.methods.activity.shared.kernels.mdav import mdav
from sequester.methods.activity.shared.kernels.mixture import (
    BLOCK,
    LANES,
    cluster_shares,
    sample_mixture,
    sample_shares,
)
from sequester.methods.activity.shared.kernels.multilevel import multilevel, partition_sizes, window_counts
from sequester.methods.activity.shared.kernels.refine import _one_pass, refine
from sequester.samples.hourly_chains import Habits, simulate_hours
from sequester.utility.bouts import changes, longest_shared_run
from tests.naive import bouts as naive_bouts
from tests.naive import clusters as naive
from tests.naive import samplers as naive_samplers


def minutes(n, m, n_states, seed, stickiness=0.8):
    rng = np.random.default_rng(seed)
    fresh = rng.integers(0, n_states, (n, m)).astype(np.uint8)
    keep = rng.random((n, m)) < stickiness
    for t in range(1, m):
        fresh[:, t] = np.where(keep[:, t], fresh[:, t - 1], fresh[:, t])
    return fresh


def partition(n, size, seed=0):
    order = np.random.default_rng(seed).permutation(n)
    bounds = np.append(np.arange(0, n - size + 1, size), n).astype(np.int64)
    return order, bounds


@pytest.mark.parametrize(("n_states", "m"), [(2, 7), (4, 1000), (6, 501), (9, 130), (1, 5)])
def test_window_counts(n_states, m):
    states = minutes(5, m, n_states, m)
    edges = np.array([0, m // 3, m // 3, m - 1, m])
    expected = naive.window_counts(states, n_states, edges)
    for threads in (1, 2):
        assert (window_counts(states, n_states, edges, threads=threads) == expected).all()


@settings(max_examples=60, deadline=None)
@given(
    n=st.integers(1, 40),
    size=st.integers(2, 6),
    width=st.sampled_from([1, 3, 5]),
    spread=st.sampled_from([1, 3, 50]),
    seed=st.integers(0, 10_000),
)
def test_pruned_equals_full_equals_naive_with_ties(n, size, width, spread, seed):
    x = np.random.default_rng(seed).integers(0, spread, (n, 2, width)).astype(float)
    fast = mdav(x, size)
    assert (fast == mdav(x, size, exhaustive=True)).all()
    assert naive.as_sets(fast) == {frozenset(c) for c in naive.mdav(x, size)}
    if n >= size:
        sizes = np.bincount(fast)
        assert sizes.min() >= size and sizes.max() <= 2 * size - 1


def test_pruned_equals_full_on_a_thousand_people():
    rng = np.random.default_rng(3)
    x = rng.integers(0, 1440, (1000, 4, 7)).astype(float) * rng.random((1000, 1, 1))
    assert (mdav(x, 5) == mdav(x, 5, exhaustive=True)).all()


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 60),
    k=st.integers(2, 6),
    fan_out=st.integers(1, 8),
    levels=st.integers(1, 3),
    seed=st.integers(0, 99),
)
def test_multilevel_equals_naive_and_keeps_sizes(n, k, fan_out, levels, seed):
    if n < k:
        return
    fine = np.random.default_rng(seed).integers(0, 60, (n, 3, 4)).astype(float)
    features = [fine.sum(axis=2, keepdims=True)] * (levels - 1) + [fine]
    sizes = partition_sizes(n, k, levels, fan_out)
    assert sizes[-1] == k and all(s >= k for s in sizes)
    labels = multilevel(features, sizes, threads=2)
    assert naive.as_sets(labels) == {frozenset(c) for c in naive.multilevel(features, sizes)}
    counts = np.bincount(labels)
    assert counts.min() >= k and counts.max() <= 2 * k - 1


@settings(max_examples=30, deadline=None)
@given(n=st.integers(4, 60), k=st.integers(2, 5), passes=st.integers(1, 4), seed=st.integers(0, 99))
def test_refinement_never_leaves_the_sizes_and_never_loses(n, k, passes, seed):
    if n < k:
        return
    x = np.random.default_rng(seed).normal(size=(n, 2, 3))
    start = multilevel([x], [k])
    better = refine(x, start, smallest=k, largest=2 * k - 1, passes=passes, threads=2)
    counts = np.bincount(better)
    assert counts.min() >= k and counts.max() <= 2 * k - 1
    assert naive.loss(x, better) <= naive.loss(x, start) + 1e-9


@pytest.mark.parametrize(("n", "k", "seed"), [(9, 2, 0), (14, 3, 1), (20, 3, 2), (17, 4, 3), (12, 2, 4)])
def test_one_refinement_pass_equals_its_twin(n, k, seed):
    x = np.random.default_rng(seed).normal(size=(n, 5))
    start = np.arange(n) // k
    start[start == start.max()] = min(start.max(), n // k - 1)
    n_clusters = int(start.max()) + 1
    count = min(3, n_clusters - 1)
    near = clusters_near.nearest_clusters(x, start, count, 2)
    assert (near == naive.near_clusters(x, start, count)).all()
    fast = start.copy()
    changed = _one_pass(x, fast, near, n_clusters, k, 2 * k - 1)
    slow = naive.refine_pass(x, start, near, k, 2 * k - 1)
    assert (fast == slow).all() and changed > 0


@pytest.mark.parametrize(("n", "k", "count", "seed"), [(60, 2, 3, 0), (90, 3, 2, 1), (200, 4, 5, 2), (12, 3, 3, 3)])
def test_clusters_around_equal_their_twin(n, k, count, seed):
    points = np.random.default_rng(seed).normal(size=(n, 11))
    labels = np.random.default_rng(seed + 50).permutation(np.arange(n) // k)
    near = clusters_near.clusters_around(points, labels, count, 2)
    wide, few = clusters_near.AROUND * count, clusters_near.SEARCHED
    assert (near == naive.clusters_around(points, labels, count, wide, few)).all()


@settings(max_examples=30, deadline=None)
@given(n=st.integers(4, 80), k=st.integers(2, 5), passes=st.integers(1, 4), seed=st.integers(0, 99))
def test_refinement_of_many_never_leaves_the_sizes_and_never_loses(n, k, passes, seed):
    x = np.random.default_rng(seed).integers(0, 9, size=(max(n, k), 2, 3)).astype(float)
    start = multilevel([x], [k])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refining, "EXACT", 0)
        patch.setattr(clusters_near, "MOST_LEAVES", 1)
        better = refine(x, start, smallest=k, largest=2 * k - 1, passes=passes, threads=2)
        assert (better == refine(x, start, smallest=k, largest=2 * k - 1, passes=passes, threads=1)).all()
    counts = np.bincount(better)
    assert counts.min() >= k and counts.max() <= 2 * k - 1
    assert naive.loss(x, better) <= naive.loss(x, start) + 1e-9


def test_refinement_of_many_is_about_as_good():
    x = np.random.default_rng(4).normal(size=(3000, 4, 7)).cumsum(axis=2)
    start = multilevel([x.sum(axis=2, keepdims=True), x], partition_sizes(len(x), 5, 2, 200))
    exact = refine(x, start, smallest=5, largest=9, passes=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(refining, "EXACT", 0)
        near = refine(x, start, smallest=5, largest=9, passes=3)
    assert naive.loss(x, exact) * 0.99 < naive.loss(x, near) < naive.loss(x, exact) * 1.01 < naive.loss(x, start)


def test_spatial_order_brings_neighbours_together():
    points = np.random.default_rng(5).random((4000, 2))
    order = clusters_near.spatial_order(points, 16)
    assert (np.sort(order) == np.arange(4000)).all() and (np.diff(order) > 0).mean() > 0.9, "rising inside a block"
    steps = [np.linalg.norm(np.diff(p, axis=0), axis=1).mean() for p in (points, points[order])]
    assert steps[1] < steps[0] / 10


def test_refinement_finds_the_obvious_swap():
    x = np.array([0.0, 0.1, 9.0, 10.0, 10.1, 1.0])[:, None]
    better = refine(x, np.array([0, 0, 0, 1, 1, 1]), smallest=3, largest=5, passes=3)
    assert naive.as_sets(better) == {frozenset({0, 1, 5}), frozenset({2, 3, 4})}
    constant = np.zeros((6, 2))
    assert (refine(constant, np.array([0, 0, 0, 1, 1, 1]), smallest=3, largest=5, passes=3) == [0, 0, 0, 1, 1, 1]).all()


@pytest.mark.parametrize(("n", "size", "m"), [(7, 3, 10), (60, 30, 40), (11, 5, BLOCK + 7)])
def test_mixture_sampler_equals_its_twin(n, size, m):
    states = minutes(n, m, 4, 5)
    order, bounds = partition(n, size)
    place = np.random.default_rng(1).permutation(n)
    seeds = np.random.default_rng(2).integers(0, 2**64, (len(bounds) - 1, 4, LANES), dtype=np.uint64)
    expected = naive_samplers.sample_mixture(states, order, bounds, place, seeds, LANES, BLOCK)
    for threads in (1, 2):
        assert (sample_mixture(states, order, bounds, place, seeds, threads=threads) == expected).all()


def test_mixture_sampler_draws_members_evenly():
    states = np.arange(5, dtype=np.uint8)[:, None].repeat(40_000, axis=1)
    seeds = np.random.default_rng(7).integers(0, 2**64, (1, 4, LANES), dtype=np.uint64)
    out = sample_mixture(states, np.arange(5), np.array([0, 5]), np.arange(5), seeds)
    shares = np.bincount(out.ravel(), minlength=5) / out.size
    assert np.abs(shares - 0.2).max() < 5 * np.sqrt(0.16 / out.size)
    together = (out[:, 1:] == out[:, :-1]).mean()
    assert abs(together - 0.2) < 0.005  # successive draws are independent


def test_table_sampler_equals_its_twin():
    rng = np.random.default_rng(0)
    shares = rng.dirichlet(np.ones(3), size=(2, 50)).transpose(0, 2, 1)
    bounds, place = np.array([0, 3, 5]), rng.permutation(5)
    seeds = rng.integers(0, 2**64, (2, 4, LANES), dtype=np.uint64)
    fast, slow = np.zeros((5, 50), np.uint8), np.zeros((5, 50), np.uint8)
    sample_shares(shares, bounds, place, seeds, fast, threads=2)
    naive_samplers.sample_shares(shares, bounds, place, seeds, LANES, slow)
    assert (fast == slow).all()


def test_cluster_shares():
    states = minutes(9, 30, 3, 2)
    order, bounds = partition(9, 4)
    shares = cluster_shares(states, 3, order, bounds)
    for c in range(len(bounds) - 1):
        own = states[order[bounds[c] : bounds[c + 1]]]
        expected = np.stack([(own == a).mean(axis=0) for a in range(3)])
        assert np.allclose(shares[c], expected)


def test_changes_and_shared_runs():
    states = minutes(6, 200, 3, 9)
    part = np.arange(200) // 70
    assert (changes(states, 3, part, 3, threads=2) == naive_bouts.changes(states, 3, part, 3)).all()
    rng = np.random.default_rng(1)
    for _ in range(50):
        x, y = rng.integers(0, 2, 12).astype(np.uint8), rng.integers(0, 2, 12).astype(np.uint8)
        assert longest_shared_run(x, y) == naive_bouts.longest_shared_run(x, y)
    assert longest_shared_run(states[0], states[0]) == (np.diff(states[0].astype(int)) != 0).sum()


@pytest.mark.parametrize("m", [27, 28, 1440])
def test_fourier_coordinates_keep_norms_and_invert(m):
    q = np.random.default_rng(m).random((3, m))
    c = low_frequencies(q, 14)
    f = np.array(
        [[sum(x * np.exp(-2j * np.pi * j * t / m) for t, x in enumerate(row)) for j in range(14)] for row in q]
    )
    f /= np.sqrt(m)
    assert np.allclose(c[:, 0], f[:, 0].real) and np.allclose(c[:, 1:14], np.sqrt(2) * f[:, 1:].real)
    assert np.allclose(c[:, 14:], np.sqrt(2) * f[:, 1:].imag)
    back = from_low_frequencies(c, m)
    assert np.allclose(low_frequencies(back, 14), c)  # the projection keeps its own coordinates
    assert np.allclose((c**2).sum(axis=1), (back**2).sum(axis=1))
    most = (m + 1) // 2
    if m % 2:
        assert np.allclose(from_low_frequencies(low_frequencies(q, most), m), q)
    with pytest.raises(ValueError, match="do not fit"):
        low_frequencies(q, most + 1)


def test_noisy_shares_become_shares():
    noisy = np.array([[[0.5, -1.0, 2.0], [0.25, -3.0, 1.0]]])
    assert np.allclose(shares_from_noisy(noisy), [[[2 / 3, 0.5, 0.5], [1 / 3, 0.5, 0.5]]])


def test_hourly_chains_equal_their_twin():
    rng = np.random.default_rng(0)
    shapes = rng.dirichlet(np.ones(3), size=(2, 24))
    given_ = (
        shapes, np.array([0, 1]), rng.normal(size=(2, 3)), rng.normal(size=(2, 2, 3)), np.array([-1.3, 0.4]),
        np.array([0.8, 1.5]), np.array([9.0, 3.0, 40.0]), rng.integers(0, 2**64, (2, 4), dtype=np.uint64),
    )  # fmt: skip
    out = np.zeros((2, 2880), np.uint8)
    simulate_hours(*given_[:2], Habits(*given_[2:6]), *given_[6:], out)
    assert (out == naive_samplers.simulate_hours(*given_)).all()
