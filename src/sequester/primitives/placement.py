"""Choose which positions of a text to keep so that every run repeats *in what is kept*.

A class is all occurrences of one string. Lengths are visited from the longest down; at each length every class whose
string is already visible, or could still be made visible, for k owners is placed wherever it fits. A run's string is
then visible to k owners when it is placed, placed runs are never removed and never touch, so it stays so.

A text is a row of positions: bytes, where a unit is a character, or tokens. With `solid` (1 where a token has a letter
or digit) two runs never touch by way of separators alone: a run's footprint includes the blanks and commas on both
sides, so what parts two runs always hides a word or number, and a run without either is not placed at all.

`owner` is per rank (-1: does not count), or None when every occurrence counts. `granted[r]` is a length up to which
the string at rank r may be kept whatever its count (public background), or None.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel

DENSE = 256
"""Every length up to this one is visited; above it a geometric grid, so that long verbatim repeats stay affordable."""
STEP = 1.05
TURN = 48
"""Runs of more tokens than this are placed by their number of tokens, shorter ones by their number of characters: with
tokens alone `of the ` would go before `pneumonia`."""


def lengths_to_visit(longest: int, shortest: int, dense: int = DENSE, step: float = STEP) -> np.ndarray:
    """Class lengths in positions, from the longest down."""
    lengths = list(range(shortest, min(longest, dense) + 1))
    above = max(dense, shortest - 1)
    while above < longest:
        above = max(above + 1, int(above * step))
        lengths.append(min(above, longest))
    return np.array(lengths[::-1], dtype=np.int32)


def place_classes(
    unit: np.ndarray,
    weight: np.ndarray,
    solid: np.ndarray,
    sa: np.ndarray,
    lcp: np.ndarray,
    longest: np.ndarray,
    owner: np.ndarray | None,
    k: int,
    min_length: int = 1,
    granted: np.ndarray | None = None,
    *,
    dense: int = DENSE,
    step: float = STEP,
    turn: int = TURN,
) -> np.ndarray:
    """Longest-first class placement; returns 1 per kept position.

    `unit` is 1 where a run may begin or end, `weight` the characters of a position (at most 255), `solid` is empty
    where runs only must not touch. `sa`, `lcp` and `longest` are per rank, and are spent: their memory is reused.
    """
    by_weight = len(solid) > 0
    top = int(longest.max(initial=0))
    lengths = lengths_to_visit(top, turn + 1 if by_weight else min_length, dense, step)
    rest = np.zeros(len(longest), dtype=np.int32) if by_weight else longest
    none = np.empty(0, dtype=np.int32)
    owner = none if owner is None else owner
    granted = none if granted is None else granted
    covered = np.zeros(len(unit), dtype=np.uint8)  # see _cover
    glue = lcp.copy()
    seen = np.zeros(int(owner.max(initial=-1)) + 1, dtype=np.int64)
    state = np.array([0, 2147483647], dtype=np.int64)  # stamp of the last class, tokens or bytes of the shortest run
    if len(lengths):
        # the ranks to let in at each visited length: those with `longest` at least that, below the one before
        stage_of = np.searchsorted(-lengths, -np.arange(top + 1), side="left").astype(np.int32)
        entering, first = _in_stages(longest, stage_of, len(lengths))
        rest[:] = 0
        _place(unit, weight, solid, sa, lcp, glue, rest, lengths, entering, first, owner, seen, k, min_length, granted,
               dense, covered, state)  # fmt: skip
        del entering
    if by_weight and top:
        from sequester.primitives.placement_by_weight import place_by_weight, weights_of

        before = np.zeros(len(weight) + 1, dtype=np.int32)
        np.cumsum(weight, out=before[1:], dtype=np.int32)
        tokens = np.minimum(longest, turn).astype(np.uint8)
        heavy = weights_of(sa, tokens, before)
        most = int(heavy.max(initial=0))
        entering, first = _in_stages(heavy, np.arange(most, -1, -1, dtype=np.int32), most)
        place_by_weight(weight, solid, sa, lcp, glue, rest, tokens, heavy, before, entering, first, owner, seen, k,
                        min_length, granted, covered, state)  # fmt: skip
    return (covered != 0).astype(np.uint8)


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


@kernel("int32[::1], int32[::1], int64")
def take_out(sa, glue, r):
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


@kernel("int32[::1], int32[::1], int32[::1], int64[::1], int64, int64, int64, int64, int64")
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


@kernel("uint8[::1], uint8[::1], int64, int64, int64")
def may_be_shown(weight, solid, begin, end, min_length):
    """Whether a run has enough characters and, where that is asked, a letter or digit."""
    n = 0
    if min_length > 1:
        for p in range(begin, end):
            n += weight[p]
            if n >= min_length:
                break
        if n < min_length:
            return False
    if len(solid) == 0:
        return True
    p = begin
    while p < end and not solid[p]:
        p += 1
    return p < end


@kernel("uint8[::1], int64, int64")
def _cover(covered, begin, size):
    """Mark a run: each byte holds 1 + the binary logarithm of how far the run goes on, so its end is soon found."""
    mark = 0
    for ahead in range(1, size + 1):
        if ahead >> mark:
            mark += 1
        covered[begin + size - ahead] = mark


@kernel("uint8[::1], uint8[::1], int64")
def _after_a_run(covered, solid, p):
    """Whether a run ends so close before p that none may begin there."""
    q = p - 1
    if len(solid):
        while not solid[q]:  # position 0 holds a separator, which is solid
            q -= 1
    return covered[q] != 0


@kernel("uint8[::1], uint8[::1], int64, int64, int64")
def _fits(covered, solid, p, size, least):
    """Whether a run there would touch no other.

    A run that lies inside whole is at least `least` long, the shortest placed so far, so it covers one of the probes;
    for lengths visited one by one there are none to make. (A plain `while`: a `range` costs even when it is empty.)
    """
    if covered[p] or covered[p + size - 1] or _after_a_run(covered, solid, p):
        return False
    q = p + size
    if len(solid):
        while not solid[q]:
            q += 1
    if covered[q]:
        return False
    q = p + least
    while q < p + size:
        if covered[q]:
            return False
        q += least
    return True


@kernel(
    "uint8[::1], int32[::1], int32[::1], uint8[::1], int32[::1], int32[::1], int64[::1], int64, int32[::1], "
    "int64, int64, int64, boolean, int32[::1]"
)
def place_class(solid, sa, lcp, covered, rest, owner, seen, stamp, group, size, least, k, pardoned, chosen):
    """Place the string of one class at every open rank of `group` where it fits; returns whether it was placed."""
    n_free = 0
    n_seen = 0
    for r in group:
        if rest[r] == 0 and _fits(covered, solid, sa[r], size, least):
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
        if _fits(covered, solid, sa[r], size, least):
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


@kernel("int32[::1], int64, int64, int64, int32[::1], uint8[::1], int32[::1], int32[::1], int32[::1], uint8[::1]")
def admit(entering, begin, end, n_open, spare, solid, sa, glue, rest, covered):
    """Let the ranks `entering[begin:end]` in among the open ones, take out those that cannot be placed any more."""
    n_next = 0
    i = 0
    j = begin
    while i < n_open or j < end:
        if j >= end or (i < n_open and entering[i] < entering[j]):
            r = entering[i]
            i += 1
        else:
            r = entering[j]
            j += 1
        p = sa[r]
        if p < 0:  # taken out before
            continue
        if rest[r] == 0 and covered[p]:
            e = p
            while covered[e]:
                e += 1 << (covered[e] - 1)
            rest[r] = e - p
        elif rest[r] == 0 and _after_a_run(covered, solid, p):
            rest[r] = -1
        if rest[r] == 0:
            spare[n_next] = r
            n_next += 1
        else:
            take_out(sa, glue, r)
    entering[:n_next] = spare[:n_next]
    return n_next


@kernel(
    "uint8[::1], uint8[::1], uint8[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], "
    "int32[::1], int64[::1], int32[::1], int64[::1], int64, int64, int32[::1], int64, uint8[::1], "
    "int64[::1]"
)
def _place(
    unit, weight, solid, sa, lcp, glue, rest, lengths, entering, first, owner, seen, k, min_length, granted, dense,
    covered, state,
):  # fmt: skip
    """Visit the lengths; at each, the classes that still have an open rank (one whose position is neither in a run nor
    next to the end of one). `entering` begins with the open ranks, in order; behind them wait those to come, by stage.

    `rest[r]` is how far the run that covers the position of rank r goes on, 0 where none does, -1 when it is starred
    for ever. `glue` is `lcp` between ranks that are not taken out yet.
    """
    spare = np.empty(len(entering), dtype=np.int32)
    n_open = 0
    stamp = state[0]
    least = state[1]
    use_granted = len(granted) > 0
    for step in range(len(lengths)):
        length = lengths[step]
        n_open = admit(entering, first[step], first[step + 1], n_open, spare, solid, sa, glue, rest, covered)
        # one class after the other: open ranks that share `length` positions
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
            size = shared if length > dense and len(group) > 1 and not pardoned else length
            while True:
                fit = size
                if length > dense:
                    while unit[p + fit] == 0:
                        fit -= 1
                if fit > 0 and unit[p + fit] and may_be_shown(weight, solid, p, p + fit, min_length):
                    stamp += 2
                    if place_class(
                        solid, sa, lcp, covered, rest, owner, seen, stamp, group, fit, least, k, pardoned, spare
                    ):
                        least = min(least, np.int64(fit))
                        break
                if size == length:
                    break
                size = length
    state[0] = stamp
    state[1] = least
