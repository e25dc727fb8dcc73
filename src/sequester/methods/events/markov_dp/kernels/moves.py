"""What each event's step looks like: repeated or new, where in the trace, after which gap, in which batch.

A *batch* is a run of events of one moment (gaps of zero in the log's precision), such as the three values of one blood
sample. A *move* leads into an event; the first event of an object has none.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel

SEEN, PLACES, BEFORE, HOURS = 4, 10, 8, 8
"""Classes: of what was seen, of places, of the gap before the last event, of the hour of the last event (3 h each)."""


@kernel("int64")
def place_class(i):
    """Place in the trace: 1, 2, 3, 4, 5-6, 7-8, 9-11, 12-16, 17-24, 25 and later."""
    if i < 4:
        return i
    if i < 6:
        return 4
    if i < 8:
        return 5
    if i < 11:
        return 6
    if i < 16:
        return 7
    return 8 if i < 24 else 9


@kernel("int64, int64")
def before_class(gap, run):
    """Class of a gap that was not the first: a run of zero gaps of 1, 2, 3 or more; then up to 1 h, 8 h, 36 h, more."""
    if gap < 1:
        return min(run, 3)
    if gap < 3600:
        return 4
    if gap < 28800:
        return 5
    return 6 if gap < 129600 else 7


@kernel("int64, const(float64[::1])")
def gap_bin(gap, edges):
    """Bin of a gap; what is longer than the last edge belongs to the last bin."""
    k = len(edges) - 2
    while k > 0 and gap < edges[k]:
        k -= 1
    return k


@kernel("const(int32[::1]), const(int64[::1]), const(int64[::1]), int64, const(float64[::1]), int64")
def moves(states, times, offsets, n_states, edges, parts):
    """Seen, place, before, again, gap bin, part of the bin and hour class of every event's move, one row each (int8).

    Rows: 0 seen (0 new, 1 once, 2 more often, 3 already in the batch of the event before), 1 place, 2 class of the
    gap before the event before (0: it was the first), 3 whether the state is already in that batch, 4 bin of the gap,
    5 part of that bin (equal in logarithms), 6 hour of the event before. Rows 2 to 6 of a first event are 0.
    """
    out = np.zeros((7, len(states)), np.int8)
    count = np.zeros(n_states, np.int64)
    batch_of = np.zeros(n_states, np.int64)
    batch = 0
    for i in range(len(offsets) - 1):
        batch += 1
        run = 0
        before = 0
        for p in range(offsets[i], offsets[i + 1]):
            b, place = states[p], p - offsets[i]
            again = place > 0 and batch_of[b] == batch
            out[0, p] = 3 if again else min(count[b], 2)
            out[1, p] = place_class(place)
            if place > 0:
                gap = times[p] - times[p - 1]
                out[2, p] = before
                out[3, p] = again
                k = gap_bin(gap, edges)
                out[4, p] = k
                if edges[k] >= 1.0:
                    part = np.int64(parts * np.log(gap / edges[k]) / np.log(edges[k + 1] / edges[k]))
                    out[5, p] = min(max(part, 0), parts - 1)
                out[6, p] = (times[p - 1] % 86400) // 10800
                if gap < 1:
                    run += 1
                else:
                    run = 0
                    batch += 1
                before = before_class(gap, run)
            count[b] += 1
            batch_of[b] = batch
        for p in range(offsets[i], offsets[i + 1]):
            count[states[p]] = 0
            batch_of[states[p]] = 0
    return out
