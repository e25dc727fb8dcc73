"""Multi-level clustering: MDAV on coarse windows into large parts, then inside each part on finer windows.

Its steps are the intervals spent in each state per window (a day, an hour, the whole period), and which clusters lie
near a record: all of them compared, or found through the cluster it is in.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sequester.methods.activity.shared.kernels.mdav import mdav_into, padded
from sequester.primitives.compiled import kernel
from sequester.primitives.kdtree import build
from sequester.primitives.neighbours import nearest_of
from sequester.primitives.sorting import spread


def partition_sizes(n: int, k: int, levels: int, fan_out: int) -> list[int]:
    """Records per part at every level, coarse to fine: k * fan_out**(steps to the leaves), at most n / 2."""
    sizes = [max(k, min(k * fan_out ** (levels - 1 - t), n // 2)) for t in range(levels - 1)]
    return [*sizes, k]


def multilevel(features: Sequence[np.ndarray], sizes: Sequence[int], *, threads: int = 1) -> np.ndarray:
    """Cluster labels (dense, from 0) after one round of MDAV per level.

    Parameters
    ----------
    features
        Per level, records x activities x windows; coarse to fine.
    sizes
        Per level, records per cluster; the last is the promised one.
    """
    n = len(features[0])
    order = np.arange(n)
    bounds = np.array([0, n], dtype=np.int64)
    for x, size in zip(features, sizes):
        order, bounds = _split_all(x, order, bounds, size, threads)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return labels


def _split_all(
    x: np.ndarray, order: np.ndarray, bounds: np.ndarray, size: int, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """MDAV inside every part; records stay in ascending order inside a cluster."""
    features = padded(x)
    labels = np.empty(len(order), dtype=np.int64)
    spread(
        lambda a, b: _split_some(features, order, bounds, a, b, size, labels),
        len(bounds) - 1,
        threads,
        pieces_per_thread=16,
    )
    part = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    by = np.lexsort((order, labels, part))
    cuts = np.flatnonzero((np.diff(part[by]) != 0) | (np.diff(labels[by]) != 0)) + 1
    return order[by], np.concatenate([[0], cuts, [len(order)]]).astype(np.int64)


@kernel("float64[:, :, ::1], int64[::1], int64[::1], int64, int64, int64, int64[::1]")
def _split_some(
    x: np.ndarray,
    order: np.ndarray,
    bounds: np.ndarray,
    first: int,
    last: int,
    size: int,
    labels: np.ndarray,
) -> None:
    for c in range(first, last):
        rows = order[bounds[c] : bounds[c + 1]]
        mdav_into(x[rows], size, False, labels[bounds[c] : bounds[c + 1]])


def window_counts(states: np.ndarray, n_states: int, edges: np.ndarray, *, threads: int = 1) -> np.ndarray:
    """How many intervals of each window every row spends in each state.

    Parameters
    ----------
    states
        Rows x intervals, `uint8`, every code below `n_states`.
    n_states
        Number of states.
    edges
        Window j covers intervals `edges[j]` up to `edges[j + 1]`.

    Returns
    -------
    Counts, rows x states x windows, `int32`.
    """
    edges = np.asarray(edges, dtype=np.int64)
    out = np.empty((len(states), n_states, len(edges) - 1), dtype=np.int32)
    kernel = _count_few if n_states <= 6 else _count_many
    spread(lambda a, b: kernel(states[a:b], edges, out[a:b]), len(states), threads)
    return out


@kernel("const(uint8[:, ::1]), int64[::1], int32[:, :, ::1]")
def _count_few(states: np.ndarray, edges: np.ndarray, out: np.ndarray) -> None:
    """One vector comparison per state; the last state is what is left.

    Blocks of exactly 128 keep the running count in one byte and let the compiler use whole vectors: twenty times
    quicker than the same loop over blocks of varying length.
    """
    n_states = out.shape[1]
    for i in range(states.shape[0]):
        for j in range(len(edges) - 1):
            window = states[i, edges[j] : edges[j + 1]]
            n = len(window)
            rest = n
            for a in range(n_states - 1):
                code = np.uint8(a)
                total = 0
                for at in range(0, n - 127, 128):
                    block = window[at : at + 128]
                    part = np.uint8(0)
                    for t in range(128):
                        part = np.uint8(part + np.uint8(block[t] == code))
                    total += int(part)
                for t in range(n - n % 128, n):
                    total += int(window[t] == code)
                out[i, a, j] = total
                rest -= total
            out[i, n_states - 1, j] = rest


@kernel("const(uint8[:, ::1]), int64[::1], int32[:, :, ::1]")
def _count_many(states: np.ndarray, edges: np.ndarray, out: np.ndarray) -> None:
    for i in range(states.shape[0]):
        for j in range(len(edges) - 1):
            for a in range(out.shape[1]):
                out[i, a, j] = 0
            for t in range(edges[j], edges[j + 1]):
                out[i, states[i, t], j] += 1


BLOCK = 256
"""Most records of a block that is visited as one."""
AROUND = 3
"""Clusters around a record's own that are compared with it, per cluster that is offered to it."""
SEARCHED = 8
"""Principal components in which clusters around a cluster are looked for; records are compared in all there are."""
MOST_LEAVES = 256
"""Leaves of the tree that are looked into for one cluster: the work per cluster stays the same however many there
are."""


