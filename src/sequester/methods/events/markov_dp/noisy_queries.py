"""Noisy queries: every number that leaves the log gets its noise and its line in the ledger here."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from sequester.dp.gate import GRID, bound
from sequester.dp.ledger import Ledger, gaussian_scale
from sequester.dp.noise import Noise, counted_utilities
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.measured import Noisy
from sequester.methods.events.markov_dp.pieces import Answer, median_grid


class NoisyQueries:
    """Hands out noise and writes it down."""

    def __init__(self, noise: Noise, ledger: Ledger, plan: Design) -> None:
        self.noise, self.ledger, self.plan = noise, ledger, plan

    def count(self, name: str, asked: Answer) -> float:
        """A number that one person changes by 1."""
        return float(self._gaussian(name, asked, 1.0)[0])

    def sums(self, name: str, asked: Answer) -> Noisy:
        """How often each cell occurs, every person's counts gated to the norm `clip` (`pieces.Question`)."""
        assert asked.question.clip is not None
        sensitivity = bound(asked.question.clip)
        sd = gaussian_scale(sensitivity, asked.question.rho) * self.plan.noise_factor / GRID
        return Noisy(values=self._gaussian(name, asked, float(sensitivity)) / GRID, sd=sd)

    def _gaussian(self, name: str, asked: Answer, sensitivity: float) -> np.ndarray:
        scale = gaussian_scale(sensitivity, asked.question.rho)
        self.ledger.spend(name, asked.question.rho, sensitivity=sensitivity, scale=scale)
        return self.noise.gaussian(name, asked.total, scale)

    def median(self, name: str, asked: Answer) -> float:
        """The grid point above the noisy median norm, or with low clips the one below, between 1 and `largest`.

        The answer tells how many people have a norm up to every grid point, and last how many there are. The mechanism
        names the first point that half of the norms do not exceed; one point lower, which is a function of what it
        released, the noise of all that is clipped there is up to an eighth smaller.

        A noisy maximum cannot be drawn in shares. Where noise is, the answer tells how many people have a norm between
        two grid points instead, and the median is read off the noisy counts.
        """
        question, rho = asked.question, asked.question.rho
        if self.plan.noise_in_shares:
            below = np.cumsum(self._gaussian(name, asked, 1.0))
            found = int(np.argmax(below[:-1] >= below[-1] / 2))
        else:
            scale = 2.0 / math.sqrt(8 * rho)
            self.ledger.spend(name, rho, kind="noisy-max", sensitivity=1.0, scale=scale)
            found = self.noise.noisy_max(name, counted_utilities(asked.total[:-1], int(asked.total[-1])), scale)
        return float(median_grid(question.largest)[max(found - self.plan.low_clips, 0)])

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
