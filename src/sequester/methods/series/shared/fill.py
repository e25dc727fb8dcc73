"""Missing values of a panel, filled along time."""

from __future__ import annotations

import numpy as np


def fill_along_time(values: np.ndarray) -> np.ndarray:
    """Missing values on the straight line between their neighbours in time; at the ends, the nearest value.

    A row without any value stays as it is.
    """
    out = np.array(values, dtype=np.float64)
    hole = np.isnan(out)
    at = np.arange(out.shape[1])
    for i in np.flatnonzero(hole.any(axis=1) & ~hole.all(axis=1)):
        out[i] = np.interp(at, at[~hole[i]], out[i, ~hole[i]])
    return out
