"""Zero-concentrated differential privacy: from (epsilon, delta) to rho and back.

Bun and Steinke (2016) define rho-zCDP; the conversion used here is the optimal one over Rényi orders
(Canonne, Kamath, Steinke 2020, Corollary 13).
"""

from __future__ import annotations

import math
from functools import lru_cache


def epsilon_of(rho: float, delta: float) -> float:
    """Smallest epsilon such that rho-zCDP implies (epsilon, delta)-DP: a minimum over Rényi orders a > 1."""
    if rho <= 0:
        return 0.0

    def at(log_a1: float) -> float:
        a = 1.0 + math.exp(log_a1)
        return rho * a + math.log1p(-1 / a) - math.log(a * delta) / (a - 1)

    low, high = -20.0, 40.0  # the function is unimodal in log(a - 1)
    for _ in range(200):
        third = (high - low) / 3
        if low + third == low and high - third == high:
            break  # as near as numbers of this precision come
        if at(low + third) < at(high - third):
            high -= third
        else:
            low += third
    return max(0.0, at((low + high) / 2))


@lru_cache(maxsize=1024)
def rho_of(epsilon: float, delta: float) -> float:
    """Largest rho whose (epsilon, delta) conversion stays at or below `epsilon`."""
    low, high = 0.0, epsilon
    for _ in range(200):
        middle = (low + high) / 2
        if middle in (low, high):
            break
        if epsilon_of(middle, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


def gaussian_scale(sensitivity: float, rho: float) -> float:
    """Standard deviation of the noise that makes an L2 sensitivity cost `rho`."""
    return sensitivity / math.sqrt(2 * rho)
