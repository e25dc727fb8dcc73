"""Process models of a release and of its original in the same codes of states.

The inductive miner is pm4py's, where it is installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.layouts.log import OTHER
from sequester.layouts.log import Log as Released
from sequester.model import EventLog
from sequester.release import Figure


@dataclass(frozen=True, kw_only=True)
class Log:
    """States coded alike on both sides; START and END are the two codes after the last state."""

    states: np.ndarray
    times: np.ndarray
    offsets: np.ndarray
    n_states: int

    @property
    def lengths(self) -> np.ndarray:
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


NOISE = 0.2
"""Share of infrequent behaviour the miner leaves out."""


def fitness_figures(real: Log, syn: Log, sample: int, rng: np.random.Generator) -> list[Figure]:
    """How well each log replays on the model mined from the other, by token-based replay; 1 is a perfect fit."""
    try:
        import pm4py
    except ImportError as error:
        raise InputError(
            "measure: fitness needs pm4py, which is not installed. Install sequester[pm4py], or leave fitness out."
        ) from error
    frames = [_frame(log, sample, rng) for log in (real, syn)]
    nets = [pm4py.discover_petri_net_inductive(frame, noise_threshold=NOISE) for frame in frames]

    def fit(frame: Any, net: Any) -> float:
        return float(pm4py.fitness_token_based_replay(frame, *net)["log_fitness"])

    found = (
        ("fitness", frames[1], nets[0], "the release on the process model of the original"),
        ("fitness_back", frames[0], nets[1], "the original on the process model of the release"),
        ("fitness_original", frames[0], nets[0], "the original on its own process model, for comparison"),
    )
    return [
        Figure(name=name, value=fit(frame, net), better="higher", says=f"Replay fitness of {what} (inductive miner).")
        for name, frame, net, what in found
    ]


def _frame(log: Log, sample: int, rng: np.random.Generator) -> Any:
    """A log as pm4py takes it; times only say the order."""
    import pandas as pd

    n = len(log.lengths)
    chosen = np.sort(rng.choice(n, sample, replace=False)) if n > sample else np.arange(n)
    sizes = log.lengths[chosen]
    ends = np.cumsum(sizes)
    at = np.repeat(log.offsets[chosen] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    place = np.arange(len(at)) - np.repeat(ends - sizes, sizes)
    return pd.DataFrame(
        {
            "case:concept:name": np.repeat(chosen, sizes).astype(str),
            "concept:name": log.states[at].astype(str),
            "time:timestamp": pd.to_datetime(place, unit="s", utc=True),
        }
    )
