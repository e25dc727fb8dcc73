"""Local search on records: move or swap single records between subgroups of different groups.

A record may enter a subgroup only if it has that subgroup's word under that subgroup's form, so every subgroup keeps
showing its members' own word. A subgroup keeps at least p members, a group at least k. A change is made if it lowers
(total value loss) + weight * (total pattern loss).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.neighbours import nearest_points

SWEEPS = 8
NEAR = 16
"""Nearest subgroups looked at, in all and again among those of the same word."""
LARGEST_CLASS = 4000


class Subgroups(NamedTuple):
    """What stays of every subgroup while records move."""

    form: np.ndarray
    word: np.ndarray
    group: np.ndarray
    near: np.ndarray
    """Subgroups to exchange with; -1 where there are fewer."""


class Goal(NamedTuple):
    """The least sizes of a subgroup and a group, and the price of a unit of pattern loss."""

    p: int
    k: int
    weight: float


GOAL = Record(Goal, "int64, int64, float64")
SUBGROUPS = Record(Subgroups, "int64[::1], int64[::1], int64[::1], int64[:, ::1]")


def exchange_records(
    values: np.ndarray,
    keys: np.ndarray,
    losses: np.ndarray,
    of: np.ndarray,
    form: np.ndarray,
    group: np.ndarray,
    *,
    p: int,
    k: int,
    weight: float,
) -> np.ndarray:
    """A subgroup number per record, better than or as good as `of`; `form` and `group` are per subgroup and stay.

    `values`, `keys`, `losses` and `weight` as in `kp_words.cover_by_words`.
    """
    n_subgroups = len(form)
    if n_subgroups < 2:
        return of
    order = np.argsort(of, kind="stable")
    starts = np.searchsorted(of[order], np.arange(n_subgroups + 1))
    word = keys[form, order[starts[:-1]]]
    lo = np.minimum.reduceat(values[order], starts[:-1])
    hi = np.maximum.reduceat(values[order], starts[:-1])
    near = _candidates((lo + hi) / 2, form, word)
    subgroups = Subgroups(form, word, group.astype(np.int64), near)
    return _exchange(np.ascontiguousarray(values), keys, losses, of.copy(), subgroups, Goal(p, k, float(weight)))


def _candidates(centre: np.ndarray, form: np.ndarray, word: np.ndarray) -> np.ndarray:
    """Per subgroup the nearest of all, then the nearest with the same word; -1 where there are fewer."""
    n = len(centre)
    near = np.full((n, 2 * NEAR), -1, dtype=np.int64)
    count = min(NEAR, n - 1)
    near[:, :count] = nearest_points(centre, count)
    same = np.unique(np.column_stack([form, word]), axis=0, return_inverse=True)[1].ravel()
    order = np.argsort(same, kind="stable")
    starts = np.searchsorted(same[order], np.arange(same.max() + 2))
    _nearest_of_class(centre, order, starts, near)
    return near


@kernel("float64[:, ::1], int64[::1], int64[::1], int64[:, ::1]")
def _nearest_of_class(centre, order, starts, near):
    """Full scan inside each class of equal words; classes beyond LARGEST_CLASS are left to the common neighbours."""
    distance = np.empty(NEAR)
    for c in range(len(starts) - 1):
        a, b = starts[c], starts[c + 1]
        if b - a > LARGEST_CLASS:
            continue
        for x in range(a, b):
            s = order[x]
            distance[:] = np.inf
            for y in range(a, b):
                if y == x:
                    continue
                total = 0.0
                for j in range(centre.shape[1]):
                    gap = centre[s, j] - centre[order[y], j]
                    total += gap * gap
                    if total >= distance[NEAR - 1]:
                        break
                if total >= distance[NEAR - 1]:
                    continue
                place = NEAR - 1
                while place > 0 and distance[place - 1] > total:
                    distance[place] = distance[place - 1]
                    near[s, NEAR + place] = near[s, NEAR + place - 1]
                    place -= 1
                distance[place] = total
                near[s, NEAR + place] = order[y]


@kernel("float64[::1], float64[::1]")
def _width(lo, hi):
    total = 0.0
    for j in range(len(lo)):
        total += (hi[j] - lo[j]) * (hi[j] - lo[j])
    return math.sqrt(total / len(lo))


@kernel("float64[::1], float64[::1], float64[::1]")
def _joined_width(lo, hi, row):
    total = 0.0
    for j in range(len(lo)):
        width = max(hi[j], row[j]) - min(lo[j], row[j])
        total += width * width
    return math.sqrt(total / len(lo))


@kernel("float64[:, ::1], int64[:, ::1], int64[::1], int64[::1], int64, int64, float64[::1], float64[::1]")
def _envelope(values, member, count, subgroups, n_subgroups, without, lo, hi):
    """Envelope of a group's records, less one of them (-1: none)."""
    for j in range(len(lo)):
        lo[j], hi[j] = np.inf, -np.inf
    for a in range(n_subgroups):
        s = subgroups[a]
        for b in range(count[s]):
            r = member[s, b]
            if r == without:
                continue
            for j in range(len(lo)):
                lo[j], hi[j] = min(lo[j], values[r, j]), max(hi[j], values[r, j])


