"""From noisy numbers to numbers that can be true: shares, smooth profiles, histograms, covariances, flows."""

from __future__ import annotations

import numpy as np

BANDS = ((1, 1), (2, 2), (3, 4), (5, 8), (9, 12))
"""Frequencies of a daily rhythm that are kept or shrunk together."""


def simplex(rows: np.ndarray) -> np.ndarray:
    """The nearest point with entries of at least 0 that sum to 1, for every row."""
    x = np.asarray(rows, dtype=np.float64)
    ordered = -np.sort(-x, axis=-1)
    surplus = np.cumsum(ordered, axis=-1) - 1.0
    count = np.arange(1, x.shape[-1] + 1)
    kept = np.maximum(1, (ordered - surplus / count > 0).sum(axis=-1, keepdims=True))
    shift = np.take_along_axis(surplus, kept - 1, axis=-1) / kept
    return np.maximum(x - shift, 0.0)


def _rhythm_basis() -> np.ndarray:
    hour = np.arange(24)
    rows = [np.full(24, 1 / np.sqrt(24))]
    for f in range(1, 12):
        angle = 2 * np.pi * f * hour / 24
        rows += [np.cos(angle) / np.sqrt(12), np.sin(angle) / np.sqrt(12)]
    rows.append(np.cos(np.pi * hour) / np.sqrt(24))
    return np.array(rows)


def smooth(profile: np.ndarray, noise_sd: float) -> np.ndarray:
    """Shrink the daily rhythm of every column, band by band, by what noise of `noise_sd` per cell explains.

    Rows are 24 hours, or 24 weekday hours and 24 weekend hours; the two kinds of day are split into their mean and
    half their difference, whose level is shrunk as well.
    """
    if len(profile) == 48:
        mean, contrast = (profile[:24] + profile[24:]) / 2, (profile[:24] - profile[24:]) / 2
        sd = noise_sd / np.sqrt(2)
        mean, contrast = _shrink(mean, sd, level=False), _shrink(contrast, sd, level=True)
        return np.concatenate([mean + contrast, mean - contrast])
    return _shrink(profile, noise_sd, level=False)


def _shrink(profile: np.ndarray, sd: float, *, level: bool) -> np.ndarray:
    basis = _rhythm_basis()
    c = basis @ profile
    for low, high in ((0, 0), *BANDS) if level else BANDS:
        rows = [0] if low == 0 else list(range(2 * low - 1, min(2 * high + 1, 24)))
        energy = (c[rows] ** 2).sum(axis=0)
        c[rows] *= np.maximum(0.0, 1.0 - len(rows) * sd**2 / np.maximum(energy, 1e-300))
    return basis.T @ c


def histogram_with_mean(noisy: np.ndarray, value: np.ndarray, mean: float) -> np.ndarray:
    """The nearest histogram (entries >= 0, sum 1) whose mean of `value` is `mean`."""
    noisy, value = np.asarray(noisy, dtype=np.float64), np.asarray(value, dtype=np.float64)
    mean = float(np.clip(mean, value.min(), value.max()))

    def tilted(b: float) -> np.ndarray:
        return simplex(noisy - b * value)

    low, high = -1.0, 1.0
    for _ in range(60):
        if tilted(low) @ value >= mean:
            break
        low *= 2
    for _ in range(60):
        if tilted(high) @ value <= mean:
            break
        high *= 2
    for _ in range(50):
        middle = (low + high) / 2
        if tilted(middle) @ value >= mean:
            low = middle
        else:
            high = middle
    return tilted((low + high) / 2)


def semidefinite(matrix: np.ndarray, floor: float = 0.0) -> np.ndarray:
    """The symmetric matrix with its eigenvalues raised to at least `floor`."""
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * np.maximum(values, floor)) @ vectors.T


def shrink_flows(flow: np.ndarray, noise_sd: np.ndarray, shape: np.ndarray) -> np.ndarray:
    """Symmetric flows per part (parts x states x states), shrunk over the parts towards a multiple of `shape`.

    `noise_sd` is that of one directed flow, states x states; `shape` has the form of `flow`.
    """
    both = (flow + flow.transpose(0, 2, 1)) / 2
    variance = (noise_sd**2 + noise_sd.T**2) / 4
    total = np.maximum(both.sum(axis=0), 0.0)
    # A pair whose total noise alone would explain is taken for no flow at all, by the same rule as the rhythm's bands.
    total *= np.maximum(0.0, 1.0 - len(flow) * variance / np.maximum(total**2, 1e-200))
    level = total / np.maximum(shape.sum(axis=0), 1e-300)
    expected = level * shape
    spread = np.maximum(((both - expected) ** 2).mean(axis=0) - variance, 0.0)
    weight = spread / np.maximum(spread + variance, 1e-300)
    return np.maximum(weight * both + (1 - weight) * expected, 0.0)


def quantile_function(histogram: np.ndarray, edges: np.ndarray, levels: np.ndarray) -> np.ndarray:
    """Value at every level in (0, 1) of a histogram over whole counts; the first bin stands for exactly 0."""
    reached = np.concatenate([[0.0], np.cumsum(histogram)])
    reached = np.concatenate([reached[:2], reached[1:]]) / reached[-1]
    corners = np.concatenate([[0.0, 0.0], edges[1:-1] - 0.5, [edges[-1] - 1.0]])
    slightly = np.arange(len(reached)) * 1e-13  # np.interp wants increasing levels: a jump is two close ones
    return np.interp(levels, reached + slightly, corners)
