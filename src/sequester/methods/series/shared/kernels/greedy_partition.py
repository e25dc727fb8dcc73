"""Top-down greedy partition into groups of at least `m` records with narrow envelopes (after Xu et al. 2006).

The penalty of a group is |G| * sqrt(mean squared width of its envelope): the instant value loss of its members.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel


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
