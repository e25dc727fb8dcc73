"""Noise on cluster profiles: FPA in orthonormal Fourier coordinates, and LPA on every interval.

One member of a cluster of s, replaced by anybody, moves at each of m intervals a share of 1/s from one state to
another: over all A states jointly the profile changes by at most sqrt(2m)/s in L2 and 2m/s in L1. FPA keeps
A(2l - 1) orthonormal coordinates, so their L1 change is at most sqrt(A(2l - 1)) sqrt(2m)/s, whatever the person did.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.dp.gate import GRID
from sequester.dp.noise import Noise
from sequester.dp.randomness import Randomness
from sequester.methods.activity.shared.clustering import Clusters
from sequester.methods.activity.shared.everybody import Everybody
from sequester.methods.activity.shared.kernels.fourier import from_low_frequencies, low_frequencies, shares_from_noisy
from sequester.methods.activity.shared.kernels.mixture import LANES, cluster_shares, sample_shares
from sequester.methods.activity.shared.sampling import random_words

CELLS_AT_ONCE = 1 << 24
"""Clusters x states x intervals held in memory at a time."""


def fpa_scale(n_states: int, n_intervals: int, size: int, terms: int, epsilon: float) -> float:
    """Laplace scale for a joint release of all states in orthonormal coordinates."""
    return math.sqrt(n_states * (2 * terms - 1)) * math.sqrt(2 * n_intervals) / (size * epsilon)


def printed_fpa_scale(n_intervals: int, size: int, terms: int, epsilon: float) -> float:
    """The paper's scale sqrt(l) sqrt(m) / (s epsilon), for one state at a time."""
    return math.sqrt(terms) * math.sqrt(n_intervals) / (size * epsilon)


def lpa_scale(n_intervals: int, size: int, epsilon: float) -> float:
    """Laplace scale for a joint release of every interval and state."""
    return 2 * n_intervals / (size * epsilon)


def noisy_profile(
    shares: np.ndarray, size: int, *, epsilon: float, terms: int, mechanism: str, literal: bool, noise: Noise
) -> np.ndarray:
    """Shares of one or more clusters of equal size (clusters x states x intervals) after noise, as shares again."""
    _, n_states, m = shares.shape
    if mechanism == "lpa":
        drawn = _laplace(noise, "lpa", shares, lpa_scale(m, size, epsilon))
        return shares_from_noisy(drawn)
    coordinates = low_frequencies(shares, terms)
    if literal:
        # The printed scale belongs to plain real and imaginary parts: sqrt(2) times it in these coordinates.
        scale = np.full(2 * terms - 1, math.sqrt(2.0) * printed_fpa_scale(m, size, terms, epsilon))
        scale[0] = printed_fpa_scale(m, size, terms, epsilon)
        first = _laplace(noise, "fpa constant", coordinates[..., :1], scale[0])
        drawn = np.concatenate(
            [first, _laplace(noise, "fpa waves", coordinates[..., 1:], scale[1])] if terms > 1 else [first], axis=-1
        )
    else:
        drawn = _laplace(noise, "fpa", coordinates, fpa_scale(n_states, m, size, terms, epsilon))
    return shares_from_noisy(from_low_frequencies(drawn, m))


def _laplace(noise: Noise, name: str, values: np.ndarray, scale: float) -> np.ndarray:
    return noise.laplace(name, np.rint(values * GRID).astype(np.int64), scale * GRID) / GRID


def draw_noisy(
    people: Everybody,
    clusters: Clusters,
    place: np.ndarray,
    *,
    epsilon: float,
    terms: int,
    mechanism: str,
    literal: bool,
    rng: Randomness,
) -> np.ndarray:
    """As many rows per cluster as it has members, drawn from its noisy profile; people in a file into a file."""
    n_states, m, threads = people.n_states, people.data.states.shape[1], people.threads
    out = people.room()
    step = max(1, CELLS_AT_ONCE // (n_states * m))
    by_size = np.argsort(clusters.sizes, kind="stable")
    for size in np.unique(clusters.sizes):
        same = by_size[clusters.sizes[by_size] == size]
        for at in range(0, len(same), step):
            some = same[at : at + step]
            members = (clusters.bounds[some][:, None] + np.arange(size)).ravel()
            bounds = np.arange(len(some) + 1) * size
            states, rows = people.rows.rows(clusters.order[members])
            shares = cluster_shares(states, n_states, rows, bounds, threads=threads)
            shares = noisy_profile(
                shares, int(size), epsilon=epsilon, terms=terms, mechanism=mechanism, literal=literal, noise=rng.noise
            )
            seeds = random_words(rng, len(some), 4, LANES)
            block = np.empty((len(members), m), np.uint8)
            sample_shares(shares, bounds, np.arange(len(members)), seeds, block, threads=threads)
            out.put(place[members], block)
    return out.mapped()
