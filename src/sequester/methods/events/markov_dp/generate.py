"""Drawing a synthetic log from the laws of `markov-dp`."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.events.markov_dp.design import DAY, GAP_EDGES, HOUR, Design
from sequester.methods.events.markov_dp.kernels import markov
from sequester.methods.events.markov_dp.laws import Laws
from sequester.methods.events.shared.rules import Rules
from sequester.primitives.xoshiro import state_from

CANDIDATES = 24
RETRIES = 20
WEEK = 7 * DAY


class Wanted(NamedTuple):
    """What is settled about every object before it is drawn."""

    lengths: np.ndarray
    """How many events it wants."""
    variants: np.ndarray
    """Which released variant it repeats; -1: it walks the chain."""

    def take(self, which: np.ndarray | slice) -> Wanted:
        """Some of the objects, in another order."""
        return Wanted(self.lengths[which], self.variants[which])

    def whole(self, laws: Laws) -> tuple[np.ndarray, np.ndarray]:
        """States of those that repeat a variant, one object after the other, and how many each object has of them."""
        copied = [laws.variants[i] for i in self.variants[self.variants >= 0].tolist()]
        sizes = np.zeros(len(self.variants), np.int64)
        sizes[self.variants >= 0] = [len(v) for v in copied]
        return np.concatenate(copied).astype(np.int32) if copied else np.zeros(0, np.int32), sizes


def wanted_objects(laws: Laws, generator: np.random.Generator) -> Wanted:
    """All objects: first those that walk, by length, then those that repeat a variant."""
    copied, walking = object_choices(laws, generator)
    lengths = object_lengths(laws, walking, generator)
    sizes = np.array([len(v) for v in laws.variants], np.int64)[copied] if len(copied) else np.zeros(0, np.int64)
    return Wanted(np.r_[lengths, sizes].astype(np.int64), np.r_[np.full(walking, -1), copied].astype(np.int64))


class Walker:
    """Draws objects by the plain laws: states first, then times."""

    def __init__(self, laws: Laws, plan: Design, names: tuple[str, ...], rules: Rules) -> None:
        self._laws, self._plan, n_states = laws, plan, len(names)
        bars, _ = rules.masks(names)
        self._chain = markov.Chain(*_sparse_rows(laws), _context_index(laws, n_states))
        self._bars = bars if len(bars) else np.zeros((n_states, n_states), bool)
        self._reach = np.zeros((0, n_states))

    def draw(self, wanted: Wanted, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, times and offsets of the objects, in their order."""
        laws, plan, walks = self._laws, self._plan, wanted.variants < 0
        lengths = wanted.lengths[walks]
        longest = int(lengths.max(initial=1))
        reach = self._reach  # another thread may put a shorter one there meanwhile
        if len(reach) <= longest:
            reach = self._reach = markov.arrivals(laws.chain, longest)
        n_states = reach.shape[1]
        states, walked = markov.walks(
            state_from(generator), lengths, self._chain, reach, self._bars, RETRIES
        )  # fmt: skip
        states, walked = _never_empty(states, walked, n_states)
        repeated, sizes = wanted.whole(laws)
        sizes[walks] = walked
        offsets = np.r_[0, np.cumsum(sizes)].astype(np.int64)
        out = np.empty(offsets[-1], np.int32)
        of_walks = np.repeat(walks, sizes)
        out[of_walks], out[~of_walks] = states, repeated
        if plan.unit == "order":
            return out, np.arange(len(out)), offsets
        return out, _times(laws, plan, out, offsets, generator), offsets


def generate(
    laws: Laws, plan: Design, names: tuple[str, ...], rules: Rules, generator: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States, times and offsets of `laws.n_objects` synthetic objects."""
    return Walker(laws, plan, names, rules).draw(wanted_objects(laws, generator), generator)


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
