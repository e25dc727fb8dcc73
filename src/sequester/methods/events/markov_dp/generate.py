"""What is settled of a synthetic log before it is drawn, and the public range it must lie in."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.laws import Laws
from sequester.methods.events.shared.spans import DAY

WEEK = 7 * DAY


class Wanted(NamedTuple):
    """What is settled about every object before it is drawn."""

    lengths: np.ndarray
    """How many events it wants."""
    variants: np.ndarray
    """Which released variant it repeats; -1: it walks the chain."""
    groups: np.ndarray
    """By the value of its leading attribute; 0 where there is none."""

    def take(self, which: np.ndarray | slice) -> Wanted:
        """Some of the objects, in another order."""
        return Wanted(*(x[which] for x in self))

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
    groups = np.zeros(walking + len(copied), np.int64)
    if laws.leading is not None:
        groups[:walking] = laws.leading.groups(lengths, generator)
    variants = np.r_[np.full(walking, -1), copied].astype(np.int64)
    return Wanted(np.r_[lengths, sizes].astype(np.int64), variants, groups)


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
