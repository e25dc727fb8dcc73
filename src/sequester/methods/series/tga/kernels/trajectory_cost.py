"""Grouping by the log cost of equally stamped trajectories (after Nergiz, Atzori and Saygin).

The cost of a generalised group is minus the log-probability that uniform draws from its boxes return the originals: a
point costs (members) * ln(width in cells), an exact one nothing.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel


def group_by_log_cost(cells: np.ndarray, k: int, order: np.ndarray, *, fast: bool) -> np.ndarray:
    """Groups of at least `k` equally stamped series, given as whole cell numbers (records x times).

    In the given order, an unused series starts a group. `fast` takes its k-1 cheapest partners at once; otherwise the
    cheapest partner of the growing box is added k-1 times. Fewer than k are left at the end: each joins the group whose
    cost grows least.
    """
    return _group(np.ascontiguousarray(cells, dtype=np.int64), k, order.astype(np.int64), fast)


@kernel("int64[::1], int64[::1], int64[::1]")
def _log_widths(lo, hi, row):
    total = 0.0
    product = 1.0
    for j in range(len(lo)):
        product *= max(hi[j], row[j]) - min(lo[j], row[j]) + 1
        if product > 1e250:
            total += math.log(product)
            product = 1.0
    return total + math.log(product)


@kernel("int64[::1], int64[::1], int64[::1]")
def _widen(lo, hi, row):
    """Let a box take in a row."""
    for j in range(len(row)):
        lo[j] = min(lo[j], row[j])
        hi[j] = max(hi[j], row[j])


@kernel("int64[:, ::1], int64, int64[::1], boolean")
def _group(cells, k, order, fast):
    n = len(cells)
    group = np.full(n, -1, dtype=np.int64)
    cost = np.empty(n)
    left = n
    groups = 0
    pointer = 0
    while left >= k:
        while group[order[pointer]] >= 0:
            pointer += 1
        seed = order[pointer]
        group[seed] = groups
        lo, hi = cells[seed].copy(), cells[seed].copy()
        for step in range(k - 1):
            best = -1
            for r in range(n):
                if group[r] >= 0:
                    continue
                if not fast or step == 0:
                    cost[r] = _log_widths(lo, hi, cells[r])
                if best < 0 or cost[r] < cost[best]:
                    best = r
            group[best] = groups
            if not fast:
                _widen(lo, hi, cells[best])
        groups += 1
        left -= k
    if groups == 0 or left == 0:
        return group
    lo = np.empty((groups, cells.shape[1]), dtype=np.int64)
    hi = np.empty((groups, cells.shape[1]), dtype=np.int64)
    size = np.zeros(groups, dtype=np.int64)
    for r in range(n):
        g = group[r]
        if g >= 0:
            if size[g] == 0:
                for j in range(cells.shape[1]):
                    lo[g, j] = hi[g, j] = cells[r, j]
            _widen(lo[g], hi[g], cells[r])
            size[g] += 1
    for r in range(n):
        if group[r] >= 0:
            continue
        least, chosen = np.inf, 0
        for g in range(groups):
            rise = (size[g] + 1) * _log_widths(lo[g], hi[g], cells[r]) - size[g] * _log_widths(lo[g], hi[g], lo[g])
            if rise < least:
                least, chosen = rise, g
        group[r] = chosen
        _widen(lo[chosen], hi[chosen], cells[r])
        size[chosen] += 1
    return group
