"""The second part of placement, for tokens: short runs, those with the most characters first."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.text.shared.kernels.placement import (
    COUNTED,
    RANKS,
    TEXT,
    may_be_shown,
    place_class,
    still_free,
    take_out,
)
from sequester.methods.text.shared.kernels.placement_queue import QUEUE, let_in
from sequester.primitives.compiled import Record, kernel


class Tries(NamedTuple):
    """`tokens[r]` is how many tokens the next run to try at rank r has, `heavy[r]` their characters; `before[p]` are
    the characters before position p."""

    tokens: np.ndarray
    heavy: np.ndarray
    before: np.ndarray


TRIES = Record(Tries, "uint8[::1], int32[::1], int32[::1]")


@kernel("int32[::1], int32[::1], int64, Tries", Tries=TRIES)
def weigh(sa, longest, turn, tries):
    """What each rank tries first: its longest repeat, of at most `turn` tokens; nothing where it was taken out."""
    for r in range(len(sa)):
        n = min(np.int64(longest[r]), turn)
        tries.tokens[r] = n
        tries.heavy[r] = tries.before[sa[r] + n] - tries.before[sa[r]] if sa[r] >= 0 else 0


@kernel("int64, int32[::1], Tries, int64, int64", Tries=TRIES)
def _is_next(r, glue, tries, size, characters):
    return glue[r] >= size and tries.tokens[r] == size and tries.heavy[r] == characters


@kernel("Text, Ranks, Queue, Counted, Tries", Text=TEXT, Ranks=RANKS, Queue=QUEUE, Counted=COUNTED, Tries=TRIES)
def place_by_weight(text, ranks, queue, counted, tries):
    """Visit numbers of characters, from the most down; at each, the classes of runs with just so many.

    All ranks of a class agree on what they try. A rank with nothing left to try is taken out: what it could be part of
    has been tried.
    """
    sa, glue, granted = ranks.sa, ranks.glue, ranks.granted
    tokens, heavy, before = tries.tokens, tries.heavy, tries.before
    entering, first = queue.entering, queue.first
    n_open = 0
    use_granted = len(granted) > 0
    for step in range(len(first) - 2):
        characters = len(first) - 2 - step
        n_open = let_in(queue, step, n_open)
        kept = 0
        i = 0
        while i < n_open:
            leader = entering[i]
            if heavy[leader] != characters:
                entering[kept] = leader
                kept += 1
                i += 1
                continue
            size = np.int64(tokens[leader])
            end = i + 1
            # a rank that tries something else now may share more with one that is not let in yet: it is no member
            while end < n_open and _is_next(entering[end], glue, tries, size, characters):
                end += 1
            group = entering[i:end]
            # a rank is looked at when its turn comes and not before: which of its neighbours see a run is asked about
            # one class at a time, and all ranks of a class have their turn together
            group = group[: still_free(text, ranks, group)]
            i = end
            if len(group) == 0:
                continue
            p = sa[group[0]]
            if may_be_shown(text.weight, text.solid, p, p + size, counted.min_length):
                pardoned = use_granted and granted[group[0]] >= size
                place_class(text, ranks, counted, group, queue.spare, size, pardoned)
            for r in group:
                tokens[r] -= 1
                if tokens[r]:
                    heavy[r] = before[sa[r] + tokens[r]] - before[sa[r]]
                    entering[kept] = r
                    kept += 1
                else:
                    take_out(sa, glue, r)
        n_open = kept
