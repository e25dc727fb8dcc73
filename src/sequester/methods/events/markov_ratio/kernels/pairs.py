"""Which labels occur together in a sequence."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel

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


@kernel("int64[::1], int64, int64, int64, int64[::1], int64[::1]")
def _distinct(labels, lo, hi, sequence, last, out):
    """Write the labels of one sequence to `out`, each once; `last` remembers who wrote a label last."""
    count = 0
    for p in range(lo, hi):
        if last[labels[p]] != sequence:
            last[labels[p]] = sequence
            out[count] = labels[p]
            count += 1
    return count


@kernel("int64[::1], int64[::1], int64")
def _dense(labels, bounds, n):
    table = np.zeros((n, n), np.int64)
    distinct, last = np.empty(n, np.int64), np.full(n, -1, np.int64)
    for i in range(len(bounds) - 1):
        d = _distinct(labels, bounds[i], bounds[i + 1], i, last, distinct)
        for a in distinct[:d]:
            for b in distinct[:d]:
                if a != b:
                    table[a, b] += 1
    return table


@kernel("int64[::1], int64[::1], int64")
def _listed(labels, bounds, n):
    distinct, last = np.empty(n, np.int64), np.full(n, -1, np.int64)
    total = 0
    for i in range(len(bounds) - 1):
        d = _distinct(labels, bounds[i], bounds[i + 1], i, last, distinct)
        total += d * (d - 1)
    for a in range(n):
        last[a] = -1
    out = np.empty(total, np.int64)
    at = 0
    for i in range(len(bounds) - 1):
        d = _distinct(labels, bounds[i], bounds[i + 1], i, last, distinct)
        for a in distinct[:d]:
            for b in distinct[:d]:
                if a != b:
                    out[at] = a * n + b
                    at += 1
    return out
