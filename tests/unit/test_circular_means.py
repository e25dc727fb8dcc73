"""Times of day are angles: their means, differences and intervals."""

import math
import types

import numpy as np
import pytest

from sequester.primitives.two_means import around, circular, circular_difference
from sequester.query.activity import ActivityBundle


def test_means_go_the_short_way_round_midnight():
    mean, sd = circular(np.array([23.0, 1.0]))
    assert min(mean, 24 - mean) < 1e-9 and sd == pytest.approx(1.0, abs=0.02)
    assert circular(np.array([5.0, 6.0, 7.0, np.nan]))[0] == pytest.approx(6.0)
    for nothing in ([], [np.nan], [3.0, 15.0]):
        assert all(map(math.isnan, circular(np.array(nothing, float)))), "opposite hours have no mean"


def test_a_difference_is_the_shorter_way_and_its_interval_holds_it():
    rng = np.random.default_rng(1)
    x, y = (rng.normal(0.5, 1, 200) % 24, rng.normal(23.5, 1, 150) % 24)
    found = circular_difference(x, y)
    assert found.value == pytest.approx(1.0, abs=0.3)
    assert found.low < found.value < found.high and found.width == pytest.approx(2 * 1.96 * found.error, rel=0.1)
    expected = math.sqrt(1 / 200 + 1 / 150)  # narrow spreads are nearly normal on a line
    assert found.error == pytest.approx(expected, rel=0.15)
    back = circular_difference(y, x)
    assert back.value == pytest.approx(-found.value)
    assert circular_difference(x, y) == found, "the same people give the same interval"


def test_intervals_hold_the_true_difference_as_often_as_they_say():
    held = 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        x, y = rng.normal(23.0, 3, 40) % 24, rng.normal(2.0, 2, 40) % 24
        found = circular_difference(x, y)
        held += found.low <= -3 <= found.high
    assert 52 <= held <= 60


def test_times_without_direction_give_an_interval_that_says_nothing():
    flat = np.arange(0, 24, 0.5) + np.random.default_rng(0).normal(0, 1e-3, 48)
    found = circular_difference(flat, np.full(30, 4.0) + np.linspace(0, 0.1, 30))
    assert (found.low, found.high) == (-12.0, 12.0)
    assert math.isnan(circular_difference(np.array([3.0]), flat).value)
    assert around(13.0) == -11.0 and around(-12.0) == -12.0


def test_a_bundle_averages_onsets_on_the_circle():
    onsets = np.array([23.0, 1.0, 23.5, 0.5, 2.0, 4.0, 3.0, 3.0])
    asked = types.SimpleNamespace(
        released=types.SimpleNamespace(group=np.array(["a"] * 4 + ["b"] * 4)),
        _per_row=lambda: {"L5 onset": onsets, "L5": np.arange(8.0)},
    )
    rows = {(r["measure"], r["group"]): r for r in ActivityBundle.by_group(asked).to_pylist()}
    mean = rows["L5 onset", "a"]["mean"]
    assert min(mean, 24 - mean) < 1e-6 and rows["L5 onset", "b"]["mean"] == pytest.approx(3.0)
    assert rows["L5 onset", "b"]["difference"] == pytest.approx(3.0)
    assert 1.0 < rows["L5 onset", "b"]["low"] < 3 < rows["L5 onset", "b"]["high"] < 5.0
    assert rows["L5", "b"]["mean"] == 5.5 and rows["L5", "b"]["difference"] == 4.0
    means = dict(zip(*(ActivityBundle.rhythm(asked).to_pydict()[c] for c in ("measure", "mean")), strict=True))
    assert 0 < means["L5 onset"] < 3.5 and means["L5"] == 3.5
