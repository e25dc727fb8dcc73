"""Which groups are near a record: exactly, or inside buckets where there are many."""

from __future__ import annotations

import numpy as np

from sequester.primitives.neighbours import nearest_of
from sequester.primitives.threads import usable

NEIGHBOURS, FEWER = 24, 16
"""Groups looked at for every record: those whose middles are nearest to it; fewer where there are many."""
MANY = 480_000
"""Pairs of record and group beyond which the number of groups falls."""
EXACT_BELOW = 6000
"""With more groups, neighbours are sought inside buckets: white noise in ten dimensions has no near and far."""
BUCKET = 256
TOGETHER = 64
"""Records that lie side by side at the end of `by_place`."""


def by_place(values: np.ndarray) -> np.ndarray:
    """An order of the records in which neighbours in space are mostly neighbours."""
    return np.concatenate(blocks(values, TOGETHER))


def blocks(values: np.ndarray, most: int) -> list[np.ndarray]:
    """Records in blocks of at most so many, next to each other in space: cut in half where they differ most."""
    todo, out = [np.arange(len(values))], []
    while todo:
        mine = todo.pop()
        if len(mine) <= most:
            out.append(mine)
            continue
        column = values[mine, int(values[mine].var(axis=0).argmax())]
        half, cut = len(mine) // 2, np.argsort(column, kind="stable")
        todo += [mine[cut[half:]], mine[cut[:half]]]
    return out


def near_groups(values: np.ndarray, group: np.ndarray) -> np.ndarray:
    """Per record the groups whose middles are nearest to it (-1: none)."""
    n_groups = int(group.max()) + 1
    middles = np.zeros((n_groups, values.shape[1]))
    np.add.at(middles, group, values)
    middles /= np.bincount(group)[:, None]
    if n_groups <= EXACT_BELOW:
        count = min(max(FEWER, min(NEIGHBOURS, MANY // len(values))), n_groups)
        return nearest_of(values, middles, np.full(len(values), -1), count, threads=usable())
    halves = [_in_buckets(values, middles, FEWER // 2, turn) for turn in (0, 1)]
    return np.concatenate(halves, axis=1)  # one found twice is looked at once: the kernel keeps stamps


def _in_buckets(points: np.ndarray, middles: np.ndarray, count: int, turn: int) -> np.ndarray:
    """Nearest middles inside buckets of a few hundred; `turn` cuts along other axes, so that borders differ."""
    todo = [(np.arange(len(middles)), np.arange(len(points)))]
    out = np.full((len(points), count), -1, dtype=np.int64)
    while todo:
        items, queries = todo.pop()
        if len(items) > BUCKET:
            spread = np.ptp(middles[items], axis=0)
            axis = int(np.argsort(-spread, kind="stable")[min(turn, len(spread) - 1)])
            ordered = items[np.argsort(middles[items, axis], kind="stable")]
            half = len(items) // 2
            below = points[queries, axis] < middles[ordered[half], axis]
            todo += [(ordered[:half], queries[below]), (ordered[half:], queries[~below])]
        elif len(queries):
            nobody = np.full(len(queries), -1)
            found = nearest_of(points[queries], middles[items], nobody, min(count, len(items)), threads=1)
            out[queries, : found.shape[1]] = items[found]
    return out
