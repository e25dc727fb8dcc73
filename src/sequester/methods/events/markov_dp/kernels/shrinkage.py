"""Noisy non-negative numbers, each seen as a multiple of what is expected of it, shrunk by how multiples are spread.

The spread is not assumed but found: a distribution over a grid of multiples (zero among them) that explains the noisy
numbers best (Kiefer and Wolfowitz 1956; the iteration is that of a mixture with known components). Each number then
becomes the median or the mean of what is left of that distribution once the number has been seen. Where noise drowns a
table this gives nearly what was expected, where it does not nearly what was measured, and it needs no threshold.
"""

from __future__ import annotations

import numpy as np

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
