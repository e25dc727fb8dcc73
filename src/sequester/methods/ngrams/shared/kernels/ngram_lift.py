"""Lifting rare n-grams to k together with everything an added occurrence brings along (Pajoohan 2016, Algorithm 1).

One lift of a rare gram g by d adds d copies of the expected table of the string x g y, where x and y are drawn by the
counts of the left and right margins of g: g and each of its inner grams gain d, a margin and the inner grams that hold
its outer symbol gain its share of d. Because every addition is the table of a string, a gram is never counted more
often than any gram inside it, and lifting the longest order lifts all orders.

Departures from the listing: the *running* count decides how much is missing (`literal` keeps the listing: the original
count decides and the count is then set to k), shares are whole units by largest remainder, and what short series leave
below k in the lower orders is swept up at the end.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.ngrams import Grams

NEARLY = 1e-9
"""Sums of fractions may miss a whole number by rounding; the exact twin in the tests never needs it."""

ROUNDING = 1e-6
"""What many such sums may have lost when they are rounded down."""


class Lifted(NamedTuple):
    """The lifted tables and an account of what was added to the longest order."""

    tables: list[Grams]
    n_rare: int
    """Grams of the longest order that began below k."""
    n_lifted: int
    """Grams that were lifted; a rare one may already have been raised by its neighbours."""
    added: float
    """Growth of the longest order's total: the lifts themselves and the margins' shares."""
    n_swept: int
    """Shorter grams lifted by the final sweep."""


class Margins(NamedTuple):
    """Links between grams: without the last or first symbol, and the grams that continue one on either side."""

    heads: np.ndarray
    tails: np.ndarray
    right: np.ndarray
    left: np.ndarray
    by_tail: np.ndarray


class Stretch(NamedTuple):
    """The grams of the longest order: their places `top..end`, and how many symbols they have."""

    top: int
    end: int
    n: int


RECORDS = {
    "Margins": Record(Margins, ", ".join(["int64[::1]"] * 5)),
    "Stretch": Record(Stretch, "int64, int64, int64"),
}


def lift(
    tables: list[Grams],
    k: int,
    *,
    literal: bool = False,
    frequencies: str = "running",
    fractions: bool = False,
    sweep: bool = True,
    reach: int = 1,
) -> Lifted:
    """Lift every gram that occurs to a count of at least `k`.

    Parameters
    ----------
    tables : the grams of orders 1..n of the same series, as `count_tables` gives them
    k : the count to reach
    literal : take what is missing from the original count and set the gram to k, as the listing does
    frequencies : 'running' or 'original' counts decide the margins' shares
    fractions : let shares be fractions (then the counts are floats) instead of whole units
    sweep : lift what short series left below k in the lower orders
    reach : how many symbols away neighbours on either side take part; 0 for none, more than 1 only in whole units
    """
    n = len(tables)
    base = np.concatenate(([0], np.cumsum([len(t.codes) for t in tables]))).astype(np.int64)
    heads, tails = _links(tables, base)
    counts = np.concatenate([t.counts for t in tables]).astype(np.float64 if fractions else np.int64)
    top, end = int(base[n - 1]), int(base[n])
    n_rare = int((counts[top:end] < k).sum())
    before = counts[top:end].sum()
    weights = counts.copy() if frequencies == "original" else counts  # the same array: shares follow the running counts
    given = counts[top:end].copy() if literal else np.empty(0, dtype=counts.dtype)
    margins = Margins(heads, tails, *_margins(heads, tails, base, n))
    if reach == 1:
        lifting = _lift_fractions if fractions else _lift_units
        n_lifted = lifting(counts, weights, given, margins, Stretch(top, end, n), k)
    else:
        n_lifted = _lift_reaching(counts, margins, top, end, k, reach if n > 1 else 0)
    added = counts[top:end].sum() - before
    n_swept = 0
    if sweep:
        n_swept = (_sweep_fractions if fractions else _sweep)(counts, heads, tails, top, k - NEARLY, k)
    lifted = [t._replace(counts=counts[base[i] : base[i + 1]].copy()) for i, t in enumerate(tables)]
    return Lifted(lifted, n_rare, int(n_lifted), added.item(), int(n_swept))


def round_down(lifted: list[Grams], original: list[Grams]) -> list[Grams]:
    """Whole counts from fractional ones: rounded down, never below the original, nor above a gram inside.

    A count of at least k, a whole number, stays at least k.
    """
    out: list[Grams] = []
    for table, before in zip(reversed(lifted), reversed(original)):
        counts = np.maximum(np.floor(table.counts + ROUNDING).astype(np.int64), before.counts)
        if out:
            above = out[-1]
            mask = (1 << (above.bits * table.order)) - 1
            for inner in (above.codes >> above.bits, above.codes & mask):
                np.maximum.at(counts, np.searchsorted(table.codes, inner), above.counts)
        out.append(table._replace(counts=counts))
    return out[::-1]


def _links(tables: list[Grams], base: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """For every gram the place of the gram without its last symbol, and of the one without its first; -1 at order 1."""
    heads, tails = np.full(int(base[-1]), -1, dtype=np.int64), np.full(int(base[-1]), -1, dtype=np.int64)
    for i in range(1, len(tables)):
        codes, lower = tables[i].codes, tables[i - 1]
        mask = (1 << (lower.bits * lower.order)) - 1
        here = slice(int(base[i]), int(base[i + 1]))
        heads[here] = base[i - 1] + np.searchsorted(lower.codes, codes >> lower.bits)
        tails[here] = base[i - 1] + np.searchsorted(lower.codes, codes & mask)
    return heads, tails


def _margins(heads: np.ndarray, tails: np.ndarray, base: np.ndarray, n: int) -> tuple[np.ndarray, ...]:
    """Where the grams of order n that begin (`right`) and end (`left`, through `by_tail`) with a gram h stand."""
    top, end = int(base[n - 1]), int(base[n])
    if n == 1:
        none = np.zeros(1, dtype=np.int64)
        return none, none, none
    low = int(base[n - 2])
    shorter = np.arange(low, top + 1)
    right = top + np.searchsorted(heads[top:end], shorter)
    by_tail = np.argsort(tails[top:end], kind="stable")  # stable: rising first symbol among equal tails
    left = np.searchsorted(tails[top:end][by_tail], shorter)
    # both are indexed by a gram's place minus `low`; padded so that the place itself can be the index
    pad = np.zeros(low, dtype=np.int64)
    return np.concatenate((pad, right)), np.concatenate((pad, left)), top + by_tail


@kernel("int64[::1], int64[::1], int64[::1], int64, int64")
def _add_inside(counts, heads, tails, gram, d):
    """Add d to the gram's inner grams, one for every length and position."""
    tail = gram
    while tail >= 0:
        head = heads[tail] if tail == gram else tail
        while head >= 0:
            counts[head] += d
            head = heads[head]
        tail = tails[tail]


