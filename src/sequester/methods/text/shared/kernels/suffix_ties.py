"""Suffixes that agree in their first bytes: told apart by the order of what follows, twice as far in every round.

A group of suffixes that share `h` bytes is sorted by the ranks of the suffixes `h` bytes further on, which are ordered
by `h` bytes as well; afterwards it is ordered by almost twice as many. Almost: ranks exist only where a unit begins, so
the step is moved back to the last whole unit, by up to three bytes, and the next depth is 2h - 3.
"""

from __future__ import annotations

import numpy as np

from sequester.methods.text.shared.kernels.repeats import SEPARATOR
from sequester.primitives.compiled import kernel
from sequester.primitives.row_file import Room
from sequester.primitives.sorting import order_of

TIED, DEEP = -1, -2
LARGEST_UNIT = 4
"""Bytes."""


def settle_ties(text: np.ndarray, unit: np.ndarray, sa: np.ndarray, lcp: np.ndarray, room: Room, depth: int) -> None:
    """Finish an order by the first `depth` bytes, in place, and fill in what neighbours share where it is more."""
    if _first_tied(lcp) < 0:
        return
    rank = room.zeros(len(unit), np.int64)
    _first_ranks(sa, lcp, rank)
    while _double(text, unit, sa, lcp, rank, depth):
        depth = 2 * depth - (LARGEST_UNIT - 1)
    del rank
    before = room.zeros(len(unit), np.int64)
    _share_in_text_order(text, sa, lcp, before)


@kernel("int32[::1]")
def _first_tied(lcp):
    for r in range(len(lcp)):
        if lcp[r] == TIED:
            return r
    return -1


@kernel("int64[::1], int32[::1], int64[::1]")
def _first_ranks(sa, lcp, rank):
    """The rank of a suffix is where its group begins."""
    begin = 0
    for r in range(len(sa)):
        if lcp[r] != TIED:
            begin = r
        rank[sa[r]] = begin


@kernel("uint8[::1], uint8[::1], int64[::1], int32[::1], int64[::1], int64")
def _double(text, unit, sa, lcp, rank, shared):
    """One round; returns how many suffixes are still tied."""
    n = len(sa)
    left = 0
    r = 0
    while r < n:
        if r + 1 >= n or lcp[r + 1] != TIED:
            r += 1
            continue
        end = r + 1
        while end < n and lcp[end] == TIED:
            end += 1
        step = shared
        while not unit[sa[r] + step]:  # the group shares these bytes, so its units end at the same places
            step -= 1
        keys = np.empty(end - r, dtype=np.int64)
        for i in range(r, end):
            q = sa[i] + step
            keys[i - r] = n if text[q] == SEPARATOR else rank[q]
        order = order_of(keys)
        places = sa[r:end].copy()
        begin = r
        for i in range(r, end):
            at = order[i - r]
            sa[i] = places[at]
            if i > r:
                # with key n both end here: they are told apart no further, and stay in text order
                if keys[at] != keys[order[i - r - 1]] or keys[at] == n:
                    lcp[i] = DEEP
                    begin = i
                else:
                    left += 1
            rank[sa[i]] = begin
        r = end
    return left


@kernel("uint8[::1], int64[::1], int32[::1], int64[::1]")
def _share_in_text_order(text, sa, lcp, before):
    """Fill in `lcp` where it is DEEP: from a suffix to one d bytes further on the shared length drops by at most d."""
    for r in range(1, len(sa)):
        if lcp[r] == DEEP:
            before[sa[r]] = sa[r - 1] + 1
    length = 0
    last = 0
    for p in range(len(before)):
        if before[p] == 0:
            continue
        q = before[p] - 1
        length = max(0, length - (p - last))
        last = p
        while text[p + length] == text[q + length] and text[p + length] != SEPARATOR:
            length += 1
        before[p] = length
    for r in range(1, len(sa)):
        if lcp[r] == DEEP:
            lcp[r] = before[sa[r]]
