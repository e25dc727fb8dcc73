"""The difference of two means with its interval (Welch 1947)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np


@dataclass(frozen=True)
class Difference:
    """One mean minus another, with the interval that holds the true difference 95 times in 100."""

    value: float
    low: float
    high: float
    error: float
    """Standard error."""
    degrees: float

    @property
    def width(self) -> float:
        """Width of the interval."""
        return self.high - self.low


def difference(x: np.ndarray, y: np.ndarray, confidence: float = 0.95) -> Difference:
    """Mean of `x` minus mean of `y`, people with NaN left out."""
    x, y = (v[~np.isnan(v)] for v in (np.asarray(x, float), np.asarray(y, float)))
    if len(x) < 2 or len(y) < 2:
        return Difference(math.nan, math.nan, math.nan, math.nan, math.nan)
    a, b = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    error, value = math.sqrt(a + b), float(x.mean() - y.mean())
    degrees = float((a + b) ** 2 / (a * a / (len(x) - 1) + b * b / (len(y) - 1))) if a + b > 0 else math.inf
    reach = student(1 - (1 - confidence) / 2, degrees) * error
    return Difference(value, value - reach, value + reach, error, degrees)


def student(p: float, degrees: float) -> float:
    """Quantile of Student's t by the expansion of Fisher and Cornish (1960); off by less than 0.001 from 8 degrees."""
    z = NormalDist().inv_cdf(p)
    if not math.isfinite(degrees):
        return z
    v, s = degrees, z * z
    terms = (
        (s + 1) / 4 / v,
        (5 * s * s + 16 * s + 3) / 96 / v**2,
        (3 * s**3 + 19 * s * s + 17 * s - 15) / 384 / v**3,
        (79 * s**4 + 776 * s**3 + 1482 * s * s - 1920 * s - 945) / 92160 / v**4,
    )
    return z * (1 + sum(terms))
