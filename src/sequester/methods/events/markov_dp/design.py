"""What is fixed before any data is touched: shares of the budget, bins, dates, the order of the chain."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from sequester.methods.events.shared.bins import DAY, GAP_EDGES, HOUR, length_edges

__all__ = ["DAY", "GAP_EDGES", "HOUR", "Design"]
RICH_FROM = 60.0
"""Order 2 (trigrams, variants) from this index n sqrt(rho) / S on; measured, see the method's page."""
REFUSE_BELOW, FEW_BELOW, GOOD_FROM = 4.0, 30.0, 60.0
UNIVERSE_SHARE = 0.10
STATES_PER_OBJECT = 50
"""Distinct states of one object that count when the states themselves are private."""
MOST_TRIPLES = 2_000_000
"""Cells of the table of triples: each takes some twelve millionths of a second of secure noise."""
PLAIN = {"people": 0.01, "lengths": 0.15, "pairs": 0.53, "gaps": 0.17, "clock": 0.10, "medians": 0.04}
RICH = PLAIN | {"variants": 0.10, "lengths": 0.10, "pairs": 0.31, "triples": 0.17}
MEDIAN_SHARE, SMALL_MEDIAN_SHARE = 0.01, 0.0025


@dataclass(frozen=True, kw_only=True)
class Design:
    """Public choices of one run; nothing here depends on the data."""

    rho: float
    """All there is."""
    delta: float
    """The whole promise's; thresholds take a quarter each."""
    people_at_least: int
    max_events: int
    unit: str
    dates: tuple[int, int] | None
    """First and last day of the log, counted from 1970-01-01."""
    codebook: tuple[str, ...] | None
    force: bool = False

    @property
    def strength(self) -> float:
        """n sqrt(rho): how much signal there is to share among the states."""
        return self.people_at_least * math.sqrt(self.rho)

    def most_states(self) -> int:
        """Largest universe, OTHER included, that the strength can carry."""
        return 1 << 24 if self.force else max(2, math.floor(self.strength / REFUSE_BELOW))

    def is_rich(self, n_states: int) -> bool:
        """Whether trigrams and whole variants are worth their budget."""
        return self.strength >= RICH_FROM * n_states

    def shares(self, rich: bool) -> dict[str, float]:
        """Parts of rho by family of measurements; what a log without a clock does not need goes to the pairs."""
        out = dict(RICH if rich else PLAIN)
        medians = MEDIAN_SHARE * (1 + rich + (self.unit != "order"))
        medians += SMALL_MEDIAN_SHARE * {"second": 2, "day": 1, "order": 0}[self.unit]
        out["pairs"] += out.pop("medians") - medians
        if self.unit == "order":
            out["pairs"] += out.pop("gaps") + out.pop("clock")
        kept = 1.0 if self.codebook is not None else 1.0 - UNIVERSE_SHARE
        out |= {"median": MEDIAN_SHARE, "small median": SMALL_MEDIAN_SHARE}  # each
        return {name: kept * self.rho * share for name, share in out.items()}

    @cached_property
    def length_edges(self) -> np.ndarray:
        """Left edges of length bins, 1..8 then growing by a fifth, and one past the longest."""
        return length_edges(self.max_events)

    @cached_property
    def days(self) -> np.ndarray:
        """Every day of the public range."""
        first, last = self.dates or (0, 0)
        return np.arange(first, last + 1)

    @cached_property
    def season_of_day(self) -> np.ndarray:
        """Season (month, or year in a range of more than ten) of every day, counted from the first."""
        kind = "datetime64[M]" if len(self.days) <= 3660 else "datetime64[Y]"
        season = self.days.astype("datetime64[D]").astype(kind).astype(np.int64)
        return season - season[0]


def widened(edges: np.ndarray, n_people: float, sd: float) -> np.ndarray:
    """Length edges merged two by two until an average bin stands four deviations out of the noise."""
    merged = edges
    while len(merged) > 3 and n_people / (4 * sd) < len(merged) - 1:
        merged = np.r_[merged[:-1][::2], edges[-1]]
    return merged


def universe_threshold(sigma: float, delta: float) -> float:
    """Smallest weight that only the data's own people could not have made alone, up to probability `delta`."""
    return max(
        1 / math.sqrt(t) + sigma * tail(-math.expm1(math.log1p(-delta) / t)) for t in range(1, STATES_PER_OBJECT + 1)
    )


def tail(probability: float) -> float:
    """How many deviations a normal variable exceeds with that small probability."""
    from statistics import NormalDist

    return -NormalDist().inv_cdf(probability)
