"""Group formation of (k,P)-anonymity (Shou et al. 2013, Algorithm 3): from subgroups to groups of at least k records.

Finding the subgroup whose addition leaves the smallest value loss is a scan over all that are left, so the paper's
cost is quadratic. A kd-tree over box centres with an exact lower bound gives the same groups, bit for bit:

    every s in a node has hi_j >= minhi_j, lo_j <= maxlo_j and size >= minsize, hence
    VL(G u s)^2 * d >= (|G| + minsize)^2 * sum_j max(0, max(G.hi_j, minhi_j) - min(G.lo_j, maxlo_j))^2

A node is skipped only when its bound, lessened by 1e-10 for rounding, exceeds the best value so far; equal values are
still visited, so the smallest number wins as in the scan.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.kdtree import LEAF, TREE, build

SCAN_BELOW = 2000
"""With fewer subgroups the plain scan is as fast."""


def boxes(values: np.ndarray, group: np.ndarray, n_groups: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Tight envelope (lo, hi) and size of every group of records."""
    return _boxes(np.ascontiguousarray(values, dtype=np.float64), group.astype(np.int64), n_groups)


def widths(lo: np.ndarray, hi: np.ndarray) -> np.ndarray:
    """Root mean squared width of every box: the value loss of one member."""
    return np.sqrt(((hi - lo) ** 2).mean(axis=1))


