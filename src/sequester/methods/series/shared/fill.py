"""Missing values of a panel, filled along time."""

from __future__ import annotations

import numpy as np


def fill_along_time(values: np.ndarray, gap: int) -> np.ndarray:
    """Missing values on the straight line between their neighbours in time; at the ends, the nearest value.

    A row with more than `gap` missing values one after the other stays as it is.
    """
    out = np.array(values, dtype=np.float64)
    hole = np.isnan(out)
    at = np.arange(out.shape[1])
    for i in np.flatnonzero(fillable(hole, gap) & hole.any(axis=1)):
        out[i] = np.interp(at, at[~hole[i]], out[i, ~hole[i]])
    return out


def fillable(hole: np.ndarray, gap: int) -> np.ndarray:
    """Which rows have a value and at most `gap` missing ones one after the other."""
    so_far = np.zeros(len(hole), dtype=np.int64)
    longest = so_far.copy()
    for column in hole.T:
        so_far = np.where(column, so_far + 1, 0)
        longest = np.maximum(longest, so_far)
    found: np.ndarray = (longest <= gap) & ~hole.all(axis=1)
    return found
