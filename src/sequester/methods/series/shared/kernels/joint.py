"""Local search on single records: who shares a range with whom, and who shares a pattern, by both losses at once.

A grouping costs

    sum over groups    size * (root mean squared width of the envelope) / scale
  + weight * sum over subgroups (size - |sum of shapes| / sqrt(f))

The second term is the pattern loss itself: if shapes are normalised rows of f numbers, the correlations of a subgroup's
members with their mean shape add up to |sum of shapes| / sqrt(f). Two records of different subgroups may change places
(every size stays), a record may move where both sizes allow it. Each is done when it lowers the cost. An envelope
without one of its members is known in O(d), because the two lowest and the two highest values are kept at every time.

With sensitive values, a subgroup's *excess* is by how many members it fails the rule of diversity; a change may never
raise the excess of the two subgroups together, and one that lowers it is worth any loss.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.methods.series.shared.kernels.exchange import GOAL, Goal
from sequester.methods.series.shared.kernels.greedy_partition import (
    DIVERSITY,
    Diversity,
    alike,
    by_place,
    excess_of,
    near_groups,
    no_diversity,
)
from sequester.primitives.compiled import kernel

SWEEPS = 8
HEAVY = 1e6
"""Price of one unit of excess."""
RECORDS = {"Diversity": DIVERSITY, "Goal": GOAL}


def improve(
    values: np.ndarray, shapes: np.ndarray, group: np.ndarray, subgroup: np.ndarray, k: int, p: int, *,
    weight: float, rule: Diversity | None = None, sweeps: int = SWEEPS,
) -> tuple[np.ndarray, np.ndarray]:  # fmt: skip
    """Group and subgroup per record with at most the cost of those given; sizes stay at least `k` and `p`.

    Parameters
    ----------
    values : records x times, in units of their range.
    shapes : records x numbers, rows of length sqrt(width) or zero.
    group, subgroup : numbered from 0 without gaps; a subgroup lies inside one group.
    weight : price of a unit of pattern loss; 0 leaves shapes out of account.
    """
    group, subgroup = group.astype(np.int64).copy(), subgroup.astype(np.int64).copy()
    if group.max() < 1 and subgroup.max() < 1:
        return group, subgroup
    rule = rule or no_diversity(len(values))
    at = by_place(values)  # visited in the order of space, what is near in value is near in memory
    values, shapes, group, subgroup = values[at], shapes[at], _numbered(group[at]), _numbered(subgroup[at])
    rule = rule._replace(values=np.ascontiguousarray(rule.values[:, at]), free=np.ascontiguousarray(rule.free[:, at]))
    near = near_groups(values, group)
    _improve(
        np.ascontiguousarray(values, dtype=np.float64), np.ascontiguousarray(shapes, dtype=np.float64), group, subgroup,
        np.ascontiguousarray(near), Goal(p, k, float(weight)), rule, sweeps,
    )  # fmt: skip
    back = np.argsort(at, kind="stable")
    return group[back], subgroup[back]


def _numbered(labels: np.ndarray) -> np.ndarray:
    """The same labels, numbered by first appearance, so that groups lie in memory in the order of their records."""
    _, first, inverse = np.unique(labels, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first, kind="stable"), kind="stable")[inverse]


def total_cost(values: np.ndarray, shapes: np.ndarray, group: np.ndarray, subgroup: np.ndarray, weight: float) -> float:
    """The cost that `improve` lowers, recomputed from scratch."""
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.diff(group[order], prepend=-1))
    width = np.maximum.reduceat(values[order], starts) - np.minimum.reduceat(values[order], starts)
    cost = float((np.bincount(group) * np.sqrt((width * width).mean(axis=1))).sum())
    sums = np.zeros((int(subgroup.max()) + 1, shapes.shape[1]))
    np.add.at(sums, subgroup, shapes)
    lost = len(values) - np.sqrt((sums * sums).sum(axis=1)).sum() / math.sqrt(shapes.shape[1])
    return cost + weight * float(lost)


@kernel("float64[:, ::1], int64[::1], int64, float64[:, :, ::1], int64")
def _extremes(values, members, count, ends, g):
    for j in range(values.shape[1]):
        a, a2, b, b2 = np.inf, np.inf, -np.inf, -np.inf
        for m in range(count):
            v = values[members[m], j]
            if v < a:
                a, a2 = v, a
            elif v < a2:
                a2 = v
            if v > b:
                b, b2 = v, b
            elif v > b2:
                b2 = v
        ends[0, g, j], ends[1, g, j], ends[2, g, j], ends[3, g, j] = a, a2, b, b2


@kernel("float64[:, ::1], float64[:, :, ::1], int64, int64, int64")
def _width(values, ends, g, without, extra):
    """Root mean squared width of a group less one record, plus one (-1: none)."""
    total = 0.0
    d = values.shape[1]
    for j in range(d):
        low, high = ends[0, g, j], ends[2, g, j]
        if without >= 0:
            v = values[without, j]
            if v == low:
                low = ends[1, g, j]
            if v == high:
                high = ends[3, g, j]
        if extra >= 0:
            v = values[extra, j]
            if v < low:
                low = v
            if v > high:
                high = v
        total += (high - low) * (high - low)
    return math.sqrt(total / d)


@kernel("float64[:, ::1], float64[:, :, ::1], int64, int64, int64, float64")
def _swapped(values, ends, g, without, extra, limit):
    """As `_width`, but infinite once it is known to exceed `limit`."""
    if limit <= 0.0:
        return np.inf
    total, d = 0.0, values.shape[1]
    most = limit * limit * d
    for j in range(d):
        low, high = ends[0, g, j], ends[2, g, j]
        v = values[without, j]
        if v == low:
            low = ends[1, g, j]
        if v == high:
            high = ends[3, g, j]
        v = values[extra, j]
        if v < low:
            low = v
        if v > high:
            high = v
        total += (high - low) * (high - low)
        if total > most:
            return np.inf
    return math.sqrt(total / d)


@kernel("float64[:, ::1], int64, float64[:, ::1], int64, int64")
def _length(sums, s, shapes, without, extra):
    """Length of a sum of shapes less one, plus one (-1: none)."""
    square = 0.0
    for j in range(sums.shape[1]):
        v = sums[s, j]
        if without >= 0:
            v -= shapes[without, j]
        if extra >= 0:
            v += shapes[extra, j]
        square += v * v
    return math.sqrt(square)


@kernel("float64[:, ::1], int64, float64[:, ::1], int64, float64")
def _add(sums, s, shapes, i, sign):
    """Add a shape to a sum, or take it away. A loop, because an array at a time takes the compiler seconds."""
    for j in range(sums.shape[1]):
        sums[s, j] += sign * shapes[i, j]


@kernel("float64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64[:, ::1], Goal, Diversity, int64", **RECORDS)
def _improve(values, shapes, group, subgroup, near, wanted, rule, sweeps):
    k, p, weight = wanted.k, wanted.p, wanted.weight
    n, d = values.shape
    n_groups, n_subgroups = 0, 0
    for i in range(n):  # loops here too, see `_add`
        n_groups, n_subgroups = max(n_groups, group[i] + 1), max(n_subgroups, subgroup[i] + 1)
    root = math.sqrt(shapes.shape[1])
    many = len(rule.near) > 0
    count = np.zeros(n_groups, dtype=np.int64)
    for i in range(n):
        count[group[i]] += 1
    room = 0
    for g in range(n_groups):
        room = max(room, count[g])
    room += max(8, k)
    members = np.empty((n_groups, room), dtype=np.int64)
    count = np.zeros(n_groups, dtype=np.int64)
    sums = np.zeros((n_subgroups, shapes.shape[1]))
    in_subgroup = np.zeros(n_subgroups, dtype=np.int64)
    for i in range(n):
        members[group[i], count[group[i]]] = i
        count[group[i]] += 1
        _add(sums, subgroup[i], shapes, i, 1.0)
        in_subgroup[subgroup[i]] += 1
    ends = np.empty((4, n_groups, d))  # of every group and time: lowest, second lowest, highest, second highest
    width = np.empty(n_groups)
    alone = np.zeros(n)  # what a group would gain, at most, without this member
    rest = np.zeros(n)  # length of the subgroup's sum without this member
    own = np.zeros(n)  # length of the member's shape
    length = np.zeros(n_subgroups)
    excess = np.zeros(n_subgroups, dtype=np.int64)
    held = np.empty(room + 1, dtype=np.int64)
    for i in range(n):
        own[i] = _length(shapes, i, shapes, -1, -1)
    for g in range(n_groups):
        _extremes(values, members[g], count[g], ends, g)
        width[g] = _width(values, ends, g, -1, -1)
    for s in range(n_subgroups):
        length[s] = _length(sums, s, shapes, -1, -1)
    for i in range(n):
        g, s = group[i], subgroup[i]
        alone[i] = count[g] * (width[g] - _width(values, ends, g, i, -1))
        rest[i] = _length(sums, s, shapes, i, -1)
        if many and excess[s] == 0:
            excess[s] = excess_of(rule, members[g], count[g], subgroup, s, -1, -1, held)
    changed = np.zeros(n_groups, dtype=np.int64)  # when a group last changed
    looked = np.full(n, -1, dtype=np.int64)  # when a record was last looked at
    stamp = np.full(n_groups, -1, dtype=np.int64)
    tried = np.full(n_subgroups, -1, dtype=np.int64)
    now, look = 1, 0
    for _ in range(sweeps):
        done = 0
        for i in range(n):
            g, s = group[i], subgroup[i]
            fresh = changed[g] > looked[i]
            for e in range(near.shape[1]):
                if near[i, e] >= 0 and changed[near[i, e]] > looked[i]:
                    fresh = True
                    break
            if looked[i] >= 0 and not fresh:
                continue
            looked[i] = now
            look += 1
            best = -1e-9 * max(1e-9, width[g] * count[g] + weight)
            best_h, best_j, best_t = -1, -1, -1
            may_leave = count[g] > k and in_subgroup[s] > p
            leaves_s = weight * (length[s] - rest[i]) / root  # rise of the subgroup's loss beyond the smaller size
            left_width = 0.0
            if may_leave:
                left_width = (count[g] - 1) * _width(values, ends, g, i, -1) - count[g] * width[g]
            stamp[g] = look
            for e in range(-1, near.shape[1]):
                h = g if e < 0 else near[i, e]
                if h < 0 or (e >= 0 and stamp[h] == look):
                    continue
                stamp[h] = look
                for m in range(count[h]):
                    j = members[h, m]
                    t = subgroup[j]
                    if t == s:
                        continue
                    troubled = many and excess[s] + excess[t] > 0
                    goal = HEAVY if troubled else best  # where diversity fails, any loss may be worth it
                    least = weight * (length[s] - rest[i] - own[j] + length[t] - rest[j] - own[i]) / root
                    change = 0.0
                    if h == g:
                        if least >= goal:
                            continue
                    else:
                        if least - alone[i] - alone[j] >= goal:
                            continue
                        limit = width[g] + (goal - least + alone[j]) / count[g]
                        here = _swapped(values, ends, g, i, j, limit)
                        if here == np.inf:
                            continue
                        change = count[g] * (here - width[g])
                        limit = width[h] + (goal - least - change) / count[h]
                        there = _swapped(values, ends, h, j, i, limit)
                        if there == np.inf:
                            continue
                        change += count[h] * (there - width[h])
                    if weight > 0:
                        change += weight * (length[s] - _length(sums, s, shapes, i, j)) / root
                        change += weight * (length[t] - _length(sums, t, shapes, j, i)) / root
                    if not troubled and change >= best:
                        continue
                    if many and not alike(rule, i, j):
                        after = excess_of(rule, members[g], count[g], subgroup, s, i, j, held)
                        after += excess_of(rule, members[h], count[h], subgroup, t, j, i, held)
                        change += HEAVY * (after - excess[s] - excess[t])
                    if change < best:
                        best, best_h, best_j, best_t = change, h, j, t
                if in_subgroup[s] <= p or (h != g and (not may_leave or count[h] >= room)):
                    continue
                grown = 0.0
                if h != g:
                    grown = (count[h] + 1) * _width(values, ends, h, -1, i) - count[h] * width[h]
                    grown += left_width
                for m in range(count[h]):
                    t = subgroup[members[h, m]]
                    if t == s or tried[t] == look:
                        continue
                    tried[t] = look
                    change = grown
                    if weight > 0:
                        change += leaves_s + weight * (length[t] - _length(sums, t, shapes, -1, i)) / root
                    troubled = many and excess[s] + excess[t] > 0
                    if not troubled and change >= best:
                        continue
                    if many:
                        after = excess_of(rule, members[g], count[g], subgroup, s, i, -1, held)
                        after += excess_of(rule, members[h], count[h], subgroup, t, -1, i, held)
                        change += HEAVY * (after - excess[s] - excess[t])
                    if change < best:
                        best, best_h, best_j, best_t = change, h, -1, t
            if best_h < 0:
                continue
            h, j, t = best_h, best_j, best_t
            done, now = done + 1, now + 1
            _add(sums, s, shapes, i, -1.0)
            _add(sums, t, shapes, i, 1.0)
            subgroup[i] = t
            if j >= 0:
                _add(sums, t, shapes, j, -1.0)
                _add(sums, s, shapes, j, 1.0)
                subgroup[j] = s
            else:
                in_subgroup[s] -= 1
                in_subgroup[t] += 1
            if h != g:
                at = 0
                while members[g, at] != i:
                    at += 1
                if j >= 0:
                    to = 0
                    while members[h, to] != j:
                        to += 1
                    members[g, at], members[h, to] = j, i
                    group[j] = g
                else:
                    members[g, at] = members[g, count[g] - 1]
                    count[g] -= 1
                    members[h, count[h]] = i
                    count[h] += 1
                group[i] = h
            for q in (g, h):
                changed[q] = now
                if h != g:
                    _extremes(values, members[q], count[q], ends, q)
                    width[q] = _width(values, ends, q, -1, -1)
            for q in (s, t):
                length[q] = _length(sums, q, shapes, -1, -1)
                if many:
                    at = g if q == s else h
                    excess[q] = excess_of(rule, members[at], count[at], subgroup, q, -1, -1, held)
            for q in (g, h):
                for m in range(count[q]):
                    a = members[q, m]
                    if h != g:
                        alone[a] = count[q] * (width[q] - _width(values, ends, q, a, -1))
                    if weight > 0 and (subgroup[a] == s or subgroup[a] == t):
                        rest[a] = _length(sums, subgroup[a], shapes, a, -1)
        if done == 0:
            break
