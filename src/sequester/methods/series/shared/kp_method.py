"""What both (k,P)-anonymous methods ask for: sizes, alphabet, normalisation, what to do with gaps, and the unit."""

from __future__ import annotations

from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from sequester.method import Method


@dataclass(frozen=True, kw_only=True)
class KPMethod(Method):
    """Value ranges shared by k, patterns by p of them."""

    k: int
    """People per value envelope, at least 2."""
    p: int
    """People per identical pattern, 2..k."""
    max_level: int = 20
    """Finest SAX alphabet tried, 2..26."""
    maximise: Literal["consecutive", "any"] = "consecutive"
    """Raise the level while words stay equal (the paper), or to the highest level at which they are equal."""
    std: Literal["population", "sample"] = "population"
    """Standard deviation used to normalise a series."""
    missing: Literal["refuse", "drop", "fill"] = "refuse"
    """Records with missing values: refuse the data, drop those records, or fill by straight lines in time."""
    unit: Literal["person", "record"] = "person"
    """Count people (each must have one record) or records."""

    for_odd_data = MappingProxyType({"repeated": {"unit": "record"}, "missing": {"missing": "drop"}})

    def __post_init__(self) -> None:
        self.require("k", 2)
        self.require("p", 2)
        if self.p > self.k:
            raise self.refuse(
                f"p must lie in 2..k, got p={self.p} with k={self.k}. "
                "A pattern cannot be shared by more people than the group holds."
            )
        self.require("max_level", 2, 26)
        self.require_choice("maximise", ("consecutive", "any"))
        self.require_choice("std", ("population", "sample"))
        self.require_choice("missing", ("refuse", "drop", "fill"))
        self.require_choice("unit", ("person", "record"))
