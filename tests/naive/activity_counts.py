"""Plain loops for the counting kernels of activity data."""

import numpy as np


def cell_counts(states, cell_of, n_cells, n_states):
    out = np.zeros((len(states), n_cells, n_states), int)
    for i, row in enumerate(states):
        for t, state in enumerate(row):
            if cell_of[t] >= 0:
                out[i, cell_of[t], state] += 1
    return out


def step_counts(states, part_of, n_parts, n_states):
    out = np.zeros((len(states), n_parts, n_states, n_states), int)
    for i, row in enumerate(states):
        for t in range(1, len(row)):
            if row[t] != row[t - 1]:
                out[i, part_of[t], row[t - 1], row[t]] += 1
    return out


def length_bin(length):
    """1, 2, 3-4, 5-8, ..., 129-256, longer."""
    k = 0
    while k < 9 and length > 2**k:
        k += 1
    return k


def bout_counts(states, n_states):
    out = np.zeros((len(states), n_states, 10), int)
    for i, row in enumerate(states):
        runs, begin = [], 0
        for t in range(1, len(row) + 1):
            if t == len(row) or row[t] != row[begin]:
                runs.append((int(row[begin]), t - begin))
                begin = t
        for state, length in runs:
            out[i, state, length_bin(length)] += 1
    return out
