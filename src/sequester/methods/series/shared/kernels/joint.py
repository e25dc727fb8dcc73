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
from typing import NamedTuple

import numpy as np

from sequester.methods.series.shared.kernels.envelopes import add, extremes, length_of, swapped, width_of
from sequester.methods.series.shared.kernels.greedy_partition import (
    DIVERSITY,
    Diversity,
    alike,
    by_place,
    excess_of,
    near_groups,
    no_diversity,
)
from sequester.primitives.compiled import Record, kernel

SWEEPS = 8
HEAVY = 1e6
"""Price of one unit of excess."""


class Goal(NamedTuple):
    """The least sizes of a subgroup and a group, and the price of a unit of pattern loss."""

    p: int
    k: int
    weight: float


class Panel(NamedTuple):
    """Records x times in units of their range, and records x numbers of their shapes."""

    values: np.ndarray
    shapes: np.ndarray


class Search(NamedTuple):
    """Who is where, and what it costs; everything below `members` follows from the first two."""

    group: np.ndarray
    subgroup: np.ndarray
    members: np.ndarray
    """Groups x places; as many places as a group may have members."""
    in_group: np.ndarray
    in_subgroup: np.ndarray
    sums: np.ndarray
    """Subgroups x numbers: sums of shapes."""
    ends: np.ndarray
    """Of every group and time: lowest, second lowest, highest, second highest."""
    width: np.ndarray
    alone: np.ndarray
    """What a group would gain, at most, without this member."""
    rest: np.ndarray
    """Length of the subgroup's sum without this member."""
    own: np.ndarray
    """Length of the member's shape."""
    length: np.ndarray
    excess: np.ndarray
    held: np.ndarray
    """Space to count in."""


class Marks(NamedTuple):
    """When a group last changed and a record was last looked at; which groups and subgroups this look has tried."""

    changed: np.ndarray
    looked: np.ndarray
    stamp: np.ndarray
    tried: np.ndarray


RECORDS = {
    "Diversity": DIVERSITY,
    "Goal": Record(Goal, "int64, int64, float64"),
    "Panel": Record(Panel, "float64[:, ::1], float64[:, ::1]"),
    "Search": Record(
        Search,
        "int64[::1], int64[::1], int64[:, ::1], int64[::1], int64[::1], float64[:, ::1], float64[:, :, ::1], "
        "float64[::1], float64[::1], float64[::1], float64[::1], float64[::1], int64[::1], int64[::1]",
    ),
    "Marks": Record(Marks, "int64[::1], int64[::1], int64[::1], int64[::1]"),
}


def begun(panel: Panel, group: np.ndarray, subgroup: np.ndarray, wanted: Goal, rule: Diversity) -> Search:
    """A search that begins with these groups and subgroups, which it will change."""
    n, n_groups, n_subgroups = len(group), int(group.max()) + 1, int(subgroup.max()) + 1
    places = int(np.bincount(group).max()) + max(8, wanted.k)
    search = Search(
        group, subgroup, np.empty((n_groups, places), np.int64), np.zeros(n_groups, np.int64),
        np.zeros(n_subgroups, np.int64), np.zeros((n_subgroups, panel.shapes.shape[1])),
        np.empty((4, n_groups, panel.values.shape[1])), np.empty(n_groups), np.zeros(n), np.zeros(n), np.zeros(n),
        np.zeros(n_subgroups), np.zeros(n_subgroups, np.int64), np.empty(places + 1, np.int64),
    )  # fmt: skip
    _begin(panel, search, wanted, rule)
    return search


def searched(search: Search, panel: Panel, near: np.ndarray, wanted: Goal, rule: Diversity, sweeps: int) -> None:
    """Change a search's groups and subgroups for the better."""
    n_groups = len(search.in_group)
    marks = Marks(
        np.zeros(n_groups, np.int64), np.full(len(search.group), -1), np.full(n_groups, -1),
        np.full(len(search.length), -1),
    )  # fmt: skip
    _improve(panel, search, wanted, rule, near, marks, sweeps)


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
    panel = Panel(np.ascontiguousarray(values, dtype=np.float64), np.ascontiguousarray(shapes, dtype=np.float64))
    goal = Goal(p, k, float(weight))
    searched(begun(panel, group, subgroup, goal, rule), panel, np.ascontiguousarray(near), goal, rule, sweeps)
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