def by_value_loss(lo: np.ndarray, hi: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Subgroups from the least value loss up: the paper's order of starting a group."""
    return np.argsort(size * widths(lo, hi), kind="stable")


def by_distance(lo: np.ndarray, hi: np.ndarray, size: np.ndarray) -> np.ndarray:
    """Subgroups from the farthest from the common mean inwards: outliers choose first."""
    middle = (lo + hi) / 2
    gap = middle - np.average(middle, axis=0, weights=size)
    return np.argsort(-(gap * gap).sum(axis=1), kind="stable")


def form_groups(
    lo: np.ndarray, hi: np.ndarray, size: np.ndarray, k: int, *, order: np.ndarray, scan: bool | None = None
) -> np.ndarray:
    """Group number per subgroup; every group holds at least `k` records. -1 everywhere if there are fewer than k.

    A subgroup of at least k is a group. Then, in the given order, a subgroup starts a group and takes the subgroup
    that leaves the least value loss until k are reached; what is left joins the group whose loss grows least.
    """
    lo, hi = np.ascontiguousarray(lo, dtype=np.float64), np.ascontiguousarray(hi, dtype=np.float64)
    size, order = size.astype(np.int64), order.astype(np.int64)
    if scan is None:
        scan = len(size) < SCAN_BELOW
    group, alive, n_groups = _form(lo, hi, size, k, order) if scan else _form_by_tree(lo, hi, size, k, order)
    return _place_leftovers(lo, hi, size, group, alive, n_groups)


@kernel("const(float64[:, ::1]), int64[::1], int64")
def _boxes(values, group, n_groups):
    d = values.shape[1]
    lo = np.full((n_groups, d), np.inf)
    hi = np.full((n_groups, d), -np.inf)
    size = np.zeros(n_groups, dtype=np.int64)
    for i in range(len(values)):
        g = group[i]
        if g < 0:
            continue
        size[g] += 1
        for j in range(d):
            lo[g, j] = min(lo[g, j], values[i, j])
            hi[g, j] = max(hi[g, j], values[i, j])
    return lo, hi, size


@kernel("float64[::1], float64[::1], int64, float64[::1], float64[::1], int64, float64")
def _joined(glo, ghi, gsize, lo, hi, size, limit):
    """VL(G u s)^2 * d, or anything above `limit` once it is passed."""
    factor = float(gsize + size) * float(gsize + size)
    total = 0.0
    for j in range(len(glo)):
        width = max(ghi[j], hi[j]) - min(glo[j], lo[j])
        total += width * width
        if factor * total > limit:
            return factor * total
    return factor * total


@kernel("float64[::1], float64[::1], float64[::1], float64[::1]")
def _absorb(glo, ghi, lo, hi):
    for j in range(len(glo)):
        glo[j] = min(glo[j], lo[j])
        ghi[j] = max(ghi[j], hi[j])


@kernel("int64[::1], int64, int64[::1], boolean[::1]")
def _whole_groups(size, k, group, alive):
    n_groups = 0
    left = 0
    for s in range(len(size)):
        if size[s] >= k:
            group[s] = n_groups
            alive[s] = False
            n_groups += 1
        else:
            left += size[s]
    return n_groups, left


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64, int64[::1]")
def _form(lo, hi, size, k, order):
    n = len(size)
    group = np.full(n, -1, dtype=np.int64)
    alive = np.ones(n, dtype=np.bool_)
    n_groups, left = _whole_groups(size, k, group, alive)
    living = np.flatnonzero(alive)  # compacted as it empties: a scan then touches few dead entries
    n_living = len(living)
    n_dead = 0
    pointer = 0
    while left >= k:
        while not alive[order[pointer]]:
            pointer += 1
        s = order[pointer]
        glo, ghi, gsize = lo[s].copy(), hi[s].copy(), size[s]
        alive[s] = False
        n_dead += 1
        group[s] = n_groups
        while gsize < k:
            best = np.inf
            chosen = -1
            for i in range(n_living):
                t = living[i]
                if alive[t]:
                    value = _joined(glo, ghi, gsize, lo[t], hi[t], size[t], best)
                    if value < best:
                        best = value
                        chosen = t
            _absorb(glo, ghi, lo[chosen], hi[chosen])
            gsize += size[chosen]
            alive[chosen] = False
            n_dead += 1
            group[chosen] = n_groups
        left -= gsize
        n_groups += 1
        if 2 * n_dead > n_living:
            kept = 0
            for i in range(n_living):
                if alive[living[i]]:
                    living[kept] = living[i]
                    kept += 1
            n_living, n_dead = kept, 0
    return group, alive, n_groups


@kernel("float64[::1], float64[::1], int64, float64[::1], float64[::1], int64, float64")
def _bound(glo, ghi, gsize, maxlo, minhi, minsize, limit):
    factor = float(gsize + minsize) * float(gsize + minsize) * (1.0 - 1e-10)
    total = 0.0
    for j in range(len(glo)):
        width = max(ghi[j], minhi[j]) - min(glo[j], maxlo[j])
        if width > 0.0:
            total += width * width
            if factor * total > limit:
                return factor * total
    return factor * total


class Leaves(NamedTuple):
    """Subgroups in the order the leaves visit them, so that a leaf is one stretch of memory."""

    box: np.ndarray
    """Rows (lo, hi, size)."""
    items: np.ndarray
    """The number of each row's subgroup."""
    alive: np.ndarray
    place: np.ndarray
    """Per subgroup its row, or -1."""


RECORDS = {"Tree": TREE, "Leaves": Record(Leaves, "float64[:, ::1], int64[::1], boolean[::1], int64[::1]")}


@kernel("float64[::1], float64[::1], int64, Leaves, Tree, int64[::1], float64[::1]", **RECORDS)
def _nearest(glo, ghi, gsize, leaves, tree, stack, bounds):
    """The subgroup whose addition leaves the least loss; `stack` and `bounds` are room for the walk."""
    box, items, alive, living, child = leaves.box, leaves.items, leaves.alive, tree.living, tree.child
    d = len(glo)
    best = np.inf
    chosen = np.int64(-1)
    stack[0] = 0
    bounds[0] = 0.0
    depth = 1
    while depth > 0:
        depth -= 1
        node = stack[depth]
        if bounds[depth] > best or living[node] == 0:
            continue
        if child[node] < 0:
            for i in range(tree.start[node], tree.end[node]):
                if not alive[i]:
                    continue
                row = box[i]
                size = gsize + row[2 * d]
                factor = size * size
                total = 0.0
                for j in range(d):
                    width = max(ghi[j], row[d + j]) - min(glo[j], row[j])
                    total += width * width
                    if factor * total > best:
                        break
                value = factor * total
                if value < best or (value == best and items[i] < chosen):
                    best = value
                    chosen = items[i]
            continue
        left, right = child[node], child[node] + 1
        near = np.inf
        far = np.inf
        if living[left] > 0:
            near = _bound(glo, ghi, gsize, tree.maxlo[left], tree.minhi[left], tree.minsize[left], best)
        if living[right] > 0:
            far = _bound(glo, ghi, gsize, tree.maxlo[right], tree.minhi[right], tree.minsize[right], best)
        if far < near:
            left, right = right, left
            near, far = far, near
        if far <= best and far < np.inf:
            stack[depth], bounds[depth] = right, far
            depth += 1
        if near <= best and near < np.inf:
            stack[depth], bounds[depth] = left, near
            depth += 1
    return chosen


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1]")
def _in_tree_order(lo, hi, size, items):
    d = lo.shape[1]
    box = np.empty((len(items), 2 * d + 1))
    place = np.full(len(lo), -1, dtype=np.int64)
    for i in range(len(items)):
        for j in range(d):
            box[i, j] = lo[items[i], j]
            box[i, d + j] = hi[items[i], j]
        box[i, 2 * d] = size[items[i]]
        place[items[i]] = i
    return Leaves(box, items, np.ones(len(items), dtype=np.bool_), place)


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64, int64[::1]")
def _form_by_tree(lo, hi, size, k, order):
    n = len(size)
    group = np.full(n, -1, dtype=np.int64)
    alive = np.ones(n, dtype=np.bool_)
    n_groups, left = _whole_groups(size, k, group, alive)
    items = np.flatnonzero(alive)
    tree = build(lo, hi, size, items, LEAF)
    leaves = _in_tree_order(lo, hi, size, items)
    stack = np.empty(256, dtype=np.int64)
    bounds = np.empty(256)
    at_build, removed = len(items), 0
    pointer = 0
    while left >= k:
        while not alive[order[pointer]]:
            pointer += 1
        s = order[pointer]
        glo, ghi, gsize = lo[s].copy(), hi[s].copy(), np.int64(0)
        while True:
            _absorb(glo, ghi, lo[s], hi[s])
            gsize += size[s]
            alive[s] = False
            leaves.alive[leaves.place[s]] = False
            group[s] = n_groups
            removed += 1
            node = tree.home[s]
            while node >= 0:
                tree.living[node] -= 1
                node = tree.parent[node]
            if gsize >= k:
                break
            s = _nearest(glo, ghi, gsize, leaves, tree, stack, bounds)
        left -= gsize
        n_groups += 1
        if 2 * removed > at_build and at_build > 4 * LEAF:
            items = np.flatnonzero(alive)
            tree = build(lo, hi, size, items, LEAF)
            leaves = _in_tree_order(lo, hi, size, items)
            at_build, removed = len(items), 0
    return group, alive, n_groups


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], boolean[::1], int64")
def _place_leftovers(lo, hi, size, group, alive, n_groups):
    if n_groups == 0:
        return group
    d = lo.shape[1]
    glo = np.full((n_groups, d), np.inf)
    ghi = np.full((n_groups, d), -np.inf)
    gsize = np.zeros(n_groups, dtype=np.int64)
    for s in range(len(size)):
        if group[s] >= 0:
            _absorb(glo[group[s]], ghi[group[s]], lo[s], hi[s])
            gsize[group[s]] += size[s]
    for s in range(len(size)):
        if group[s] >= 0:
            continue
        best = np.inf
        chosen = 0
        for g in range(n_groups):
            now = 0.0
            for j in range(d):
                now += (ghi[g, j] - glo[g, j]) ** 2
            grown = _joined(glo[g], ghi[g], gsize[g], lo[s], hi[s], size[s], np.inf)
            rise = math.sqrt(grown) - gsize[g] * math.sqrt(now)
            if rise < best:
                best = rise
                chosen = g
        group[s] = chosen
        _absorb(glo[chosen], ghi[chosen], lo[s], hi[s])
        gsize[chosen] += size[s]
    return group
