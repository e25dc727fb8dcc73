"""What each event's step looks like: repeated or new, where in the trace, after which gap, in which batch.

A *batch* is a run of events of one moment (gaps of zero in the log's precision), such as the three values of one blood
sample. A *move* leads into an event; the first event of an object has none.

What each object of an event log contributes to a Markov chain.

Noisy non-negative numbers, each seen as a multiple of what is expected of it, shrunk by how multiples are spread.

Each object's counts, clipped and added up, without sorting: one pass, a scratch count per cell.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import sort_first

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


@kernel("const(int32[::1]), const(int64[::1]), int64")
def transitions(states, offsets, n_states):
    """Cell `from * (S+1) + to` of every transition, START and END included: an object of L events owns L+1 of them.

    Returns the cells and the offsets that say whose they are.
    """
    side = n_states + 1
    n = len(offsets) - 1
    cells = np.empty(len(states) + n, np.int64)
    bounds = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        bounds[i] = at
        before = n_states
        for p in range(offsets[i], offsets[i + 1]):
            cells[at] = before * side + states[p]
            before = states[p]
            at += 1
        cells[at] = before * side + n_states
        at += 1
    bounds[n] = at
    return cells, bounds


@kernel("int64[::1], int64[::1]")
def tally_within(cells, bounds):
    """Distinct cells of every object in rising order with their counts; negative cells are left out."""
    n = len(bounds) - 1
    kept = np.empty(len(cells), np.int64)
    counts = np.empty(len(cells), np.int64)
    owners = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        owners[i] = at
        own = cells[bounds[i] : bounds[i + 1]].copy()
        sort_first(own, len(own))
        for c in own:
            if c < 0:
                continue
            if at > owners[i] and kept[at - 1] == c:
                counts[at - 1] += 1
            else:
                kept[at] = c
                counts[at] = 1
                at += 1
    owners[n] = at
    return kept[:at].copy(), counts[:at].copy(), owners


STEPS = 60
"""Iterations of the fit; more change nothing that noise would not."""
AT_ONCE = 20_000
"""Cells handled together; the spread of a larger table is found from that many of them, evenly chosen."""


def multiples_grid(noisy: np.ndarray, expected: np.ndarray, sd: float) -> np.ndarray:
    """Zero, then multiples growing geometrically up to the largest the numbers speak for."""
    largest = float((noisy / np.maximum(expected, sd / 4)).max(initial=1.0))
    top = min(1.05 * largest, 1e4)
    return np.r_[0.0, np.geomspace(1e-5 * top, top, 80)]


def shrunk(noisy: np.ndarray, expected: np.ndarray, sd: float, *, centre: str) -> np.ndarray:
    """The table behind `noisy` (noise of deviation `sd` in every cell), by `centre` "median" or "mean"."""
    shape = np.shape(noisy)
    y, e = np.ravel(noisy).astype(np.float64), np.maximum(np.ravel(expected), 1e-9 * sd)
    if not len(y):
        return np.zeros(shape)
    grid = multiples_grid(y, e, sd)
    # A point of the grid stands for all multiples up to half way to its neighbours: clear numbers are not rounded.
    low, high = np.r_[0.0, 0.0, (grid[1:-1] + grid[2:]) / 2], np.r_[0.0, (grid[1:-1] + grid[2:]) / 2, np.inf]
    stride = -(-len(y) // AT_ONCE)
    weights = _spread(_likelihood(y[::stride], e[::stride], grid, sd))
    out = np.empty(len(y))
    for a in range(0, len(y), AT_ONCE):
        part = slice(a, a + AT_ONCE)
        left = _likelihood(y[part], e[part], grid, sd) * weights
        left /= left.sum(axis=1, keepdims=True)
        if centre == "mean":
            near = np.clip(y[part, None], e[part, None] * low, e[part, None] * high)
            out[part] = (left * near).sum(axis=1)
        else:
            at = (np.cumsum(left, axis=1) >= 0.5 - 1e-12).argmax(axis=1)
            out[part] = np.clip(y[part], e[part] * low[at], e[part] * high[at])
    return out.reshape(shape)


def _likelihood(y: np.ndarray, e: np.ndarray, grid: np.ndarray, sd: float) -> np.ndarray:
    """Of every multiple for every cell, up to a factor per cell that keeps the largest at 1."""
    z = (y[:, None] - e[:, None] * grid) ** 2 / (-2 * sd * sd)
    z -= z.max(axis=1, keepdims=True)
    return np.exp(z, out=z)


def _spread(likelihood: np.ndarray) -> np.ndarray:
    n, size = likelihood.shape
    weights = np.full(size, 1.0 / size)
    for _ in range(STEPS):
        weights *= likelihood.T @ (1.0 / (likelihood @ weights)) / n
    # No multiple is ruled out for good: a cell that only a vanished one explains must still have an answer.
    weights += 1e-12
    return weights / weights.sum()


@kernel("const(int64[::1]), const(int64[::1]), const(float64[::1]), int64")
def object_norms(cells, bounds, divisors, size):
    """Euclidean norm of every object's counts of its cells; negative cells are left out.

    Object *i* owns `cells[bounds[i]:bounds[i+1]]`, and its counts are divided by `divisors[i]`.
    """
    count = np.zeros(size, np.int64)
    out = np.empty(len(bounds) - 1)
    for i in range(len(bounds) - 1):
        squares = 0.0
        for p in range(bounds[i], bounds[i + 1]):
            c = cells[p]
            if c >= 0:
                squares += 2.0 * count[c] + 1.0  # (n + 1)^2 - n^2
                count[c] += 1
        for p in range(bounds[i], bounds[i + 1]):
            if cells[p] >= 0:
                count[cells[p]] = 0
        out[i] = np.sqrt(squares) / divisors[i]
    return out


@kernel("const(int64[::1]), const(int64[::1]), const(float64[::1]), float64, int64, float64, int64")
def gated_totals(cells, bounds, divisors, clip, limit, grid, size):
    """Sum over objects of their counts as integers on a grid, each object's vector gated to the norm `limit`.

    What `gate_cells` does to tallied counts, object by object: scaled near the clip, truncated toward zero, and
    shrunk until the integer sum of squares is at most `limit * limit`.
    """
    count = np.zeros(size, np.int64)
    total = np.zeros(size, np.int64)
    longest = 0
    for i in range(len(bounds) - 1):
        longest = max(longest, bounds[i + 1] - bounds[i])
    own = np.empty(longest, np.int64)
    value = np.empty(longest, np.int64)
    for i in range(len(bounds) - 1):
        n = 0
        for p in range(bounds[i], bounds[i + 1]):
            c = cells[p]
            if c >= 0:
                if count[c] == 0:
                    own[n] = c
                    n += 1
                count[c] += 1
        squares = 0.0
        for j in range(n):
            x = count[own[j]] / divisors[i]
            squares += x * x
        norm = np.sqrt(squares)
        shrink = clip / max(norm, clip) if norm > clip else 1.0
        exact = np.int64(0)
        for j in range(n):
            value[j] = np.int64(np.trunc(count[own[j]] / divisors[i] * (shrink * grid)))
            exact += value[j] * value[j]
            count[own[j]] = 0
        factor = 1.0 - 2.0**-30
        while exact > limit * limit:
            exact = np.int64(0)
            for j in range(n):
                value[j] = np.int64(np.trunc(value[j] * factor))
                exact += value[j] * value[j]
            factor *= factor
        for j in range(n):
            total[own[j]] += value[j]
    return total


@kernel("const(int64[::1]), const(int64[::1]), const(float64[::1]), float64, int64")
def clipped_totals(cells, bounds, divisors, clip, size):
    """The same sum without a grid, for logs that were drawn: every object's counts shrunk to the norm `clip`."""
    count = np.zeros(size, np.int64)
    total = np.zeros(size)
    longest = 0
    for i in range(len(bounds) - 1):
        longest = max(longest, bounds[i + 1] - bounds[i])
    own = np.empty(longest, np.int64)
    for i in range(len(bounds) - 1):
        n = 0
        squares = 0.0
        for p in range(bounds[i], bounds[i + 1]):
            c = cells[p]
            if c >= 0:
                if count[c] == 0:
                    own[n] = c
                    n += 1
                squares += 2.0 * count[c] + 1.0
                count[c] += 1
        norm = np.sqrt(squares) / divisors[i]
        shrink = clip / norm if norm > clip else 1.0
        for j in range(n):
            total[own[j]] += count[own[j]] / divisors[i] * shrink
            count[own[j]] = 0
    return total
