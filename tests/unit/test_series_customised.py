"""Customised publishing: what ranges and letters tell about each other is true, and unbounded exactly when stated."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.layouts import customised
from sequester.methods.series.kapra import Kapra
from sequester.model import Series
from sequester.primitives import normal, sax

FEW = settings(max_examples=60, deadline=None)


def published(seed, n=30, width=8, shared=4, ddof=0):
    """Records with ranges around their values at the first `shared` times, and letters at a random level."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, width)).cumsum(axis=1) * rng.choice([1e-3, 1.0, 50.0])
    level = int(rng.integers(2, 9))
    letters = sax.sax(sax.z_normalize(x, ddof), level).astype(np.int64)
    slack = rng.random((2, n, width)) * rng.choice([0.05, 0.5]) * np.ptp(x)
    return x, x - slack[0], x + slack[1], letters, level, shared


@FEW
@given(st.integers(0, 10**6), st.sampled_from([0, 1]))
def test_lemma_1_and_the_programme_hold_the_truth(seed, ddof):
    x, lo, hi, letters, level, m = published(seed, ddof=ddof)
    low, high = customised.letter_bounds(lo[:, :m], hi[:, :m], letters[:, :m], level, x.shape[1], ddof)
    mine = np.arange(len(x))[:, None]
    slack = 1e-7 * np.abs(x).max()
    assert (low[mine, letters] <= x + slack).all() and (high[mine, letters] >= x - slack).all()
    order_low, order_high = customised.order_bounds(lo[:, :m], hi[:, :m], letters[:, :m], level)
    assert (order_low[mine, letters] <= x).all() and (order_high[mine, letters] >= x).all()
    assert (low >= order_low).all() and (high <= order_high).all()


@FEW
@given(st.integers(0, 10**6))
def test_the_programme_is_unbounded_exactly_below_three_ranks(seed):
    x, lo, hi, letters, level, m = published(seed)
    low, high = customised.programme_bounds(lo[:, :m], hi[:, :m], letters[:, :m], level, x.shape[1])
    bounded = np.ptp(letters[:, :m], axis=1) >= 2
    assert (np.isfinite(low[:, 0]) == bounded).all() and (np.isfinite(high[:, -1]) == bounded).all()
    assert np.isfinite(low[bounded]).all() and np.isfinite(high[bounded]).all()


@pytest.mark.parametrize("seed", range(6))
def test_vertices_give_the_optimum_of_a_general_solver(seed):
    optimize = pytest.importorskip("scipy.optimize")
    x, lo, hi, letters, level, m = published(seed + 100, n=12)
    low, high = customised.programme_bounds(lo[:, :m], hi[:, :m], letters[:, :m], level, x.shape[1])
    cuts = np.concatenate([[-np.inf], normal.breakpoints(level), [np.inf]])
    c = customised.largest_z(x.shape[1], 0)
    for i in range(len(x)):
        rows, bounds = [], []
        for j in range(m):
            a = letters[i, j]
            if a > 0:
                rows.append([1, cuts[a]])
                bounds.append(hi[i, j])
            if a < level - 1:
                rows.append([-1, -cuts[a + 1]])
                bounds.append(-lo[i, j])
        for a in range(level):
            for sign, slope, ours in ((1, max(cuts[a], -c), low[i, a]), (-1, min(cuts[a + 1], c), high[i, a])):
                found = optimize.linprog([sign, sign * slope], rows, bounds, bounds=[(None, None), (0, None)])
                if found.status == 3:
                    assert not np.isfinite(ours)
                else:
                    assert sign * found.fun == pytest.approx(ours, rel=1e-6, abs=1e-6 * np.abs(x).max())


def test_letters_that_are_not_ones_own_give_no_programme_bound():
    lo = hi = np.array([[0.0, 1.0, 2.0]])
    low, high = customised.programme_bounds(lo, hi, np.array([[3, 1, 0]]), 4, 3)
    assert not np.isfinite(low).any() and not np.isfinite(high).any()


def test_largest_z():
    for n in (2, 5, 10):
        x = np.zeros((1, n))
        x[0, 0] = 1
        assert sax.z_normalize(x)[0, 0] == pytest.approx(customised.largest_z(n, 0))
        assert sax.z_normalize(x, 1)[0, 0] == pytest.approx(customised.largest_z(n, 1))


def test_likeliest_letter_overlaps_most_and_ties_go_down():
    low, high = np.array([[-np.inf, 1.0, 2.0]]), np.array([[1.0, 2.0, np.inf]])
    assert customised.likeliest_letters(low, high, np.array([0.5]), np.array([1.8]), (0, 3)).tolist() == [1]
    assert customised.likeliest_letters(low, high, np.array([0.5]), np.array([1.5]), (0, 3)).tolist() == [0]
    assert customised.likeliest_letters(low, high, np.array([2.5]), np.array([2.5]), (0, 3)).tolist() == [2]


@pytest.fixture(scope="module")
def data():
    return Series(values=np.random.default_rng(3).normal(size=(300, 8)).cumsum(axis=1))


EVERY = tuple(f"t{j}" for j in range(1, 9))
CASES = {
    "contained values": {"publish_values": ("t1", "t3", "t5", "t7")},
    "contained patterns": {"publish_patterns": ("t2", "t3", "t6", "t8", "t1")},
    "overlapping": {"publish_values": EVERY[:5], "publish_patterns": EVERY[:1:-1]},
    "equal": {"publish_values": EVERY, "publish_patterns": EVERY},
}


@pytest.mark.parametrize("pattern", [None, "printed"])
@pytest.mark.parametrize("case", CASES)
def test_customised_releases_keep_the_promise_and_their_bounds(data, case, pattern, tmp_path):
    method = Kapra(k=6, p=3, pattern=pattern, **CASES[case])
    assert method.form == (pattern or "literal")
    release = sq.anonymize(data, method, seed=1)
    assert sq.verify(release, data).holds
    table = release.tables["records"]
    shown = [c[:-3] for c in table.column_names if c.endswith("_lo")]
    assert shown == [t for t in data.times if t in (method.publish_values or data.times)]
    assert {len(w) for w in table["pattern"].to_pylist()} == {len(method.publish_patterns or data.times)}
    bundle = sq.publish(release, tmp_path / "x.bundle", source=data)
    assert bundle.times == data.times
    told = bundle.estimated()
    row = np.array(release.private["origin"]["row"]) - 1
    for j, name in enumerate(data.times):
        x = data.values[row, j]
        assert (np.array(told[f"{name}_lo"]) <= x + 1e-7).all() and (np.array(told[f"{name}_hi"]) >= x - 1e-7).all()
    rng = np.random.default_rng(1)
    for _ in range(40):
        a, b = np.sort(rng.normal(0, 3, 2))
        name = data.times[rng.integers(8)]
        x = data.values[:, data.times.index(name)]
        count = bundle.count({name: (a, b)})
        assert count.at_least <= ((x >= a) & (x <= b)).sum() <= count.at_most
        assert count.at_least - 1e-9 <= count.estimate <= count.at_most + 1e-9


def test_estimated_letters_are_mostly_right(data):
    full = sq.anonymize(data, Kapra(k=6, p=3, pattern="literal"), seed=1)
    part = sq.anonymize(data, Kapra(k=6, p=3, publish_patterns=data.times[:6]), seed=1)
    lost = [sq.measure(data, r, n_queries=0, n_targets=0)["pattern loss per record"] for r in (full, part)]
    assert lost[0] <= lost[1] < 1.0
