"""How long synthetic cases last: bins, the law behind noisy counts, targets by class, and gaps fitted to them."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.methods.events.shared.kernels.span_fit import fitted
from sequester.methods.events.shared.spans import (
    CLASSES,
    law_error,
    length_class,
    place,
    span_bins,
    span_edges,
    span_law,
    span_targets,
    spans_of,
)
from sequester.model import EventLog
from tests.naive import span_fit as naive

DAY = 86400
EVEN = np.ones(7)


def words(seed=1):
    return np.random.default_rng(seed).integers(1, 2**63, 4).astype(np.uint64)


def fit(gaps, target, grain=1, weekdays=EVEN, begin=19_000 * DAY):
    """Gaps of one case after fitting."""
    times = begin + np.r_[0, np.cumsum(gaps)].astype(np.int64)
    out = fitted(words(), times, np.array([0, len(times)]), np.array([target]), grain, weekdays)
    return np.diff(out)


def test_bins_follow_from_the_public_range_alone():
    assert (span_edges("day", 10) / DAY).tolist() == [0, 1, 2, 3, 4, 5, 6, 8, 10]
    seconds = span_edges("second", 365)
    assert seconds[:4].tolist() == pytest.approx([0, 60, 60 * 2**0.5, 120]) and seconds[-1] == 365 * DAY
    assert 36 <= len(seconds) - 1 <= 40
    assert span_bins(np.array([0, 59, 60, 10**10]), seconds).tolist() == [0, 0, 1, len(seconds) - 2]
    assert place(seconds)[[0, 1, -1]].tolist() == [-1, -1, 1]
    assert length_class(np.array([1, 2, 3, 4, 5, 64, 65, 900])).tolist() == [0, 1, 2, 2, 3, 6, 7, 7]


def test_a_law_by_hand():
    """Where the noise is nothing, the law is the counts."""
    edges = span_edges("day", 20)
    counts = np.array([300.0, 100, 200, 150, 100, 80, 40, 20, 10, 0, 0])[: len(edges) - 1]
    found = span_law(counts, 0.05, edges)
    assert np.abs(found - counts / counts.sum()).max() < 0.002 and found.sum() == pytest.approx(1)
    assert found[9:].sum() < 1e-3


def test_nothing_lies_beyond_the_last_bin_that_counts():
    edges = span_edges("second", 730)
    counts = np.zeros(len(edges) - 1)
    counts[20:26] = (20, 60, 120, 120, 60, 20)
    noise = np.random.default_rng(3).normal(0, 4, len(counts)).clip(-9.9, 9.9)  # below 2.5 deviations each
    found = span_law(counts + noise, 4.0, edges)
    last = int(np.flatnonzero(found)[-1])
    assert 25 <= last <= 32  # runs of bins may reach a little beyond
    assert found[20:26].sum() > 0.85


def test_a_smooth_law_has_less_error_than_its_noisy_counts():
    edges, rng = span_edges("second", 1095), np.random.default_rng(0)
    truth = np.sort(np.minimum(rng.lognormal(math.log(5 * DAY), 1.0, 1000), 1095 * DAY))
    counts = np.bincount(span_bins(truth, edges), minlength=len(edges) - 1)
    ours, plain = [], []
    for _ in range(10):
        noisy = counts + rng.normal(0, 6, len(counts))
        for law, off in ((span_law(noisy, 6.0, edges), ours), (np.maximum(noisy, 0), plain)):
            off.append(np.abs(spans_of(law, edges, 1000) - truth).mean() / truth.mean())
    assert np.median(ours) < 0.2 < 0.5 < np.median(plain)


def test_a_small_group_of_far_longer_cases_is_found():
    """Two humps with nothing between them: nine people in each of four bins of years, noise of four."""
    edges, rng = span_edges("second", 1826), np.random.default_rng(0)
    counts = np.zeros(len(edges) - 1)
    counts[12:20] = (30, 90, 180, 280, 280, 180, 90, 30)
    counts[38:42] = 9
    shares = [span_law(counts + rng.normal(0, 4, len(counts)), 4.0, edges)[36:].sum() for _ in range(9)]
    assert np.median(shares) == pytest.approx(36 / counts.sum(), rel=0.35)


def test_noise_alone_makes_no_case_of_years():
    """Cases of an hour in a range of five years: thirty empty bins of noise."""
    edges, rng = span_edges("second", 1826), np.random.default_rng(0)
    counts = np.zeros(len(edges) - 1)
    counts[9:15] = (50, 150, 300, 300, 150, 50)
    filled = [np.flatnonzero(span_law(counts + rng.normal(0, 4, len(counts)), 4.0, edges))[-1] for _ in range(40)]
    assert np.mean(np.array(filled) > 20) <= 0.05


def test_a_heavy_tail_is_called_rough_and_a_light_one_is_not():
    """What lies beyond the last bin that counts is guessed at from the law alone."""
    edges, rng = span_edges("second", 1826), np.random.default_rng(0)
    spans = {"heavy": 3600 * rng.pareto(0.9, 1200), "light": 3600 * rng.gamma(4, 2, 1200)}
    told = {}
    for name, seconds in spans.items():
        counts = np.bincount(span_bins(seconds, edges), minlength=len(edges) - 1)
        told[name] = law_error(span_law(counts + rng.normal(0, 3.5, len(counts)), 3.5, edges), 1200.0, 3.5, edges)
    assert told["light"] < 0.1 < 0.3 < told["heavy"]


def test_evenly_spaced_spans_of_a_law():
    edges = span_edges("day", 10)
    law = np.zeros(len(edges) - 1)
    law[[0, 2, 5]] = (0.5, 0.25, 0.25)
    assert (spans_of(law, edges, 8, DAY) / DAY).tolist() == [0, 0, 0, 0, 2, 2, 5, 5]


def test_durations_are_the_law_whatever_the_classes_say():
    rng, edges = np.random.default_rng(0), span_edges("second", 730)
    sizes = rng.integers(1, 60, 600)
    drawn = rng.integers(0, 10**6, 600) * (sizes > 1)
    law = np.zeros(len(edges) - 1)
    law[0], law[1:31] = 0.1, 0.03
    # classes of few events are said to last long, those of many short: against the drawn ranks
    moments = np.zeros((CLASSES, 2))
    moments[:, 0] = np.bincount(length_class(sizes), minlength=CLASSES)
    moments[:, 1] = moments[:, 0] * np.linspace(0.2, -0.8, CLASSES)
    for given_ in (None, (moments.ravel(), 0.01), (moments.ravel(), 1e6)):
        found = span_targets(drawn, sizes, law, edges, given_, np.random.default_rng(1))
        alone = (sizes == 1).sum()
        left = law * 600
        left[0] = max(left[0] - alone, 0)
        assert found[sizes == 1].max(initial=0) == 0
        assert np.sort(found[sizes > 1]).tolist() == spans_of(left, edges, 600 - alone).tolist()
    certain = span_targets(drawn, sizes, law, edges, (moments.ravel(), 0.01), np.random.default_rng(1))
    means = [np.median(certain[(sizes > lo) & (sizes <= hi)]) for lo, hi in ((2, 4), (8, 16), (32, 64))]
    assert means[0] > means[1] > means[2]


def test_everybody_alone_and_nobody_at_all():
    edges = span_edges("second", 30)
    law = np.r_[0.0, 1.0, np.zeros(len(edges) - 3)]
    none = span_targets(np.zeros(3, int), np.ones(3, int), law, edges, None, np.random.default_rng(0))
    assert none.tolist() == [0, 0, 0]
    assert span_law(np.zeros(len(edges) - 1), 5.0, edges).sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "gaps,target,grain,expected",
    [
        ([10, 20 * DAY + 5, 3 * DAY + 7], 9 * DAY, 1, [10, 6 * DAY + 5, 3 * DAY + 7]),  # in whole weeks, where they fit
        ([5 * DAY, 9 * DAY, 2 * DAY], 6 * DAY, DAY, [3 * DAY, 2 * DAY, DAY]),  # a week, then days in proportion
        ([5 * DAY, 9 * DAY, 2 * DAY], 5 * DAY, DAY, [3 * DAY, DAY, DAY]),
        ([50 * DAY, 60 * DAY], 100 * DAY, DAY, [50 * DAY, 53 * DAY]),  # a long case changes in whole weeks alone
        ([0, DAY, 3 * DAY], 12 * DAY, DAY, [0, 3 * DAY, 9 * DAY]),  # stretched in proportion
        ([0, 0, 0, 0], 5 * DAY, DAY, [0, 0, 5 * DAY, 0]),  # nothing to stretch: the middle
        ([100, 7200, 50], 2 * DAY, 1, [100, 7200 + 2 * DAY, 50]),  # clock times stay
        ([3600, 7200, 30], 5 * 3600, 1, [5990, 11980, 30]),  # below a day: stretched in seconds
        ([3600, 7200, 30], 3600, 1, [1785, 1785, 30]),  # or cut to one level
        ([5, 5], 12 * 3600, 1, [12 * 3600 - 5, 5]),
        ([DAY, DAY], 2 * DAY + 3600, 1, [DAY, DAY]),  # near enough
        ([3 * DAY], 0, DAY, [0]),
        ([36000, 36000, 36000, 36000, 36000], DAY, 1, [7200, 7200, 7200, 36000, 36000]),  # a day of three gaps together
    ],
)  # fmt: skip
def test_gaps_by_hand(gaps, target, grain, expected):
    found = fit(gaps, target, grain, np.zeros(7)).tolist()
    assert found == expected


def test_changed_gaps_end_on_likely_weekdays():
    rng = np.random.default_rng(0)
    n = 400
    times = (19_000 + rng.integers(0, 300, n))[:, None] * DAY + np.array([0, 40, 90]) * DAY
    offsets = np.arange(n + 1) * 3
    workdays = np.array([1.0, 1, 1, 1, 1, 0, 0])
    out = fitted(words(), times.ravel(), offsets, np.full(n, 60 * DAY), DAY, workdays).reshape(n, 3)
    weekday = (out[:, 1:] // DAY + 3) % 7
    assert (weekday < 5).all()
    assert np.abs((out[:, 2] - out[:, 0]) / DAY - 60).max() <= 3  # the next gap takes a deviation back


@settings(max_examples=150, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.lists(st.one_of(st.just(0), *(st.integers(0, most) for most in (90, DAY, 400 * DAY))), max_size=9),
            st.one_of(st.just(0), *(st.integers(0, most) for most in (DAY, 4 * DAY, 700 * DAY))),
        ),
        min_size=1, max_size=8,
    ),
    st.sampled_from([1, DAY]),
    st.lists(st.sampled_from([0.0, 0.3, 1.0, 2.0]), min_size=7, max_size=7),
    st.integers(0, 100),
)  # fmt: skip
def test_fitted_times_equal_their_twin(cases, grain, weekdays, seed):
    times, offsets = [], [0]
    for i, (gaps, _) in enumerate(cases):
        t = (19_000 + 11 * i) * DAY
        for gap in (0, *gaps):
            t += gap // grain * grain
            times.append(t)
        offsets.append(len(times))
    targets = [target // grain * grain for _, target in cases]
    got = fitted(words(seed), np.array(times), np.array(offsets), np.array(targets), grain, np.array(weekdays))
    assert got.tolist() == naive.fitted(words(seed), times, offsets, targets, grain, weekdays)
    for a, b in pairwise(offsets):
        assert (np.diff(got[a:b]) >= 0).all() and got[a] == times[a]


def long_stays(n, unit, seed=0):
    """Cases whose gaps depend on each other: all gaps of a case are short, or all are long."""
    rng = np.random.default_rng(seed)
    names = ("in", "test", "talk", "out")
    states, times, offsets = [], [], [0]
    for _ in range(n):
        scale = rng.choice([0.05, 6.0], p=[0.7, 0.3])
        size = int(rng.integers(2, 9))
        gaps = rng.exponential(scale * DAY, size - 1)
        own = 19_800 * DAY + int(rng.integers(0, 200)) * DAY + np.r_[0, np.cumsum(gaps)].astype(np.int64)
        times += (own // DAY * DAY if unit == "day" else own).tolist()
        states += [0, *rng.integers(1, 3, size - 2).tolist(), 3]
        offsets.append(len(states))
    return EventLog(
        offsets=np.array(offsets), states=np.array(states), state_names=names, times=np.array(times), time_unit=unit
    )


def durations(table):
    objects = table["object"].to_numpy()
    times = table["time"].cast("timestamp[s]").cast("int64").to_numpy()
    at = np.flatnonzero(np.r_[True, np.diff(objects) != 0])
    return times[np.r_[at[1:] - 1, -1]] - times[at]


@pytest.mark.parametrize("unit", ["second", "day"])
def test_cases_last_as_long_as_people_do(unit):
    log = long_stays(1500, unit)
    real = np.sort(log.times[log.offsets[1:] - 1] - log.times[log.offsets[:-1]])
    method = sq.MarkovDP(epsilon=4.0, delta=1e-6, people_at_least=1500, dates="2024-01-01..2025-12-31")
    off = []
    for seed in range(3):
        release = sq.anonymize(log, method, seed=seed)
        assert sq.verify(release, log).holds
        found, at = durations(release.tables["events"]), np.linspace(0, 1, 500)
        off.append(np.abs(np.quantile(found, at) - np.quantile(real, at)).mean())
    assert np.median(off) / real.mean() < 0.2


def test_the_error_noise_alone_makes_is_told_from_the_law():
    edges = span_edges("second", 730)
    law = np.zeros(len(edges) - 1)
    law[20:34] = np.hanning(16)[1:-1]
    law /= law.sum()
    errors = [law_error(law, 1000.0, sd, edges) for sd in (0.5, 5.0, 90.0)]
    assert errors[0] < 0.05 < errors[1] < 0.5 < errors[2]
    assert law_error(law, 1000.0, 5.0, edges) == errors[1]


def test_rare_long_gaps_do_not_go_missing_under_the_ratio_test():
    """Gaps of 40 days are too few in every pair to pass; spans of all people pass, and bring them back."""
    rng = np.random.default_rng(0)
    names = ("in", "a", "b", "c", "out")
    states, times, offsets = [], [], [0]
    for i in range(900):
        size = int(rng.integers(3, 8))
        gaps = rng.exponential(3600, size - 1)
        if i % 20 == 0:
            gaps[rng.integers(size - 1)] += 40 * DAY
        own = 19_800 * DAY + int(rng.integers(0, 200)) * DAY + np.r_[0, np.cumsum(gaps)].astype(np.int64)
        times += own.tolist()
        states += [0, *rng.integers(1, 4, size - 2).tolist(), 4]
        offsets.append(len(states))
    log = EventLog(offsets=np.array(offsets), states=np.array(states), state_names=names, times=np.array(times))
    release = sq.anonymize(log, sq.MarkovRatio(epsilon=0.05), seed=1)
    assert sq.verify(release, log).holds
    real, found = durations_of(log), durations(release.tables["events"])
    assert (found > 30 * DAY).mean() == pytest.approx((real > 30 * DAY).mean(), abs=0.02)
    at = np.linspace(0, 1, 500)
    assert np.abs(np.quantile(real, at) - np.quantile(found, at)).mean() / real.mean() < 0.35


def durations_of(log):
    return log.times[log.offsets[1:] - 1] - log.times[log.offsets[:-1]]
