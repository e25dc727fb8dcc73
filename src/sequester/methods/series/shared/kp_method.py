"""What both (k,P)-anonymous methods ask for: sizes, alphabet, range ends, what to do with gaps, and the unit."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np

from sequester.method import Method
from sequester.methods.series.shared.panel import fillable
from sequester.options import option


@dataclass(frozen=True, kw_only=True)
class KPMethod(Method):
    """Value ranges shared by k, patterns by p of them."""

    k: int = option(low=2)
    """People per value envelope, at least 2."""
    p: int
    """People per identical pattern, 2..k."""
    ends_step: float | None = option(None, low=0.0, high=1e100)
    """Ends of ranges are rounded outward to multiples of this, in the unit of the values; by default it follows from the width of the ranges and is published; 0 shows the exact smallest and largest value."""  # noqa: E501
    max_level: int = option(20, low=2, high=26, level="paper")
    """Finest SAX alphabet tried, 2..26."""
    std: Literal["population", "sample"] = option("population", level="paper")
    """Standard deviation used to normalise a series."""
    missing: Literal["refuse", "drop", "fill"] = option("refuse", level="everyday")
    """Records with missing values: refuse the data, drop those records, or fill by straight lines in time."""
    gap: int = option(2, low=1, needs={"missing": ("fill",)})
    """Missing values one after the other that are filled at most; a record with a longer gap is dropped."""
    unit: Literal["person", "record"] = option("person", level="everyday")
    """Count people (each must have one record) or records."""

    least_p: ClassVar[int] = 2
    for_odd_data = MappingProxyType({"repeated": {"unit": "record"}, "missing": {"missing": "drop"}})

    def __post_init__(self) -> None:
        super().__post_init__()
        self.require("p", self.least_p)
        if self.p > self.k:
            raise self.refuse(
                f"p must lie in {self.least_p}..k, got p={self.p} with k={self.k}. "
                "A pattern cannot be shared by more people than the group holds."
            )

    def require_groups_kept(self, data: Any) -> None:
        """Groups of people, none of whom the method would leave out later."""
        super().require_groups_kept(data)
        if self.unit != "person":
            raise self.refuse("groups of an earlier release are kept for people, got unit='record'.")

    def takes_part(self, data: Any) -> Any:
        """Records that the rule on missing values leaves in."""
        lacking = np.isnan(data.values)
        if self.missing == "refuse":
            return np.ones(data.n_records, dtype=bool)
        return ~lacking.any(axis=1) if self.missing == "drop" else fillable(lacking, self.gap)

    @property
    def ends(self) -> str:
        """Whether ends of ranges are `rounded` or `exact`."""
        return "exact" if self.ends_step == 0 else "rounded"
