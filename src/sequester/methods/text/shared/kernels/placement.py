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

from typing import NamedTuple

import numpy as np

from sequester.methods.text.shared.kernels.placement_queue import QUEUE, let_in, queued
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.row_file import Room

DENSE = 256
"""Every length up to this one is visited; above it a geometric grid, so that long verbatim repeats stay affordable."""
STEP = 1.05
TURN = 48
"""Runs of more tokens than this are placed by their number of tokens, shorter ones by their number of characters: with
tokens alone `of the ` would go before `pneumonia`."""


class Text(NamedTuple):
    """Of every position: whether a run may begin or end there, its characters, whether hiding it makes a gap (empty:
    any does), and what is covered so far (see `_cover`)."""

    unit: np.ndarray
    weight: np.ndarray
    solid: np.ndarray
    covered: np.ndarray


class Ranks(NamedTuple):
    """Of every sorted suffix. `rest[r]` is how far the run that covers its position goes on, 0 where none does, -1 when
    it is starred for ever. `glue` is `lcp` between ranks that are not taken out yet. Owners and what is granted may be
    empty."""

    sa: np.ndarray
    lcp: np.ndarray
    glue: np.ndarray
    rest: np.ndarray
    owner: np.ndarray
    granted: np.ndarray


class Counted(NamedTuple):
    """`seen[owner]` is the stamp under which an owner was met last; `state` the last stamp and the shortest run."""

    seen: np.ndarray
    state: np.ndarray
    k: int
    min_length: int


TEXT = Record(Text, "uint8[::1], uint8[::1], uint8[::1], uint8[::1]")
RANKS = Record(Ranks, "int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int32[::1]")
COUNTED = Record(Counted, "int64[::1], int64[::1], int64, int64")


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
    room: Room | None = None,
) -> np.ndarray:
    """Longest-first class placement; returns 1 per kept position.

    `unit` is 1 where a run may begin or end, `weight` the characters of a position (at most 255), `solid` is empty
    where runs only must not touch. `sa`, `lcp` and `longest` are per rank, and are spent: their memory is reused. What
    the work needs besides is taken from `room`.
    """
    room = Room() if room is None else room
    by_weight = len(solid) > 0
    top = int(longest.max(initial=0))
    lengths = lengths_to_visit(top, turn + 1 if by_weight else min_length, dense, step)
    rest = room.zeros(len(longest), np.int32) if by_weight else longest
    none = np.empty(0, dtype=np.int32)
    text = Text(unit, weight, solid, room.zeros(len(unit), np.uint8))
    glue = room.empty(len(lcp), np.int32)
    glue[:] = lcp
    ranks = Ranks(sa, lcp, glue, rest, none if owner is None else owner, none if granted is None else granted)
    seen = np.zeros(int(ranks.owner.max(initial=-1)) + 1, dtype=np.int64)
    counted = Counted(seen, np.array([0, 2147483647], dtype=np.int64), k, min_length)
    if len(lengths):
        # the ranks to let in at each visited length: those with `longest` at least that, below the one before
        stage_of = np.searchsorted(-lengths, -np.arange(top + 1), side="left").astype(np.int32)
        queue = queued(longest, stage_of, len(lengths), room)
        rest[:] = 0
        _place(text, ranks, queue, counted, lengths, dense)
        del queue
    if by_weight and top:
        from sequester.methods.text.shared.kernels.placement_by_weight import Tries, place_by_weight, weigh

        before = room.zeros(len(weight) + 1, np.int32)
        np.cumsum(weight, out=before[1:], dtype=np.int32)
        tries = Tries(room.empty(len(sa), np.uint8), room.empty(len(sa), np.int32), before)
        weigh(sa, longest, turn, tries)
        most = int(tries.heavy.max(initial=0))
        queue = queued(tries.heavy, np.arange(most, -1, -1, dtype=np.int32), most, room)
        place_by_weight(text, ranks, queue, counted, tries)
    np.minimum(text.covered, 1, out=text.covered)
    return text.covered


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


