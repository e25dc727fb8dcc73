"""Measures of rest and activity on days whose answer is known, and against plain loops."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sequester.primitives.rhythm import Recording, daily_minutes, rhythm, scores_of, spreads
from sequester.primitives.two_means import difference, student
from sequester.utility.activity_shape import observed_bouts
from sequester.utility.two_samples import distribution_distance, ks_distance

MONDAY = np.datetime64("2024-03-04T00:00:00")


def record(states, start=MONDAY, seconds=60, names=("rest", "walk", "run", "missing")):
    return Recording(
        states=np.atleast_2d(np.asarray(states, np.uint8)), start=start, interval_seconds=seconds,
        scores=scores_of(names, ("missing",)),
    )  # fmt: skip


def regular(days=4):
    """Walks from 8 to 18 h every day."""
    day = np.zeros(1440, np.uint8)
    day[480:1080] = 1
    return np.tile(day, days)


def test_a_clockwork_person():
    found = {name: x[0] for name, x in rhythm(record(regular())).items()}
    assert found["IS"] == pytest.approx(1.0) and found["RA"] == pytest.approx(1.0)
    assert found["L5"] == 0.0 and found["M10"] == 1.0 and found["M10 onset"] == 8.0
    assert found["longest rest"] == 14 * 60 and found["same as yesterday"] == 1.0
    # Two changes of size 1 in 24 hours, three fewer pairs than hours; the variance is p (1 - p).
    assert found["IV"] == pytest.approx((8 / 95) / ((10 / 24) * (14 / 24)))


def test_time_without_observation_counts_nowhere():
    states = regular()
    states[200:230] = 3
    states[1440 + 700 : 1440 + 730] = 3
    found = {name: x[0] for name, x in rhythm(record(states)).items()}
    assert found["IS"] == pytest.approx(1.0) and found["M10"] == 1.0
    daily = daily_minutes(record(states))[0]
    assert daily[0, 1] == pytest.approx(1440 * 600 / 1410) and daily[2, 1] == 600
    states[2 * 1440 : 2 * 1440 + 900] = 3
    assert np.isnan(daily_minutes(record(states))[0, 2]).all()


def test_a_recording_that_starts_in_the_evening_keeps_its_clock():
    late = rhythm(record(regular()[20 * 60 :], start=MONDAY + np.timedelta64(20, "h")))
    assert late["M10 onset"][0] == 8.0 and late["IS"][0] == pytest.approx(1.0)


def test_too_little_is_no_number():
    found = rhythm(record(np.zeros(1440)))
    assert all(math.isnan(found[name][0]) for name in ("IS", "IV", "longest rest", "same as yesterday", "RA"))


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 2**32 - 1), st.sampled_from([60, 600, 900]), st.integers(0, 23))
def test_stability_and_variability_are_those_of_plain_loops(seed, seconds, hour):
    rng = np.random.default_rng(seed)
    per_hour = 3600 // seconds
    n = 72 * per_hour + int(rng.integers(0, per_hour))
    states = rng.choice(4, size=n, p=[0.4, 0.3, 0.1, 0.2])
    found = rhythm(record(states, start=MONDAY + np.timedelta64(hour, "h"), seconds=seconds))
    hours = []
    for h in range(0, n, per_hour):
        seen = [s for s in states[h : h + per_hour] if s != 3]
        hours.append(float(np.mean(seen)) if len(seen) >= len(states[h : h + per_hour]) / 2 and seen else None)
    known = [x for x in hours if x is not None]
    mean = np.mean(known)
    total = sum((x - mean) ** 2 for x in known)
    between = 0.0
    for clock in range(24):
        own = [x for i, x in enumerate(hours) if x is not None and (i + hour) % 24 == clock]
        between += len(own) * (np.mean(own) - mean) ** 2 if own else 0.0
    steps = [(b - a) ** 2 for a, b in itertools.pairwise(hours) if a is not None and b is not None]
    if len(known) < 48:
        assert math.isnan(found["IS"][0])
        return
    assert found["IS"][0] == pytest.approx(between / total)
    assert found["IV"][0] == pytest.approx(np.mean(steps) / (total / len(known)))


def test_spreads_by_hand():
    daily = np.array([[[10.0], [20.0], [np.nan]], [[30.0], [50.0], [40.0]], [[np.nan], [np.nan], [7.0]]])
    mean, within, between = spreads(daily)
    assert mean[:, 0].tolist() == [15.0, 40.0, 7.0]
    assert within[0, 0] == pytest.approx(np.std([10, 20], ddof=1)) and np.isnan(within[2, 0])
    assert between[0] == pytest.approx(np.std([15, 40, 7], ddof=1))


@settings(max_examples=40, deadline=None)
@given(st.lists(st.lists(st.integers(0, 3), min_size=9, max_size=9), min_size=1, max_size=4))
def test_bouts_with_observed_neighbours_are_those_of_plain_loops(rows):
    states = np.array(rows, np.uint8)
    wanted = np.zeros((4, 6), np.int64)
    for row in rows:
        runs, begin = [], 0
        for t in range(1, len(row) + 1):
            if t == len(row) or row[t] != row[begin]:
                runs.append((row[begin], t - begin))
                begin = t
        for i in range(1, len(runs) - 1):
            if 3 not in (runs[i - 1][0], runs[i][0], runs[i + 1][0]):
                wanted[runs[i][0], min(runs[i][1], 5)] += 1
    np.testing.assert_array_equal(observed_bouts(states, 4, [0, 1, 2], 5), wanted)


def test_distances_by_hand():
    x, y = np.array([0.0, 1.0, np.nan]), np.array([1.0, 2.0])
    assert distribution_distance(x, y) == pytest.approx(1.0) and ks_distance(x, y) == pytest.approx(0.5)
    assert math.isnan(ks_distance(np.array([np.nan]), y))


def test_welch_intervals_use_students_t():
    # Tables of t: 97.5 % at 10, 20 and 30 degrees of freedom.
    assert [round(student(0.975, v), 3) for v in (10, 20, 30)] == [2.228, 2.086, 2.042]
    assert student(0.975, math.inf) == pytest.approx(1.95996, abs=1e-4)
    told = difference(np.array([1.0, 2, 3, 4]), np.array([2.0, 4, 6, 8, np.nan]))
    assert told.value == -2.5 and told.error == pytest.approx(math.sqrt(5 / 12 + 20 / 12))
    assert told.low < told.value < told.high and told.width == pytest.approx(told.high - told.low)
    assert math.isnan(difference(np.array([1.0]), np.array([2.0, 3.0])).value)


def test_names_in_the_order_of_the_alphabet_do_not_make_running_rest():
    found = ("missing", "running", "stationary", "walking")
    assert scores_of(found, ("missing",))[1:].tolist() == [2.0, 0.0, 1.0]
    assert scores_of(("a", "c", "b"), ()).tolist() == [0.0, 1.0, 2.0]  # words that tell nothing stay as they stand
    levels = ("hard", "light", "moderate", "sedentary", "very hard")
    assert scores_of(levels, ()).tolist() == [3.0, 1.0, 2.0, 0.0, 4.0]
    told = {"running": 9.0, "walking": 4.0, "stationary": 1.0}
    assert scores_of(found, ("missing",), told)[1:].tolist() == [9.0, 1.0, 4.0]
