"""Multi-level clustering: MDAV on coarse windows into large parts, then inside each part on finer windows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sequester.methods.activity.shared.kernels.mdav import mdav_into, padded
from sequester.primitives.compiled import kernel
from sequester.primitives.threads import spread


def partition_sizes(n: int, k: int, levels: int, fan_out: int) -> list[int]:
    """Records per part at every level, coarse to fine: k * fan_out**(steps to the leaves), at most n / 2."""
    sizes = [max(k, min(k * fan_out ** (levels - 1 - t), n // 2)) for t in range(levels - 1)]
    return [*sizes, k]


def multilevel(
    features: Sequence[np.ndarray], sizes: Sequence[int], *, variant: str = "2k", threads: int = 1
) -> np.ndarray:
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
        order, bounds = _split_all(x, order, bounds, size, 3 if variant == "3k" else 2, threads)
    labels = np.empty(n, dtype=np.int64)
    labels[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return labels


def _split_all(
    x: np.ndarray, order: np.ndarray, bounds: np.ndarray, size: int, variant: int, threads: int
) -> tuple[np.ndarray, np.ndarray]:
    """MDAV inside every part; records stay in ascending order inside a cluster."""
    features = padded(x)
    labels = np.empty(len(order), dtype=np.int64)
    spread(
        lambda a, b: _split_some(features, order, bounds, a, b, size, variant, labels),
        len(bounds) - 1,
        threads,
        pieces_per_thread=16,
    )
    part = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    by = np.lexsort((order, labels, part))
    cuts = np.flatnonzero((np.diff(part[by]) != 0) | (np.diff(labels[by]) != 0)) + 1
    return order[by], np.concatenate([[0], cuts, [len(order)]]).astype(np.int64)


@kernel("float64[:, :, ::1], int64[::1], int64[::1], int64, int64, int64, int64, int64[::1]")
def _split_some(
    x: np.ndarray,
    order: np.ndarray,
    bounds: np.ndarray,
    first: int,
    last: int,
    size: int,
    variant: int,
    labels: np.ndarray,
) -> None:
    for c in range(first, last):
        rows = order[bounds[c] : bounds[c + 1]]
        mdav_into(x[rows], size, variant, False, labels[bounds[c] : bounds[c + 1]])
