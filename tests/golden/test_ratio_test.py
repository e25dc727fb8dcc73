"""The ratio test and the cut into sections of the event-log paper on small worked examples, number by number."""

import itertools

import numpy as np
import pytest

from sequester.judges.ratio_test import passes as judged
from sequester.methods.events.markov_ratio.sections import passes, retained

TABLE = {
    0.05: {2: 2, 5: 5, 10: 7, 20: 11, 50: 15, 100: 18, 1000: 21},
    0.35: {2: 2, 5: 3, 10: 3, 20: 4, 50: 4, 100: 4, 1000: 4},
    0.65: {2: 2, 5: 2, 10: 2, 20: 2, 50: 3, 100: 3, 1000: 3},
}


@pytest.mark.parametrize("epsilon", TABLE)
@pytest.mark.parametrize("test", [passes, lambda c, n, e: np.array([judged(int(c), n, e)])[0]])
def test_smallest_count_that_passes(epsilon, test):
    for n, smallest in TABLE[epsilon].items():
        assert next(c for c in range(1, n + 1) if test(c, n, epsilon)) == smallest


def test_the_papers_example():
    assert round(3 / 10 / (2 / 9), 6) == 1.35
    assert passes(3, 10, 0.4) and not passes(3, 10, 0.3)
    assert judged(3, 10, 0.4) and not judged(3, 10, 0.3)


def test_a_count_of_one_never_passes_and_a_whole_row_of_two_always_does():
    assert not passes(1, 1, 50.0) and not passes(1, 10**6, 50.0)
    assert passes(2, 2, 1e-9)


def test_one_record_switches_the_output():
    """21 of 1000 passes at 0.05, 20 of 999 does not: deterministic, hence not differential privacy."""
    assert passes(21, 1000, 0.05) and not passes(20, 999, 0.05)


def test_sequential_removal_keeps_more():
    counts, bounds = np.array([3, 1, 6]), np.array([0, 3])
    assert retained(counts, bounds, 0.3, "simultaneous").tolist() == [False, False, True]
    assert retained(counts, bounds, 0.3, "sequential").tolist() == [True, False, True]
    assert retained(counts, bounds, 0.3, "off").tolist() == [True, True, True]


@pytest.mark.parametrize("mode", ["simultaneous", "sequential"])
def test_repeating_the_test_changes_nothing(mode):
    rng = np.random.default_rng(0)
    for _ in range(300):
        counts = rng.integers(1, 30, rng.integers(1, 9))
        epsilon = float(rng.choice([0.05, 0.35, 0.65]))
        kept = retained(counts, np.array([0, len(counts)]), epsilon, mode)
        left = counts[kept]
        if len(left):
            assert retained(left, np.array([0, len(left)]), epsilon, mode).all()


def test_sequential_removal_is_the_plain_loop():
    rng = np.random.default_rng(1)
    sizes = rng.integers(1, 7, 50)
    bounds = np.r_[0, np.cumsum(sizes)]
    counts = rng.integers(1, 12, bounds[-1])
    got = retained(counts, bounds, 0.35, "sequential")
    for lo, hi in itertools.pairwise(bounds):
        row = sorted(enumerate(counts[lo:hi].tolist()), key=lambda x: x[1])
        while row and not judged(row[0][1], sum(c for _, c in row), 0.35):
            row.pop(0)
        assert np.flatnonzero(got[lo:hi]).tolist() == sorted(i for i, _ in row)
