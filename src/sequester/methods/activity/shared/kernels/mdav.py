"""MDAV: clusters of fixed size around the records farthest from the mean (Domingo-Ferrer and Torra 2005).

The distance is the sum over activities of (weighted) Euclidean norms; weights are multiplied into the features
before they come here. `mdav` finds the same partition as the plain scan with a fraction of the distances: distances
to one fixed pivot bound all others, because a sum of norms is a metric.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.sorting import order_of_reals

SLACK = 1e-9
"""Relative room for rounding in the bounds; equalities are visited."""


def mdav(features: np.ndarray, size: int, *, exhaustive: bool = False) -> np.ndarray:
    """Cluster label of every record; clusters hold `size` to `2 * size - 1` records.

    Pairs of clusters are taken while 2 * size records remain; a short rest joins the nearest cluster.

    Parameters
    ----------
    features
        Records x activities x windows.
    size
        Records per cluster. Fewer records than that form one cluster.
    exhaustive
        Scan all distances instead of pruning; the partition is the same.
    """
    x = padded(features)
    labels = np.empty(len(x), dtype=np.int64)
    mdav_into(x, size, exhaustive, labels)
    return labels


def padded(features: np.ndarray) -> np.ndarray:
    """The features with windows of zeros up to a multiple of four: distances stay, vectors fill."""
    n, n_activities, width = features.shape
    if width == 1:
        return np.ascontiguousarray(features, dtype=np.float64)
    out = np.zeros((n, n_activities, -(-width // 4) * 4))
    out[..., :width] = features
    return out


@kernel("float64[:, ::1], float64[:, ::1], float64")
def distance(x: np.ndarray, y: np.ndarray, limit: float) -> float:
    """Sum over activities of the Euclidean norm of the difference; infinite as soon as it exceeds `limit`.

    Four accumulators in a fixed order: as quick as a vector unit, and the same bits wherever it is called.
    """
    total = 0.0
    width = x.shape[1]
    even = width - width % 4
    for a in range(x.shape[0]):
        s0 = 0.0
        s1 = 0.0
        s2 = 0.0
        s3 = 0.0
        for j in range(0, even, 4):
            d0 = x[a, j] - y[a, j]
            d1 = x[a, j + 1] - y[a, j + 1]
            d2 = x[a, j + 2] - y[a, j + 2]
            d3 = x[a, j + 3] - y[a, j + 3]
            s0 += d0 * d0
            s1 += d1 * d1
            s2 += d2 * d2
            s3 += d3 * d3
        for j in range(even, width):
            d = x[a, j] - y[a, j]
            s0 += d * d
        total += math.sqrt((s0 + s1) + (s2 + s3))
        if total > limit:
            return math.inf
    return total


@kernel("float64[:, ::1], float64")
def _divided(total: np.ndarray, by: float) -> np.ndarray:
    """The quotient, in loops: an array expression takes seconds to compile."""
    out = np.empty(total.shape)
    for a in range(total.shape[0]):
        for j in range(total.shape[1]):
            out[a, j] = total[a, j] / by
    return out


@kernel("float64[:, ::1], float64[:, ::1]")
def _subtract(total: np.ndarray, row: np.ndarray) -> None:
    for a in range(total.shape[0]):
        for j in range(total.shape[1]):
            total[a, j] -= row[a, j]


@kernel("float64[:, :, ::1], float64[::1], float64[:, ::1], int64[::1]")
def _in_order(
    x: np.ndarray, negative: np.ndarray, totals: np.ndarray, ids: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Records, their distances to the pivot (given as negative numbers) and totals in the order of `ids`."""
    out, pivot, out_totals = np.empty(x.shape), np.empty(len(negative)), np.empty(totals.shape)
    for i in range(len(ids)):
        pivot[i] = -negative[ids[i]]
        for a in range(x.shape[1]):
            out_totals[i, a] = totals[ids[i], a]
            for j in range(x.shape[2]):
                out[i, a, j] = x[ids[i], a, j]
    return out, pivot, out_totals


