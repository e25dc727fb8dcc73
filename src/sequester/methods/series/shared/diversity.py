"""l-diversity without one false value: who is grouped with whom, and, as a last resort, what is not shown.

The rule for a set of records and a sensitive column: a protected value (for numbers: a window of a stated width) is
held by at most one in l of the members whose value is known. A union of sets that keep the rule keeps it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sequester.errors import InputError
from sequester.methods.series.shared.kernels.greedy_partition import DIVERSITY, Diversity
from sequester.primitives.compiled import kernel


def rule_of(
    sensitive: Mapping[str, np.ndarray],
    l: int,  # noqa: E741
    harmless: Sequence[str],
    near: Mapping[str, float],
) -> Diversity:
    """Sensitive columns as numbers: missing is NaN, equal text is an equal number, -0.0 is 0.0."""
    n = len(next(iter(sensitive.values()))) if sensitive else 0
    values, free = np.full((len(sensitive), n), np.nan), np.zeros((len(sensitive), n), dtype=np.bool_)
    for c, (name, column) in enumerate(sensitive.items()):
        if column.dtype == object:
            known = np.array([v is not None for v in column], dtype=bool)
            if known.any():
                found, codes = np.unique(column[known].astype(str), return_inverse=True)
                values[c, known] = codes
                open_to_all = {*harmless, *(h.removeprefix(f"{name}=") for h in harmless)}
                free[c, known] = np.array([t in open_to_all for t in found], dtype=bool)[codes]
        else:
            values[c] = column + 0.0  # -0.0 + 0.0 is 0.0
    widths = np.array([near.get(name, near.get("", 0.0)) for name in sensitive])
    return Diversity(values, free, widths, l)


def worst_windows(subgroup: np.ndarray, rule: Diversity) -> tuple[np.ndarray, np.ndarray]:
    """Per column and subgroup: the most protected values in one window, and how many values are known."""
    n = int(subgroup.max()) + 1
    most, known = np.zeros((len(rule.near), n), dtype=np.int64), np.zeros((len(rule.near), n), dtype=np.int64)
    for c, width in enumerate(rule.near):
        there = ~np.isnan(rule.values[c])
        known[c] = np.bincount(subgroup[there], minlength=n)
        rows = np.flatnonzero(there & ~rule.free[c])
        order = rows[np.lexsort((rule.values[c, rows], subgroup[rows]))]
        _windows(rule.values[c][order], subgroup[order], float(width), most[c])
    return most, known


def failing(subgroup: np.ndarray, rule: Diversity) -> np.ndarray:
    """Columns x records: whether the record's subgroup fails the rule."""
    most, known = worst_windows(subgroup, rule)
    return (most * rule.l > known)[:, subgroup]


def require_eligible(sensitive: Mapping[str, np.ndarray], rule: Diversity) -> None:
    """Refuse data in which no grouping at all can keep the rule."""
    most, known = worst_windows(np.zeros(rule.values.shape[1], dtype=np.int64), rule)
    for c, name in enumerate(sensitive):
        if most[c, 0] * rule.l <= known[c, 0]:
            continue
        share = most[c, 0] / known[c, 0]
        if sensitive[name].dtype == object:
            what, way = "the most frequent value", "Name that value as harmless (‹harmless=›), lower l"
        else:
            what = f"one window of width {rule.near[c]:g}" if rule.near[c] else "the most frequent number"
            way = "Lower l" + (", make the window narrower (‹near=›)" if rule.near[c] else "")
        raise InputError(
            f"Kapra: {what} of the sensitive column '{name}' is held by {share:.0%} of those with a value; with "
            f"l={rule.l} at most {1 / rule.l:.0%} may, so no grouping can hide it. {way}, or leave the column out."
        )


def merged(shapes: np.ndarray, group: np.ndarray, subgroup: np.ndarray, rule: Diversity) -> np.ndarray:
    """Subgroups that fail the rule join others of their group, cheapest first, until all pass or one is left."""
    bad = failing(subgroup, rule).any(axis=0)
    if not bad.any():
        return subgroup
    out = subgroup.copy()
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(int(group.max()) + 2))
    for g in np.unique(group[bad]):
        rows = order[starts[g] : starts[g + 1]]
        parts = [rows[out[rows] == s] for s in np.unique(out[rows])]
        while len(parts) > 1:
            fails = [s for s, part in enumerate(parts) if not _keeps(part, rule)]
            if not fails:
                break
            best = None
            for s in fails:
                for t in range(len(parts)):
                    if t != s:
                        both = np.concatenate([parts[s], parts[t]])
                        cost = _loss(shapes, both) - _loss(shapes, parts[s]) - _loss(shapes, parts[t])
                        score = (not _keeps(both, rule), cost)
                        if best is None or score < best[0]:
                            best = (score, s, t, both)
            assert best is not None
            _, s, t, both = best
            parts = [part for q, part in enumerate(parts) if q not in (s, t)] + [both]
        for part in parts:
            out[part] = out[part[0]]
    return np.unique(out, return_inverse=True)[1]


def bundles(unit: np.ndarray, rule: Diversity) -> np.ndarray | None:
    """A bundle per record, each of which keeps the rule; None where the search finds no such bundles.

    A record with a protected value is tied to its l - 1 nearest records that share no protected value with it or with
    each other; the most frequent value chooses first. A record that finds too few joins a bundle where it does no harm.
    """
    need, rank = _in_need(rule)
    first = np.argsort(-rank, kind="stable")
    first = first[need[first]]
    out = _tie(np.ascontiguousarray(unit), rule, first)
    return None if out[0] == -2 else np.unique(out, return_inverse=True)[1]


