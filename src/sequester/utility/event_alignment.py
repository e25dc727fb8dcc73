"""Two event logs in the same codes of states, so that they can be compared."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sequester.layouts.log import OTHER
from sequester.layouts.log import Log as Released
from sequester.model import EventLog


@dataclass(frozen=True, kw_only=True)
class Log:
    """States coded alike on both sides; START and END are the two codes after the last state."""

    states: np.ndarray
    times: np.ndarray
    offsets: np.ndarray
    n_states: int

    @property
    def lengths(self) -> np.ndarray:
        """Events per object."""
        return np.diff(self.offsets)

    def padded(self, width: int) -> np.ndarray:
        """All windows of `width` events as rows, over traces with one END and `width - 1` STARTs added."""
        n = len(self.offsets) - 1
        before = width - 1
        size = len(self.states) + n * (before + 1)
        flat = np.full(size, self.n_states)
        shift = np.arange(n) * (before + 1)
        flat[np.arange(len(self.states)) + np.repeat(shift + before, self.lengths)] = self.states
        ends = self.offsets[1:] + shift + before
        flat[ends] = self.n_states + 1
        starts = np.arange(size - before)
        inside = np.ones(size, bool)  # a window that begins at an END spans two traces
        for k in range(before):
            inside[np.maximum(ends - k, 0)] = False
        rows = starts[inside[: size - before]] if before else starts
        return np.stack([flat[rows + k] for k in range(width)], axis=1)


def aligned(
    original: EventLog, released: Released, fold: bool, others: EventLog | None = None
) -> tuple[Log, Log, Log | None]:
    """The original, the release and people held out with states in the same codes.

    With `fold` states that the release does not name become OTHER. Where the release has a hierarchy of codes, all are
    compared at the level that is published.
    """
    names: dict[str, int] = {}
    for name in (*map(released.called, original.state_names), *released.names):
        names.setdefault(name, len(names))
    for name in others.state_names if others is not None else ():
        names.setdefault(released.called(name), len(names))
    of = np.array([names[name] for name in released.names] or [0])
    into = np.arange(len(names))
    if fold and OTHER in names:
        known = {*released.names, *released.known}
        into = np.array([names[n] if n in known else names[OTHER] for n in names])
    n_states = len(names)
    synthetic = Log(states=of[released.states], times=released.times, offsets=released.offsets, n_states=n_states)

    def coded(log: EventLog) -> Log:
        codes = into[np.array([names[released.called(name)] for name in log.state_names])[log.states]]
        return Log(states=codes, times=log.times, offsets=log.offsets, n_states=n_states)

    return coded(original), synthetic, coded(others) if others is not None else None
