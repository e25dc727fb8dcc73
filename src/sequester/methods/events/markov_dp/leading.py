"""The attribute that goes most with what happens: a case walks by its value, so that those who share it resemble.

Attributes are drawn after the events, and cases of one chain hardly differ in what happens in them: a diagnosis had
nothing to go by. So every case gets a group before it walks, and states are more or less likely by group, as far as the
released counts of values by state say. Nothing here sees the log.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.kernels.moves import shrunk
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.pieces import LENGTH_EDGES, present_states, starts_of
from sequester.methods.events.markov_dp.tables import LENGTH_CLASSES

MOST_CELLS = 5_000_000
"""Groups times events times states of the largest case."""
LEAST = 0.02
"""Total variation between states of values and of all from which an attribute leads."""
STANDS_OUT = 4.0
"""Deviations of noise by which a value must be seen to be a group; the others are one, and change nothing."""
FARTHEST, PACE = 3.0, 0.5
"""Most that a value may do to a state, and power of what is missing that is applied in a round. Without a bound the
chain of all cases suffers: a state of every long case must become rare to be absent from some."""


@dataclass(frozen=True, kw_only=True)
class Leading:
    """Groups of cases and what their states are."""

    shares: np.ndarray
    """Class of length x group; the last group is all other values."""
    present: np.ndarray
    """Group x state: noisy counts of cases that have it, clipped."""
    sd: float
    clip: float
    """Norm of a case's states in one column."""

    def groups(self, lengths: np.ndarray, generator: np.random.Generator) -> np.ndarray:
        """A group for every case of so many events."""
        running = np.cumsum(self.shares, axis=1)[np.searchsorted(LENGTH_EDGES, lengths, side="right")]
        return (running[:, :-1] <= generator.random((len(lengths), 1)) * running[:, -1:]).sum(1)

    def tilted(
        self,
        tilt: np.ndarray,
        states: np.ndarray,
        offsets: np.ndarray,
        groups: np.ndarray,
        aims: dict[str, np.ndarray],
    ) -> np.ndarray:
        """Factors by group and state, corrected by what a drawn log lacks; sizes of groups do not count."""
        present = present_states(states, offsets, tilt.shape[1])
        weighed = present * np.minimum(1.0, self.clip / np.sqrt(np.maximum(present.sum(1), 1)))[:, None]
        seen = np.stack([weighed[groups == g].sum(0) for g in range(len(self.present))])
        seen *= np.maximum(self.present.sum(1, keepdims=True), self.sd) / np.maximum(seen.sum(1, keepdims=True), 1e-9)
        if "groups" not in aims:
            aims["groups"] = shrunk(self.present, np.maximum(seen, 0.05 * self.sd), self.sd, centre="mean")
        least = max(0.5 * self.sd, 1.0)
        change = ((aims["groups"] + least) / (seen + least)) ** PACE
        return np.r_[np.clip(tilt[:-1] * change, 1 / FARTHEST, FARTHEST), tilt[-1:]]


def leading(m: Measured, plan: Design) -> Leading | None:
    """The attribute whose values differ most in their states beyond noise, by released counts; None: none does."""
    if not plan.attributes or not plan.links:
        return None
    ones, lengths, states = (m.attributes[name] for name in ("attributes", "attribute lengths", "attribute states"))
    most = MOST_CELLS // (plan.max_events * len(m.names) * LENGTH_CLASSES)
    best, found = LEAST, None
    for a, b in pairwise(starts_of(plan.attributes)):
        size = np.argsort(-ones.values[a:b], kind="stable")[:most]
        large = a + np.sort(size[ones.values[a:b][size] > STANDS_OUT * ones.sd])
        if len(large) < 2:
            continue
        present = states.values.reshape(len(m.names), -1)[:, large].T
        both = np.maximum(present.sum(1, keepdims=True), states.sd) * np.maximum(present.sum(0), states.sd)
        usual = both / max(float(present.sum()), states.sd)
        apart = np.abs(shrunk(present, usual, states.sd, centre="mean") - usual).sum() / 2 / usual.sum()
        if apart > best:
            by_length = np.maximum(lengths.values.reshape(len(LENGTH_EDGES) + 1, -1), 0.0)
            rest = np.setdiff1d(np.arange(a, b), large)
            shares = np.c_[by_length[:, large], by_length[:, rest].sum(1)] + 1e-9
            clip = m.clips["attribute states"] / math.sqrt(len(plan.attributes))
            best, found = float(apart), Leading(shares=shares, present=present, sd=states.sd, clip=clip)
    return found
