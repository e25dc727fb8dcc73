"""Choose which positions of a text to keep so that every run repeats *in what is kept*.

A class is all occurrences of one string. Lengths are visited from the longest down; at each length every class whose
string is already visible, or could still be made visible, for k owners is placed wherever it fits. A run's string is
then visible to k owners when it is placed, placed runs are never removed and never touch, so it stays so.

`owner` is per rank (-1: does not count), or None when every occurrence counts. `granted[r]` is a length up to which
the string at rank r may be kept whatever its count (public background), or None.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
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


@kernel("int32[::1], int32[::1], int64")
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


@kernel("int32[::1], int32[::1], int32")
def _take_out(sa, glue, r):
    """Take rank r out of the order: the next rank left shares with its new neighbour the lesser of two lengths.

    A rank taken out needs its position no more; its place in `sa` holds the way to the next one, shortened as walked.
    """
    after = r + 1
    while after < len(sa) and sa[after] < 0:
        after = -sa[after]
    step = r + 1
    while step < after:
        further = -sa[step]
        sa[step] = -after
        step = further
    sa[r] = -after
    if after < len(sa):
        glue[after] = min(glue[after], glue[r])


@kernel("int64[::1], int64, int32[::1], int64")
def _another(seen, stamp, owner, r):
    """1 if the owner of rank r was not seen under this stamp before; without owners every rank counts."""
    if len(seen) == 0:
        return 1
    if owner[r] < 0 or seen[owner[r]] == stamp:
        return 0
    seen[owner[r]] = stamp
    return 1


@kernel("int32[::1], int32[::1], int32[::1], int64[::1], int64, int32, int64, int64, int64")
def _count_visible(lcp, rest, owner, seen, stamp, r, size, n_seen, k):
    """Go on counting to k with the ranks around r that share `size` bytes with it inside a run."""
    left = r
    while n_seen < k and left > 0 and lcp[left] >= size:
        left -= 1
        if rest[left] >= size:
            n_seen += _another(seen, stamp, owner, left)
    right = r + 1
    while n_seen < k and right < len(lcp) and lcp[right] >= size:
        if rest[right] >= size:
            n_seen += _another(seen, stamp, owner, right)
        right += 1
    return n_seen


@kernel("uint8[::1], int32, int64, int64")
def _characters(text, begin, end, enough):
    n = 0
    for p in range(begin, end):
        if (text[p] & 0xC0) != 0x80 and text[p] != WORD_END:
            n += 1
            if n >= enough:
                break
    return n


@kernel("uint8[::1], int32, int64")
def _cover(covered, begin, size):
    """Mark a run: each byte holds 1 + the binary logarithm of how far the run goes on, so its end is soon found."""
    mark = 0
    for ahead in range(1, size + 1):
        if ahead >> mark:
            mark += 1
        covered[begin + size - ahead] = mark


@kernel("uint8[::1], int32, int64")
def _fits(covered, p, size):
    """Whether a run there would touch no other: placed runs are at least as long, so four bytes tell."""
    return not (covered[p] or covered[p - 1] or covered[p + size - 1] or covered[p + size])


@kernel(
    "uint8[::1], int32[::1], int32[::1], uint8[::1], int32[::1], int32[::1], int64[::1], int64, int32[::1], "
    "int64, int64, boolean, int32[::1]"
)
def _place_class(text, sa, lcp, covered, rest, owner, seen, stamp, group, size, k, pardoned, chosen):
    """Place the string of one class at every open rank of `group` where it fits; returns whether it was placed."""
    n_free = 0
    n_seen = 0
    for r in group:
        if rest[r] == 0 and _fits(covered, sa[r], size):
            chosen[n_free] = r
            n_free += 1
            n_seen += _another(seen, stamp, owner, r)
    if n_free == 0:
        return False
    if not pardoned and _count_visible(lcp, rest, owner, seen, stamp, group[0], size, n_seen, k) < k:
        return False
    n_placed = 0
    for a in range(n_free):
        r = chosen[a]
        if _fits(covered, sa[r], size):
            _cover(covered, sa[r], size)
            rest[r] = size
            chosen[n_placed] = r
            n_placed += 1
    if n_placed == n_free or pardoned:
        return True
    # occurrences of a string can overlap: count again, and take it all back if too few see it now
    n_seen = 0
    for a in range(n_placed):
        n_seen += _another(seen, stamp + 1, owner, chosen[a])
        rest[chosen[a]] = 0
    enough = _count_visible(lcp, rest, owner, seen, stamp + 1, group[0], size, n_seen, k) >= k
    for a in range(n_placed):
        r = chosen[a]
        if enough:
            rest[r] = size
        else:
            covered[sa[r] : sa[r] + size] = 0
    return enough


@kernel(
    "uint8[::1], uint8[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int64[::1], "
    "int32[::1], int64, int64, int64, int32[::1]"
)
def _place(text, unit, sa, lcp, rest, lengths, entering, first, owner, n_owners, k, min_length, granted):
    """Visit the lengths; at each, the classes that still have an open rank (one whose position is neither in a run nor
    next to the end of one). `entering` begins with the open ranks, in order; behind them wait those to come, by stage.

    `rest[r]` is how far the run that covers the position of rank r goes on, 0 where none does, -1 when it is starred
    for ever. `glue` is `lcp` between ranks that are not taken out yet.
    """
    covered = np.zeros(len(text), dtype=np.uint8)  # see _cover
    glue = lcp.copy()
    spare = np.empty(0, dtype=np.int32)
    n_open = 0
    seen = np.zeros(n_owners, dtype=np.int64)
    stamp = 0
    use_granted = len(granted) > 0
    for step in range(len(lengths)):
        length = lengths[step]
        # 1. let the new ranks in, take out those that cannot be placed any more
        needed = n_open + first[step + 1] - first[step]
        if len(spare) < needed:
            spare = np.empty(0, dtype=np.int32)  # let go of the old one before the new one is made
            spare = np.empty(needed, dtype=np.int32)
        n_next = 0
        i = 0
        j = first[step]
        while i < n_open or j < first[step + 1]:
            if j >= first[step + 1] or (i < n_open and entering[i] < entering[j]):
                r = entering[i]
                i += 1
            else:
                r = entering[j]
                j += 1
            p = sa[r]
            if rest[r] == 0 and covered[p]:
                e = p
                while covered[e]:
                    e += 1 << (covered[e] - 1)
                rest[r] = e - p
            elif rest[r] == 0 and covered[p - 1]:
                rest[r] = -1
            if rest[r] == 0:
                spare[n_next] = r
                n_next += 1
            else:
                _take_out(sa, glue, r)
        n_open = n_next
        entering[:n_open] = spare[:n_open]
        # 2. one class after the other: open ranks that share `length` bytes
        begin = 0
        while begin < n_open:
            end = begin + 1
            shared = np.int32(2147483647)
            while end < n_open and glue[entering[end]] >= length:
                shared = min(shared, glue[entering[end]])
                end += 1
            group = entering[begin:end]
            p = sa[group[0]]
            pardoned = use_granted and granted[group[0]] >= length
            begin = end
            # between grid points first try all that the class shares
            size = shared if length > DENSE and len(group) > 1 and not pardoned else length
            while True:
                fit = size
                if length > DENSE:
                    while unit[p + fit] == 0:
                        fit -= 1
                if unit[p + fit] and fit >= min_length:
                    long_enough = fit >= 4 * min_length or _characters(text, p, p + fit, min_length) >= min_length
                    if long_enough:
                        stamp += 2
                        if _place_class(
                            text, sa, lcp, covered, rest, owner, seen, stamp, group, fit, k, pardoned, spare
                        ):
                            break
                if size == length:
                    break
                size = length
    for p in range(len(covered)):
        covered[p] = covered[p] != 0
    return covered
