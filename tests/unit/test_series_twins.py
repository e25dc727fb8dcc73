"""The search on single records, tying for diversity, and the tree over boxes, against plain loops."""

import numpy as np
import pytest

from sequester.methods.series.shared import diversity
from sequester.methods.series.shared.kernels import greedy_partition, joint
from sequester.methods.series.shared.kernels.greedy_partition import near_groups
from sequester.primitives import kdtree
from tests.naive import local_search


def rule_for(rng, n, l):  # noqa: E741
    """Two sensitive columns: words of which one is free, and numbers with a window; some are missing."""
    values = np.array([rng.integers(0, 4, n).astype(float), rng.random(n) * 10])
    values[rng.random(values.shape) < 0.1] = np.nan
    free = np.zeros(values.shape, bool)
    free[0] = values[0] == 0
    return greedy_partition.Diversity(values, free, np.array([0.0, 1.5]), l)


def start(rng, n, k, p):
    values = rng.random((n, 4))
    shapes = rng.standard_normal((n, 4))
    shapes *= 2 / np.linalg.norm(shapes, axis=1, keepdims=True)
    group = np.minimum(rng.permutation(n) // k, n // k - 1)
    subgroup = np.empty(n, np.int64)
    for g in range(n // k):
        rows = np.flatnonzero(group == g)
        subgroup[rows] = 100 * g + np.minimum(np.arange(len(rows)) // p, len(rows) // p - 1)
    return values, shapes, group, np.unique(subgroup, return_inverse=True)[1]


@pytest.mark.parametrize("diverse", [False, True])
@pytest.mark.parametrize("weight", [0.0, 0.4])
@pytest.mark.parametrize("seed", range(3))
def test_the_search_does_what_its_twin_does(seed, weight, diverse):
    rng = np.random.default_rng(seed)
    values, shapes, group, subgroup = start(rng, 26, 6, 2)
    group, subgroup = joint._numbered(group), joint._numbered(subgroup)
    rule = rule_for(rng, 26, 2) if diverse else greedy_partition.no_diversity(26)
    near = near_groups(values, group)
    wanted = local_search.improve(values, shapes, group, subgroup, near, 6, 2, weight, rule, 3)
    got = joint.improve(values, shapes, group, subgroup, 6, 2, weight=weight, rule=rule, sweeps=3)
    assert got[0].tolist() == wanted[0].tolist() and got[1].tolist() == wanted[1].tolist()
    assert got[0].tolist() != group.tolist()


@pytest.mark.parametrize("l", [2, 3])
@pytest.mark.parametrize("seed", range(12))
def test_records_are_tied_as_the_twin_ties_them(seed, l):  # noqa: E741
    rng = np.random.default_rng(seed)
    n = int(rng.integers(8, 40))
    unit, rule = rng.random((n, 3)), rule_for(rng, n, l)
    first = rng.permutation(n)[: n - 3]
    wanted = local_search.tie(unit, rule, first.tolist())
    got = diversity._tie(unit, rule, first)
    assert got.tolist() == (wanted if wanted is not None else [-2] * n)


@pytest.mark.parametrize("seed", range(8))
def test_the_fullest_window_of_every_subgroup(seed):
    rng = np.random.default_rng(seed)
    n = 60
    rule, subgroup = rule_for(rng, n, 2), np.r_[rng.integers(0, 7, n - 7), np.arange(7)]
    rule.values[1] = np.round(rule.values[1] * 2) / 2  # values at the very ends of a window
    most, known = diversity.worst_windows(subgroup, rule)
    for c, width in enumerate(rule.near):
        for s in range(7):
            there = (subgroup == s) & ~np.isnan(rule.values[c])
            assert known[c, s] == there.sum()
            assert most[c, s] == local_search.fullest(rule.values[c, there & ~rule.free[c]].tolist(), width)


@pytest.mark.parametrize("leaf", [1, 2, 16])
@pytest.mark.parametrize("n", [1, 2, 17, 150])
def test_a_tree_knows_the_bounds_of_what_is_below_each_node(n, leaf):
    rng = np.random.default_rng(n + leaf)
    lo = rng.integers(0, 9, (n + 5, 2)).astype(float)
    hi, size = lo + rng.integers(0, 4, lo.shape), rng.integers(1, 9, n + 5)
    items = rng.permutation(n + 5)[:n]
    before = sorted(items.tolist())
    tree = kdtree.build(lo, hi, size, items, leaf)
    assert sorted(items.tolist()) == before
    waiting, seen = [0], []
    while waiting:
        node = waiting.pop()
        rows = items[tree.start[node] : tree.end[node]].tolist()
        assert tree.living[node] == len(rows) and tree.minsize[node] == min(size[r] for r in rows)
        for j in range(2):
            assert tree.maxlo[node, j] == max(lo[r, j] for r in rows)
            assert tree.minhi[node, j] == min(hi[r, j] for r in rows)
        first = tree.child[node]
        if first < 0:
            assert len(rows) <= leaf and all(tree.home[r] == node for r in rows)
            seen += rows
            continue
        assert tree.parent[first] == tree.parent[first + 1] == node and len(rows) > leaf
        assert (tree.start[node], tree.end[first], tree.end[node]) == (
            tree.start[first], tree.start[first + 1], tree.end[first + 1],
        )  # fmt: skip
        spans = [max(lo[r, j] + hi[r, j] for r in rows) - min(lo[r, j] + hi[r, j] for r in rows) for j in range(2)]
        axis = spans.index(max(spans))
        halves = [[lo[r, axis] + hi[r, axis] for r in items[tree.start[c] : tree.end[c]]] for c in (first, first + 1)]
        assert max(halves[0]) <= min(halves[1]) and abs(len(halves[0]) - len(halves[1])) <= 1
        waiting += [first, first + 1]
    assert sorted(seen) == before
