"""A kd-tree over boxes, as arrays: every node knows the bounds of what is below it."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel

LEAF = 16
"""Boxes in a leaf."""


@kernel("float64[::1], int64[::1], int64, int64, int64")
def _select(keys, items, start, end, middle):
    """Quickselect: afterwards items[start:middle] have keys at most those of items[middle:end]."""
    low, high = start, end - 1
    while low < high:
        pivot = keys[items[(low + high) // 2]]
        i, j = low, high
        while i <= j:
            while keys[items[i]] < pivot:
                i += 1
            while keys[items[j]] > pivot:
                j -= 1
            if i <= j:
                items[i], items[j] = items[j], items[i]
                i += 1
                j -= 1
        if middle <= j:
            high = j
        elif middle >= i:
            low = i
        else:
            return


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64")
def build(lo, hi, size, items, leaf):
    """A kd-tree over `items`: per node its slice, children (or -1), parent, bounds, smallest size, alive count."""
    n, d = len(items), lo.shape[1]
    most = 4 * (n // max(1, leaf // 2) + 2)
    start = np.empty(most, dtype=np.int64)
    end = np.empty(most, dtype=np.int64)
    child = np.full(most, -1, dtype=np.int64)
    parent = np.full(most, -1, dtype=np.int64)
    maxlo = np.empty((most, d))
    minhi = np.empty((most, d))
    minsize = np.empty(most, dtype=np.int64)
    living = np.empty(most, dtype=np.int64)
    home = np.full(len(lo), -1, dtype=np.int64)
    keys = np.empty(len(lo))
    start[0], end[0] = 0, n
    nodes = 1
    node = 0
    while node < nodes:
        a, b = start[node], end[node]
        living[node] = b - a
        smallest = np.int64(2**62)
        for j in range(d):
            maxlo[node, j], minhi[node, j] = -np.inf, np.inf
        widest, axis = -1.0, 0
        for i in range(a, b):
            smallest = min(smallest, size[items[i]])
        for j in range(d):
            low, high = np.inf, -np.inf
            for i in range(a, b):
                s = items[i]
                maxlo[node, j] = max(maxlo[node, j], lo[s, j])
                minhi[node, j] = min(minhi[node, j], hi[s, j])
                centre = lo[s, j] + hi[s, j]
                low, high = min(low, centre), max(high, centre)
            if high - low > widest:
                widest, axis = high - low, j
        minsize[node] = smallest
        if b - a > leaf:
            for i in range(a, b):
                keys[items[i]] = lo[items[i], axis] + hi[items[i], axis]
            middle = (a + b) // 2
            _select(keys, items, a, b, middle)
            child[node] = nodes
            start[nodes], end[nodes], parent[nodes] = a, middle, node
            start[nodes + 1], end[nodes + 1], parent[nodes + 1] = middle, b, node
            nodes += 2
        else:
            for i in range(a, b):
                home[items[i]] = node
        node += 1
    return start, end, child, parent, maxlo, minhi, minsize, living, home