def spatial_order(points: np.ndarray, block: int = BLOCK) -> np.ndarray:
    """The points in blocks of near ones, each block in the order of the data.

    What a block needs is in the caches. Inside, neighbours do not follow each other: clusters improve less if changes
    run through them in one direction.
    """
    items = np.arange(len(points))
    tree = build(points, points, np.ones(len(points), dtype=np.int64), items, block)
    return np.lexsort((np.arange(len(points)), tree.start[tree.home]))


def nearest_clusters(points: np.ndarray, labels: np.ndarray, count: int, threads: int) -> np.ndarray:
    """For every record the `count` nearest centroids other than its own, nearest first."""
    return nearest_of(points, centroids(points, labels), labels, count, threads=threads)


def clusters_around(points: np.ndarray, labels: np.ndarray, count: int, threads: int) -> np.ndarray:
    """The same through a record's own cluster: of the clusters around that one, the `count` nearest to the record.

    One search per cluster instead of one per record, with a bound on its work. What is found is near, not always
    nearest.
    """
    centres = centroids(points, labels)
    few = np.ascontiguousarray(centres[:, :SEARCHED])
    wide = min(AROUND * count, len(centres) - 1)
    around = nearest_of(few, few, np.arange(len(few)), wide, threads=threads, most_leaves=MOST_LEAVES)
    out = np.empty((len(points), count), dtype=np.int64)
    spread(lambda a, b: _nearest_among(points[a:b], centres, labels[a:b], around, out[a:b]), len(points), threads)
    return out


def centroids(points: np.ndarray, labels: np.ndarray) -> np.ndarray:
    """The mean of every cluster."""
    sizes = np.bincount(labels)
    return np.stack([np.bincount(labels, c, len(sizes)) for c in points.T], axis=1) / sizes[:, None]


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[:, ::1], int64[:, ::1]")
def _nearest_among(points, centres, labels, around, out):
    """Of the clusters around a record's own, the nearest to the record, nearest first; of equal ones the first."""
    n, width = points.shape
    count = out.shape[1]
    distance = np.empty(count)
    for i in range(n):
        distance[:] = np.inf
        for h in range(around.shape[1]):
            c = around[labels[i], h]
            total = 0.0
            for j in range(width):
                gap = points[i, j] - centres[c, j]
                total += gap * gap
            if total < distance[count - 1]:
                place = count - 1
                while place > 0 and distance[place - 1] > total:
                    distance[place] = distance[place - 1]
                    out[i, place] = out[i, place - 1]
                    place -= 1
                distance[place] = total
                out[i, place] = c
