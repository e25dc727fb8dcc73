"""Choose which positions of a text to keep so that every maximal kept run is a repeat.

Input is `longest[p]`, the length of the longest repeat starting at position p (0 where none may start), and the units
a run is made of: `unit[p]` is 1 where a character (or a word) begins. Right ends `p + longest[p]` never decrease: a
repeat without its first unit is still a repeat. Runs are kept apart by at least one unit, because two repeats side by
side form one run, which need not repeat. Lengths count characters; each document is covered for itself.

Reference: methods of Matsubara and Hasida, Algorithm 2 (`greedy_cover`, repaired: longest first, both edges guarded);
`optimal_cover` keeps the most characters any such choice can.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.repeats import WORD_END


@kernel("const(uint8[::1]), const(uint8[::1]), int64, int64, int32[::1], int32[::1]")
def _units_of(text, unit, begin, end, place, weight):
    """Boundaries of the units in `text[begin:end]` and the characters before each; returns the number of units."""
    m = 0
    characters = 0
    for p in range(begin, end):
        if unit[p]:
            place[m] = p
            weight[m] = characters
            m += 1
        if (text[p] & 0xC0) != 0x80 and text[p] != WORD_END:
            characters += 1
    place[m] = end
    weight[m] = characters
    return m


@kernel("const(int32[::1]), int32[::1], int64, int32[::1]")
def _reach_of(longest, place, m, reach):
    """`reach[s]`: the last boundary a repeat starting at boundary s gets to."""
    r = 0
    for s in range(m):
        r = max(r, s)
        stop = place[s] + longest[place[s]]
        while r < m and place[r + 1] <= stop:
            r += 1
        reach[s] = r


@kernel("const(int64[::1])")
def _widest(ends):
    """Bytes of the longest document."""
    widest = 0
    begin = 1
    for d in range(len(ends)):
        widest = max(widest, ends[d] - begin)
        begin = ends[d] + 1
    return widest


@kernel("const(uint8[::1]), const(uint8[::1]), const(int32[::1]), const(int64[::1]), int64")
def optimal_cover(text, unit, longest, ends, min_length):
    """Keep as many characters as possible; returns 1 per kept byte. Linear time.

    Many choices keep equally much. Ties go to the latest start of the last run when `min_length` is 1 and to the
    earliest otherwise: with long runs that hides more of the private text (MEDDOCAN, measured), with short ones it
    gives the worked examples.
    """
    latest = 1 if min_length == 1 else 0
    keep = np.zeros(len(text), dtype=np.uint8)
    widest = _widest(ends)
    place = np.empty(widest + 1, dtype=np.int32)
    weight = np.empty(widest + 1, dtype=np.int32)
    reach = np.empty(widest + 1, dtype=np.int32)
    apart = np.empty(widest + 1, dtype=np.int32)  # best for the units before j when unit j-1 is not kept
    kept = np.empty(widest + 1, dtype=np.int32)  # best when unit j-1 is kept, -1 where it cannot be
    start = np.empty(widest + 1, dtype=np.int32)  # where the run ending at j begins in that best
    queue = np.empty(widest + 1, dtype=np.int32)
    begin = 1
    for d in range(len(ends)):
        m = _units_of(text, unit, begin, ends[d], place, weight)
        begin = ends[d] + 1
        _reach_of(longest, place, m, reach)
        apart[0] = 0
        kept[0] = -1
        low = 0  # first start whose repeat reaches j; never decreases, so the starts form a sliding window
        ready = 0  # starts before this one are far enough left of j for a run of min_length
        head = tail = 0
        for j in range(1, m + 1):
            apart[j] = max(apart[j - 1], kept[j - 1])
            while low < j and reach[low] < j:
                low += 1
            while ready < j and weight[j] - weight[ready] >= min_length:
                gain = apart[ready] - weight[ready]
                while tail > head and apart[queue[tail - 1]] - weight[queue[tail - 1]] < gain + latest:
                    tail -= 1
                queue[tail] = ready
                tail += 1
                ready += 1
            while head < tail and queue[head] < low:
                head += 1
            if head < tail:
                start[j] = queue[head]
                kept[j] = apart[queue[head]] + weight[j] - weight[queue[head]]
            else:
                kept[j] = -1
        j = m
        in_run = kept[m] >= apart[m]
        while j > 0:
            if in_run:
                for p in range(place[start[j]], place[j]):
                    keep[p] = 1
                j = start[j]
                in_run = False
            else:
                in_run = kept[j - 1] > apart[j - 1]
                j -= 1
    return keep


@kernel("const(uint8[::1]), const(uint8[::1]), const(int32[::1]), const(int64[::1]), int64")
def maximal_repeats(text, unit, longest, ends, min_length):
    """Repeats of at least `min_length` characters that no longer repeat contains, as rows of begin and end (bytes)."""
    widest = _widest(ends)
    place = np.empty(widest + 1, dtype=np.int32)
    weight = np.empty(widest + 1, dtype=np.int32)
    reach = np.empty(widest + 1, dtype=np.int32)
    out = np.empty((0, 2), dtype=np.int32)
    for fill in (False, True):  # count first: there are far fewer repeats than positions
        found = 0
        begin = 1
        for d in range(len(ends)):
            m = _units_of(text, unit, begin, ends[d], place, weight)
            begin = ends[d] + 1
            _reach_of(longest, place, m, reach)
            for s in range(m):
                # right ends never decrease, so the smallest start with a given end gives a maximal repeat
                first = s == 0 or reach[s - 1] < reach[s]
                if first and reach[s] > s and weight[reach[s]] - weight[s] >= min_length:
                    if fill:
                        out[found, 0] = place[s]
                        out[found, 1] = place[reach[s]]
                    found += 1
        if not fill:
            out = np.empty((found, 2), dtype=np.int32)
    return out


def greedy_cover(text: np.ndarray, unit: np.ndarray, longest: np.ndarray, ends: np.ndarray, min_length: int):
    """Keep maximal repeats, longest first (ties: leftmost), that touch nothing kept; returns 1 per kept byte."""
    regions = maximal_repeats(text, unit, longest, ends, min_length)
    characters = np.cumsum(((text & 0xC0) != 0x80) & (text != WORD_END), dtype=np.int32)
    length = characters[regions[:, 1] - 1] - characters[regions[:, 0] - 1]
    order = np.lexsort((regions[:, 0], -length))
    return _accept(regions, order, len(text))


@kernel("int32[:, ::1], int64[::1], int64")
def _accept(regions, order, n):
    keep = np.zeros(n, dtype=np.uint8)
    for i in order:
        s = regions[i, 0]
        e = regions[i, 1]
        # position 0 and n-1 hold separators, so s-1 and e are always on the text; four tests are safe for any regions
        if not (keep[s - 1] or keep[s] or keep[e - 1] or keep[e]):
            for p in range(s, e):
                keep[p] = 1
    return keep
