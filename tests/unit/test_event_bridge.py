"""The trial bridge draws gaps as they are distributed among cases that last as long as asked."""

import numpy as np
import pytest
from experiments.event_bridge_draw import bridged, cell_shares

from sequester.primitives.xoshiro import state_from

DAY = 86400
EDGES = np.array([0, 1, 1.5, 2, 3, 5, 7, 14, 30]) * float(DAY)


def bridges(law, target, n):
    """Gaps in days of `n` cases of four events that last `target` days."""
    states, offsets = np.zeros(4 * n, np.int32), np.arange(n + 1) * 4
    drawn = (states, np.zeros(4 * n, np.int64), offsets)
    times = bridged(
        state_from(np.random.default_rng(1)), drawn, np.full(n, target * DAY), law[None, None], EDGES,
        np.ones((1, 24)), np.ones(7), DAY,
    )  # fmt: skip
    return np.diff(times.reshape(n, 4), axis=1) // DAY


@pytest.mark.parametrize("target", [2, 9])
def test_gaps_are_those_of_free_draws_that_happen_to_add_up(target):
    law = np.array([0.5, 0.2, 0.0, 0.1, 0.05, 0.05, 0.08, 0.02])
    g = np.random.default_rng(2)
    free = g.choice(30, (400_000, 3), p=law @ cell_shares(EDGES, DAY, 30, DAY))
    wanted = free[free.sum(1) == target]
    found = bridges(law, target, 4000)
    assert (found.sum(1) == target).all()
    for place in range(3):
        shares = [np.bincount(x[:, place], minlength=target + 1) / len(x) for x in (wanted, found)]
        assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.04


def test_a_span_far_out_of_the_law_is_reached_and_one_of_nothing_has_no_gaps():
    law = np.array([0.999, 0.001 - 1e-9, 0, 0, 0, 0, 0, 1e-9])
    assert (bridges(law, 60, 50).sum(1) == 60).all()
    assert not bridges(law, 0, 5).any()


def test_cells_keep_the_mass_and_the_mean_of_every_bin():
    fine, coarse = cell_shares(EDGES, DAY, 40, DAY), cell_shares(EDGES, 2 * DAY, 20, DAY)
    assert np.allclose(fine.sum(1), 1) and np.allclose(coarse.sum(1), 1)
    assert np.allclose(fine @ np.arange(40), coarse @ np.arange(20) * 2)
    seconds = cell_shares(EDGES, 7200, 400, 1)
    assert np.allclose(seconds.sum(1), 1)
    means = (EDGES[2:] - EDGES[1:-1]) / np.log(EDGES[2:] / EDGES[1:-1])
    assert np.allclose((seconds @ np.arange(400) * 7200)[1:], means)
