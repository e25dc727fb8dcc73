"""The integer gate: nothing reaches the noise except integers whose norm was checked exactly.

A feature may be computed in floating point by any code. Here it is scaled by 2**20, truncated toward zero, and
shrunk until the *integer* sum of squares is at most the integer bound. Truncation never increases a magnitude, so
the L2 sensitivity of the sum over people is at most `bound(clip)` whatever the feature code did.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.errors import ParameterError

GRID = 1 << 20
"""Integer units per unit of a feature."""
LARGEST_CLIP = 2.0**10
"""Keeps clip**2 * GRID**2 inside int64."""


def bound(clip: float) -> int:
    """The integer L2 sensitivity of a gated sum."""
    if not 0 < clip <= LARGEST_CLIP:
        raise ParameterError(f"gate: a clip must lie in (0, {LARGEST_CLIP:g}], got {clip!r}.")
    return math.floor(clip * GRID)


def gate(features: np.ndarray, clip: float) -> np.ndarray:
    """Rows of `features` as integers with L2 norm at most `bound(clip)`, exactly.

    A NaN or an infinity counts as 0: a feature that is not a number must not decide anything.
    """
    limit = bound(clip)
    x = np.nan_to_num(np.asarray(features, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    if x.ndim != 2:
        raise ParameterError("gate: features must be people x cells.")
    norm = np.sqrt(np.einsum("ij,ij->i", x, x))
    shrink = np.where(norm > clip, clip / np.maximum(norm, clip), 1.0)  # brings every row near the bound
    y: np.ndarray = np.trunc(x * (shrink * GRID)[:, None]).astype(np.int64)
    over = np.flatnonzero(np.einsum("ij,ij->i", y, y) > limit * limit)
    factor = 1.0 - 2.0**-30
    while len(over):
        y[over] = np.trunc(y[over] * factor).astype(np.int64)
        over = over[np.einsum("ij,ij->i", y[over], y[over]) > limit * limit]
        factor *= factor
    return y


def gate_cells(values: np.ndarray, bounds: np.ndarray, clip: float) -> np.ndarray:
    """The same gate for sparse features: person *i* owns `values[bounds[i]:bounds[i+1]]`, each in a cell of its own."""
    limit = bound(clip)
    x = np.nan_to_num(np.asarray(values, dtype=np.float64), nan=0.0, posinf=0.0, neginf=0.0)
    n = len(bounds) - 1
    owner = np.repeat(np.arange(n), np.diff(bounds))
    norm = np.sqrt(np.bincount(owner, x * x, minlength=n))
    shrink = np.where(norm > clip, clip / np.maximum(norm, clip), 1.0)
    y: np.ndarray = np.trunc(x * (shrink * GRID)[owner]).astype(np.int64)
    factor = 1.0 - 2.0**-30
    while True:
        squares = np.zeros(n, np.int64)
        np.add.at(squares, owner, y * y)
        over = (squares > limit * limit)[owner]
        if not over.any():
            return y
        y[over] = np.trunc(y[over] * factor).astype(np.int64)
        factor *= factor
