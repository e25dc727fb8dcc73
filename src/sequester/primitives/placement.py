"""Choose which positions of a text to keep so that every run repeats *in what is kept*.

A class is all occurrences of one string. Lengths are visited from the longest down; at each length every class whose
string is already visible, or could still be made visible, for k owners is placed wherever it fits. A run's string is
then visible to k owners when it is placed, placed runs are never removed and never touch, so it stays so.

`owner` is per rank (-1: does not count), or None when every occurrence counts. `granted[r]` is a length up to which
the string at rank r may be kept whatever its count (public background), or None.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from sequester.primitives.repeats import WORD_END

DENSE = 256
"""Every length up to this one is visited; above it a geometric grid, so that long verbatim repeats stay affordable."""
STEP = 1.05


def lengths_to_visit(longest: int, shortest: int) -> np.ndarray:
    """Class lengths in bytes, from the longest down."""
    lengths = list(range(shortest, min(longest, DENSE) + 1))
    above = max(DENSE, shortest - 1)
    while above < longest:
        above = max(above + 1, int(above * STEP))
        lengths.append(min(above, longest))
    return np.array(lengths[::-1], dtype=np.int32)


def place_classes(
    text: np.ndarray,
    unit: np.ndarray,
    sa: np.ndarray,
    lcp: np.ndarray,
    longest: np.ndarray,
    owner: np.ndarray | None,
    k: int,
    min_length: int = 1,
    granted: np.ndarray | None = None,
) -> np.ndarray:
    """Longest-first class placement; returns 1 per kept byte. `sa`, `lcp`, `longest` are per rank; `lcp` is spent."""
    lengths = lengths_to_visit(int(longest.max(initial=0)), min_length)
    if len(lengths) == 0:
        return np.zeros(len(text), dtype=np.uint8)
    # the ranks to let in at each visited length: those with `longest` at least that, below the one before
    stage = np.searchsorted(-lengths, -longest, side="left").astype(np.int32)
    count = np.bincount(stage, minlength=len(lengths) + 1)
    entering = np.argsort(stage, kind="stable").astype(np.int32)
    first = np.concatenate([[0], np.cumsum(count)]).astype(np.int64)
    del stage
    everyone = owner is None
    n_owners = 0 if owner is None else int(owner.max(initial=-1)) + 1
    none = np.empty(0, dtype=np.int32)
    return _place(
        text,
        unit,
        sa,
        lcp,
        lengths,
        entering,
        first,
        none if owner is None else owner,
        everyone,
        n_owners,
        k,
        min_length,
        none if granted is None else granted,
    )


@njit(cache=True)
def _alive(following, r):
    """The first rank from r on that has not been dropped."""
    while following[r] != r:
        following[r] = following[following[r]]
        r = following[r]
    return r


@njit(cache=True)
def _characters(text, begin, end, enough):
    n = 0
    for p in range(begin, end):
        if (text[p] & 0xC0) != 0x80 and text[p] != WORD_END:
            n += 1
            if n >= enough:
                break
    return n


@njit(cache=True)
def _place(text, unit, sa, lcp, lengths, entering, first, owner, everyone, n_owners, k, min_length, granted):
    n = len(text)
    n_ranks = len(sa)
    covered = np.zeros(n, dtype=np.uint8)
    # of an active rank: 0 while its position is not covered, else how far the run that covers it goes on
    rest = np.zeros(n_ranks, dtype=np.int32)
    following = np.arange(n_ranks + 1, dtype=np.int32)
    active = np.empty(n_ranks, dtype=np.int32)
    spare = np.empty(n_ranks, dtype=np.int32)
    n_active = 0
    seen = np.zeros(n_owners, dtype=np.int32)
    stamp = 0
    chosen = np.empty(n_ranks, dtype=np.int32)
    use_granted = len(granted) > 0
    for step in range(len(lengths)):
        length = lengths[step]
        dense = length <= DENSE
        # 1. let the new ranks in, drop those whose position is starred for ever
        n_next = 0
        i = 0
        j = first[step]
        while i < n_active or j < first[step + 1]:
            if j >= first[step + 1] or (i < n_active and active[i] < entering[j]):
                r = active[i]
                i += 1
            else:
                r = entering[j]
                j += 1
            p = sa[r]
            if rest[r] == 0:
                if covered[p]:
                    e = p + 1
                    while covered[e]:
                        e += 1
                    rest[r] = e - p
                elif covered[p - 1]:
                    after = _alive(following, r + 1)
                    following[r] = after
                    if after < n_ranks:
                        lcp[after] = min(lcp[after], lcp[r])
                    continue
            spare[n_next] = r
            n_next += 1
        active, spare = spare, active
        n_active = n_next
        # 2. one class after the other: blocks of active ranks that share `length` bytes
        begin = 0
        while begin < n_active:
            shared = np.int32(2147483647)
            end = begin + 1
            while end < n_active and lcp[active[end]] >= length:
                shared = min(shared, lcp[active[end]])
                end += 1
            block = begin
            begin = end
            p = sa[active[block]]
            free_for_all = use_granted and granted[active[block]] >= length
            if end - block < k and not free_for_all:
                continue
            size = length
            if not dense:  # between grid points, take all that the class shares
                if end - block > 1 and not free_for_all:
                    size = shared
                while size > 0 and unit[p + size] == 0:
                    size -= 1
            elif unit[p + size] == 0:
                continue
            if size < min_length or (size < 4 * min_length and _characters(text, p, p + size, min_length) < min_length):
                continue
            # 3. who could see it?
            stamp += 1
            n_seen = 0
            n_free = 0
            for a in range(block, end):
                r = active[a]
                if rest[r]:
                    if rest[r] < size:
                        continue
                else:
                    p = sa[r]
                    if covered[p] or covered[p - 1] or covered[p + size - 1] or covered[p + size]:
                        continue
                    chosen[n_free] = r
                    n_free += 1
                if everyone:
                    n_seen += 1
                elif owner[r] >= 0 and seen[owner[r]] != stamp:
                    seen[owner[r]] = stamp
                    n_seen += 1
            if n_free == 0 or (n_seen < k and not free_for_all):
                continue
            # 4. place it wherever it still fits, and take it back if too few see it then
            n_placed = 0
            for a in range(n_free):
                r = chosen[a]
                p = sa[r]
                if covered[p] or covered[p - 1] or covered[p + size - 1] or covered[p + size]:
                    continue
                for q in range(p, p + size):
                    covered[q] = 1
                rest[r] = size
                chosen[n_placed] = r
                n_placed += 1
            if n_placed == n_free or free_for_all:
                continue
            stamp += 1
            n_seen = 0
            for a in range(block, end):
                r = active[a]
                if rest[r] < size:
                    continue
                if everyone:
                    n_seen += 1
                elif owner[r] >= 0 and seen[owner[r]] != stamp:
                    seen[owner[r]] = stamp
                    n_seen += 1
            if n_seen < k:
                for a in range(n_placed):
                    r = chosen[a]
                    rest[r] = 0
                    for q in range(sa[r], sa[r] + size):
                        covered[q] = 0
    return covered