@kernel("int64[::1], int64[::1], int64, int64")
def _add_along(counts, links, gram, d):
    """Add d to the gram and to the inner grams that share its outer symbol."""
    while gram >= 0:
        counts[gram] += d
        gram = links[gram]


@kernel("int64[::1], int64[::1], int64, int64, int64, int64[:, ::1]")
def _apportion(weights, grams, first, last, d, shares):
    """Give d whole units to grams[first:last] by weight: quotas rounded down, the rest to the largest remainders."""
    total = 0
    for i in range(first, last):
        total += weights[grams[i]]
    if total == 0:
        return 0
    left = d
    for i in range(first, last):
        shares[i - first, 0] = d * weights[grams[i]] // total
        shares[i - first, 1] = d * weights[grams[i]] % total
        left -= shares[i - first, 0]
    for _ in range(left):
        best = 0
        for j in range(1, last - first):  # strictly larger: the smallest symbol wins a tie
            if shares[j, 1] > shares[best, 1]:
                best = j
        shares[best, 0] += 1
        shares[best, 1] = -1
    return last - first


@kernel("int64[::1], int64[::1], int64[::1], Margins, Stretch, int64", **RECORDS)
def _lift_units(counts, weights, given, margins, stretch, k):
    heads, tails, right, left, by_tail = margins.heads, margins.tails, margins.right, margins.left, margins.by_tail
    top, end, n = stretch.top, stretch.end, stretch.n
    in_place = np.arange(end)
    widest = 1
    for h in range(len(right) - 1):
        widest = max(widest, right[h + 1] - right[h], left[h + 1] - left[h])
    to_left, to_right = np.zeros((widest, 2), dtype=np.int64), np.zeros((widest, 2), dtype=np.int64)
    n_lifted = 0
    for g in range(top, end):  # counts never fall: one walk in lexicographic order meets each rare gram once
        if counts[g] >= k:
            continue
        n_lifted += 1
        d = k - (given[g - top] if len(given) else counts[g])
        n_left = n_right = 0
        if n > 1:  # shares are fixed before any count moves
            n_left = _apportion(weights, by_tail, left[heads[g]], left[heads[g] + 1], d, to_left)
            n_right = _apportion(weights, in_place, right[tails[g]], right[tails[g] + 1], d, to_right)
        counts[g] = k if len(given) else counts[g] + d
        _add_inside(counts, heads, tails, g, d)
        for j in range(n_left):
            if to_left[j, 0] > 0:
                _add_along(counts, heads, by_tail[left[heads[g]] + j], to_left[j, 0])
        for j in range(n_right):
            if to_right[j, 0] > 0:
                _add_along(counts, tails, right[tails[g]] + j, to_right[j, 0])
    return n_lifted


