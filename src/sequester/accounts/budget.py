"""What several releases cost one person together: pure epsilons add up, rho adds up, and the better bound counts."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sequester.dp.ledger import epsilon_of

DEFAULT_DELTA = 1e-6
"""At which delta totals are shown where no limit says otherwise."""


@dataclass(frozen=True)
class Cost:
    """What one release costs a person who is in it."""

    rho: float = 0.0
    """Zero-concentrated differential privacy, where the release was accounted so."""
    pure: float = 0.0
    """Pure epsilon, where it was accounted so."""
    delta: float = 0.0
    """Failure probability that the release spent by itself, on thresholds."""

    @classmethod
    def of(cls, ledger: Mapping[str, Any] | None) -> Cost | None:
        """The cost a manifest's ledger states; None where no person is protected by noise."""
        if not ledger or ledger.get("unit") != "person":
            return None
        if ledger["measure"] == "epsilon":
            return cls(pure=float(ledger["total"]))
        return cls(rho=float(ledger["total"]), delta=float(ledger.get("delta_reserved", 0.0)))


def composed(costs: Iterable[Cost], delta: float) -> float:
    """Smallest epsilon we can prove for all releases together at this delta; infinite if delta does not suffice.

    A pure epsilon is also epsilon**2 / 2 in zero-concentrated differential privacy (Bun and Steinke 2016), which is
    better for many small releases and worse for a few, so both ways are tried.
    """
    lines = list(costs)
    rho, pure = sum(c.rho for c in lines), sum(c.pure for c in lines)
    left = delta - sum(c.delta for c in lines)
    if rho == 0.0 and left >= 0.0 and (left == 0.0 or pure == 0.0):
        return pure
    if left <= 0.0:
        return float("inf")
    apart = pure + (epsilon_of(rho, left) if rho else 0.0)
    return min(apart, epsilon_of(rho + sum(c.pure**2 / 2 for c in lines), left))


def in_words(costs: Iterable[Cost], delta: float) -> str:
    """A sum as a sentence needs it; where delta does not suffice, at the smallest power of ten that does."""
    lines = list(costs)
    total = composed(lines, delta)
    while math.isinf(total) and delta < 0.1 and all(math.isfinite(c.pure + c.rho) for c in lines):
        delta *= 10
        total = composed(lines, delta)
    return "more than can be bounded" if math.isinf(total) else f"epsilon = {total:.3g} at delta = {delta:g}"
