"""The desk of `markov-dp`: every number that leaves the log passes it, gets its noise and its line in the ledger."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence

import numpy as np

from sequester.dp.gate import GRID, bound
from sequester.dp.ledger import Ledger
from sequester.dp.noise import Noise, median_utilities
from sequester.dp.zcdp import gaussian_scale
from sequester.methods.events.markov_dp.kernels.gated import gated_totals, object_norms
from sequester.methods.events.markov_dp.measured import Noisy


class Desk:
    """Hands out noise and writes it down."""

    def __init__(self, noise: Noise, ledger: Ledger) -> None:
        self.noise, self.ledger = noise, ledger

    def count(self, name: str, value: int, rho: float) -> float:
        """A number that one person changes by 1."""
        scale = gaussian_scale(1.0, rho)
        self.ledger.spend(name, rho, sensitivity=1.0, scale=scale)
        return float(self.noise.gaussian(name, np.array([value]), scale)[0])

    def sums(
        self,
        name: str,
        cells: np.ndarray,
        owners: np.ndarray,
        clip: float,
        size: int,
        rho: float,
        divisors: np.ndarray | None = None,
    ) -> Noisy:
        """How often each cell occurs (negative ones do not count), each person's counts gated to the norm `clip`.

        Person *i* owns `cells[owners[i]:owners[i+1]]`; counts are divided by `divisors[i]` first.
        """
        sensitivity = bound(clip)
        total = gated_totals(
            _codes(cells), _codes(owners), _ones(owners) if divisors is None else divisors, float(clip), sensitivity,
            float(GRID), size,
        )  # fmt: skip
        scale = gaussian_scale(sensitivity, rho)
        self.ledger.spend(name, rho, sensitivity=float(sensitivity), scale=scale)
        return Noisy(values=self.noise.gaussian(name, total, scale) / GRID, sd=scale / GRID)

    def median(self, name: str, norms: np.ndarray, largest: float, rho: float) -> float:
        """A grid point near the median norm, between 1 and `largest`."""
        grid = np.geomspace(1.0, max(largest, 1.0 + 1e-9), 60)
        scale = 2.0 / math.sqrt(8 * rho)
        self.ledger.spend(name, rho, kind="noisy-max", sensitivity=1.0, scale=scale)
        return float(grid[self.noise.noisy_max(name, median_utilities(norms, grid), scale)])

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


def _codes(x: np.ndarray) -> np.ndarray:
    """As kernels take them."""
    return np.ascontiguousarray(x, np.int64)


def _ones(owners: np.ndarray) -> np.ndarray:
    """A divisor of one per object."""
    return np.ones(len(owners) - 1)


def norms_of(cells: np.ndarray, owners: np.ndarray, size: int) -> np.ndarray:
    """Norm of every object's counts."""
    return object_norms(_codes(cells), _codes(owners), _ones(owners), size)
