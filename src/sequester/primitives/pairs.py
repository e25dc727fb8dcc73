"""Which labels occur together in a sequence."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True)
def pairs_within(labels, bounds):
    """Ordered pairs (a, b), a != b, of labels that share a sequence `bounds[i]:bounds[i+1]`, once per sequence."""
    total = 0
    for i in range(len(bounds) - 1):
        d = len(np.unique(labels[bounds[i] : bounds[i + 1]]))
        total += d * (d - 1)
    left = np.empty(total, np.int64)
    right = np.empty(total, np.int64)
    at = 0
    for i in range(len(bounds) - 1):
        distinct = np.unique(labels[bounds[i] : bounds[i + 1]])
        for a in distinct:
            for b in distinct:
                if a != b:
                    left[at] = a
                    right[at] = b
                    at += 1
    return left, right
