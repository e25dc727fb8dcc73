"""The normal distribution function and its inverse, on arrays."""

from __future__ import annotations

from functools import cache
from statistics import NormalDist

import numpy as np

_REACH = 6.0


@cache
def _table() -> tuple[np.ndarray, np.ndarray]:
    z = np.linspace(-_REACH, _REACH, 6001)
    return z, np.array([NormalDist().cdf(v) for v in z])


def cdf(z: np.ndarray) -> np.ndarray:
    """Probability below z, from a table (error below 1e-6)."""
    return np.interp(z, *_table())


def quantile(p: np.ndarray) -> np.ndarray:
    """z with probability p below it, 0 < p < 1."""
    inverse = NormalDist().inv_cdf
    flat = np.asarray(p, dtype=np.float64)
    return np.array([inverse(float(v)) for v in flat.ravel()]).reshape(flat.shape)
