"""Drawing a synthetic log from the laws of `markov-dp`."""

from __future__ import annotations

import numpy as np

from sequester.methods.events.markov_dp.design import DAY, GAP_EDGES, HOUR, Design
from sequester.methods.events.markov_dp.kernels import markov
from sequester.methods.events.markov_dp.laws import Laws
from sequester.methods.events.shared.rules import Rules
from sequester.primitives.xoshiro import state_from

CANDIDATES = 24
RETRIES = 20
WEEK = 7 * DAY


def generate(
    laws: Laws, plan: Design, names: tuple[str, ...], rules: Rules, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States, times and offsets of `laws.n_objects` synthetic objects."""
    copied, walking = object_choices(laws, generator)
    lengths = object_lengths(laws, walking, generator)
    bars, _ = rules.masks(names)
    n_states = len(names)
    states, walked = markov.walks(
        state_from(generator),
        lengths,
        markov.Chain(*_sparse_rows(laws), _context_index(laws, n_states)),
        markov.arrivals(laws.chain, int(lengths.max(initial=1))),
        bars if len(bars) else np.zeros((n_states, n_states), bool),
        RETRIES,
    )
    whole = [laws.variants[i] for i in copied]
    states, walked = _never_empty(states, walked, n_states)
    states = np.concatenate([states, *whole]).astype(np.int32)
    offsets = np.r_[0, np.cumsum(np.r_[walked, [len(v) for v in whole]])].astype(np.int64)
    if plan.unit == "order":
        return states, np.arange(len(states)), offsets
    return states, _times(laws, plan, states, offsets, generator), offsets


def _never_empty(states: np.ndarray, walked: np.ndarray, n_states: int) -> tuple[np.ndarray, np.ndarray]:
    """Objects that could not start get one event of the state of all the others: nobody of the noisy count is lost."""
    if walked.all():
        return states, walked
    at = np.cumsum(walked)[walked == 0]
    return np.insert(states, at, n_states - 1), np.maximum(walked, 1)


def object_choices(laws: Laws, generator: np.random.Generator) -> tuple[np.ndarray, int]:
    """Which objects repeat a released variant (by index), and how many walk the chain."""
    rest = float(np.sum(laws.length_weights))
    weights = np.r_[laws.variant_weights, rest]
    if weights.sum() <= 0:
        return np.zeros(0, np.int64), laws.n_objects
    drawn = generator.multinomial(laws.n_objects, weights / weights.sum())
    return np.repeat(np.arange(len(laws.variants)), drawn[:-1]), int(drawn[-1])


def object_lengths(laws: Laws, n: int, generator: np.random.Generator) -> np.ndarray:
    """Lengths at evenly spaced shares of their law: chance adds nothing to its error."""
    weights = np.asarray(laws.length_weights, np.float64)
    weights = weights / weights.sum() if weights.sum() > 0 else np.r_[1.0, np.zeros(len(weights) - 1)]
    below = np.r_[0.0, np.cumsum(weights)]
    share = (np.arange(n) + generator.random()) / max(n, 1)
    bin_ = np.clip(np.searchsorted(below, share, side="right") - 1, 0, np.flatnonzero(weights)[-1])
    inside = (share - below[bin_]) / np.maximum(weights[bin_], 1e-300)
    low, high = laws.length_edges[bin_], laws.length_edges[bin_ + 1]
    return np.clip((low + inside * (high - low)).astype(np.int64), low, high - 1)


def _sparse_rows(laws: Laws) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rows = np.r_[laws.chain, laws.context_rows]
    where = np.nonzero(rows)
    bounds = np.r_[0, np.cumsum(np.bincount(where[0], minlength=len(rows)))]
    return bounds.astype(np.int64), where[1].astype(np.int64), rows[where]


def _context_index(laws: Laws, n_states: int) -> np.ndarray:
    out = np.full((n_states + 1, n_states), -1, np.int64)
    side = n_states + 1
    out[laws.contexts // side, laws.contexts % side] = side + np.arange(len(laws.contexts))
    return out


def _times(
    laws: Laws, plan: Design, states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    n = len(offsets) - 1
    day = plan.days[generator.choice(len(plan.days), n, p=laws.days / laws.days.sum())]
    hours = laws.start_hours / laws.start_hours.sum()
    start = day * DAY + generator.choice(24, n, p=hours) * HOUR
    if plan.unit == "second":
        start = start + generator.integers(0, HOUR, n)
    times = markov.clocked(
        state_from(generator), states, offsets, start.astype(np.int64),
        markov.Clock(laws.gap_row, laws.gap_rows, GAP_EDGES, laws.hours, laws.weekdays),
        markov.Limits(CANDIDATES, DAY if plan.unit == "day" else 1, len(plan.days) * DAY, RETRIES),
    )  # fmt: skip
    return inside_range(times, offsets, plan)


def inside_range(times: np.ndarray, offsets: np.ndarray, plan: Design) -> np.ndarray:
    """Traces inside the public range: a late one moves back by whole weeks, one longer than the range is compressed.

    Whole weeks keep weekdays and hours.
    """
    sizes = np.diff(offsets)
    first, end = plan.days[0] * DAY, (plan.days[-1] + 1) * DAY - 1
    begin, last = times[offsets[:-1]], times[offsets[1:] - 1]
    weeks = -(-np.maximum(last - end, 0) // WEEK)
    moved = times - np.repeat(weeks * WEEK, sizes)
    crowded = begin - weeks * WEEK < first
    shrink = np.minimum((end - first) / np.maximum(last - begin, 1), 1.0)
    squeezed = first + (np.repeat(shrink, sizes) * (times - np.repeat(begin, sizes))).astype(np.int64)
    out = np.clip(np.where(np.repeat(crowded, sizes), squeezed, moved), first, end)
    return out // DAY * DAY if plan.unit == "day" else out
