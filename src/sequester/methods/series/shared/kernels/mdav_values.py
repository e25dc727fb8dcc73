"""MDAV microaggregation on real-valued rows, inside many classes at once.

Maximum distance to average vector: take the record farthest from the mean with its m-1 nearest, then the record
farthest from that one with its m-1 nearest, and again. Groups hold m..2m-1 records; ties go to the smallest id.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import spread, usable


def mdav_classes(features: np.ndarray, order: np.ndarray, starts: np.ndarray, m: int) -> np.ndarray:
    """Microaggregate every class on its own.

    Parameters
    ----------
    features : records x numbers.
    order : record ids, one class after the other.
    starts : where each class begins in `order`, and the end. Every class must hold at least `m`.

    Returns
    -------
    Group number per place of `order`, numbered through all classes.
    """
    features = np.ascontiguousarray(features, np.float64)
    order, bounds = np.ascontiguousarray(order, np.int64), np.ascontiguousarray(starts, np.int64)
    local, counts = np.empty(len(order), np.int64), np.zeros(len(bounds) - 1, np.int64)

    def work(first: int, last: int) -> None:
        _mdav_classes(features, order, bounds, m, first, last, local, counts)

    spread(work, len(counts), usable())
    offsets = np.cumsum(counts) - counts
    return local + np.repeat(offsets, np.diff(starts))


@kernel("float64[:, ::1], int64[::1], int64[::1], int64, int64, int64, int64[::1], int64[::1]")
def _mdav_classes(features, order, starts, m, first, last, label, counts):
    for c in range(first, last):
        a, b = starts[c], starts[c + 1]
        rows = np.empty((b - a, features.shape[1]))
        for i in range(b - a):
            for j in range(features.shape[1]):  # a row at a time takes the compiler seconds
                rows[i, j] = features[order[a + i], j]
        counts[c] = _mdav(rows, m, label[a:b])


@kernel("float64[:, ::1], int64[::1], int64")
def _mean(rows, left, n):
    mean = np.zeros(rows.shape[1])
    for i in range(n):
        for j in range(len(mean)):
            mean[j] += rows[left[i], j]
    for j in range(len(mean)):
        mean[j] /= n
    return mean


@kernel("float64[:, ::1], int64[::1], int64, float64[::1], float64[::1]")
def _distances(rows, left, n, point, out):
    """Squared distances of what is left to a point; returns the place of the farthest."""
    far = 0
    for i in range(n):
        total = 0.0
        row = rows[left[i]]
        for j in range(len(point)):
            gap = row[j] - point[j]
            total += gap * gap
        out[i] = total
        if total > out[far]:
            far = i
    return far


@kernel("int64[::1], int64, float64[::1], int64, int64, int64[::1], int64")
def _take(left, n, distance, seed, m, label, group):
    """Label the seed and its m-1 nearest, close the gaps, and return how many are left."""
    near = np.empty(m, dtype=np.int64)
    count = 0
    distance[seed] = -1.0
    for i in range(n):
        if count == m and distance[i] >= distance[near[count - 1]]:
            continue
        j = count if count < m else m - 1
        while j > 0 and distance[near[j - 1]] > distance[i]:
            if j < m:
                near[j] = near[j - 1]
            j -= 1
        near[j] = i
        if count < m:
            count += 1
    for i in range(count):
        label[left[near[i]]] = group
        distance[near[i]] = np.inf
    kept = 0
    for i in range(n):
        if distance[i] != np.inf:
            left[kept] = left[i]
            kept += 1
    return kept


@kernel("float64[:, ::1], int64, int64[::1]")
def _mdav(rows, m, label):
    n = len(rows)
    left = np.arange(n)
    distance = np.empty(n)
    group = 0
    while n >= 2 * m:
        seed = _distances(rows, left, n, _mean(rows, left, n), distance)
        both = n >= 3 * m
        point = rows[left[seed]].copy()
        _distances(rows, left, n, point, distance)
        n = _take(left, n, distance, seed, m, label, group)
        group += 1
        if both:
            seed = _distances(rows, left, n, point, distance)
            point = rows[left[seed]].copy()
            _distances(rows, left, n, point, distance)
            n = _take(left, n, distance, seed, m, label, group)
            group += 1
    if n > 0:
        for i in range(n):
            label[left[i]] = group
        group += 1
    return group
