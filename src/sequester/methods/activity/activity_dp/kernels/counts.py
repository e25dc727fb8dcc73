"""Counting kernels over a people x intervals matrix of states: cells, steps between states, bouts."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel

N_LENGTHS = 10
"""Length bins of bouts: 1, 2, 3-4, 5-8, ..., 129-256, longer."""
LENGTH_EDGES = np.array([1, 2, 3, 5, 9, 17, 33, 65, 129, 257], dtype=np.int64)
"""Shortest bout of every length bin."""
LENGTH_BIN = np.searchsorted(LENGTH_EDGES, np.arange(258), side="right").astype(np.int64) - 1
"""Length of a bout (capped at 257) → its bin."""


@kernel("const(uint8[:, ::1]), int64[::1], int64, int64")
def cell_counts(states: np.ndarray, cell_of: np.ndarray, n_cells: int, n_states: int) -> np.ndarray:
    """Intervals per person, cell and state; an interval whose cell is negative is left out."""
    n, length = states.shape
    out = np.zeros((n, n_cells, n_states), np.int32)
    for i in range(n):
        begin = 0
        for t in range(1, length + 1):
            # One addition per run of equal state and cell: runs are long, additions to memory are slow.
            if t == length or states[i, t] != states[i, t - 1] or cell_of[t] != cell_of[t - 1]:
                cell = cell_of[t - 1]
                if cell >= 0:
                    out[i, cell, states[i, t - 1]] += t - begin
                begin = t
    return out


@kernel("const(uint8[:, ::1]), int64[::1], int64, int64")
def step_counts(states: np.ndarray, part_of: np.ndarray, n_parts: int, n_states: int) -> np.ndarray:
    """Changes of state per person, part, state before and state after."""
    n, length = states.shape
    out = np.zeros((n, n_parts, n_states, n_states), np.int32)
    for i in range(n):
        for t in range(1, length):
            if states[i, t] != states[i, t - 1]:
                out[i, part_of[t], states[i, t - 1], states[i, t]] += 1
    return out


@kernel("const(uint8[:, ::1]), int64[::1], int64, int64")
def bout_counts(states: np.ndarray, length_bin: np.ndarray, n_lengths: int, n_states: int) -> np.ndarray:
    """Bouts (longest stretches of one state) per person, state and length bin."""
    n, length = states.shape
    longest = len(length_bin) - 1
    out = np.zeros((n, n_states, n_lengths), np.int32)
    for i in range(n):
        begin = 0
        for t in range(1, length + 1):
            if t == length or states[i, t] != states[i, t - 1]:
                out[i, states[i, t - 1], length_bin[min(t - begin, longest)]] += 1
                begin = t
    return out
