"""What the method sees of people: the first states of everybody, in memory or part by part."""

from __future__ import annotations

from functools import partial

import numpy as np

from sequester.engines import Engine
from sequester.engines.gram_rounds import GramRounds
from sequester.model import EventLog
from sequester.primitives.ngram_tree import Counts, Walkers


def followers_of(data: EventLog, of: np.ndarray, n_names: int, l_max: int, engine: Engine) -> Counts:
    """What counts the states behind grams, in the first `l_max` states of every person, as codes `of` public names."""
    return GramRounds(partial(walkers, of, n_names, l_max), data, engine)


def states_of(data: EventLog, of: np.ndarray, engine: Engine) -> np.ndarray:
    """Which public names occur, as their codes."""
    return np.flatnonzero(engine.fold(partial(_states, of), data, np.add, "counting"))


def _states(of: np.ndarray, log: EventLog) -> np.ndarray:
    return np.bincount(of[log.states], minlength=int(of.max(initial=0)) + 1)


def walkers(of: np.ndarray, n_names: int, l_max: int, log: EventLog) -> Walkers:
    """The first states of every object."""
    states = of[log.states]
    ends = np.minimum(log.offsets[1:], log.offsets[:-1] + l_max)
    sequences = [states[a:b] for a, b in zip(log.offsets[:-1].tolist(), ends.tolist(), strict=True)]
    return Walkers(sequences, (ends == log.offsets[1:]).tolist(), n_names)
