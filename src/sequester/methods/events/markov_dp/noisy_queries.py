"""Noisy queries: every number that leaves the log gets its noise and its line in the ledger here."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from sequester.dp.gate import GRID, bound
from sequester.dp.ledger import Ledger, gaussian_scale
from sequester.dp.noise import Noise, counted_utilities
from sequester.methods.events.markov_dp.measured import Noisy
from sequester.methods.events.markov_dp.pieces import median_grid


class NoisyQueries:
    """Hands out noise and writes it down."""

    def __init__(self, noise: Noise, ledger: Ledger, *, low_clips: bool = False) -> None:
        self.noise, self.ledger, self.low_clips = noise, ledger, low_clips

    def count(self, name: str, value: int, rho: float) -> float:
        """A number that one person changes by 1."""
        scale = gaussian_scale(1.0, rho)
        self.ledger.spend(name, rho, sensitivity=1.0, scale=scale)
        return float(self.noise.gaussian(name, np.array([value]), scale)[0])

    def sums(self, name: str, total: np.ndarray, clip: float, rho: float) -> Noisy:
        """How often each cell occurs, every person's counts gated to the norm `clip` (`pieces.Question`)."""
        sensitivity = bound(clip)
        scale = gaussian_scale(sensitivity, rho)
        self.ledger.spend(name, rho, sensitivity=float(sensitivity), scale=scale)
        return Noisy(values=self.noise.gaussian(name, total, scale) / GRID, sd=scale / GRID)

    def median(self, name: str, below: np.ndarray, largest: float, rho: float) -> float:
        """The grid point above the noisy median norm, or with low clips the one below, between 1 and `largest`.

        `below` tells how many people have a norm up to every grid point, and last how many there are. The mechanism
        names the first point that half of the norms do not exceed; one point lower, which is a function of what it
        released, the noise of all that is clipped there is up to an eighth smaller.
        """
        scale = 2.0 / math.sqrt(8 * rho)
        self.ledger.spend(name, rho, kind="noisy-max", sensitivity=1.0, scale=scale)
        utilities = counted_utilities(below[:-1], int(below[-1]))
        found = self.noise.noisy_max(name, utilities, scale)
        return float(median_grid(largest)[max(found - self.low_clips, 0)])

    def shown(
        self,
        name: str,
        keys: Sequence[Hashable],
        values: np.ndarray,
        sigma: float,
        tau: float,
        rho: float,
        delta: float,
    ) -> tuple[list, np.ndarray]:
        """Keys whose noisy weight exceeds `tau`; one person's weights have norm at most 1."""
        scale = sigma * GRID
        self.ledger.spend(name, rho, kind="threshold", delta=delta, sensitivity=float(GRID), scale=scale)
        # One grid unit more than the continuous bound, for the rounding of the discrete noise.
        out, noisy = self.noise.threshold(name, keys, values, scale, tau * GRID + 1)
        return out, noisy / GRID