@kernel("int64[::1], Margins, int64, int64, int64, int64", **RECORDS)
def _lift_reaching(counts, margins, top, end, k, reach):
    """As `_lift_units` with running counts, but shares go on to the margins' own margins, `reach` symbols away."""
    in_place = np.arange(end)
    widest = 1
    for h in range(len(margins.right) - 1):
        widest = max(widest, margins.right[h + 1] - margins.right[h], margins.left[h + 1] - margins.left[h])
    shares = np.zeros((widest, 2), dtype=np.int64)
    # amounts and lists of the present and the next distance, for the grams of the longest order
    now, later = np.zeros(end - top, dtype=np.int64), np.zeros(end - top, dtype=np.int64)
    grams, further = np.empty(end - top, dtype=np.int64), np.empty(end - top, dtype=np.int64)
    n_lifted = 0
    for g in range(top, end):
        if counts[g] >= k:
            continue
        n_lifted += 1
        d = k - counts[g]
        _add_inside(counts, margins.heads, margins.tails, g, d)
        counts[g] += d
        for side in range(2):
            grams[0], now[g - top], n_grams = g, d, 1
            for _ in range(reach):
                n_further = 0
                for i in range(n_grams):
                    at = grams[i]
                    amount = now[at - top]
                    now[at - top] = 0
                    if side == 0:
                        first, last = margins.left[margins.heads[at]], margins.left[margins.heads[at] + 1]
                        n_shares = _apportion(counts, margins.by_tail, first, last, amount, shares)
                    else:
                        first, last = margins.right[margins.tails[at]], margins.right[margins.tails[at] + 1]
                        n_shares = _apportion(counts, in_place, first, last, amount, shares)
                    for j in range(n_shares):
                        if shares[j, 0] > 0:
                            other = margins.by_tail[first + j] if side == 0 else first + j
                            if later[other - top] == 0:
                                further[n_further] = other
                                n_further += 1
                            later[other - top] += shares[j, 0]
                for i in range(n_further):
                    other = further[i]
                    links = margins.heads if side == 0 else margins.tails
                    _add_along(counts, links, other, later[other - top])
                grams, further = further, grams
                now, later = later, now
                n_grams = n_further
            for i in range(n_grams):
                now[grams[i] - top] = 0
    return n_lifted


