"""The rule of diversity as the search on single records sees it: by how many members a subgroup fails it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel


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
