"""Process models of a release and of its original, by the inductive miner of pm4py where it is installed."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.release import Figure
from sequester.utility.event_alignment import Log

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
