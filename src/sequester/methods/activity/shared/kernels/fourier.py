"""Fourier coefficients of real series under the unitary transform, as orthonormal real coordinates.

A real series of length m has coefficients F_0 (real) and F_j = conj(F_{m-j}). Keeping the indices 0..l-1 and their
mirrors gives 2l - 1 real numbers (F_0, sqrt2 Re F_j, sqrt2 Im F_j) that preserve Euclidean norms, so a change of
norm D in the series is a change of at most D in them, and of at most sqrt(2l - 1) D in the sum of magnitudes.
"""

from __future__ import annotations

import math

import numpy as np


def low_frequencies(series: np.ndarray, terms: int) -> np.ndarray:
    """Coordinates of the first `terms` frequencies, ... x (2 * terms - 1)."""
    _check(series.shape[-1], terms)
    f = np.fft.rfft(series, axis=-1, norm="ortho")[..., :terms]
    root = math.sqrt(2.0)
    return np.concatenate([f[..., :1].real, root * f[..., 1:].real, root * f[..., 1:].imag], axis=-1)


def from_low_frequencies(coordinates: np.ndarray, length: int) -> np.ndarray:
    """The series of `length` whose coordinates these are; all higher frequencies are zero."""
    terms = (coordinates.shape[-1] + 1) // 2
    _check(length, terms)
    f = np.zeros((*coordinates.shape[:-1], length // 2 + 1), dtype=np.complex128)
    f[..., 0] = coordinates[..., 0]
    real, imaginary = coordinates[..., 1:terms], coordinates[..., terms:]
    f[..., 1:terms] = (real + 1j * imaginary) / math.sqrt(2.0)
    return np.fft.irfft(f, n=length, axis=-1, norm="ortho")


def _check(length: int, terms: int) -> None:
    if not 1 <= terms <= (length + 1) // 2:
        raise ValueError(f"{terms} frequencies do not fit a series of length {length}")


def shares_from_noisy(shares: np.ndarray) -> np.ndarray:
    """Clip to 0..1 and divide by the sum over states (axis -2); uniform where nothing is left."""
    kept = np.clip(shares, 0.0, 1.0)
    total = kept.sum(axis=-2, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1.0), 1.0 / shares.shape[-2])
