"""Choose which positions of a text to keep so that every maximal kept run is a repeat.

Input is `longest[p]`, the length of the longest repeat starting at position p (0 where none may start), and the units
a run is made of: `unit[p]` is 1 where a character (or a token) begins, `weight[p]` are the characters at p. Right ends
`p + longest[p]` never decrease: a repeat without its first unit is still a repeat. Runs are kept apart by at least one
unit, because two repeats side by side form one run, which need not repeat; where `solid` is given, by at least one
unit with a letter or digit, and every run has one. Lengths count characters; each document is covered for itself.

Reference: methods of Matsubara and Hasida, Algorithm 2 (`greedy_cover`, repaired: longest first, both edges guarded);
`optimal_cover` keeps the most characters any such choice can.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


@kernel("uint8[::1], uint8[::1], int64, int64, int32[::1], int32[::1]")
def _units_of(unit, weight, begin, end, place, before):
    """Boundaries of the units in `text[begin:end]` and the characters before each; returns the number of units."""
    m = 0
    characters = 0
    for p in range(begin, end):
        if unit[p]:
            place[m] = p
            before[m] = characters
            m += 1
        characters += weight[p]
    place[m] = end
    before[m] = characters
    return m


@kernel("int32[::1], int32[::1], int64, int32[::1]")
def _reach_of(longest, place, m, reach):
    """`reach[s]`: the last boundary a repeat starting at boundary s gets to."""
    r = 0
    for s in range(m):
        r = max(r, s)
        stop = place[s] + longest[place[s]]
        while r < m and place[r + 1] <= stop:
            r += 1
        reach[s] = r


@kernel("int64[::1]")
def _widest(ends):
    """Bytes of the longest document."""
    widest = 0
    begin = 1
    for d in range(len(ends)):
        widest = max(widest, ends[d] - begin)
        begin = ends[d] + 1
    return widest


@kernel("uint8[::1], uint8[::1], uint8[::1], int32[::1], int64[::1], int64")
def optimal_cover(unit, weight, solid, longest, ends, min_length):
    """Keep as many characters as possible; returns 1 per kept position. Linear time.

    Many choices keep equally much. Ties go to the latest start of the last run when `min_length` is 1 and to the
    earliest otherwise: with long runs that hides more of the private text (MEDDOCAN, measured), with short ones it
    gives the worked examples.
    """
    latest = 1 if min_length == 1 else 0
    never = -(1 << 30)
    keep = np.zeros(len(unit), dtype=np.uint8)
    widest = _widest(ends)
    place = np.empty(widest + 1, dtype=np.int32)
    before = np.empty(widest + 1, dtype=np.int32)
    reach = np.empty(widest + 1, dtype=np.int32)
    free = np.empty(widest + 1, dtype=np.int32)  # best for the units before j when a run may begin at j
    close = np.empty(widest + 1, dtype=np.int32)  # best when only separators are hidden since the last run
    kept = np.empty(widest + 1, dtype=np.int32)  # best when unit j-1 is kept, -1 where it cannot be
    start = np.empty(widest + 1, dtype=np.int32)  # where the run ending at j begins in that best
    queue = np.empty(widest + 1, dtype=np.int32)
    begin = 1
    for d in range(len(ends)):
        m = _units_of(unit, weight, begin, ends[d], place, before)
        begin = ends[d] + 1
        _reach_of(longest, place, m, reach)
        free[0] = 0
        close[0] = never
        kept[0] = -1
        low = 0  # first start whose repeat reaches j; never decreases, so the starts form a sliding window
        ready = 0  # starts before this one are far enough left of j for a run of min_length with a letter or digit
        last_solid = -1
        head = tail = 0
        for j in range(1, m + 1):
            is_solid = len(solid) == 0 or solid[place[j - 1]] != 0
            if is_solid:
                last_solid = j - 1
                free[j] = max(free[j - 1], close[j - 1], kept[j - 1])
                close[j] = never
            else:
                free[j] = free[j - 1]
                close[j] = max(close[j - 1], kept[j - 1] if kept[j - 1] >= 0 else never)
            while low < j and reach[low] < j:
                low += 1
            while ready <= last_solid and before[j] - before[ready] >= min_length:
                gain = free[ready] - before[ready]
                while tail > head and free[queue[tail - 1]] - before[queue[tail - 1]] < gain + latest:
                    tail -= 1
                queue[tail] = ready
                tail += 1
                ready += 1
            while head < tail and queue[head] < low:
                head += 1
            if head < tail:
                start[j] = queue[head]
                kept[j] = free[queue[head]] + before[j] - before[queue[head]]
            else:
                kept[j] = -1
        _trace_back(keep, place, solid, free, close, kept, start, m)
    return keep


@kernel("uint8[::1], int32[::1], uint8[::1], int32[::1], int32[::1], int32[::1], int32[::1], int64")
def _trace_back(keep, place, solid, free, close, kept, start, m):
    """Walk from the end of a document along the best choices: in a run, free, or close behind one."""
    j = m
    in_run = kept[m] >= free[m] and kept[m] >= close[m]
    is_free = free[m] >= close[m]
    while j > 0:
        if in_run:
            for p in range(place[start[j]], place[j]):
                keep[p] = 1
            j = start[j]
            in_run = False
            is_free = True
            continue
        is_solid = len(solid) == 0 or solid[place[j - 1]] != 0
        j -= 1
        if not is_solid:
            if not is_free:  # only separators so far: the run ends here, or further left
                in_run = kept[j] > close[j]
        elif is_free:
            in_run = kept[j] > free[j] and kept[j] >= close[j]
            is_free = free[j] >= close[j]


@kernel("uint8[::1], uint8[::1], int32[::1], int64[::1], int64")
def maximal_repeats(unit, weight, longest, ends, min_length):
    """Repeats of at least `min_length` characters that no longer repeat contains, as rows of begin and end."""
    widest = _widest(ends)
    place = np.empty(widest + 1, dtype=np.int32)
    before = np.empty(widest + 1, dtype=np.int32)
    reach = np.empty(widest + 1, dtype=np.int32)
    out = np.empty((0, 2), dtype=np.int32)
    for fill in (False, True):  # count first: there are far fewer repeats than positions
        found = 0
        begin = 1
        for d in range(len(ends)):
            m = _units_of(unit, weight, begin, ends[d], place, before)
            begin = ends[d] + 1
            _reach_of(longest, place, m, reach)
            for s in range(m):
                # right ends never decrease, so the smallest start with a given end gives a maximal repeat
                first = s == 0 or reach[s - 1] < reach[s]
                if first and reach[s] > s and before[reach[s]] - before[s] >= min_length:
                    if fill:
                        out[found, 0] = place[s]
                        out[found, 1] = place[reach[s]]
                    found += 1
        if not fill:
            out = np.empty((found, 2), dtype=np.int32)
    return out


def greedy_cover(
    unit: np.ndarray, weight: np.ndarray, solid: np.ndarray, longest: np.ndarray, ends: np.ndarray, min_length: int
) -> np.ndarray:
    """Keep maximal repeats, longest first (ties: leftmost), that touch nothing kept; returns 1 per kept position."""
    regions = maximal_repeats(unit, weight, longest, ends, min_length)
    characters = np.cumsum(weight, dtype=np.int32)
    length = characters[regions[:, 1] - 1] - characters[regions[:, 0] - 1]
    order = np.lexsort((regions[:, 0], -length))
    return _accept(regions, order, solid, len(unit))


@kernel("int32[:, ::1], int64[::1], uint8[::1], int64")
def _accept(regions, order, solid, n):
    keep = np.zeros(n, dtype=np.uint8)
    for i in order:
        s = regions[i, 0]
        e = regions[i, 1]
        # position 0 and n-1 hold separators, so s-1 and e are always on the text; four tests are safe for any regions
        left = s - 1
        right = e
        bare = False
        if len(solid):
            while not solid[left]:
                left -= 1
            while not solid[right]:
                right += 1
            bare = True
            for p in range(s, e):
                if solid[p]:
                    bare = False
                    break
        if not (bare or keep[left] or keep[s] or keep[e - 1] or keep[right]):
            for p in range(s, e):
                keep[p] = 1
    return keep
