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


def even_points(n: int, dimensions: int, generator: np.random.Generator) -> np.ndarray:
    """Standard normal points spread more evenly than chance, in random order: sums over them scatter less.

    A randomly shifted additive recurrence whose steps are powers of the generalised golden ratio.
    """
    ratio = 2.0
    for _ in range(60):
        ratio = (1 + ratio) ** (1 / (dimensions + 1))
    steps = ratio ** -np.arange(1.0, dimensions + 1)
    uniform = (generator.random(dimensions) + np.outer(generator.permutation(n), steps)) % 1.0
    z, p = _table()
    return np.interp(uniform, p, z)


def quantile(p: np.ndarray) -> np.ndarray:
    """z with probability p below it, 0 < p < 1."""
    inverse = NormalDist().inv_cdf
    flat = np.asarray(p, dtype=np.float64)
    return np.array([inverse(float(v)) for v in flat.ravel()]).reshape(flat.shape)


@cache
def _cuts(n_cells: int) -> tuple[float, ...]:
    inverse = NormalDist().inv_cdf
    return tuple(inverse(j / n_cells) for j in range(1, n_cells))


def breakpoints(n_cells: int) -> np.ndarray:
    """The `n_cells - 1` points that cut a standard normal law into equally likely cells."""
    return np.array(_cuts(n_cells), dtype=np.float64)
