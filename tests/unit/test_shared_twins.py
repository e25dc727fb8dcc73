"""Kernels that risk, events and flows share, on the arrays they take, against plain loops."""

import numpy as np
import pytest

from sequester.methods.activity.shared.kernels import day_looks
from sequester.methods.events.markov_ratio.kernels import law_index
from sequester.methods.ngrams.shared.kernels import least_cost_flow
from sequester.risk import known_points
from tests.naive import known_points as plain_points
from tests.naive import least_cost_flow as plain_flow

SEEDS = range(6)


def points(rng, available, depth=4):
    """Different places of every target, -1 behind them where there are fewer."""
    drawn = [rng.permutation(n)[:depth] for n in available]
    return np.array([[*d, *[-1] * (depth - len(d))] for d in drawn]).astype(np.int64)


@pytest.mark.parametrize("seed", SEEDS)
def test_owners_that_agree_on_columns(seed):
    rng = np.random.default_rng(seed)
    codes, owner = rng.integers(0, 1 + seed, (12, 5)).astype(np.int32), np.sort(rng.integers(0, 8, 12))
    codes.flags.writeable = False
    targets, known = rng.integers(0, 12, 7), points(rng, rng.integers(0, 6, 7))
    found = known_points._agree_on_columns(codes, owner, targets, known)
    assert found.tolist() == plain_points.agree_on_columns(codes, owner, targets, known).tolist()


@pytest.mark.parametrize("seed", SEEDS)
def test_owners_that_agree_on_an_order(seed):
    rng = np.random.default_rng(seed)
    sequences = [rng.integers(0, 1 + seed, rng.integers(1, 8)).astype(np.int32) for _ in range(12)]
    starts, states = np.cumsum([0, *map(len, sequences)]), np.concatenate(sequences)
    targets = rng.integers(0, 12, 8)
    known = points(rng, [len(sequences[t]) for t in targets])
    found = known_points._agree_on_order(starts, states, targets, known)
    assert found.tolist() == plain_points.agree_on_order(sequences, targets, known).tolist()


@pytest.mark.parametrize("n", [0, 1, 2, 3, 40])
def test_keys_of_laws_stand_in_an_open_table(n):
    keys = np.random.default_rng(n).permutation(10**6)[:n]
    size = max(4, 1 << max(0, 2 * n - 1).bit_length())
    want = [[-1, -1] for _ in range(size)]
    for row, key in enumerate(keys.tolist()):
        x = key * 0x9E3779B97F4A7C15 % 2**64
        at = (x ^ (x >> 29)) % size
        while want[at][0] != -1:
            at = (at + 1) % size
        want[at] = [key, row]
    assert law_index._index(keys).tolist() == want


@pytest.mark.parametrize("n", [1, 2, 5, 24])
@pytest.mark.parametrize("seed", range(3))
def test_rotations_make_a_matrix_diagonal(n, seed):
    rng = np.random.default_rng(seed)
    parts = rng.standard_normal((n, max(1, n // 2)))
    matrix = parts @ parts.T - 0.1 * np.eye(n)
    left, turned = matrix.copy(), np.eye(n)
    day_looks._rotate(left, turned)
    np.testing.assert_allclose(left, np.diag(left.diagonal()), atol=1e-10)
    np.testing.assert_allclose(turned @ turned.T, np.eye(n), atol=1e-10)
    back = [[sum(turned[m, i] * left[m, m] * turned[m, j] for m in range(n)) for j in range(n)] for i in range(n)]
    np.testing.assert_allclose(back, matrix, atol=1e-9)


@pytest.mark.parametrize("seed", range(60))
def test_what_is_sent_is_feasible_and_costs_the_least(seed):
    rng = np.random.default_rng(seed)
    n, m = int(rng.integers(1, 7)), int(rng.integers(0, 15))
    arcs = [tuple(int(x) for x in row) for row in rng.integers(0, [n, n, 7, 5], (m, 4))]
    supply = rng.integers(-4, 5, n)
    supply[-1] -= supply.sum()
    both = [end for u, v, _, _ in arcs for end in ((u, v), (v, u))]
    order = sorted(range(2 * m), key=lambda a: both[a][0])
    first = [sum(u < node for u, _ in both) for node in range(n + 1)]
    network = least_cost_flow.Network(*(np.array(x, np.int64) for x in (first, order, [v for _, v in both])))
    left = np.array([x for _, _, c, _ in arcs for x in (c, 0)], np.int64)
    price = np.array([x for _, _, _, w in arcs for x in (w, -w)], np.int64)
    search = least_cost_flow.Search(*(np.full(n, value) for value in (0, -1, 0, 0, -1, 0)))
    sent = least_cost_flow._send(network, left, price, supply.copy(), np.zeros(n, np.int64), search)
    least = plain_flow.least_cost(n, arcs, supply.tolist())
    assert sent == (least is not None)
    if sent:
        flow = left[1::2].tolist()
        assert all(0 <= f <= c for f, (_, _, c, _) in zip(flow, arcs))
        assert sum(f * w for f, (_, _, _, w) in zip(flow, arcs)) == least
        for node in range(n):
            out = sum(f * ((u == node) - (v == node)) for f, (u, v, _, _) in zip(flow, arcs))
            assert out == supply[node]
