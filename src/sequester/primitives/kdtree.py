"""A kd-tree over boxes, as arrays: every node knows the bounds of what is below it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel

LEAF = 16
"""Boxes in a leaf."""


class Tree(NamedTuple):
    """Per node what is below it; node 0 is the root."""

    start: np.ndarray
    """Its items are `items[start:end]` of the array the tree was built over, which is put in that order."""
    end: np.ndarray
    child: np.ndarray
    """The first of two children that stand side by side, or -1 in a leaf."""
    parent: np.ndarray
    maxlo: np.ndarray
    """Nodes x axes: the largest lower end of a box below."""
    minhi: np.ndarray
    """Nodes x axes: the smallest upper end."""
    minsize: np.ndarray
    living: np.ndarray
    """How many items are left below; whoever removes one counts it down."""
    home: np.ndarray
    """Per item, not per node: the leaf it is in."""


TREE = Record(
    Tree,
    "int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], "
    "int64[::1]",
)


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
    """A kd-tree over `items`, which are put in the order of its leaves."""
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
    return Tree(start, end, child, parent, maxlo, minhi, minsize, living, home)
