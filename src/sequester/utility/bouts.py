"""Counts of changes in a matrix of states, and the longest run of changes two rows share."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import spread


def changes(states: np.ndarray, n_states: int, part_of: np.ndarray, n_parts: int, *, threads: int = 1) -> np.ndarray:
    """Pairs of successive states, parts x states x states; an interval's pair counts in the part it begins in."""
    pieces: list[np.ndarray] = []
    spread(lambda a, b: pieces.append(_pairs(states[a:b], n_states, part_of, n_parts)), len(states), threads)
    return np.sum(pieces, axis=0)


@kernel("const(uint8[:, ::1]), int64, int64[::1], int64")
def _pairs(states: np.ndarray, n_states: int, part_of: np.ndarray, n_parts: int) -> np.ndarray:
    out = np.zeros((n_parts, n_states, n_states), np.int64)
    for i in range(len(states)):
        for t in range(states.shape[1] - 1):
            out[part_of[t], states[i, t], states[i, t + 1]] += 1
    return out


@kernel("const(uint8[::1]), const(uint8[::1])")
def longest_shared_run(x: np.ndarray, y: np.ndarray) -> int:
    """Largest number of successive changes that two rows make at the same intervals between the same states."""
    best = 0
    run = 0
    for t in range(1, len(x)):
        x_changes = x[t] != x[t - 1]
        y_changes = y[t] != y[t - 1]
        if not x_changes and not y_changes:
            continue
        if x_changes and y_changes and x[t] == y[t] and x[t - 1] == y[t - 1]:
            run += 1
            best = max(best, run)
        else:
            run = 0
    return best


@kernel("const(uint8[:, ::1]), const(uint8[:, ::1]), int64[:, ::1]")
def longest_shared_runs(rows: np.ndarray, others: np.ndarray, which: np.ndarray) -> np.ndarray:
    """For every row the longest run shared with any of `others[which[row]]`."""
    out = np.zeros(len(rows), np.int64)
    for i in range(len(rows)):
        for j in which[i]:
            if j >= 0:
                out[i] = max(out[i], longest_shared_run(rows[i], others[j]))
    return out