@kernel("float64[::1], int64[::1], int64, float64, int64, int64[::1]")
def _offer(best_d: np.ndarray, best_i: np.ndarray, held: int, d: float, i: int, ids: np.ndarray) -> int:
    """Insert (d, i) into an ascending list of the nearest; ties go to the smaller id."""
    room = len(best_d)
    if held == room and (d > best_d[held - 1] or (d == best_d[held - 1] and ids[i] > ids[best_i[held - 1]])):
        return held
    at = held if held < room else room - 1
    while at > 0 and (best_d[at - 1] > d or (best_d[at - 1] == d and ids[best_i[at - 1]] > ids[i])):
        best_d[at] = best_d[at - 1]
        best_i[at] = best_i[at - 1]
        at -= 1
    best_d[at] = d
    best_i[at] = i
    return min(held + 1, room)


@kernel("int64, int64[::1], int64[::1]")
def _unlink(i: int, after: np.ndarray, before: np.ndarray) -> None:
    after[before[i]] = after[i]
    before[after[i]] = before[i]


@kernel("float64[:, :, ::1], int64[::1], float64[:, ::1], float64, float64[::1], int64[::1], int64, boolean")
def _farthest(
    x: np.ndarray,
    ids: np.ndarray,
    target: np.ndarray,
    reach: float,
    pivot: np.ndarray,
    after: np.ndarray,
    skip: int,
    prune: bool,
) -> int:
    """The record farthest from `target`, which lies `reach` from the pivot; ties to the smaller id."""
    end = len(x)
    best = -1.0
    who = -1
    i = after[end]
    while i != end:
        if prune and pivot[i] + reach < best * (1 - SLACK):
            break  # the list is in order of decreasing distance to the pivot: nobody later can be farther
        if i != skip:
            d = distance(x[i], target, math.inf)
            if d > best or (d == best and ids[i] < ids[who]):
                best = d
                who = i
        i = after[i]
    return who


class Ring(NamedTuple):
    """Records in order of decreasing distance to a pivot, linked both ways; those in a cluster are unlinked."""

    x: np.ndarray
    ids: np.ndarray
    pivot: np.ndarray
    """Distance to the pivot."""
    totals: np.ndarray
    after: np.ndarray
    before: np.ndarray


RING = Record(Ring, "float64[:, :, ::1], int64[::1], float64[::1], float64[:, ::1], int64[::1], int64[::1]")


@kernel("Ring, int64, int64, float64[::1], int64[::1], boolean", Ring=RING)
def _nearest(ring: Ring, centre: int, skip: int, best_d: np.ndarray, best_i: np.ndarray, prune: bool) -> int:
    """Fill the list of records nearest to `centre`, walking outwards in order of distance to the pivot."""
    x, ids, pivot, totals, after, before = ring.x, ring.ids, ring.pivot, ring.totals, ring.after, ring.before
    end = len(x)
    held = 0
    room = len(best_d)
    root = math.sqrt(x.shape[2])
    up = before[centre]
    down = after[centre]
    while up != end or down != end:
        gap_up = pivot[up] - pivot[centre] if up != end else np.inf
        gap_down = pivot[centre] - pivot[down] if down != end else np.inf
        if gap_up <= gap_down:
            i = up
            gap = gap_up
            up = before[up]
        else:
            i = down
            gap = gap_down
            down = after[down]
        if i == skip:
            continue
        limit = math.inf
        if prune and held == room:
            limit = best_d[room - 1] * (1 + SLACK) + SLACK
            if gap > limit:
                break
            low = 0.0
            for a in range(totals.shape[1]):
                low += abs(totals[i, a] - totals[centre, a])
            if low > limit * root:  # Cauchy-Schwarz: a norm over J windows is at least |sum| / sqrt(J)
                continue
        d = distance(x[i], x[centre], limit)
        if d < math.inf:
            held = _offer(best_d, best_i, held, d, i, ids)
    return held


