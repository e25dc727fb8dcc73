"""Top-down greedy partition into groups of at least `m` records with narrow envelopes (after Xu et al. 2006).

The penalty of a group is |G| * sqrt(mean squared width of its envelope): the instant value loss of its members.

Which groups are near a record: exactly, or inside buckets where there are many.

The rule of diversity as the search on single records sees it: by how many members a subgroup fails it.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.neighbours import nearest_of
from sequester.primitives.sorting import usable


def greedy_partition(values: np.ndarray, m: int, ids: np.ndarray | None = None) -> np.ndarray:
    """Group number per record (in the order of `ids`, all records by default); every group has at least `m`.

    A group of fewer than 2m is kept. Otherwise two far-apart seeds are found (at most three rounds of "farthest from
    the other"), the other records join, in order, the side whose penalty grows less (ties: the first seed's side), and
    a side that stays below m pulls over the records that cost it least.
    """
    order = np.arange(len(values)) if ids is None else np.asarray(ids, dtype=np.int64)
    return _partition(np.ascontiguousarray(values, dtype=np.float64), order.astype(np.int64), m)


@kernel("float64[::1], float64[::1], const(float64[::1])")
def _grown(lo, hi, row):
    total = 0.0
    for j in range(len(lo)):
        width = max(hi[j], row[j]) - min(lo[j], row[j])
        total += width * width
    return math.sqrt(total)


@kernel("const(float64[:, ::1]), int64[::1], int64, int64, int64")
def _farthest(values, members, start, end, u):
    best = -1.0
    where = start
    for i in range(start, end):
        total = 0.0
        for j in range(values.shape[1]):
            gap = values[members[i], j] - values[u, j]
            total += gap * gap
        if total > best:
            best = total
            where = i
    return members[where]


@kernel("float64[::1], float64[::1], const(float64[::1])")
def _join(lo, hi, row):
    for j in range(len(lo)):
        lo[j] = min(lo[j], row[j])
        hi[j] = max(hi[j], row[j])


@kernel("const(float64[:, ::1]), int64[::1], int64")
def _partition(values, members, m):
    n = len(members)
    place = np.arange(n)  # position in the answer of every member, permuted with it
    members = members.copy()
    answer = np.zeros(n, dtype=np.int64)
    groups = 0
    starts = np.empty(n + 1, dtype=np.int64)
    ends = np.empty(n + 1, dtype=np.int64)
    depth = 0
    if n > 0:
        starts[0], ends[0] = 0, n
        depth = 1
    side = np.empty(n, dtype=np.uint8)
    while depth > 0:
        depth -= 1
        start, end = starts[depth], ends[depth]
        if end - start < 2 * m:
            for i in range(start, end):
                answer[place[i]] = groups
            groups += 1
            continue
        u = members[start]
        v = u
        for _ in range(3):
            v = _farthest(values, members, start, end, u)
            w = _farthest(values, members, start, end, v)
            if w == u:
                break
            u = w
        if u == v:  # all equal: any cut is as good
            v = members[start + 1] if u == members[start] else members[start]
        lo_u, hi_u = values[u].copy(), values[u].copy()
        lo_v, hi_v = values[v].copy(), values[v].copy()
        size_u, size_v = 1, 1
        width_u, width_v = 0.0, 0.0
        for i in range(start, end):
            r = members[i]
            if r == u:
                side[i] = 0
                continue
            if r == v:
                side[i] = 1
                continue
            new_u, new_v = _grown(lo_u, hi_u, values[r]), _grown(lo_v, hi_v, values[r])
            if (size_u + 1) * new_u - size_u * width_u <= (size_v + 1) * new_v - size_v * width_v:
                side[i] = 0
                _join(lo_u, hi_u, values[r])
                size_u += 1
                width_u = new_u
            else:
                side[i] = 1
                _join(lo_v, hi_v, values[r])
                size_v += 1
                width_v = new_v
        while size_u < m or size_v < m:  # only one can be short, because there are at least 2m
            poor = 0 if size_u < m else 1
            best = np.inf
            where = -1
            for i in range(start, end):
                if side[i] != poor:
                    if poor == 0:
                        grown = _grown(lo_u, hi_u, values[members[i]])
                    else:
                        grown = _grown(lo_v, hi_v, values[members[i]])
                    if grown < best:
                        best = grown
                        where = i
            side[where] = poor
            if poor == 0:
                _join(lo_u, hi_u, values[members[where]])
                size_u += 1
                size_v -= 1
            else:
                _join(lo_v, hi_v, values[members[where]])
                size_v += 1
                size_u -= 1
        # stable split in place
        kept_members = np.empty(end - start, dtype=np.int64)
        kept_place = np.empty(end - start, dtype=np.int64)
        a, b = 0, size_u
        for i in range(start, end):
            if side[i] == 0:
                kept_members[a] = members[i]
                kept_place[a] = place[i]
                a += 1
            else:
                kept_members[b] = members[i]
                kept_place[b] = place[i]
                b += 1
        for i in range(start, end):
            members[i] = kept_members[i - start]
            place[i] = kept_place[i - start]
        starts[depth], ends[depth] = start + size_u, end
        starts[depth + 1], ends[depth + 1] = start, start + size_u
        depth += 2
    return answer


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


class Diversity(NamedTuple):
    """Sensitive values and the rule they keep: in a subgroup, any window holds at most one in l of the known values."""

    values: np.ndarray
    """Columns x records; NaN is not known."""
    free: np.ndarray
    """Columns x records: known, and in no need of protection."""
    near: np.ndarray
    """Width of the window, per column; 0 for equal values."""
    l: int  # noqa: E741


DIVERSITY = Record(Diversity, "float64[:, ::1], boolean[:, ::1], float64[::1], int64")


def no_diversity(n: int) -> Diversity:
    """Nothing to keep."""
    return Diversity(np.zeros((0, n)), np.zeros((0, n), dtype=np.bool_), np.zeros(0), 1)


@kernel("Diversity, int64[::1], int64, int64[::1], int64, int64, int64, int64[::1]", Diversity=DIVERSITY)
def excess_of(rule, members, count, subgroup, s, without, extra, held):
    """By how much the members of a subgroup, less one, plus one, fail the rule; 0 if they keep it."""
    n = 0
    for m in range(count):
        if subgroup[members[m]] == s and members[m] != without:
            held[n] = members[m]
            n += 1
    if extra >= 0:
        held[n] = extra
        n += 1
    out = 0
    for c in range(len(rule.near)):
        known, worst = 0, 0
        for a in range(n):
            v = rule.values[c, held[a]]
            if v != v:
                continue
            known += 1
            if rule.free[c, held[a]]:
                continue
            here = 0
            for b in range(n):
                w = rule.values[c, held[b]]
                if w >= v and w <= v + rule.near[c] and not rule.free[c, held[b]]:
                    here += 1
            worst = max(worst, here)
        out += max(0, worst * rule.l - known)
    return out


@kernel("Diversity, int64, int64", Diversity=DIVERSITY)
def alike(rule, i, j):
    """Whether two records look the same to the rule."""
    for c in range(len(rule.near)):
        v, w = rule.values[c, i], rule.values[c, j]
        if (rule.free[c, i] and rule.free[c, j]) or (v != v and w != w):
            continue
        if v != w or rule.free[c, i] != rule.free[c, j]:
            return False
    return True
