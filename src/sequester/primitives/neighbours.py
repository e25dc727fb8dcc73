"""Nearest points by kd-tree, for points of a few dimensions: exact, or with a bound on the work per query."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.kdtree import LEAF, TREE, build
from sequester.primitives.sorting import spread, usable


def nearest_points(points: np.ndarray, count: int) -> np.ndarray:
    """Numbers of the `count` nearest other points of every point, nearest first."""
    return nearest_of(points, points, np.arange(len(points)), count, threads=usable())


def nearest_of(
    queries: np.ndarray, points: np.ndarray, own: np.ndarray, count: int, *, threads: int, most_leaves: int = 2**62
) -> np.ndarray:
    """Numbers of the `count` points nearest to every query, nearest first; never the query's `own` point.

    At most `most_leaves` leaves of the tree are looked into, the nearest sides first: beyond a few dimensions an exact
    search looks into more of them the more points there are. What it then finds is near, not always nearest.
    """
    queries = np.ascontiguousarray(queries, dtype=np.float64)
    points = np.ascontiguousarray(points, dtype=np.float64)
    items = np.arange(len(points))
    tree = build(points, points, np.ones(len(points), dtype=np.int64), items, LEAF)
    out = np.full((len(queries), count), -1, dtype=np.int64)
    ordered = points[items]  # a leaf is one stretch of memory

    def work(a: int, b: int) -> None:
        _search(queries[a:b], own[a:b], ordered, items, tree, most_leaves, out[a:b])

    spread(work, len(queries), threads)
    return out


@kernel("float64[:, ::1], int64[::1], float64[:, ::1], int64[::1], Tree, int64, int64[:, ::1]", Tree=TREE)
def _search(queries, own, points, items, tree, most_leaves, out):
    start, end, child, top, bottom = tree.start, tree.end, tree.child, tree.maxlo, tree.minhi
    n, d = queries.shape
    count = out.shape[1]
    distance = np.empty(count)
    stack = np.empty(256, dtype=np.int64)
    bounds = np.empty(256)
    for q in range(n):
        distance[:] = np.inf
        stack[0], bounds[0] = 0, 0.0
        depth = 1
        leaves = 0
        while depth > 0 and (leaves < most_leaves or distance[count - 1] == np.inf):
            depth -= 1
            node = stack[depth]
            if bounds[depth] >= distance[count - 1]:
                continue
            if child[node] < 0:
                leaves += 1
                for i in range(start[node], end[node]):
                    if items[i] == own[q]:
                        continue
                    total = 0.0
                    for j in range(d):
                        gap = points[i, j] - queries[q, j]
                        total += gap * gap
                    if total < distance[count - 1]:
                        place = count - 1
                        while place > 0 and distance[place - 1] > total:
                            distance[place] = distance[place - 1]
                            out[q, place] = out[q, place - 1]
                            place -= 1
                        distance[place] = total
                        out[q, place] = items[i]
                continue
            left = child[node]
            first, second = 0.0, 0.0
            for j in range(d):
                gap = max(0.0, max(bottom[left, j] - queries[q, j], queries[q, j] - top[left, j]))
                first += gap * gap
                gap = max(0.0, max(bottom[left + 1, j] - queries[q, j], queries[q, j] - top[left + 1, j]))
                second += gap * gap
            near, far = left, left + 1
            if second < first:
                near, far = far, near
                first, second = second, first
            stack[depth], bounds[depth] = far, second
            stack[depth + 1], bounds[depth + 1] = near, first
            depth += 2