@kernel("float64[:, :, ::1], int64, boolean, int64[::1]")
def mdav_into(x: np.ndarray, size: int, exhaustive: bool, labels: np.ndarray) -> int:
    """MDAV into `labels`; returns the number of clusters."""
    n, n_activities, width = x.shape
    if n == 0:
        return 0
    if n < 2 * size:
        labels[:] = 0
        return 1
    total = np.zeros((n_activities, width))
    totals = np.zeros((n, n_activities))
    for i in range(n):
        for a in range(n_activities):
            for j in range(width):
                total[a, j] += x[i, a, j]
                totals[i, a] += x[i, a, j]
    first_mean = _divided(total, n)
    pivot = np.empty(n)
    for i in range(n):
        pivot[i] = distance(x[i], first_mean, math.inf)
    # In order of decreasing distance to the pivot, so that walking the list also walks through memory.
    for i in range(n):
        pivot[i] = -pivot[i]
    ids = order_of_reals(pivot)
    x, pivot, totals = _in_order(x, pivot, totals, ids)
    after = np.arange(1, n + 2)  # a ring with n as its seam
    before = np.arange(-1, n)
    after[n] = 0
    before[0] = n
    ring = Ring(x, ids, pivot, totals, after, before)
    prune = not exhaustive
    best_d = np.empty(max(size - 1, 0))
    best_i = np.empty(max(size - 1, 0), np.int64)
    left = n
    n_clusters = 0
    while left >= 2 * size:
        mean = _divided(total, left)
        r = _farthest(x, ids, mean, distance(mean, first_mean, math.inf), pivot, after, -1, prune)
        s = _farthest(x, ids, x[r], pivot[r], pivot, after, r, prune)
        for centre, skip in ((r, s), (s, -1)):
            held = _nearest(ring, centre, skip, best_d, best_i, prune) if size > 1 else 0
            labels[ids[centre]] = n_clusters
            _subtract(total, x[centre])
            _unlink(centre, after, before)
            for h in range(held):
                labels[ids[best_i[h]]] = n_clusters
                _subtract(total, x[best_i[h]])
                _unlink(best_i[h], after, before)
            left -= held + 1
            n_clusters += 1
    if left >= size:
        for i in _rest(after):
            labels[ids[i]] = n_clusters
        return n_clusters + 1
    if left > 0:
        into = _closest_cluster(x, labels, ids, after, n_clusters, _divided(total, left))
        for i in _rest(after):
            labels[ids[i]] = into
    return n_clusters


@kernel("int64[::1]")
def _rest(after: np.ndarray) -> list:
    """Records not yet in a cluster."""
    seam = len(after) - 1
    out = []
    i = after[seam]
    while i != seam:
        out.append(i)
        i = after[i]
    return out


@kernel("float64[:, :, ::1], int64[::1], int64[::1], int64[::1], int64, float64[:, ::1]")
def _closest_cluster(
    x: np.ndarray, labels: np.ndarray, ids: np.ndarray, after: np.ndarray, n_clusters: int, mean: np.ndarray
) -> int:
    """The finished cluster whose centroid is nearest to the mean of the rest; ties to the earlier one."""
    n = len(x)
    open_ = np.zeros(n, np.bool_)
    for i in _rest(after):
        open_[i] = True
    sums = np.zeros((n_clusters, x.shape[1], x.shape[2]))
    members = np.zeros(n_clusters)
    for i in range(n):
        if not open_[i]:
            c = labels[ids[i]]
            for a in range(x.shape[1]):
                for j in range(x.shape[2]):
                    sums[c, a, j] += x[i, a, j]
            members[c] += 1
    best = np.inf
    into = 0
    for c in range(n_clusters):
        d = distance(_divided(sums[c], members[c]), mean, math.inf)
        if d < best:
            best = d
            into = c
    return into
