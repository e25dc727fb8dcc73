"""Each object's counts, clipped and added up, without sorting: one pass, a scratch count per cell."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


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