@kernel("float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], Subgroups, Goal", Subgroups=SUBGROUPS, Goal=GOAL)
def _exchange(values, keys, losses, of, subgroups, goal):
    form, word, group, near = subgroups.form, subgroups.word, subgroups.group, subgroups.near
    p, k, weight = goal.p, goal.k, goal.weight
    n, d = values.shape
    n_subgroups = len(form)
    n_groups = group.max() + 1
    count = np.zeros(n_subgroups, dtype=np.int64)
    for r in range(n):
        count[of[r]] += 1
    room = 2 * count.max() + 4
    member = np.full((n_subgroups, room), -1, dtype=np.int64)
    count[:] = 0
    for r in range(n):
        member[of[r], count[of[r]]] = r
        count[of[r]] += 1
    per_group = np.zeros(n_groups, dtype=np.int64)
    for s in range(n_subgroups):
        per_group[group[s]] += 1
    parts = np.full((n_groups, per_group.max()), -1, dtype=np.int64)
    per_group[:] = 0
    size = np.zeros(n_groups, dtype=np.int64)
    for s in range(n_subgroups):
        parts[group[s], per_group[group[s]]] = s
        per_group[group[s]] += 1
        size[group[s]] += count[s]
    lo, hi = np.empty(d), np.empty(d)
    loss = np.zeros(n_groups)
    for g in range(n_groups):
        if per_group[g]:
            _envelope(values, member, count, parts[g], per_group[g], -1, lo, hi)
            loss[g] = size[g] * _width(lo, hi)
    g_lo, g_hi = np.empty((room, d)), np.empty((room, d))
    h_lo, h_hi = np.empty((room, d)), np.empty((room, d))
    for _ in range(SWEEPS):
        changed = 0
        for s in range(n_subgroups):
            g = group[s]
            for c in range(near.shape[1]):
                t = near[s, c]
                if t < 0 or group[t] == g:
                    continue
                h = group[t]
                may_go = False
                for a in range(count[s]):
                    if keys[form[t], member[s, a]] == word[t]:
                        may_go = True
                        _envelope(values, member, count, parts[g], per_group[g], member[s, a], g_lo[a], g_hi[a])
                if not may_go:
                    continue
                for b in range(count[t]):
                    if keys[form[s], member[t, b]] == word[s]:
                        _envelope(values, member, count, parts[h], per_group[h], member[t, b], h_lo[b], h_hi[b])
                _envelope(values, member, count, parts[h], per_group[h], -1, lo, hi)
                best = -1e-9 * max(1e-9, loss[g] + loss[h])
                one, other = -1, -1
                for a in range(count[s]):
                    r = member[s, a]
                    if keys[form[t], r] != word[t]:
                        continue
                    shape = weight * (losses[form[t], r] - losses[form[s], r])
                    if count[s] > p and size[g] > k and count[t] < room:
                        change = (size[g] - 1) * _width(g_lo[a], g_hi[a]) - loss[g] + shape
                        change += (size[h] + 1) * _joined_width(lo, hi, values[r]) - loss[h]
                        if change < best:
                            best, one, other = change, a, -1
                    for b in range(count[t]):
                        q = member[t, b]
                        if keys[form[s], q] != word[s]:
                            continue
                        change = size[g] * _joined_width(g_lo[a], g_hi[a], values[q]) - loss[g]
                        change += size[h] * _joined_width(h_lo[b], h_hi[b], values[r]) - loss[h]
                        change += shape + weight * (losses[form[s], q] - losses[form[t], q])
                        if change < best:
                            best, one, other = change, a, b
                if one < 0:
                    continue
                changed += 1
                r = member[s, one]
                if other < 0:
                    count[s] -= 1
                    member[s, one] = member[s, count[s]]
                    member[t, count[t]] = r
                    count[t] += 1
                    size[g] -= 1
                    size[h] += 1
                else:
                    q = member[t, other]
                    member[s, one], member[t, other] = q, r
                    of[q] = s
                of[r] = t
                for x in (g, h):
                    _envelope(values, member, count, parts[x], per_group[x], -1, lo, hi)
                    loss[x] = size[x] * _width(lo, hi)
        if changed == 0:
            break
    return of