@kernel("Panel, Search, Goal, Diversity", **RECORDS)
def _begin(panel, search, wanted, rule):
    """Fill in who is where, and what everything costs."""
    values, shapes = panel.values, panel.shapes
    group, subgroup, count = search.group, search.subgroup, search.in_group
    for i in range(len(values)):  # loops here too, see `add`
        search.members[group[i], count[group[i]]] = i
        count[group[i]] += 1
        add(search.sums, subgroup[i], shapes, i, 1.0)
        search.in_subgroup[subgroup[i]] += 1
        search.own[i] = length_of(shapes, i, shapes, -1, -1)
    for g in range(len(count)):
        extremes(values, search.members[g], count[g], search.ends, g)
        search.width[g] = width_of(values, search.ends, g, -1, -1)
    for s in range(len(search.length)):
        search.length[s] = length_of(search.sums, s, shapes, -1, -1)
    for i in range(len(values)):
        g, s = group[i], subgroup[i]
        search.alone[i] = count[g] * (search.width[g] - width_of(values, search.ends, g, i, -1))
        search.rest[i] = length_of(search.sums, s, shapes, i, -1)
        if len(rule.near) > 0 and search.excess[s] == 0:
            search.excess[s] = excess_of(rule, search.members[g], count[g], subgroup, s, -1, -1, search.held)


@kernel("Panel, Search, Goal, Diversity, int64, int64, float64", **RECORDS)
def _swap(panel, search, wanted, rule, i, j, best):
    """By how much the cost changes if two records change places; infinite once that is known to be no less than `best`.

    A bound comes first: how much shapes can win at most, and envelopes without one of their members.
    """
    weight, root = wanted.weight, math.sqrt(panel.shapes.shape[1])
    g, s, h, t = search.group[i], search.subgroup[i], search.group[j], search.subgroup[j]
    count, wide, long, rest, own = search.in_group, search.width, search.length, search.rest, search.own
    troubled = len(rule.near) > 0 and search.excess[s] + search.excess[t] > 0
    goal = HEAVY if troubled else best  # where diversity fails, any loss may be worth it
    least = weight * (long[s] - rest[i] - own[j] + long[t] - rest[j] - own[i]) / root
    change = 0.0
    if h == g:
        if least >= goal:
            return np.inf
    else:
        if least - search.alone[i] - search.alone[j] >= goal:
            return np.inf
        limit = wide[g] + (goal - least + search.alone[j]) / count[g]
        here = swapped(panel.values, search.ends, g, i, j, limit)
        if here == np.inf:
            return np.inf
        change = count[g] * (here - wide[g])
        limit = wide[h] + (goal - least - change) / count[h]
        there = swapped(panel.values, search.ends, h, j, i, limit)
        if there == np.inf:
            return np.inf
        change += count[h] * (there - wide[h])
    if weight > 0:
        change += weight * (long[s] - length_of(search.sums, s, panel.shapes, i, j)) / root
        change += weight * (long[t] - length_of(search.sums, t, panel.shapes, j, i)) / root
    if not troubled and change >= best:
        return np.inf
    if len(rule.near) > 0 and not alike(rule, i, j):
        change += HEAVY * _worse(search, rule, i, g, s, j, h, t)
    return change


@kernel("Panel, Search, Goal, Diversity, int64, int64, float64, float64", **RECORDS)
def _move(panel, search, wanted, rule, i, j, grown, best):
    """By how much the cost changes if i joins the subgroup of j; `grown` is what envelopes gain by it."""
    h, t = search.group[j], search.subgroup[j]
    weight, root = wanted.weight, math.sqrt(panel.shapes.shape[1])
    g, s, long = search.group[i], search.subgroup[i], search.length
    change = grown
    if weight > 0:
        change += weight * (long[s] - search.rest[i]) / root  # beyond the smaller size
        change += weight * (long[t] - length_of(search.sums, t, panel.shapes, -1, i)) / root
    troubled = len(rule.near) > 0 and search.excess[s] + search.excess[t] > 0
    if not troubled and change >= best:
        return np.inf
    if len(rule.near) > 0:
        change += HEAVY * _worse(search, rule, i, g, s, -1, h, t)
    return change


@kernel("Search, Diversity, int64, int64, int64, int64, int64, int64", **RECORDS)
def _worse(search, rule, i, g, s, j, h, t):
    """By how many members more two subgroups fail the rule if i of s changes places with j of t (-1: nobody)."""
    after = excess_of(rule, search.members[g], search.in_group[g], search.subgroup, s, i, j, search.held)
    after += excess_of(rule, search.members[h], search.in_group[h], search.subgroup, t, j, i, search.held)
    return after - search.excess[s] - search.excess[t]


