"""Which labels occur together in a sequence."""

from __future__ import annotations

import numpy as np
from numba import njit

DENSE_UP_TO = 2048
"""Labels for which a square table of counts is small enough."""


def pair_counts(labels: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ordered pairs (a, b), a != b, and the number of sequences `bounds[i]:bounds[i+1]` that have both; sorted."""
    labels, bounds = np.asarray(labels, np.int64), np.asarray(bounds, np.int64)
    n = int(labels.max(initial=-1)) + 1
    if n <= DENSE_UP_TO:
        table = _dense(labels, bounds, n)
        a, b = np.nonzero(table)
        return a, b, table[a, b]
    codes, counts = np.unique(_listed(labels, bounds, n), return_counts=True)
    return codes // n, codes % n, counts


@njit(cache=True)
def _dense(labels, bounds, n):
    table = np.zeros((n, n), np.int64)
    for i in range(len(bounds) - 1):
        distinct = np.unique(labels[bounds[i] : bounds[i + 1]])
        for a in distinct:
            for b in distinct:
                if a != b:
                    table[a, b] += 1
    return table


@njit(cache=True)
def _listed(labels, bounds, n):
    total = 0
    for i in range(len(bounds) - 1):
        d = len(np.unique(labels[bounds[i] : bounds[i + 1]]))
        total += d * (d - 1)
    out = np.empty(total, np.int64)
    at = 0
    for i in range(len(bounds) - 1):
        distinct = np.unique(labels[bounds[i] : bounds[i + 1]])
        for a in distinct:
            for b in distinct:
                if a != b:
                    out[at] = a * n + b
                    at += 1
    return out
