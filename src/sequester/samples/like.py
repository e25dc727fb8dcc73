"""A cohort like a published one: the Markov generator of Parameshwarappa, Chen and Koru (2020).

Every row of a profile gives one transition matrix per hour; a simulated person follows one row's matrices hour by hour,
and in one hour of a hundred somebody else's. It adds no protection: what it is given must be public already.
"""

from __future__ import annotations

import numpy as np

from sequester.errors import ParameterError
from sequester.model import Activities
from sequester.primitives.compiled import kernel
from sequester.primitives.xoshiro import uniform

SOMEBODY_ELSE = 0.01
"""Chance that an hour follows another row."""
BLOCK = 512
"""People simulated at a time."""


def like(profile: Activities, *, n_people: int | None = None, seed: int = 0, days: int | None = None) -> Activities:
    """People simulated from the hourly transition matrices of `profile`.

    Parameters
    ----------
    profile
        Public activity data, such as the rows of a bundle.
    n_people
        How many; as many as the profile has by default.
    seed
        The same seed gives the same people.
    days
        How long; as long as the profile by default. A longer cohort goes through the profile's hours again.
    """
    n = profile.n_records if n_people is None else n_people
    per_day = profile.intervals_per_day
    length = profile.states.shape[1] if days is None else days * per_day
    if n < 1 or length < 1:
        raise ParameterError(f"sample: at least 1 person and 1 day are needed, got {n} people and {days} days.")
    hours = profile_hours(profile)
    matrices, pooled, first = chains(profile.states, hours, len(profile.state_names))
    rng = np.random.default_rng(seed)
    seeds = rng.integers(0, 2**64 - 1, (n, 4), dtype=np.uint64, endpoint=True)
    follows = np.arange(n, dtype=np.int64) % profile.n_records
    out = np.empty((n, length), np.uint8)
    for at in range(0, n, BLOCK):
        some = slice(at, at + BLOCK)
        walk(matrices, pooled, first, hours, follows[some], SOMEBODY_ELSE, seeds[some], out[some])
    return Activities(
        states=out,
        state_names=profile.state_names,
        interval_seconds=profile.interval_seconds,
        start=profile.start,
        persons=np.array([f"P{i + 1:05d}" for i in range(n)], dtype=object),
    )


def profile_hours(profile: Activities) -> np.ndarray:
    """Number of the hour of every interval, from 0."""
    second = int(profile.start.astype("datetime64[s]").astype(np.int64) % 3600)
    return (second + np.arange(profile.states.shape[1], dtype=np.int64) * profile.interval_seconds) // 3600


def chains(states: np.ndarray, hours: np.ndarray, n_states: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Changes counted per row and hour (rows x hours x states x states), the same over all rows, and first states."""
    n_rows, n_hours = len(states), int(hours[-1]) + 1
    matrices = np.zeros((n_rows, n_hours, n_states, n_states), np.float32)
    for i in range(n_rows):
        pair = states[i, :-1].astype(np.int64) * n_states + states[i, 1:]
        counts = np.bincount(hours[:-1] * n_states**2 + pair, minlength=n_hours * n_states**2)
        matrices[i] = counts.reshape(n_hours, n_states, n_states)
    first = np.bincount(states[:, 0], minlength=n_states).astype(np.float64)
    return matrices, matrices.sum(axis=0, dtype=np.float64), first


@kernel(
    "float32[:, :, :, ::1], float64[:, :, ::1], float64[::1], int64[::1], int64[::1], float64, uint64[:, ::1], "
    "uint8[:, ::1]"
)
def walk(
    matrices: np.ndarray,
    pooled: np.ndarray,
    first: np.ndarray,
    hours: np.ndarray,
    follows: np.ndarray,
    stray: float,
    seeds: np.ndarray,
    out: np.ndarray,
) -> None:
    """Rows of `out`: each follows `follows[row]`, or with chance `stray` somebody else for an hour.

    In an hour in which that row was never in the present state, everybody's changes of that hour count; where nobody
    was in it, it goes on.
    """
    n_states = len(first)
    n = len(hours)
    for i in range(len(out)):
        random = seeds[i].copy()
        total = 0.0
        for a in range(n_states):
            total += first[a]
        pick = uniform(random) * total
        state = 0
        for a in range(n_states):
            if first[a] > 0:
                state = a
                pick -= first[a]
                if pick <= 0:
                    break
        out[i, 0] = state
        row = follows[i]
        hour = np.int64(-1)
        for t in range(out.shape[1] - 1):
            h = hours[t % n]
            if h != hour:
                hour = h
                row = follows[i]
                if uniform(random) <= stray:
                    row = min(len(matrices) - 1, int(uniform(random) * len(matrices)))
            total = 0.0
            for b in range(n_states):
                total += matrices[row, h, state, b]
            own = total > 0
            if not own:
                for b in range(n_states):
                    total += pooled[h, state, b]
            if total > 0:
                pick = uniform(random) * total
                target = state
                for b in range(n_states):
                    weight = np.float64(matrices[row, h, state, b]) if own else pooled[h, state, b]
                    if weight > 0:
                        target = b
                        pick -= weight
                        if pick <= 0:
                            break
                state = target
            out[i, t + 1] = state
