"""Mechanisms that are wrong on purpose, beside their honest twins: an audit that passes one of them has no teeth."""

from __future__ import annotations

import math

import numpy as np

from sequester.dp.gate import GRID
from sequester.dp.randomness import Randomness


def cluster_neighbours(size: int = 50, intervals: int = 1440, states: int = 2) -> tuple[np.ndarray, np.ndarray]:
    """Shares (states x intervals) of a fixed cluster before and after one member did the other thing all the time."""
    rng = np.random.default_rng(0)
    people = (rng.random((size, intervals)) < 0.3).astype(np.int64)
    other = people.copy()
    people[0], other[0] = 0, 1
    return tuple(np.stack([(p == s).mean(axis=0) for s in range(states)]) for p in (people, other))  # type: ignore[return-value]


def unnormalised_fpa(shares: np.ndarray, rng: Randomness, *, size: int, epsilon: float, terms: int = 14) -> np.ndarray:
    """The Fourier perturbation with the printed noise on the coefficients of an unnormalised transform.

    The printed scale sqrt(l) sqrt(m) / (s epsilon) belongs to a unitary transform; numpy's default (and R's) gives
    coefficients larger by sqrt(m), so the noise is too small by that factor.
    """
    m = shares.shape[1]
    scale = math.sqrt(terms) * math.sqrt(m) / (size * epsilon)
    kept = np.fft.rfft(shares, axis=1)[:, :terms]
    parts = np.concatenate([kept.real, kept.imag[:, 1:]], axis=1)
    return rng.noise.laplace("fpa", np.rint(parts * GRID).astype(np.int64), scale * GRID) / GRID


def unitary_fpa(shares: np.ndarray, rng: Randomness, *, size: int, epsilon: float, terms: int = 14) -> np.ndarray:
    """The same on a unitary transform, at the scale that one member's joint change needs: the honest twin."""
    states, m = shares.shape
    scale = math.sqrt(states * (2 * terms - 1)) * math.sqrt(2 * m) / (size * epsilon)
    kept = np.fft.rfft(shares, axis=1, norm="ortho")[:, :terms]
    parts = np.concatenate([kept.real, kept.imag[:, 1:]], axis=1)
    parts[:, 1:] *= math.sqrt(2)  # orthonormal real coordinates
    return rng.noise.laplace("fpa", np.rint(parts * GRID).astype(np.int64), scale * GRID) / GRID
