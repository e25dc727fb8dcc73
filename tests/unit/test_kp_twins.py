"""Kernels of (k,P)-anonymity that search for better subgroups and groups, against plain loops over lists."""

import numpy as np
import pytest

from sequester.methods.series.shared.kernels import groups, refine
from sequester.primitives.neighbours import nearest_points
from tests.naive import kp_refine

SEEDS = range(6)


def panel(seed, n=40, width=5):
    rng = np.random.default_rng(seed)
    return rng.integers(0, 3, (n, width)) + rng.random((n, width))


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("count", [5, 12])
def test_the_best_split(seed, count):
    values = panel(seed)
    lo, hi, size = groups.boxes(values, np.arange(40) // 2, 20)
    members, mask = np.random.default_rng(seed).permutation(20)[:count], np.zeros(count, np.uint8)
    found = refine._best_split(lo, hi, size, members, count, 6, mask)
    best, side = kp_refine.best_split(lo.tolist(), hi.tolist(), size.tolist(), members.tolist(), 6)
    assert (found, [m for m, x in zip(members.tolist(), mask) if x] or None) == (best, side)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("k", [4, 7])
def test_refining_groups(seed, k):
    values = panel(seed)
    lo, hi, size = groups.boxes(values, np.arange(40) // 2, 20)
    group = np.arange(20) * (40 // (2 * k)) // 20  # neighbours by number, not by value: much to improve
    near = nearest_points((lo + hi) / 2, 8)
    slow = kp_refine.refine(*(a.tolist() for a in (lo, hi, size, group)), k, near.tolist(), 4)
    assert refine._refine(lo, hi, size, group.copy(), k, near, 4).tolist() == slow
    assert slow != group.tolist()
