"""Simulate minutes from Markov chains that change with the hour."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.xoshiro import uniform


class Habits(NamedTuple):
    """How people differ from the common day."""

    tilt: np.ndarray
    """People x states: added to the logarithm of the shares."""
    day_tilt: np.ndarray
    """People x days x states: as well."""
    shift: np.ndarray
    """Hours by which a person's day is late."""
    pace: np.ndarray
    """How much shorter their bouts are."""


HABITS = Record(Habits, "float64[:, ::1], float64[:, :, ::1], float64[::1], float64[::1]")


@kernel("float64[:, :, ::1], int64[::1], Habits, float64[::1], uint64[:, ::1], uint8[:, ::1]", Habits=HABITS)
def simulate_hours(
    shapes: np.ndarray,
    weekend: np.ndarray,
    habits: Habits,
    bout_minutes: np.ndarray,
    seeds: np.ndarray,
    out: np.ndarray,
) -> None:
    """Minutes of people whose hourly mixes are tilted shapes.

    Parameters
    ----------
    shapes
        Kinds of day x 24 x states: shares of an hour.
    weekend
        Kind of every day.
    bout_minutes
        Mean bout of each state before pace.
    seeds
        People x 4 random 64-bit numbers.
    out
        People x minutes.
    """
    tilt, day_tilt, shift, pace = habits.tilt, habits.day_tilt, habits.shift, habits.pace
    n_states = shapes.shape[2]
    mix = np.empty(n_states)
    leave = np.empty(n_states)
    for i in range(len(out)):
        random = seeds[i].copy()
        state = -1
        for d in range(len(weekend)):
            for h in range(24):
                late = h - shift[i]
                low = math.floor(late)
                part = late - low
                total = 0.0
                for a in range(n_states):
                    share = (1 - part) * shapes[weekend[d], int(low) % 24, a]
                    share += part * shapes[weekend[d], int(low + 1) % 24, a]
                    mix[a] = share * math.exp(tilt[i, a] + day_tilt[i, d, a])
                    total += mix[a]
                for a in range(n_states):
                    mix[a] /= total
                    leave[a] = min(0.95, pace[i] / bout_minutes[a])
                # A leaver draws its next state by flow = share x rate, so that rare states are entered rarely.
                flow = 0.0
                for a in range(n_states):
                    flow += mix[a] * leave[a]
                if state < 0:
                    state = _choose(mix, 1.0, uniform(random))
                at = d * 1440 + h * 60
                for t in range(at, at + 60):
                    if uniform(random) <= leave[state]:
                        state = _by_flow(mix, leave, flow, uniform(random))
                    out[i, t] = state


@kernel("float64[::1], float64, float64")
def _choose(weights: np.ndarray, total: float, u: float) -> int:
    left = u * total
    for a in range(len(weights)):
        left -= weights[a]
        if left <= 0:
            return a
    return len(weights) - 1


@kernel("float64[::1], float64[::1], float64, float64")
def _by_flow(mix: np.ndarray, leave: np.ndarray, flow: float, u: float) -> int:
    left = u * flow
    for a in range(len(mix)):
        left -= mix[a] * leave[a]
        if left <= 0:
            return a
    return len(mix) - 1
