"""Local search on groups of subgroups: splits, moves and swaps that lower the total value loss and keep every size.

Subgroups are never broken, so whatever their members share stays shared. A move leaves the donor with at least k
records (or empty), a swap leaves both sides with at least k, a split makes two sides of at least k.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.neighbours import nearest_points
from sequester.primitives.sorting import order_of_reals

NEIGHBOURS = 48
SWEEPS = 6


def refine_groups(
    lo: np.ndarray, hi: np.ndarray, size: np.ndarray, group: np.ndarray, k: int, *, sweeps: int = SWEEPS
) -> np.ndarray:
    """A group number per subgroup with total value loss at most that of `group`; all groups keep at least `k`."""
    n = len(size)
    if n < 2 or group.max() < 0:
        return group
    near = nearest_points((lo + hi) / 2, min(NEIGHBOURS, n - 1))
    refined = _refine(lo, hi, size.astype(np.int64), group.astype(np.int64), k, near, sweeps)
    return np.unique(refined, return_inverse=True)[1]


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[:, ::1], int64[::1], int64, int64, int64")
def _loss(lo, hi, size, members, count, g, without, extra):
    """Value loss of the subgroups of group `g`, less `without`, plus `extra` (-1: none)."""
    d = lo.shape[1]
    n = 0
    for i in range(count[g]):
        if members[g, i] != without:
            n += size[members[g, i]]
    if extra >= 0:
        n += size[extra]
    if n == 0:
        return 0.0
    total = 0.0
    for j in range(d):
        low, high = np.inf, -np.inf
        for i in range(count[g]):
            s = members[g, i]
            if s != without:
                low, high = min(low, lo[s, j]), max(high, hi[s, j])
        if extra >= 0:
            low, high = min(low, lo[extra, j]), max(high, hi[extra, j])
        total += (high - low) * (high - low)
    return n * math.sqrt(total / d)


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64, uint8[::1], int64")
def _side_loss(lo, hi, size, members, count, mask, wanted):
    d = lo.shape[1]
    n = 0
    low = np.full(d, np.inf)
    high = np.full(d, -np.inf)
    for i in range(count):
        if mask[i] == wanted:
            s = members[i]
            n += size[s]
            for j in range(d):
                low[j], high[j] = min(low[j], lo[s, j]), max(high[j], hi[s, j])
    if n == 0:
        return 0, 0.0
    total = 0.0
    for j in range(d):
        total += (high[j] - low[j]) ** 2
    return n, n * math.sqrt(total / d)


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64, int64, uint8[::1]")
def _best_split(lo, hi, size, members, count, k, mask):
    """Fill `mask` with the best cut into two sides of at least k; returns its loss (inf if there is none).

    Up to ten subgroups every cut is tried; beyond that, cuts between centres along each time.
    """
    best = np.inf
    trial = np.zeros(count, dtype=np.uint8)
    if count <= 10:
        for bits in range(1, 1 << (count - 1)):
            for i in range(count):
                trial[i] = (bits >> i) & 1
            n, loss = _side_loss(lo, hi, size, members, count, trial, 1)
            if n < k or loss >= best:
                continue
            m, other = _side_loss(lo, hi, size, members, count, trial, 0)
            if m >= k and loss + other < best:
                best = loss + other
                for i in range(count):
                    mask[i] = trial[i]
        return best
    centre = np.empty(count)
    for j in range(lo.shape[1]):
        for i in range(count):
            centre[i] = lo[members[i], j] + hi[members[i], j]
        order = order_of_reals(centre)
        for i in range(count):
            trial[i] = 0
        for cut in range(count - 1):
            trial[order[cut]] = 1
            n, loss = _side_loss(lo, hi, size, members, count, trial, 1)
            if n < k or loss >= best:
                continue
            m, other = _side_loss(lo, hi, size, members, count, trial, 0)
            if m >= k and loss + other < best:
                best = loss + other
                for i in range(count):
                    mask[i] = trial[i]
    return best


@kernel("int64[::1], int64, int64, int64")
def _replace(members, count, old, new):
    for i in range(count):
        if members[i] == old:
            members[i] = new
            return


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64, int64[:, ::1], int64")
def _refine(lo, hi, size, group, k, near, sweeps):
    n = len(size)
    n_groups = 0
    for s in range(n):  # a loop, because `max` of an array takes the compiler a second
        n_groups = max(n_groups, group[s] + 1)
    most = n_groups + n  # splits can only make as many groups as there are subgroups
    count = np.zeros(most, dtype=np.int64)
    for s in range(n):
        count[group[s]] += 1
    room = 32
    for g in range(n_groups):
        room = max(room, 2 * count[g])
    members = np.empty((most, room), dtype=np.int64)
    total = np.zeros(most, dtype=np.int64)
    for g in range(most):
        count[g] = 0
    for s in range(n):
        g = group[s]
        members[g, count[g]] = s
        count[g] += 1
        total[g] += size[s]
    loss = np.zeros(most)
    for g in range(n_groups):
        loss[g] = _loss(lo, hi, size, members, count, g, -1, -1)
    mask = np.zeros(room, dtype=np.uint8)
    seen = np.full(most, -1, dtype=np.int64)
    for sweep in range(sweeps):
        changed = 0
        for g in range(n_groups):
            if total[g] >= 2 * k and n_groups < most:
                best = _best_split(lo, hi, size, members[g], count[g], k, mask)
                if best < loss[g] * (1 - 1e-12):
                    new = n_groups
                    n_groups += 1
                    n_old = count[g]
                    count[g], total[g] = 0, 0
                    for i in range(n_old):  # what stays moves forward, over members that were read before
                        s = members[g, i]
                        h = new if mask[i] == 1 else g
                        members[h, count[h]] = s
                        count[h] += 1
                        total[h] += size[s]
                        group[s] = h
                    loss[g] = _loss(lo, hi, size, members, count, g, -1, -1)
                    loss[new] = _loss(lo, hi, size, members, count, new, -1, -1)
                    changed += 1
        for s in range(n):
            g = group[s]
            best = -1e-12 * max(1.0, loss[g])
            into, against = -1, -1
            may_leave = total[g] - size[s] >= k or count[g] == 1
            without = _loss(lo, hi, size, members, count, g, s, -1)
            stamp = sweep * n + s
            seen[g] = stamp
            for i in range(near.shape[1]):
                if near[s, i] < 0:
                    continue
                h = group[near[s, i]]
                if seen[h] == stamp:
                    continue
                seen[h] = stamp
                if may_leave and count[h] < room:
                    change = without + _loss(lo, hi, size, members, count, h, -1, s) - loss[g] - loss[h]
                    if change < best:
                        best, into, against = change, h, -1
                for m in range(count[h]):
                    t = members[h, m]
                    if total[g] - size[s] + size[t] < k or total[h] - size[t] + size[s] < k:
                        continue
                    here = _loss(lo, hi, size, members, count, g, s, t)
                    if here - loss[g] - loss[h] >= best:
                        continue
                    change = here + _loss(lo, hi, size, members, count, h, t, s) - loss[g] - loss[h]
                    if change < best:
                        best, into, against = change, h, t
            if into < 0:
                continue
            changed += 1
            if against < 0:
                _replace(members[g], count[g], s, members[g, count[g] - 1])
                count[g] -= 1
                members[into, count[into]] = s
                count[into] += 1
                total[g] -= size[s]
                total[into] += size[s]
            else:
                _replace(members[g], count[g], s, against)
                _replace(members[into], count[into], against, s)
                total[g] += size[against] - size[s]
                total[into] += size[s] - size[against]
                group[against] = g
            group[s] = into
            loss[g] = _loss(lo, hi, size, members, count, g, -1, -1)
            loss[into] = _loss(lo, hi, size, members, count, into, -1, -1)
        if changed == 0:
            break
    return group
