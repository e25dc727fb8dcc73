"""Plain statistics that compare two samples."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np


def relative_difference(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """|x - y| / max(x, y), and 0 where both are 0."""
    largest = np.maximum(x, y)
    return np.abs(x - y) / np.where(largest > 0, largest, 1)


def ks_distance(x: np.ndarray, y: np.ndarray) -> float:
    """Largest gap between the distribution functions of two samples; NaN left out, NaN if one is empty."""
    x, y = (np.sort(v[~np.isnan(v)]) for v in (x, y))
    if not len(x) or not len(y):
        return math.nan
    at = np.concatenate([x, y])
    below = [np.searchsorted(v, at, side="right") / len(v) for v in (x, y)]
    return float(np.abs(below[0] - below[1]).max())


def distribution_distance(x: np.ndarray, y: np.ndarray) -> float:
    """Wasserstein distance of two samples of any numbers; NaN left out, NaN if one is empty."""
    x, y = (v[~np.isnan(v)] for v in (x, y))
    if not len(x) or not len(y):
        return math.nan
    at = np.sort(np.concatenate([x, y]))
    below = [np.searchsorted(np.sort(v), at[:-1], side="right") / len(v) for v in (x, y)]
    return float((np.abs(below[0] - below[1]) * np.diff(at)).sum())


def pearson(x: np.ndarray, y: np.ndarray) -> float:
    """Correlation over pairs in which both are known; NaN where one of them is constant."""
    known = np.isfinite(x) & np.isfinite(y)
    if known.sum() < 2:
        return math.nan
    u, v = x[known] - x[known].mean(), y[known] - y[known].mean()
    norm = math.sqrt(float(u @ u) * float(v @ v))
    return float(u @ v) / norm if norm > 0 else math.nan


def welch(x: np.ndarray, y: np.ndarray) -> Mapping[str, float]:
    """Welch's t, its degrees of freedom, and the two-sided p (normal tail; exact enough above 50 degrees)."""
    a, b = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    if a + b == 0:
        return {"t": 0.0, "degrees": math.inf, "p": 1.0}
    t = float((x.mean() - y.mean()) / math.sqrt(a + b))
    degrees = float((a + b) ** 2 / (a * a / (len(x) - 1) + b * b / (len(y) - 1)))
    return {"t": t, "degrees": degrees, "p": math.erfc(abs(t) / math.sqrt(2))}


def cohens_d(x: np.ndarray, y: np.ndarray) -> float:
    """Difference of means in pooled standard deviations."""
    pooled = ((len(x) - 1) * x.var(ddof=1) + (len(y) - 1) * y.var(ddof=1)) / (len(x) + len(y) - 2)
    return float((x.mean() - y.mean()) / math.sqrt(pooled)) if pooled > 0 else 0.0
