"""Changes and shared runs, minute by minute."""

import numpy as np


def changes(states, n_states, part_of, n_parts):
    out = np.zeros((n_parts, n_states, n_states), dtype=np.int64)
    for row in states:
        for t in range(len(row) - 1):
            out[part_of[t], row[t], row[t + 1]] += 1
    return out


def longest_shared_run(x, y):
    def moves(row):
        return [(t, row[t - 1], row[t]) for t in range(1, len(row)) if row[t] != row[t - 1]]

    a, b = moves(x.tolist()), moves(y.tolist())
    best = 0
    for i in range(len(a)):
        for j in range(len(b)):
            n = 0
            while i + n < len(a) and j + n < len(b) and a[i + n] == b[j + n]:
                n += 1
            best = max(best, n)
    return best
