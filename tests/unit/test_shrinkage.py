"""Shrinking noisy tables towards what is expected of them."""

from __future__ import annotations

import numpy as np
import pytest

from sequester.methods.events.markov_dp.kernels import moves
from sequester.methods.events.markov_dp.kernels.moves import multiples_grid, shrunk
from tests.naive import shrinkage as naive


@pytest.mark.parametrize("centre", ["median", "mean"])
@pytest.mark.parametrize("size", [1, 2, 40])
def test_equals_plain_loops(centre, size):
    rng = np.random.default_rng(size)
    expected = rng.uniform(0.5, 30, size)
    noisy = expected * rng.choice([0.0, 1.0, 5.0], size) + rng.normal(0, 4, size)
    grid = multiples_grid(noisy, expected, 4.0)
    plain = naive.shrunk(noisy, expected, 4.0, grid, moves.STEPS, centre)
    np.testing.assert_allclose(shrunk(noisy, expected, 4.0, centre=centre), plain, rtol=1e-6, atol=1e-6)


def test_pure_noise_becomes_what_was_expected():
    rng = np.random.default_rng(0)
    expected = np.full(300, 2.0)
    out = shrunk(expected + rng.normal(0, 10, 300), expected, 10.0, centre="mean")
    assert np.abs(out - 2.0).mean() < 1.0  # the noise had a mean size of eight


def test_clear_numbers_stay():
    expected, truth = np.full(60, 10.0), np.repeat([0.0, 10.0, 500.0], 20)
    out = shrunk(truth + np.random.default_rng(1).normal(0, 0.5, 60), expected, 0.5, centre="median")
    np.testing.assert_allclose(out[20:], truth[20:], atol=2.0)
    assert (out[:20] < 1.0).all()


def test_better_than_the_numbers_themselves_on_a_sparse_table():
    rng = np.random.default_rng(2)
    truth = np.where(rng.random((40, 40)) < 0.1, rng.exponential(60, (40, 40)), 0.0)
    noisy = truth + rng.normal(0, 12, truth.shape)
    row, column = truth.sum(1), truth.sum(0)
    out = shrunk(noisy, np.outer(row, column) / truth.sum(), 12.0, centre="median")
    assert np.abs(out - truth).sum() < 0.5 * np.abs(np.maximum(noisy, 0) - truth).sum()


def test_nothing_and_parts(monkeypatch):
    assert shrunk(np.zeros((0, 3)), np.zeros((0, 3)), 1.0, centre="mean").shape == (0, 3)
    rng = np.random.default_rng(3)
    noisy, expected = rng.normal(5, 3, 90), np.full(90, 5.0)
    whole = shrunk(noisy, expected, 3.0, centre="mean")
    monkeypatch.setattr(moves, "AT_ONCE", 45)  # the spread now comes from every second cell
    parts = shrunk(noisy, expected, 3.0, centre="mean")
    assert parts.shape == whole.shape and np.abs(parts - whole).mean() < 1.0


def test_zero_expected_gives_zero():
    assert shrunk(np.array([5.0, -3.0]), np.zeros(2), 1.0, centre="median").max() < 1e-4
