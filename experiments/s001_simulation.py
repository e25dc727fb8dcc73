"""The paper's simulated people: how far are they from what they were simulated from?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.activity_sampling import fitbit_people
from experiments.student_minutes import student_hours, student_people
from sequester.samples.like import like, profile_hours

TITLE = "Simulated people: Kullback-Leibler divergence"
PAPER = "Parameshwarappa, Chen, Koru 2020: 0.03, of distributions that are not described further"
NOTE = """Divergence of the states of the simulated people from the data behind them, in nats: over all time, mean over
24 hours of the day, and mean over all hours of two weeks. Students: the rebuilt people of these pages against the
hourly mixes of the 49 students. Fitbit: the generator of `sample activity --like` given 32 real people (which would not
be allowed outside an experiment: it protects nobody)."""


def run() -> Iterator[dict[str, Any]]:
    """A row per data set."""
    mixes, _ = student_hours(336)
    people = student_people(4900)
    shares = mixes.mean(axis=0)
    hour = np.arange(people.states.shape[1]) // 60
    shown = np.stack([np.bincount(hour, (people.states == a).sum(axis=0)) for a in range(4)], axis=1)
    yield {
        "data": "49 students",
        "simulated": people.n_people,
        "paper": 0.03,
        **_told(shares, shown / shown.sum(1, keepdims=True)),
    }
    real = fitbit_people()
    made = like(real, n_people=3200, seed=1)
    hours = profile_hours(real)
    yield {
        "data": "32 Fitbit people",
        "simulated": made.n_people,
        "paper": None,
        "all time": _short(divergence(real.states, made.states, 4, np.zeros_like(hours))),
        "hours of the day": _short(divergence(real.states, made.states, 4, hours % 24)),
        "all hours": _short(divergence(real.states, made.states, 4, hours)),
    }


def divergence(one: np.ndarray, other: np.ndarray, n_states: int, parts: np.ndarray) -> float:
    """Kullback-Leibler divergence of the states of `one` from `other`, mean over `parts` of the time (in nats)."""
    n_parts = int(parts.max()) + 1
    shares = []
    for states in (one, other):
        counts = np.stack([np.bincount(parts, (states == a).sum(axis=0), n_parts) for a in range(n_states)], axis=1)
        some = counts + 0.5  # so that a state nobody was in is rare, not impossible
        shares.append(some / some.sum(axis=1, keepdims=True))
    return float((shares[0] * np.log(shares[0] / shares[1])).sum(axis=1).mean())


def _told(real: np.ndarray, made: np.ndarray) -> dict[str, float]:
    """The same from hourly shares."""

    def kl(p: np.ndarray, q: np.ndarray) -> float:
        p, q = np.maximum(p, 1e-6), np.maximum(q, 1e-6)
        return float((p * np.log(p / q)).sum(axis=-1).mean())

    by_clock = [x.reshape(-1, 24, 4).mean(axis=0) for x in (real, made)]
    return {
        "all time": _short(kl(real.mean(axis=0), made.mean(axis=0))),
        "hours of the day": _short(kl(*by_clock)),
        "all hours": _short(kl(real, made)),
    }


def _short(value: float) -> float:
    return float(f"{value:.2g}")