@kernel("Panel, Search, Goal, Diversity, int64[:, ::1], Marks, int64, int64", **RECORDS)
def _best(panel, search, wanted, rule, near, marks, look, i):
    """The change of one record that lowers the cost most: group, record to change places with (-1: none) and subgroup.

    The group is -1 where nothing lowers it. With `look`, the number of this look, those that were tried are marked.
    """
    group, subgroup, members, count, wide = search.group, search.subgroup, search.members, search.in_group, search.width
    g, s = group[i], subgroup[i]
    best = -1e-9 * max(1e-9, wide[g] * count[g] + wanted.weight)
    best_h, best_j, best_t = -1, -1, -1
    may_leave = count[g] > wanted.k and search.in_subgroup[s] > wanted.p
    left_width = 0.0
    if may_leave:
        left_width = (count[g] - 1) * width_of(panel.values, search.ends, g, i, -1) - count[g] * wide[g]
    marks.stamp[g] = look
    for e in range(-1, near.shape[1]):
        h = g if e < 0 else near[i, e]
        if h < 0 or (e >= 0 and marks.stamp[h] == look):
            continue
        marks.stamp[h] = look
        for m in range(count[h]):
            j = members[h, m]
            if subgroup[j] != s:
                change = _swap(panel, search, wanted, rule, i, j, best)
                if change < best:
                    best, best_h, best_j, best_t = change, h, j, subgroup[j]
        if search.in_subgroup[s] <= wanted.p or (h != g and (not may_leave or count[h] >= members.shape[1])):
            continue
        grown = 0.0
        if h != g:
            grown = (count[h] + 1) * width_of(panel.values, search.ends, h, -1, i) - count[h] * wide[h]
            grown += left_width
        for m in range(count[h]):
            j = members[h, m]
            t = subgroup[j]
            if t == s or marks.tried[t] == look:
                continue
            marks.tried[t] = look
            change = _move(panel, search, wanted, rule, i, j, grown, best)
            if change < best:
                best, best_h, best_j, best_t = change, h, -1, t
    return best_h, best_j, best_t


@kernel("Search, int64, int64, int64", **RECORDS)
def _regroup(search, i, h, j):
    """Record i goes to group h, and j, if anybody, comes in its place."""
    members, count, g = search.members, search.in_group, search.group[i]
    at = 0
    while members[g, at] != i:
        at += 1
    if j >= 0:
        to = 0
        while members[h, to] != j:
            to += 1
        members[g, at], members[h, to] = j, i
        search.group[j] = g
    else:
        members[g, at] = members[g, count[g] - 1]
        count[g] -= 1
        members[h, count[h]] = i
        count[h] += 1
    search.group[i] = h


@kernel("Panel, Search, Goal, Diversity, int64, int64, int64, int64", **RECORDS)
def _carry_out(panel, search, wanted, rule, i, h, j, t):
    """Record i goes to subgroup t of group h, j (-1: nobody) comes in its place; what follows from it is renewed."""
    values, shapes, subgroup, members, count = (
        panel.values,
        panel.shapes,
        search.subgroup,
        search.members,
        search.in_group,
    )
    g, s = search.group[i], subgroup[i]
    add(search.sums, s, shapes, i, -1.0)
    add(search.sums, t, shapes, i, 1.0)
    subgroup[i] = t
    if j >= 0:
        add(search.sums, t, shapes, j, -1.0)
        add(search.sums, s, shapes, j, 1.0)
        subgroup[j] = s
    else:
        search.in_subgroup[s] -= 1
        search.in_subgroup[t] += 1
    if h != g:
        _regroup(search, i, h, j)
        for q in (g, h):
            extremes(values, members[q], count[q], search.ends, q)
            search.width[q] = width_of(values, search.ends, q, -1, -1)
    for q in (s, t):
        search.length[q] = length_of(search.sums, q, shapes, -1, -1)
        if len(rule.near) > 0:
            at = g if q == s else h
            search.excess[q] = excess_of(rule, members[at], count[at], subgroup, q, -1, -1, search.held)
    for q in (g, h):
        for m in range(count[q]):
            a = members[q, m]
            if h != g:
                search.alone[a] = count[q] * (search.width[q] - width_of(values, search.ends, q, a, -1))
            if wanted.weight > 0 and (subgroup[a] == s or subgroup[a] == t):
                search.rest[a] = length_of(search.sums, subgroup[a], shapes, a, -1)


@kernel("int64[::1], int64[:, ::1], int64, int64, int64")
def _changed_since(changed, near, i, g, when):
    """Whether a record's group, or one near it, changed since it was last looked at."""
    fresh = changed[g] > when
    for e in range(near.shape[1]):
        if near[i, e] >= 0 and changed[near[i, e]] > when:
            fresh = True
            break
    return fresh


@kernel("Panel, Search, Goal, Diversity, int64[:, ::1], Marks, int64", **RECORDS)
def _improve(panel, search, wanted, rule, near, marks, sweeps):
    """Look at record after record, and do what lowers the cost most, until a whole round changes nothing."""
    now, look = 1, 0
    for _ in range(sweeps):
        done = 0
        for i in range(len(panel.values)):
            g = search.group[i]
            if marks.looked[i] >= 0 and not _changed_since(marks.changed, near, i, g, marks.looked[i]):
                continue
            marks.looked[i] = now
            look += 1
            h, j, t = _best(panel, search, wanted, rule, near, marks, look, i)
            if h < 0:
                continue
            done, now = done + 1, now + 1
            _carry_out(panel, search, wanted, rule, i, h, j, t)
            marks.changed[g] = now
            marks.changed[h] = now
        if done == 0:
            break