def _in_need(rule: Diversity) -> tuple[np.ndarray, np.ndarray]:
    """Which records hold a protected value, and how frequent the most frequent of theirs is."""
    n = rule.values.shape[1]
    need, rank = np.zeros(n, dtype=bool), np.zeros(n, dtype=np.int64)
    for c in range(len(rule.near)):
        mine = ~np.isnan(rule.values[c]) & ~rule.free[c]
        need |= mine
        if mine.any():
            _, which, count = np.unique(rule.values[c, mine], return_inverse=True, return_counts=True)
            rank[mine] = np.maximum(rank[mine], count[which])
    return need, rank


def withheld_cells(cells: np.ndarray, rule: Diversity, rng: np.random.Generator) -> np.ndarray:
    """Columns x records: values not shown. Whole cells that fail the rule, and others with them as cover.

    What is withheld would otherwise be known to be the protected value, so cells drawn at random join until all that
    is withheld keeps the rule together. A record in no cell (-1) is not released at all.
    """
    out = np.zeros(rule.values.shape, dtype=bool)
    kept = cells >= 0
    if not kept.any():
        return out
    shown = part_of(rule, kept)
    hidden = failing(cells[kept], shown)
    for c in range(len(rule.near)):
        alone = Diversity(shown.values[c : c + 1], shown.free[c : c + 1], shown.near[c : c + 1], shown.l)
        for cell in rng.permutation(np.unique(cells[kept][~hidden[c]])):
            if not hidden[c].any() or _keeps(np.flatnonzero(hidden[c]), alone):
                break
            hidden[c] |= cells[kept] == cell
    out[:, kept] = hidden & ~np.isnan(shown.values)
    return out


def part_of(rule: Diversity, rows: np.ndarray) -> Diversity:
    """The rule for some of the records."""
    return Diversity(
        np.ascontiguousarray(rule.values[:, rows]), np.ascontiguousarray(rule.free[:, rows]), rule.near, rule.l
    )


def _keeps(rows: np.ndarray, rule: Diversity) -> bool:
    most, known = worst_windows(np.zeros(len(rows), dtype=np.int64), part_of(rule, rows))
    return bool((most * rule.l <= known).all())


def _loss(shapes: np.ndarray, rows: np.ndarray) -> float:
    return len(rows) - float(np.sqrt((shapes[rows].sum(axis=0) ** 2).sum() / shapes.shape[1]))


@kernel("float64[::1], int64[::1], float64, int64[::1]")
def _windows(values, subgroup, width, most):
    """Values in the order of subgroup and size: the fullest window of every subgroup."""
    start = 0
    for i in range(len(values)):
        if i > 0 and subgroup[i] != subgroup[i - 1]:
            start = i
        while values[i] - values[start] > width:
            start += 1
        most[subgroup[i]] = max(most[subgroup[i]], i - start + 1)


@kernel("Diversity, int64, int64", Diversity=DIVERSITY)
def _clash(rule, a, b):
    """Whether two records hold protected values of one window, or one has no value to hide the other's among."""
    for c in range(len(rule.near)):
        v, w = rule.values[c, a], rule.values[c, b]
        a_needs = v == v and not rule.free[c, a]
        b_needs = w == w and not rule.free[c, b]
        if (a_needs and w != w) or (b_needs and v != v):
            return True
        if a_needs and b_needs and abs(v - w) <= rule.near[c]:
            return True
    return False


@kernel("float64[:, ::1], Diversity, int64[::1]", Diversity=DIVERSITY)
def _tie(unit, rule, first):
    n, d = unit.shape
    bundle = np.full(n, -1, dtype=np.int64)
    inside = np.empty(rule.l, dtype=np.int64)
    n_bundles = 0
    late = np.empty(n, dtype=np.int64)
    n_late = 0
    middle = np.empty(d)
    for i in first:
        if bundle[i] >= 0:
            continue
        inside[0] = i
        size = 1
        for j in range(d):
            middle[j] = unit[i, j]
        while size < rule.l:
            best, chosen = np.inf, -1
            for r in range(n):
                if bundle[r] >= 0:
                    continue
                total = 0.0
                for j in range(d):
                    gap = unit[r, j] - middle[j]
                    total += gap * gap
                    if total >= best:
                        break
                if total >= best:
                    continue
                fits = True
                for m in range(size):
                    if inside[m] == r or _clash(rule, inside[m], r):
                        fits = False
                        break
                if fits:
                    best, chosen = total, r
            if chosen < 0:
                break
            inside[size] = chosen
            size += 1
            for j in range(d):
                middle[j] += (unit[chosen, j] - middle[j]) / size
        if size < rule.l:
            late[n_late] = i
            n_late += 1
            continue
        for m in range(size):
            bundle[inside[m]] = n_bundles
        n_bundles += 1
    for q in range(n_late):
        i = late[q]
        if bundle[i] >= 0:
            continue
        barred = np.zeros(n_bundles, dtype=np.bool_)
        for r in range(n):
            if bundle[r] >= 0 and _clash(rule, i, r):
                barred[bundle[r]] = True
        best, chosen = np.inf, -1
        for r in range(n):
            if bundle[r] >= 0 and not barred[bundle[r]]:
                total = 0.0
                for j in range(d):
                    gap = unit[r, j] - unit[i, j]
                    total += gap * gap
                if total < best:
                    best, chosen = total, bundle[r]
        if chosen < 0:
            return np.full(n, -2, dtype=np.int64)
        bundle[i] = chosen
    for i in range(n):
        if bundle[i] < 0:
            bundle[i] = n_bundles
            n_bundles += 1
    return bundle
