"""MinHash signatures of state sequences, clusters around the most telling of them, and nearest-neighbour similarity.

Broder (1997): the share of equal signature positions estimates the Jaccard similarity of two shingle sets without
bias, with a standard deviation of at most 0.5 / sqrt(number of hashes).
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import sort_first, spread, usable

_A, _B, _C = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)

BAND, BANDS, DEPTH = 3, 16, 4
"""Where not all signatures are compared: positions per band, bands, and how many of one band are asked."""


@kernel("uint64")
def _mix64(x):
    x = x + _A
    x = (x ^ (x >> np.uint64(30))) * _B
    x = (x ^ (x >> np.uint64(27))) * _C
    return x ^ (x >> np.uint64(31))


@kernel("const(int32[::1]), int64, int64, int64, uint64[::1]")
def _shingles(states, lo, hi, width, tokens):
    """Write the distinct shingles of one sequence to `tokens`, in order; repeated ones cannot change a minimum."""
    grams = max(1, hi - lo - width + 1)
    for g in range(grams):
        token = np.uint64(0)
        for p in range(lo + g, min(hi, lo + g + width)):
            token = _mix64(token ^ np.uint64(states[p] + 1))
        tokens[g] = token
    sort_first(tokens.view(np.int64), grams)
    distinct = 1
    for g in range(1, grams):
        if tokens[g] != tokens[distinct - 1]:
            tokens[distinct] = tokens[g]
            distinct += 1
    return distinct


@kernel("const(int32[::1]), const(int64[::1]), uint64[::1], int64, int64, int64, uint32[:, ::1]")
def _sign(states, offsets, seeds, width, first, last, out):
    tokens = np.empty(0, np.uint64)
    for i in range(first, last):
        lo, hi = offsets[i], offsets[i + 1]
        if len(tokens) < hi - lo:
            tokens = np.empty(2 * (hi - lo), np.uint64)
        distinct = _shingles(states, lo, hi, width, tokens)
        for h in range(len(seeds)):
            low = np.uint32(0xFFFFFFFF)
            for g in range(distinct):
                low = min(low, np.uint32(_mix64(tokens[g] ^ seeds[h]) >> np.uint64(32)))
            out[i - first, h] = low


def signatures(states: np.ndarray, offsets: np.ndarray, seeds: np.ndarray, width: int = 1) -> np.ndarray:
    """Sequences x hashes (`uint32`): the smallest hash of the `width`-grams of every sequence.

    Sequence *i* is `states[offsets[i]:offsets[i+1]]`, never empty; one shorter than `width` is a single shingle.
    `seeds` are `uint64`, one per hash function.
    """
    n = len(offsets) - 1
    out = np.empty((n, len(seeds)), np.uint32)
    _sign(states, offsets, np.asarray(seeds, np.uint64), width, 0, n, out)
    return out


@kernel("const(int32[::1]), const(int64[::1]), int64")
def _set_codes(states, offsets, width):
    n = len(offsets) - 1
    out = np.empty(n, np.uint64)
    tokens = np.empty(0, np.uint64)
    for i in range(n):
        if len(tokens) < offsets[i + 1] - offsets[i]:
            tokens = np.empty(2 * (offsets[i + 1] - offsets[i]), np.uint64)
        distinct = _shingles(states, offsets[i], offsets[i + 1], width, tokens)
        code = np.uint64(distinct)
        for g in range(distinct):
            code = _mix64(code ^ tokens[g])
        out[i] = code
    return out


def set_codes(states: np.ndarray, offsets: np.ndarray, width: int = 1) -> np.ndarray:
    """A code for the shingle set of every sequence (`uint64`)."""
    codes: np.ndarray = _set_codes(states, offsets, width)
    return codes


def distinct_sets(states: np.ndarray, offsets: np.ndarray, width: int = 1) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Sequences of one shingle set: a member of each set, its number of sequences, and the set of every sequence.

    Sets come in order of falling size, then of their first member, which stands for them.
    """
    _, first, of, size = np.unique(
        set_codes(states, offsets, width), return_index=True, return_inverse=True, return_counts=True
    )
    order = np.lexsort((first, -size))
    place = np.empty(len(order), np.int64)
    place[order] = np.arange(len(order))
    return first[order], size[order], place[of]


