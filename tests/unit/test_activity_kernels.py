"""Kernels of activity-dp against plain loops, and what the calendar and the fits must obey."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.methods.activity.activity_dp.kernels import features as fast
from sequester.methods.activity.activity_dp.kernels.calendar import N_PARTS, calendar
from sequester.methods.activity.activity_dp.kernels.features import duration_edges, pack, score_table, spread, unpack
from sequester.methods.activity.activity_dp.kernels.simulator import Choice, Law, People, simulate, tilt
from sequester.primitives.noisy_fit import (
    histogram_with_mean,
    quantile_function,
    semidefinite,
    shrink_flows,
    simplex,
    smooth,
)
from sequester.primitives.normal import cdf, quantile
from tests.naive import activity_counts as slow
from tests.naive import activity_simulator as plain

MONDAY = np.datetime64("2024-03-04T00:00:00")


def rows(kind, n_states=3, length=700):
    rng = np.random.default_rng(5)
    return {
        "constant": np.zeros((2, length), np.uint8),
        "flipping": np.tile(np.arange(length) % 2, (2, 1)).astype(np.uint8),
        "blocks": np.repeat(rng.integers(n_states, size=(2, 7)), length // 7, axis=1).astype(np.uint8),
        "random": rng.integers(n_states, size=(4, length)).astype(np.uint8),
        "one interval": np.ones((2, 1), np.uint8),
        "nobody": np.zeros((0, length), np.uint8),
    }[kind]


@pytest.mark.parametrize("kind", ["constant", "flipping", "blocks", "random", "one interval", "nobody"])
def test_counts_equal_plain_loops(kind):
    x = rows(kind)
    cells = np.arange(x.shape[1]) // 100 - 1
    parts = np.arange(x.shape[1]) % 5
    assert (fast.cell_counts(x, cells, 7, 3) == slow.cell_counts(x, cells, 7, 3)).all()
    assert (fast.step_counts(x, parts, 5, 3) == slow.step_counts(x, parts, 5, 3)).all()
    assert (fast.bout_counts(x, fast.LENGTH_BIN, 10, 3) == slow.bout_counts(x, 3)).all()


def test_length_bins_double():
    assert [slow.length_bin(v) for v in (1, 2, 3, 4, 5, 8, 9, 256, 257, 9999)] == [0, 1, 2, 2, 3, 3, 4, 8, 9, 9]
    assert [int(fast.LENGTH_BIN[min(v, 257)]) for v in (1, 2, 3, 4, 5, 8, 9, 256, 257, 9999)] == [
        0, 1, 2, 2, 3, 3, 4, 8, 9, 9,
    ]  # fmt: skip


@pytest.mark.parametrize(("n_states", "days", "seconds", "extra"), [(4, 2, 600, 0), (2, 1, 1800, 0), (3, 2, 1200, 17)])
def test_simulated_people_equal_the_plain_walk(n_states, days, seconds, extra):
    rng = np.random.default_rng(n_states)
    cal = calendar(days * 86400 // seconds + extra, seconds, MONDAY + np.timedelta64(5, "h"))
    seg = cal.segments()
    profile = rng.dirichlet(np.ones(n_states), cal.n_bins)
    n_days = len(cal.day_starts) - 1
    targets = np.maximum(rng.dirichlet(np.full(n_states, 0.5), (3, n_days)), 1e-5)
    exchange = rng.random((len(seg.low), n_states, n_states)) * 0.2
    factor, close = rng.uniform(0.3, 3, (n_states, 10)), rng.uniform(0.5, 2, n_states)
    seeds, pace = rng.integers(0, 2**63, 3, dtype=np.uint64), rng.uniform(0.5, 2, 3)
    out = np.empty((3, cal.n_intervals), np.uint8)
    law = Law(profile, cal.day_bins(), exchange, factor, fast.LENGTH_BIN)
    simulate(People(seeds, pace, targets), law, seg, Choice(cal.day_length, 3, close), out)
    for i in range(3):
        want = plain.person(seeds[i], targets[i], profile, cal.day_bins(), pace[i] * exchange, seg, factor,
                            cal.day_length, 3, close, slow.length_bin)  # fmt: skip
        assert out[i].tolist() == want


def test_tilting_reaches_the_target():
    rng = np.random.default_rng(1)
    profile, weights = rng.dirichlet(np.ones(4) * 3, 24), np.full(24, 1 / 24)
    target = np.array([0.5, 0.3, 0.15, 0.05])
    factor = tilt(profile, weights, target, 10)
    tilted = profile * factor / (profile * factor).sum(axis=1, keepdims=True)
    assert weights @ tilted == pytest.approx(target, abs=2e-3)
    assert factor == pytest.approx(plain.tilt(profile, weights, target), rel=1e-9)


def test_calendar_of_two_weeks_of_minutes():
    cal = calendar(20160, 60, MONDAY)
    assert (cal.n_bins, cal.n_days, cal.day_length) == (48, 14, 1440)
    assert cal.bin_sizes.tolist() == [600] * 24 + [240] * 24
    assert cal.part_sizes.sum() == 20159 and len(cal.part_sizes) == N_PARTS
    assert cal.weekend_days().tolist() == ([False] * 5 + [True] * 2) * 2
    assert cal.day_bins().sum(axis=1) == pytest.approx(np.ones(14))
    seg = cal.segments()
    assert len(seg.start) == 14 * 48 and (seg.end - seg.start == 30).all()


@pytest.mark.parametrize(("n", "seconds"), [(1, 60), (2, 7), (1440, 60), (1500, 60), (25, 3600), (9, 86400),
                                            (50, 43200), (100, 7), (3, 200000)])  # fmt: skip
def test_odd_calendars_cover_every_interval_once(n, seconds):
    cal = calendar(n, seconds, MONDAY + np.timedelta64(13, "h"))
    seg = cal.segments()
    assert cal.n_days >= 1 and cal.day_starts[0] == 0 and cal.day_starts[-1] == n
    assert np.concatenate([np.arange(a, b) for a, b in zip(seg.start, seg.end)]).tolist() == list(range(n))
    assert ((seg.weight >= 0) & (seg.weight <= 1)).all()
    assert cal.day_bins().sum(axis=1) == pytest.approx(np.ones(len(cal.day_starts) - 1))
    edges = duration_edges(cal.day_length)
    assert edges[0] == 0 and edges[1] == 1 and edges[-1] == cal.day_length + 1 and (np.diff(edges) > 0).all()


def test_minutes_keep_all_29_bins_of_duration():
    edges = duration_edges(1440)
    assert (
        len(edges) == 30 and edges[:8].tolist() == [0, 1, 3, 5, 10, 15, 23, 30] and edges[-2:].tolist() == [1435, 1441]
    )


shares = st.lists(st.floats(-5, 5), min_size=1, max_size=8)


@given(shares)
@settings(max_examples=50)
def test_simplex_is_the_nearest_share(values):
    x = np.array(values)
    p = simplex(x[None])[0]
    assert p.min() >= 0 and p.sum() == pytest.approx(1)
    rng = np.random.default_rng(0)
    others = rng.dirichlet(np.ones(len(x)), 30)
    assert ((others - x) ** 2).sum(axis=1).min() >= ((p - x) ** 2).sum() - 1e-9


@given(shares, st.floats(0, 1))
@settings(max_examples=50)
def test_histogram_has_the_mean_asked_for(values, share):
    value = np.linspace(0.0, 1.0, len(values))
    p = histogram_with_mean(np.array(values), value, share)
    assert p.min() >= 0 and p.sum() == pytest.approx(1)
    if len(values) > 1:
        assert p @ value == pytest.approx(share, abs=1e-6)


def test_smoothing_keeps_what_noise_cannot_explain():
    hour = np.arange(24)
    wave = np.stack([0.5 + 0.3 * np.cos(2 * np.pi * hour / 24), 0.5 - 0.3 * np.cos(2 * np.pi * hour / 24)], axis=1)
    two = np.concatenate([wave, wave * 0.9 + 0.05])
    assert smooth(wave, 0.0) == pytest.approx(wave) and smooth(two, 0.0) == pytest.approx(two)
    rng = np.random.default_rng(2)
    noisy = two + rng.normal(0, 0.05, two.shape)
    assert np.abs(smooth(noisy, 0.05) - two).mean() < 0.6 * np.abs(noisy - two).mean()
    assert smooth(noisy, 1e6) == pytest.approx(np.tile(noisy.mean(axis=0), (48, 1)), abs=1e-6)


def test_moments_survive_packing_and_become_semidefinite():
    rng = np.random.default_rng(3)
    m = rng.normal(size=(2, 3, 3))
    m = m + m.transpose(0, 2, 1)
    packed = pack(m[0], m[1])
    assert packed @ packed == pytest.approx((m**2).sum())
    assert np.array(unpack(packed, 3)) == pytest.approx(m)
    assert np.linalg.eigvalsh(semidefinite(m[0], 0.1)).min() >= 0.1 - 1e-12


def test_flows_shrink_to_their_shape_when_noise_is_all():
    rng = np.random.default_rng(4)
    shape = rng.random((8, 3, 3))
    shape = shape + shape.transpose(0, 2, 1)
    flow = 0.1 * shape
    assert shrink_flows(flow, np.zeros((3, 3)), shape) == pytest.approx(flow)
    noisy = flow + rng.normal(0, 0.01, flow.shape)
    assert np.abs(shrink_flows(noisy, np.full((3, 3), 0.01), shape) - flow).mean() < np.abs(noisy - flow).mean() / 1.5
    assert shrink_flows(-flow, np.ones((3, 3)), shape).min() >= 0


def test_quantiles_of_a_histogram():
    edges = np.array([0, 1, 3, 5])
    law = quantile_function(np.array([0.5, 0.25, 0.25]), edges, np.array([0.1, 0.49, 0.51, 0.625, 0.75, 0.999]))
    assert law == pytest.approx([0, 0, 0.58, 1.5, 2.5, 3.994], abs=0.01)


def test_normal_scores():
    p = np.array([0.01, 0.3, 0.5, 0.99])
    assert cdf(quantile(p)) == pytest.approx(p, abs=1e-6)
    table = score_table(np.array([[0.6, 0.4, 0.0]]), np.array([0, 1, 3, 5]))
    assert table.shape == (1, 5) and table[0, 0] == pytest.approx(quantile(np.array(0.3)))
    assert (np.diff(table[0]) >= 0).all() and table[0, -1] == pytest.approx(quantile(np.array(0.99)))


def test_spread_is_the_squared_relative_distance_from_the_usual():
    states = np.array([[0, 0, 1, 2], [0, 0, 0, 0], [1, 1, 1, 1]], np.uint8)
    usual = np.array([0.5, 0.25, 0.25])
    found = spread(states, 3, np.array([1, 2]), usual)
    assert found.tolist() == [[0.0, 0.0], [1.0, 1.0], [9.0, 1.0]]