@kernel("float64[::1], int64[::1], int64[::1], int64, float64")
def _add_fraction_inside(counts, heads, tails, gram, d):
    """As `_add_inside`, for counts that are fractions."""
    tail = gram
    while tail >= 0:
        head = heads[tail] if tail == gram else tail
        while head >= 0:
            counts[head] += d
            head = heads[head]
        tail = tails[tail]


@kernel("float64[::1], int64[::1], int64, float64")
def _add_fraction_along(counts, links, gram, d):
    """As `_add_along`, for counts that are fractions."""
    while gram >= 0:
        counts[gram] += d
        gram = links[gram]


@kernel("float64[::1], float64[::1], float64[::1], Margins, Stretch, int64", **RECORDS)
def _lift_fractions(counts, weights, given, margins, stretch, k):
    heads, tails, right, left, by_tail = margins.heads, margins.tails, margins.right, margins.left, margins.by_tail
    top, end, n = stretch.top, stretch.end, stretch.n
    n_lifted = 0
    for g in range(top, end):
        if counts[g] >= k - 1e-9:
            continue
        n_lifted += 1
        d = k - (given[g - top] if len(given) else counts[g])
        left_total = right_total = 0.0
        left_first = left_last = right_first = right_last = 0
        if n > 1:
            left_first, left_last = left[heads[g]], left[heads[g] + 1]
            right_first, right_last = right[tails[g]], right[tails[g] + 1]
            for i in range(left_first, left_last):
                left_total += weights[by_tail[i]]
            for i in range(right_first, right_last):
                right_total += weights[i]
        to_left = np.empty(left_last - left_first)
        to_right = np.empty(right_last - right_first)
        for i in range(left_first, left_last):
            to_left[i - left_first] = d * weights[by_tail[i]] / left_total
        for i in range(right_first, right_last):
            to_right[i - right_first] = d * weights[i] / right_total
        counts[g] = k if len(given) else counts[g] + d
        _add_fraction_inside(counts, heads, tails, g, d)
        for i in range(left_first, left_last):
            _add_fraction_along(counts, heads, by_tail[i], to_left[i - left_first])
        for i in range(right_first, right_last):
            _add_fraction_along(counts, tails, i, to_right[i - right_first])
    return n_lifted


@kernel("int64[::1], int64[::1], int64[::1], int64, float64, int64")
def _sweep(counts, heads, tails, top, enough, k):
    """Lift what is still rare below the longest order, longest first, together with its inner grams.

    Places of one order are consecutive and lower orders come first; walking the orders down means walking the
    blocks backwards but each block forwards, so that the order inside stays lexicographic.
    """
    n_swept = 0
    block_end = top
    while block_end > 0:
        block = block_end - 1
        depth = _depth(heads, block)
        while block > 0 and _depth(heads, block - 1) == depth:
            block -= 1
        for g in range(block, block_end):
            if counts[g] < enough:
                d = k - counts[g]
                counts[g] += d
                _add_inside(counts, heads, tails, g, d)
                n_swept += 1
        block_end = block
    return n_swept


@kernel("int64[::1], int64")
def _depth(heads, gram):
    depth = 0
    while heads[gram] >= 0:
        gram = heads[gram]
        depth += 1
    return depth


@kernel("float64[::1], int64[::1], int64[::1], int64, float64, int64")
def _sweep_fractions(counts, heads, tails, top, enough, k):
    """As `_sweep`, for counts that are fractions."""
    n_swept = 0
    block_end = top
    while block_end > 0:
        block = block_end - 1
        depth = _depth(heads, block)
        while block > 0 and _depth(heads, block - 1) == depth:
            block -= 1
        for g in range(block, block_end):
            if counts[g] < enough:
                d = k - counts[g]
                counts[g] += d
                _add_fraction_inside(counts, heads, tails, g, d)
                n_swept += 1
        block_end = block
    return n_swept
