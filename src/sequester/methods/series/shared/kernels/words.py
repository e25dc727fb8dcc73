"""Compact subgroups of equal words: who shares a word with whom, chosen by envelope width and pattern loss together.

Records may carry many words (one per *form*: a level, or a number of segments and a level). A subgroup is a set of at
least p records that agree on one form; form 0 is the empty pattern, on which all agree.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.methods.series.shared.kernels.mdav_values import mdav_blocked
from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import first_not_below, order_of

ROUNDS = 8
WORK = 4e8
"""Pairs looked at per form and round before classes are cut into blocks."""


def cover_by_words(values: np.ndarray, keys: np.ndarray, losses: np.ndarray, p: int, weight: float) -> np.ndarray:
    """Subgroup number per record; every subgroup has at least `p` records that agree on some form.

    Parameters
    ----------
    values : records x times, in units of their range.
    keys : forms x records; equal where the words of that form are equal. Row 0 is constant.
    losses : forms x records; pattern loss of a record under its own word of that form.
    weight : price of a unit of pattern loss in units of envelope width.

    Candidates (microaggregation on values inside every class of equal words) are accepted from the cheapest up as long
    as all their members are free; the rest may join a subgroup of their own word, or give up their pattern.
    """
    n = len(values)
    subgroup = np.full(n, -1, dtype=np.int64)
    form_of: list[np.ndarray] = []
    n_subgroups = 0
    for _ in range(ROUNDS):
        members, starts, costs, forms = _candidates(values, keys, losses, np.flatnonzero(subgroup < 0), p, weight)
        if not len(costs):
            break
        accepted = _accept(members, starts, np.argsort(costs, kind="stable"), subgroup, n_subgroups)
        if not len(accepted):
            break
        form_of.append(forms[accepted])
        n_subgroups += len(accepted)
    forms = np.concatenate(form_of) if form_of else np.empty(0, dtype=np.int64)
    free = np.flatnonzero(subgroup < 0)
    if n_subgroups and len(free):
        _join_own_word(values, keys, losses, subgroup, forms, free, float(weight))
        free = np.flatnonzero(subgroup < 0)
    if len(free) >= p:
        subgroup[free] = n_subgroups + mdav_blocked(values, free, np.array([0, len(free)]), p, work=WORK)
    elif len(free):
        _squeeze_in(values, keys, losses, subgroup, free, weight)
    return subgroup


def best_forms(keys: np.ndarray, losses: np.ndarray, subgroup: np.ndarray) -> np.ndarray:
    """Per subgroup the form, among those all members agree on, with the least pattern loss (ties: the finer one)."""
    order = np.argsort(subgroup, kind="stable")
    order = order[np.searchsorted(subgroup[order], 0) :]
    starts = np.searchsorted(subgroup[order], np.arange(subgroup.max() + 2))
    return _best_forms(keys, losses, order, starts)


def _candidates(values, keys, losses, free, p, weight):
    all_members, all_sizes, all_costs, all_forms = [], [], [], []
    for form in range(keys.shape[0] - 1, 0, -1):
        words = keys[form, free]
        by_word = np.argsort(words, kind="stable")
        words = words[by_word]
        edges = (
            np.flatnonzero(np.concatenate([[True], words[1:] != words[:-1], [True]])) if len(free) else np.zeros(1, int)
        )
        sizes = np.diff(edges)
        big = np.repeat(sizes >= p, sizes)
        order = free[by_word[big]]
        sizes = sizes[sizes >= p]
        if not len(sizes):
            continue
        starts = np.concatenate([[0], np.cumsum(sizes)])
        label = mdav_blocked(values, order, starts, p, work=WORK / 8)
        by_label = np.argsort(label, kind="stable")
        members, counts = order[by_label], np.bincount(label)
        edges = np.concatenate([[0], np.cumsum(counts)])
        all_members.append(members)
        all_sizes.append(counts)
        all_costs.append(
            _widths(values, members, edges) + weight * np.add.reduceat(losses[form, members], edges[:-1]) / counts
        )
        all_forms.append(np.full(len(counts), form))
    if not all_members:
        return np.empty(0, int), np.zeros(1, int), np.empty(0), np.empty(0, int)
    starts = np.concatenate([[0], np.cumsum(np.concatenate(all_sizes))])
    return np.concatenate(all_members), starts, np.concatenate(all_costs), np.concatenate(all_forms)


def _squeeze_in(values, keys, losses, subgroup, free, weight):
    """Fewer than p are left: each joins the subgroup it harms least, at the best form they then share."""
    for r in free:
        n = subgroup.max() + 1
        order = np.argsort(subgroup, kind="stable")
        order = order[np.searchsorted(subgroup[order], 0) :]
        starts = np.searchsorted(subgroup[order], np.arange(n + 1))
        lo, hi = np.minimum.reduceat(values[order], starts[:-1]), np.maximum.reduceat(values[order], starts[:-1])
        size = np.diff(starts)
        grown = np.sqrt(((np.maximum(hi, values[r]) - np.minimum(lo, values[r])) ** 2).mean(axis=1))
        rise = (size + 1) * grown - size * np.sqrt(((hi - lo) ** 2).mean(axis=1))
        best, chosen = np.inf, 0
        for s in np.argsort(rise, kind="stable")[:64]:
            old = order[starts[s] : starts[s + 1]]
            new = np.append(old, r)
            before = losses[_common_forms(keys, old)][:, old].sum(axis=1).min()
            after = losses[_common_forms(keys, new)][:, new].sum(axis=1).min()
            cost = rise[s] + weight * (after - before)
            if cost < best:
                best, chosen = cost, s
        subgroup[r] = chosen


def _common_forms(keys: np.ndarray, members: np.ndarray) -> np.ndarray:
    words = keys[:, members]
    return np.flatnonzero((words == words[:, :1]).all(axis=1))


@kernel("float64[:, ::1], int64[::1], int64[::1]")
def _widths(values, members, edges):
    out = np.empty(len(edges) - 1)
    d = values.shape[1]
    for c in range(len(edges) - 1):
        total = 0.0
        for j in range(d):
            low, high = np.inf, -np.inf
            for i in range(edges[c], edges[c + 1]):
                low = min(low, values[members[i], j])
                high = max(high, values[members[i], j])
            total += (high - low) * (high - low)
        out[c] = math.sqrt(total / d)
    return out


@kernel("int64[::1], int64[::1], int64[::1], int64[::1], int64")
def _accept(members, starts, by_cost, subgroup, first):
    accepted = np.empty(len(by_cost), dtype=np.int64)
    n = 0
    for c in by_cost:
        free = True
        for i in range(starts[c], starts[c + 1]):
            if subgroup[members[i]] >= 0:
                free = False
                break
        if free:
            for i in range(starts[c], starts[c + 1]):
                subgroup[members[i]] = first + n
            accepted[n] = c
            n += 1
    return accepted[:n]


@kernel("float64[:, ::1], int64[:, ::1], float64[:, ::1], int64[::1], int64[::1], int64[::1], float64")
def _join_own_word(values, keys, losses, subgroup, forms, free, weight):
    """A free record joins the subgroup of its own word that costs least, if that beats giving up its pattern."""
    n, d = values.shape
    n_subgroups = len(forms)
    lo = np.full((n_subgroups, d), np.inf)
    hi = np.full((n_subgroups, d), -np.inf)
    size = np.zeros(n_subgroups, dtype=np.int64)
    word = np.zeros(n_subgroups, dtype=np.int64)
    for i in range(n):
        s = subgroup[i]
        if s >= 0:
            size[s] += 1
            word[s] = keys[forms[s], i]
            for j in range(d):
                lo[s, j] = min(lo[s, j], values[i, j])
                hi[s, j] = max(hi[s, j], values[i, j])
    width = np.empty(n_subgroups)
    total = 0.0
    for s in range(n_subgroups):
        square = 0.0
        for j in range(d):
            square += (hi[s, j] - lo[s, j]) ** 2
        width[s] = math.sqrt(square / d)
        total += width[s]
    limit = weight + total / n_subgroups
    by_word = order_of(word)
    sorted_word = word[by_word]
    for r in free:
        best = limit
        chosen = -1
        for form in range(keys.shape[0] - 1, 0, -1):
            price = weight * losses[form, r]
            if price >= best:
                continue
            first = first_not_below(sorted_word, keys[form, r])
            while first < n_subgroups and sorted_word[first] == keys[form, r]:
                s = by_word[first]
                first += 1
                if forms[s] != form:
                    continue
                square = 0.0
                for j in range(d):
                    square += (max(hi[s, j], values[r, j]) - min(lo[s, j], values[r, j])) ** 2
                cost = (size[s] + 1) * math.sqrt(square / d) - size[s] * width[s] + price
                if cost < best:
                    best = cost
                    chosen = s
        if chosen >= 0:
            subgroup[r] = chosen
            size[chosen] += 1
            square = 0.0
            for j in range(d):
                lo[chosen, j] = min(lo[chosen, j], values[r, j])
                hi[chosen, j] = max(hi[chosen, j], values[r, j])
                square += (hi[chosen, j] - lo[chosen, j]) ** 2
            width[chosen] = math.sqrt(square / d)


@kernel("int64[:, ::1], float64[:, ::1], int64[::1], int64[::1]")
def _best_forms(keys, losses, order, starts):
    out = np.zeros(len(starts) - 1, dtype=np.int64)
    for s in range(len(starts) - 1):
        a, b = starts[s], starts[s + 1]
        best = np.inf
        for form in range(keys.shape[0] - 1, -1, -1):
            total = 0.0
            same = True
            for i in range(a, b):
                if keys[form, order[i]] != keys[form, order[a]]:
                    same = False
                    break
                total += losses[form, order[i]]
            if same and total < best:
                best = total
                out[s] = form
    return out