def sub_sequences(states: np.ndarray, offsets: np.ndarray, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States and offsets of the chosen sequences alone."""
    sizes = np.diff(offsets)[chosen]
    bounds = np.r_[0, np.cumsum(sizes)].astype(np.int64)
    return states[np.repeat(offsets[chosen] - bounds[:-1], sizes) + np.arange(bounds[-1])], bounds


@kernel("uint32[:, ::1], int64, int64")
def _equal(signs, i, j):
    equal = 0
    for h in range(signs.shape[1]):
        equal += signs[i, h] == signs[j, h]
    return equal


@kernel("uint32[:, ::1], boolean[::1], boolean")
def _nearest_among(signs, candidate, earlier):
    """Per row, the most similar candidate (earlier rows only if asked; the first of several), and equal positions."""
    n = len(signs)
    best, like = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    places = np.flatnonzero(candidate)
    for i in range(n):
        for j in places:
            if earlier and j >= i:
                break
            equal = _equal(signs, i, j)
            if equal > like[i]:
                best[i], like[i] = j, equal
    return best, like


@kernel("uint32[:, ::1], boolean[::1], boolean, int64, int64, int64")
def _nearest_by_bands(signs, candidate, earlier, width, bands, depth):
    """The same among rows that share a band of `width` positions; of each band at most the first `depth` are asked."""
    n, columns = signs.shape
    best, like = np.full(n, -1, np.int64), np.zeros(n, np.int64)
    size = 4
    while size < 2 * n:
        size *= 2
    keys, fill, held = np.empty(size, np.uint64), np.empty(size, np.int8), np.empty((size, depth), np.int32)
    slot_of = np.empty(n, np.int64)
    for band in range(bands):
        fill[:] = -1
        first = band * (columns - width) // max(bands - 1, 1)
        for i in range(n):
            key = np.uint64(0)
            for h in range(first, first + width):
                key = _mix64(key ^ np.uint64(signs[i, h]))
            s = np.int64(key & np.uint64(size - 1))
            while fill[s] >= 0 and keys[s] != key:
                s = (s + 1) & (size - 1)
            if fill[s] < 0:
                fill[s], keys[s] = 0, key
            slot_of[i] = s
            if earlier:
                _ask(signs, i, held[s], fill[s], best, like)
            if candidate[i] and fill[s] < depth:
                held[s, fill[s]] = i
                fill[s] += 1
        if not earlier:
            for i in range(n):
                s = slot_of[i]
                _ask(signs, i, held[s], fill[s], best, like)
    return best, like


@kernel("uint32[:, ::1], int64, int32[::1], int64, int64[::1], int64[::1]")
def _ask(signs, i, held, count, best, like):
    for c in range(count):
        j = held[c]
        if j != best[i] and like[i] < signs.shape[1]:
            equal = _equal(signs, i, j)
            if equal > like[i] or (equal == like[i] and equal > 0 and j < best[i]):
                best[i], like[i] = j, equal


def centre_clusters(signs: np.ndarray, weights: np.ndarray, k: int, exact: int = 4096) -> np.ndarray:
    """Cluster signatures around at most `k` of them: the row of its centre for every row.

    Rows come in order of falling weight. A row that is no centre costs its weight times its distance from the most
    similar row before it; the `k` rows that would cost most are centres (ties: the earlier one), rows equal to one
    before never. Every other row joins the most similar centre (ties: the earlier one), or the first row if it is
    like none. Beyond `exact` rows only those that share a band of positions are compared.
    """
    n, columns = signs.shape
    if n == 0:
        return np.zeros(0, np.int64)

    def nearest(candidate: np.ndarray, earlier: bool) -> tuple[np.ndarray, np.ndarray]:
        if n <= exact:
            return _nearest_among(signs, candidate, earlier)
        width = min(BAND, columns)
        return _nearest_by_bands(signs, candidate, earlier, width, min(BANDS, columns // width), DEPTH)

    _, like = nearest(np.ones(n, bool), True)
    cost = weights * (columns - like)
    chosen = np.argsort(-cost, kind="stable")[: max(1, k)]
    centre = np.zeros(n, bool)
    centre[chosen] = cost[chosen] > 0
    centre[0] = True
    if centre.sum() > max(1, k):
        centre[chosen[-1]] = False
    best, _ = nearest(centre, False)
    return np.where(centre, np.arange(n), np.maximum(best, 0))


def by_first_member(label: np.ndarray) -> np.ndarray:
    """The same groups numbered from 0 by their first member."""
    _, first, codes = np.unique(label, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[codes]


@kernel("uint32[:, ::1], uint32[:, ::1], int64, int64, int64[::1]")
def _nearest(of, among, first, last, best):
    columns = of.shape[1]
    for i in range(first, last):
        top = 0
        for j in range(len(among)):
            equal = 0
            for h in range(columns):
                equal += of[i, h] == among[j, h]
            if equal > top:
                top = equal
                if top == columns:
                    break
        best[i] = top


def nearest_similarity(of: np.ndarray, among: np.ndarray) -> np.ndarray:
    """For every signature of `of`, its largest share of equal positions with a signature of `among`."""
    mine, back = np.unique(of, axis=0, return_inverse=True)
    theirs = np.unique(among, axis=0)
    if len(theirs) == 0:
        return np.zeros(len(of))
    best = np.zeros(len(mine), np.int64)
    spread(lambda first, last: _nearest(mine, theirs, first, last, best), len(mine), usable())
    return (best / of.shape[1])[back.ravel()]
