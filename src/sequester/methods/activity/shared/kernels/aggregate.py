"""From states per interval to intervals spent in each state per window (a day, an hour, the whole period)."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.threads import spread


def window_counts(states: np.ndarray, n_states: int, edges: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """How many intervals of each window every row spends in each state.

    Parameters
    ----------
    states
        Rows x intervals, `uint8`, every code below `n_states`.
    n_states
        Number of states.
    edges
        Window j covers intervals `edges[j]` up to `edges[j + 1]`.

    Returns
    -------
    Counts, rows x states x windows, `int32`.
    """
    edges = np.asarray(edges, dtype=np.int64)
    out = np.empty((len(states), n_states, len(edges) - 1), dtype=np.int32)
    kernel = _count_few if n_states <= 6 else _count_many
    spread(lambda a, b: kernel(states[a:b], edges, out[a:b]), len(states), threads)
    return out


def joined(counts: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """Counts of coarser windows: window j goes to `groups[j]`, which never decreases."""
    firsts = np.flatnonzero(np.diff(groups, prepend=-1))
    return np.add.reduceat(counts, firsts, axis=2)


@kernel("const(uint8[:, ::1]), int64[::1], int32[:, :, ::1]")
def _count_few(states: np.ndarray, edges: np.ndarray, out: np.ndarray) -> None:
    """One vector comparison per state; the last state is what is left.

    Blocks of exactly 128 keep the running count in one byte and let the compiler use whole vectors: twenty times
    quicker than the same loop over blocks of varying length.
    """
    n_states = out.shape[1]
    for i in range(states.shape[0]):
        for j in range(len(edges) - 1):
            window = states[i, edges[j] : edges[j + 1]]
            n = len(window)
            rest = n
            for a in range(n_states - 1):
                code = np.uint8(a)
                total = 0
                for at in range(0, n - 127, 128):
                    block = window[at : at + 128]
                    part = np.uint8(0)
                    for t in range(128):
                        part = np.uint8(part + np.uint8(block[t] == code))
                    total += int(part)
                for t in range(n - n % 128, n):
                    total += int(window[t] == code)
                out[i, a, j] = total
                rest -= total
            out[i, n_states - 1, j] = rest


@kernel("const(uint8[:, ::1]), int64[::1], int32[:, :, ::1]")
def _count_many(states: np.ndarray, edges: np.ndarray, out: np.ndarray) -> None:
    for i in range(states.shape[0]):
        for j in range(len(edges) - 1):
            for a in range(out.shape[1]):
                out[i, a, j] = 0
            for t in range(edges[j], edges[j + 1]):
                out[i, states[i, t], j] += 1
