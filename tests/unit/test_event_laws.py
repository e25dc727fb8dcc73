"""From released numbers to the laws of `markov-dp`: lengths, and calibration against what was counted."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sequester.methods.events.markov_dp import timed
from sequester.methods.events.markov_dp.generate import wanted_objects
from sequester.methods.events.markov_dp.laws import laws
from sequester.methods.events.markov_dp.length_law import length_weights
from sequester.methods.events.markov_dp.timed import chain_counts, fitted
from sequester.methods.events.shared.notes import Rules
from sequester.methods.events.shared.spans import DAY, HOUR
from tests.unit.test_markov_dp import START, log_of, measured, method


@pytest.fixture(scope="module")
def edges():
    return method(max_events=200).design("second").length_edges


def _histogram(lengths, edges):
    return np.bincount(np.searchsorted(edges, lengths, side="right") - 1, minlength=len(edges) - 1).astype(float)


def _mean(weights, edges):
    return weights @ ((edges[:-1] + edges[1:] - 1) / 2) / weights.sum()


def test_clear_lengths_come_back(edges):
    lengths = np.random.default_rng(0).geometric(0.1, 20_000).clip(1, 200)
    counts = _histogram(lengths, edges)
    found = length_weights(counts, 1.0, edges, counts.sum())
    assert found.sum() == pytest.approx(counts.sum()) and found.min() >= 0
    assert np.abs(found - counts).sum() / counts.sum() < 0.1


def test_a_few_fixed_lengths_stay_fixed(edges):
    counts = _histogram(np.repeat([3, 7], [600, 400]), edges)
    found = length_weights(counts, 5.0, edges, 1000.0)
    assert found[[2, 6]] == pytest.approx([600, 400], rel=0.05)


def test_noise_does_not_lengthen_traces(edges):
    lengths = np.random.default_rng(1).lognormal(2.5, 0.5, 1000).astype(int).clip(1, 200)
    counts = _histogram(lengths, edges)
    rng = np.random.default_rng(2)
    noisy = [counts + rng.normal(0, 14, len(counts)) for _ in range(20)]
    ours = [_mean(length_weights(y, 14.0, edges, 1000.0), edges) for y in noisy]
    plain = [_mean(np.maximum(y, 0), edges) for y in noisy]
    assert abs(np.mean(ours) / _mean(counts, edges) - 1) < 0.1 < abs(np.mean(plain) / _mean(counts, edges) - 1)


def test_nobody_and_nothing_clear(edges):
    zeros = np.zeros(len(edges) - 1)
    assert length_weights(zeros, 1.0, edges, 0.0).tolist() == zeros.tolist()
    found = length_weights(zeros, 1.0, edges, 10.0)
    assert found.sum() == pytest.approx(10.0)


def before_and_after(m, plan, monkeypatch):
    """A log drawn from the laws as they were read off, and one drawn from the fitted model; the model last."""
    learned = laws(m, plan, Rules())
    after = fitted(learned, m, plan, Rules(), np.random.default_rng(1))
    monkeypatch.setattr(timed, "_rounds", lambda _tables: [])
    before = fitted(learned, m, plan, Rules(), np.random.default_rng(1))
    wanted = wanted_objects(learned, np.random.default_rng(2))
    return *(model.draw(wanted, np.random.default_rng(3)) for model in (before, after)), after


def test_fitting_undoes_what_clipping_does(tmp_path, monkeypatch):
    """One state repeats for long: clipped counts hide how often, and a chain read off them leaves it too early."""
    rng = np.random.default_rng(0)
    names = ("a", "b", "c", "d")
    moves = np.array([[0.1, 0.5, 0.3, 0.1], [0.05, 0.9, 0.05, 0], [0.5, 0, 0.2, 0.3], [0.2, 0.2, 0.2, 0.4]])
    traces = []
    for _ in range(800):
        trace = [0]
        while rng.random() > (0.3, 0.02, 0.2, 0.2)[trace[-1]]:
            trace.append(int(rng.choice(4, p=moves[trace[-1]])))
        traces.append([names[s] for s in trace])
    log = log_of(traces, names, unit="order")
    chosen = method(tmp_path, names, people_at_least=60)
    plan = chosen.design("order")
    m = measured(chosen, log)
    assert not m.rich
    off = []
    for states, _, offsets in before_and_after(m, plan, monkeypatch)[:2]:
        counted = chain_counts(states, offsets, len(m.names), m.pairs_clip).ravel()
        off.append(np.abs(counted - m.pairs.values).sum() / m.pairs.values.sum())
    assert off[1] < 0.7 * off[0]


def test_fitting_brings_hours_to_what_was_measured(tmp_path, monkeypatch):
    """`b` comes minutes after `a` at any hour, and once more in a later morning: only that one can make up for it."""
    names, rng, n = ("a", "b"), np.random.default_rng(0), 600
    begin = START // DAY * DAY + rng.integers(0, 200, n) * DAY + rng.integers(0, DAY, n)
    morning = (begin // DAY + rng.integers(2, 5, n)) * DAY + rng.integers(6 * HOUR, 12 * HOUR, n)
    times = np.stack([begin, begin + 600, morning], axis=1).ravel()
    log = replace(log_of([["a", "b", "b"]] * n, names), times=times)
    chosen = method(tmp_path, names, people_at_least=50)
    plan = chosen.design("second")
    m = measured(chosen, log)
    *logs, after = before_and_after(m, plan, monkeypatch)
    off = []
    for states, times, _ in logs:
        drawn = np.bincount(times[states == 1] % DAY // HOUR, minlength=24)
        off.append(np.abs(drawn / drawn.sum() - after.laws.hours[1] / 24).sum() / 2)
    assert off[1] < 0.8 * off[0]
    assert after.hours.sum(1) == pytest.approx(24.0) and after.weekdays.sum() == pytest.approx(7.0)
