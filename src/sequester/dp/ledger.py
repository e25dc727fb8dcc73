"""The ledger of a privacy budget: every mechanism writes what it costs, and the sum is checked.

Costs are kept in zero-concentrated differential privacy: from (epsilon, delta) to rho and back.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any

from sequester.errors import BudgetError


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


SLACK = 1e-9
"""Relative rounding allowed when shares are added up."""


@dataclass(frozen=True, kw_only=True)
class Spend:
    """One mechanism's entry."""

    mechanism: str
    amount: float
    """Cost in the ledger's measure (rho or epsilon)."""
    delta: float = 0.0
    """Failure probability spent by the mechanism itself (thresholds)."""
    kind: str = "gaussian"
    """`gaussian`, `laplace`, `noisy-max` or `threshold`."""
    sensitivity: float = 0.0
    """Largest change one unit can make, in the norm of the mechanism."""
    scale: float = 0.0
    """Scale of the noise that was added."""


@dataclass(kw_only=True)
class Ledger:
    """A budget for one unit of protection; `spend` refuses what is not there."""

    measure: str
    """`rho` (zCDP) or `epsilon` (pure differential privacy)."""
    total: float
    """All there is, in `measure`."""
    unit: str
    epsilon: float
    """What the whole release promises."""
    delta: float = 0.0
    delta_reserved: float = 0.0
    """Part of delta kept for mechanisms that can fail by themselves; the rest pays for the conversion."""
    entries: list[Spend] = field(default_factory=list)

    @classmethod
    def zcdp(cls, *, epsilon: float, delta: float, unit: str = "person", delta_reserved: float = 0.0) -> Ledger:
        """A rho budget for an (epsilon, delta) promise."""
        return cls(
            measure="rho",
            total=rho_of(epsilon, delta - delta_reserved),
            unit=unit,
            epsilon=epsilon,
            delta=delta,
            delta_reserved=delta_reserved,
        )

    @classmethod
    def pure(cls, *, epsilon: float, unit: str = "person") -> Ledger:
        """An epsilon budget."""
        return cls(measure="epsilon", total=epsilon, unit=unit, epsilon=epsilon)

    @property
    def spent(self) -> float:
        return sum(e.amount for e in self.entries)

    @property
    def remaining(self) -> float:
        return self.total - self.spent

    def spend(self, mechanism: str, amount: float, **more: Any) -> Spend:
        """Write an entry, or raise `BudgetError` and write nothing."""
        entry = Spend(mechanism=mechanism, amount=amount, **more)
        delta_left = self.delta_reserved - sum(e.delta for e in self.entries)
        if not amount >= 0 or amount > self.remaining + SLACK * self.total or entry.delta > delta_left * (1 + SLACK):
            past = ", ".join(f"{e.mechanism} {e.amount:.4g}" for e in self.entries) or "nothing yet"
            raise BudgetError(
                f"budget: requested {self.measure}={amount:.4g}, delta={entry.delta:.3g} for '{mechanism}', remaining "
                f"{self.measure}={self.remaining:.4g}, delta={delta_left:.3g} (spent: {past})."
            )
        self.entries.append(entry)
        return entry

    def to_json(self) -> dict[str, Any]:
        """As it stands in the manifest; never carries a measured value."""
        return {**asdict(self), "spent": self.spent}

    @classmethod
    def from_json(cls, declared: Mapping[str, Any]) -> Ledger:
        """As it was read from a manifest: the entries are taken as written, for a judge to add up."""
        plain = {k: v for k, v in declared.items() if k not in ("entries", "spent")}
        return cls(**plain, entries=[Spend(**e) for e in declared["entries"]])
