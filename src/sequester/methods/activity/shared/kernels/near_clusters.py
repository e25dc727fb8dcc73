"""Which clusters lie near a record: all of them compared, or found through the cluster it is in."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.kdtree import build
from sequester.primitives.neighbours import nearest_of
from sequester.primitives.threads import spread

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
