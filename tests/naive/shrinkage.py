"""Plain loops for `primitives.shrinkage`."""

from __future__ import annotations

import math


def shrunk(noisy, expected, sd, grid, steps, centre):
    """Cell by cell, from the definition of a posterior."""
    cells = list(zip(noisy, expected, strict=True))
    weights = [1 / len(grid)] * len(grid)
    for _ in range(steps):
        total = [0.0] * len(grid)
        for y, e in cells:
            left = _left(y, e, sd, grid, weights)
            for j, share in enumerate(left):
                total[j] += share
        weights = [t / len(cells) for t in total]
    out = []
    for y, e in cells:
        left = _left(y, e, sd, grid, weights)
        near = [_nearest(y / e, grid, j) * e for j in range(len(grid))]
        if centre == "mean":
            out.append(sum(x * share for x, share in zip(near, left, strict=True)))
            continue
        below = 0.0
        for x, share in zip(near, left, strict=True):
            below += share
            if below >= 0.5 - 1e-12:
                out.append(x)
                break
    return out


def _nearest(multiple, grid, j):
    """What point j of the grid stands for that is nearest to a multiple; zero stands for itself alone."""
    if j == 0:
        return 0.0
    low = 0.0 if j == 1 else (grid[j - 1] + grid[j]) / 2
    high = math.inf if j == len(grid) - 1 else (grid[j] + grid[j + 1]) / 2
    return min(max(multiple, low), high)


def _left(y, e, sd, grid, weights):
    logs = [-((y - e * m) ** 2) / (2 * sd * sd) for m in grid]
    top = max(logs)
    raw = [math.exp(x - top) * w for x, w in zip(logs, weights, strict=True)]
    whole = sum(raw)
    return [x / whole for x in raw]