@kernel("Ranks, Counted, int64, int64, int64, int64", Ranks=RANKS, Counted=COUNTED)
def _count_visible(ranks, counted, stamp, r, size, n_seen):
    """Go on counting to k with the ranks around r that share `size` bytes with it inside a run."""
    lcp, rest, owner = ranks.lcp, ranks.rest, ranks.owner
    seen, k = counted.seen, counted.k
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


@kernel("Text, Ranks, Counted, int32[::1], int32[::1], int64, boolean", Text=TEXT, Ranks=RANKS, Counted=COUNTED)
def place_class(text, ranks, counted, group, chosen, size, pardoned):
    """Place the string of one class at every open rank of `group` where it fits; returns whether it was placed."""
    sa, rest, owner = ranks.sa, ranks.rest, ranks.owner
    covered, solid = text.covered, text.solid
    counted.state[0] += 2
    stamp, least = counted.state[0], counted.state[1]
    n_free = 0
    n_seen = 0
    for r in group:
        if rest[r] == 0 and _fits(covered, solid, sa[r], size, least):
            chosen[n_free] = r
            n_free += 1
            n_seen += _another(counted.seen, stamp, owner, r)
    if n_free == 0:
        return False
    if not pardoned and _count_visible(ranks, counted, stamp, group[0], size, n_seen) < counted.k:
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
        counted.state[1] = min(least, size)
        return True
    # occurrences of a string can overlap: count again, and take it all back if too few see it now
    n_seen = 0
    for a in range(n_placed):
        n_seen += _another(counted.seen, stamp + 1, owner, chosen[a])
        rest[chosen[a]] = 0
    enough = _count_visible(ranks, counted, stamp + 1, group[0], size, n_seen) >= counted.k
    for a in range(n_placed):
        r = chosen[a]
        if enough:
            rest[r] = size
        else:
            covered[sa[r] : sa[r] + size] = 0
    if enough:
        counted.state[1] = min(least, size)
    return enough


@kernel("Text, int32[::1], int32[::1], int64", Text=TEXT)
def settle(text, sa, rest, r):
    """Write down how far the run at rank r goes on, if one covers its position by now, or that none may begin there."""
    covered = text.covered
    p = sa[r]
    if rest[r] == 0 and covered[p]:
        e = p
        while covered[e]:
            e += 1 << (covered[e] - 1)
        rest[r] = e - p
    elif rest[r] == 0 and _after_a_run(covered, text.solid, p):
        rest[r] = -1


@kernel("Text, Ranks, int32[::1]", Text=TEXT, Ranks=RANKS)
def still_free(text, ranks, group):
    """Move the ranks that can still be placed to the front, take out the others; returns how many can."""
    sa, glue, rest = ranks.sa, ranks.glue, ranks.rest
    n = 0
    for r in group:
        settle(text, sa, rest, r)
        if rest[r] == 0:
            group[n] = r
            n += 1
        else:
            take_out(sa, glue, r)
    return n


@kernel("Text, Ranks, Queue, Counted, int32[::1], int64", Text=TEXT, Ranks=RANKS, Queue=QUEUE, Counted=COUNTED)
def _place(text, ranks, queue, counted, lengths, dense):
    """Visit the lengths; at each, the classes that still have an open rank (one whose position is neither in a run nor
    next to the end of one)."""
    sa, glue, granted = ranks.sa, ranks.glue, ranks.granted
    unit, entering = text.unit, queue.entering
    n_open = 0
    use_granted = len(granted) > 0
    for step in range(len(lengths)):
        length = lengths[step]
        n_open = still_free(text, ranks, entering[: let_in(queue, step, n_open)])
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
                shows = (
                    fit > 0 and unit[p + fit] and may_be_shown(text.weight, text.solid, p, p + fit, counted.min_length)
                )
                if shows and place_class(text, ranks, counted, group, queue.spare, fit, pardoned):
                    break
                if size == length:
                    break
                size = length
