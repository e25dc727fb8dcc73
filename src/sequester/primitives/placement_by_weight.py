"""The second part of placement, for tokens: short runs, those with the most characters first."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.placement import admit, may_be_shown, place_class, take_out


@kernel("int32[::1], uint8[::1], int32[::1]")
def weights_of(sa, tokens, before):
    """Characters of the first `tokens[r]` tokens at rank r; 0 for a rank that was taken out."""
    out = np.zeros(len(sa), dtype=np.int32)
    for r in range(len(sa)):
        if sa[r] >= 0:
            out[r] = before[sa[r] + tokens[r]] - before[sa[r]]
    return out


@kernel("int64, int32[::1], uint8[::1], int32[::1], int64, int64")
def _is_next(r, glue, tokens, heavy, size, characters):
    return glue[r] >= size and tokens[r] == size and heavy[r] == characters


@kernel(
    "uint8[::1], uint8[::1], int32[::1], int32[::1], int32[::1], int32[::1], uint8[::1], int32[::1], "
    "int32[::1], int32[::1], int64[::1], int32[::1], int64[::1], int64, int64, int32[::1], uint8[::1], "
    "int64[::1]"
)
def place_by_weight(
    weight, solid, sa, lcp, glue, rest, tokens, heavy, before, entering, first, owner, seen, k, min_length, granted,
    covered, state,
):  # fmt: skip
    """Visit numbers of characters, from the most down; at each, the classes of runs with just so many.

    `tokens[r]` is how many tokens the next run to try at rank r has, `heavy[r]` their characters: all ranks of a class
    agree on both. A rank with nothing left to try is taken out: what it could be part of has been tried.
    """
    spare = np.empty(len(entering), dtype=np.int32)
    n_open = 0
    stamp = state[0]
    least = state[1]
    use_granted = len(granted) > 0
    for step in range(len(first) - 2):
        characters = len(first) - 2 - step
        n_open = admit(entering, first[step], first[step + 1], n_open, spare, solid, sa, glue, rest, covered)
        i = 0
        while i < n_open:
            leader = entering[i]
            if heavy[leader] != characters:
                i += 1
                continue
            size = np.int64(tokens[leader])
            end = i + 1
            # a rank that tries something else now may share more with one that is not let in yet: it is no member
            while end < n_open and _is_next(entering[end], glue, tokens, heavy, size, characters):
                end += 1
            group = entering[i:end]
            p = sa[leader]
            if may_be_shown(weight, solid, p, p + size, min_length):
                stamp += 2
                pardoned = use_granted and granted[leader] >= size
                if place_class(
                    solid, sa, lcp, covered, rest, owner, seen, stamp, group, size, least, k, pardoned, spare
                ):
                    least = min(least, size)
            for r in group:
                tokens[r] -= 1
                heavy[r] = before[sa[r] + tokens[r]] - before[sa[r]]
            i = end
        kept = 0
        for i in range(n_open):
            r = entering[i]
            if tokens[r] > 0:
                entering[kept] = r
                kept += 1
            else:
                take_out(sa, glue, r)
        n_open = kept
    state[0] = stamp
    state[1] = least
