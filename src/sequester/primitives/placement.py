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
    """Longest-first class placement; returns 1 per kept byte.

    `sa`, `lcp` and `longest` are per rank, and are spent: their memory is reused.
    """
    top = int(longest.max(initial=0))
    lengths = lengths_to_visit(top, min_length)
    if len(lengths) == 0:
        return np.zeros(len(text), dtype=np.uint8)
    # the ranks to let in at each visited length: those with `longest` at least that, below the one before
    stage_of = np.searchsorted(-lengths, -np.arange(top + 1), side="left").astype(np.int32)
    entering, first = _in_stages(longest, stage_of, len(lengths))
    longest[:] = 0
    none = np.empty(0, dtype=np.int32)
    n_owners = 0 if owner is None else int(owner.max(initial=-1)) + 1
    return _place(
        text,
        unit,
        sa,
        lcp,
        longest,
        lengths,
        entering,
        first,
        none if owner is None else owner,
        n_owners,
        k,
        min_length,
        none if granted is None else granted,
    )


@njit(cache=True)
def _in_stages(longest, stage_of, n_stages):
    """Ranks sorted by stage, in rank order within one, and where each stage begins; the last stage never enters."""
    first = np.zeros(n_stages + 2, dtype=np.int64)
    for r in range(len(longest)):
        first[stage_of[longest[r]] + 1] += 1
    for stage in range(1, n_stages + 2):
        first[stage] += first[stage - 1]
    at = first.copy()
    out = np.empty(first[n_stages], dtype=np.int32)
    for r in range(len(longest)):
        stage = stage_of[longest[r]]
        if stage < n_stages:
            out[at[stage]] = r
            at[stage] += 1
    return out, first


@njit(cache=True)
def _drop(sa, lcp, r):
    """Take rank r out of the order: the next rank left shares with its new neighbour the lesser of two lengths."""
    after = r + 1
    while after < len(sa) and sa[after] < 0:
        after = -sa[after]
    # a dropped rank needs its position no more; its place holds the way to the next one, shortened as it is walked
    step = r + 1
    while step < after:
        further = -sa[step]
        sa[step] = -after
        step = further
    sa[r] = -after
    if after < len(sa):
        lcp[after] = min(lcp[after], lcp[r])


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
def _cover(covered, begin, size):
    """Mark a run: each byte holds 1 + the binary logarithm of how far the run goes on, so its end is soon found."""
    mark = 0
    for ahead in range(1, size + 1):
        if ahead >> mark:
            mark += 1
        covered[begin + size - ahead] = mark


@njit(cache=True)
def _place(text, unit, sa, lcp, rest, lengths, active, first, owner, n_owners, k, min_length, granted):
    """`active` begins with the active ranks, in order; behind those that have entered wait the others, by stage.

    `rest[r]` is 0 while the position of rank r is not covered, else how far the run that covers it goes on.
    """
    covered = np.zeros(len(text), dtype=np.uint8)  # see _cover
    spare = np.empty(len(active), dtype=np.int32)
    n_active = 0
    seen = np.zeros(n_owners, dtype=np.int32)
    everyone = n_owners == 0
    stamp = 0
    use_granted = len(granted) > 0
    for step in range(len(lengths)):
        length = lengths[step]
        dense = length <= DENSE
        # 1. let the new ranks in, drop those whose position is starred for ever
        n_next = 0
        i = 0
        j = first[step]
        while i < n_active or j < first[step + 1]:
            if j >= first[step + 1] or (i < n_active and active[i] < active[j]):
                r = active[i]
                i += 1
            else:
                r = active[j]
                j += 1
            if rest[r] == 0:
                p = sa[r]
                if covered[p]:
                    e = p
                    while covered[e]:
                        e += 1 << (covered[e] - 1)
                    rest[r] = e - p
                elif covered[p - 1]:
                    _drop(sa, lcp, r)
                    continue
            spare[n_next] = r
            n_next += 1
        n_active = n_next
        active[:n_active] = spare[:n_active]
        chosen = spare
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
                _cover(covered, p, size)
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
    for p in range(len(covered)):
        covered[p] = covered[p] != 0
    return covered
