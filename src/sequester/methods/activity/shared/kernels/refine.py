"""Improve a partition by moves and swaps that never leave the allowed cluster sizes.

Each pass offers every record its nearest clusters and takes the move or swap that lowers the within-cluster sum of
squares most. A cluster gives only while it holds more than `smallest`, and takes only while it holds fewer than
`largest`, so the sizes of the partition that came in remain legal.

Up to `EXACT` records are visited in the order of the data, and near clusters are the nearest of all. More records are
visited in blocks of neighbours, and near clusters are sought around each record's own: the
work then grows about in proportion to the records. This is a rule of the method, the same on every machine.

Choose among candidates, row after row, so that what all chosen rows show together comes near a target.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sequester.methods.activity.shared.kernels.multilevel import clusters_around, nearest_clusters, spatial_order
from sequester.primitives.compiled import kernel

EXACT = 20_000
"""Records up to which every record is compared with all clusters."""
COMPONENTS = 12
"""Principal components in which near clusters are looked for."""
STILL = 0.003
"""A pass that touches fewer records than this share is the last."""


def refine(
    features: np.ndarray,
    labels: np.ndarray,
    *,
    smallest: int,
    largest: int,
    passes: int,
    candidates: int = 16,
    threads: int = 1,
) -> np.ndarray:
    """Labels after at most `passes` passes; the within-cluster sum of squares never grows.

    Parameters
    ----------
    features
        Records x anything; flattened, plain Euclidean.
    labels
        Dense cluster numbers from 0.
    candidates
        Nearest clusters that a pass offers to a record.
    """
    x = np.ascontiguousarray(features.reshape(len(features), -1), dtype=np.float64)
    labels = np.array(labels, dtype=np.int64)
    n_clusters = int(labels.max()) + 1 if len(labels) else 0
    if n_clusters < 2 or passes < 1:
        return labels
    shadow = _principal(x)
    count = min(candidates, n_clusters - 1)
    if len(x) <= EXACT:
        return _passes(x, shadow, labels, nearest_clusters, (smallest, largest), passes, count, threads)
    order = spatial_order(shadow)
    near_first = _first_seen(labels[order])  # sums of neighbouring clusters stand near each other, too
    better = _passes(
        x[order], shadow[order], near_first[labels[order]], clusters_around, (smallest, largest), passes, count, threads
    )
    labels[order] = np.argsort(near_first)[better]
    return labels


def _first_seen(labels: np.ndarray) -> np.ndarray:
    """New numbers of clusters, in the order in which they come up."""
    _, first = np.unique(labels, return_index=True)
    number = np.empty(len(first), np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number


def _passes(
    x: np.ndarray,
    shadow: np.ndarray,
    labels: np.ndarray,
    search: Callable[[np.ndarray, np.ndarray, int, int], np.ndarray],
    sizes: tuple[int, int],
    passes: int,
    count: int,
    threads: int,
) -> np.ndarray:
    n_clusters = int(labels.max()) + 1
    for _ in range(passes):
        near = search(shadow, labels, count, threads)
        if _one_pass(x, labels, near, n_clusters, *sizes) < STILL * len(x):
            break
    return labels


def _principal(x: np.ndarray) -> np.ndarray:
    """The records in their first principal components, the widest first."""
    centred = x - x.mean(axis=0)
    step = max(1, len(x) // 20_000)
    part = centred[::step]
    _, vectors = np.linalg.eigh(part.T @ part)
    return np.ascontiguousarray(centred @ vectors[:, ::-1][:, :COMPONENTS])


@kernel("float64[:, ::1], int64[::1], int64[:, ::1], int64, int64, int64")
def _one_pass(x: np.ndarray, labels: np.ndarray, near: np.ndarray, n_clusters: int, smallest: int, largest: int) -> int:
    """Offer every record its near clusters once; returns how many records changed cluster."""
    n, width = x.shape
    sums = np.zeros((n_clusters, width))
    sizes = np.zeros(n_clusters, np.int64)
    members = np.full((n_clusters, largest), -1, np.int64)
    place = np.empty(n, np.int64)
    norms = np.empty(n)
    for i in range(n):
        c = labels[i]
        place[i] = sizes[c]
        members[c, sizes[c]] = i
        sizes[c] += 1
        s = 0.0
        for w in range(width):
            sums[c, w] += x[i, w]
            s += x[i, w] * x[i, w]
        norms[i] = s
    changed = 0
    for i in range(n):
        a = labels[i]
        na = sizes[a]
        s_a_x = 0.0
        s_a_s = 0.0
        for w in range(width):
            s_a_x += sums[a, w] * x[i, w]
            s_a_s += sums[a, w] * sums[a, w]
        best = -1e-9 * (1.0 + norms[i])
        best_b = -1
        best_j = -1
        for h in range(near.shape[1]):
            b = near[i, h]
            if b == a:
                continue
            nb = sizes[b]
            s_b_x = 0.0
            for w in range(width):
                s_b_x += sums[b, w] * x[i, w]
            if na > smallest and nb < largest:
                s_b_s = 0.0
                for w in range(width):
                    s_b_s += sums[b, w] * sums[b, w]
                before = s_a_s / na + s_b_s / nb
                after = (s_a_s - 2 * s_a_x + norms[i]) / (na - 1) + (s_b_s + 2 * s_b_x + norms[i]) / (nb + 1)
                if before - after < best:
                    best = before - after
                    best_b = b
                    best_j = -1
            for m in range(nb):
                j = members[b, m]
                s_a_y = 0.0
                s_b_y = 0.0
                xy = 0.0
                for w in range(width):
                    y = x[j, w]
                    s_a_y += sums[a, w] * y
                    s_b_y += sums[b, w] * y
                    xy += x[i, w] * y
                dd = norms[i] + norms[j] - 2 * xy
                change = -(2 * (s_a_y - s_a_x) + dd) / na + (2 * (s_b_y - s_b_x) - dd) / nb
                if change < best:
                    best = change
                    best_b = b
                    best_j = j
        if best_b < 0:
            continue
        b = best_b
        changed += 1
        if best_j < 0:
            for w in range(width):
                sums[a, w] -= x[i, w]
                sums[b, w] += x[i, w]
            last = members[a, na - 1]
            members[a, place[i]] = last
            place[last] = place[i]
            sizes[a] -= 1
            members[b, sizes[b]] = i
            place[i] = sizes[b]
            sizes[b] += 1
            labels[i] = b
        else:
            j = best_j
            for w in range(width):
                d = x[j, w] - x[i, w]
                sums[a, w] += d
                sums[b, w] -= d
            members[a, place[i]] = j
            members[b, place[j]] = i
            place[i], place[j] = place[j], place[i]
            labels[i] = b
            labels[j] = a
    return changed


def herd(shown: np.ndarray, target: np.ndarray, gap: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Which candidate is kept of every row.

    Parameters
    ----------
    shown
        Candidates x rows x anything.
    target
        What a row should show on average; same shape as one candidate of one row.
    gap
        Shown so far minus targets so far; moved in place, so that the next call goes on.
    order
        In which order rows choose.
    """
    n_candidates, n_rows = shown.shape[:2]
    flat = np.ascontiguousarray(shown.reshape(n_candidates, n_rows, -1), dtype=np.float32)
    moved = np.ascontiguousarray(gap.ravel(), dtype=np.float64)
    kept = _herd(flat, np.ascontiguousarray(target.ravel(), dtype=np.float64), moved, order.astype(np.int64))
    gap[...] = moved.reshape(gap.shape)
    return kept


@kernel("float32[:, :, ::1], float64[::1], float64[::1], int64[::1]")
def _herd(shown: np.ndarray, target: np.ndarray, gap: np.ndarray, order: np.ndarray) -> np.ndarray:
    n_candidates, _, width = shown.shape
    kept = np.zeros(len(order), np.int64)
    for i in order:
        best = 0
        lowest = np.inf
        for r in range(n_candidates):
            score = 0.0
            for j in range(width):
                off = gap[j] + shown[r, i, j] - target[j]
                score += off * off
            if score < lowest:
                lowest = score
                best = r
        kept[i] = best
        for j in range(width):
            gap[j] += shown[best, i, j] - target[j]
    return kept
