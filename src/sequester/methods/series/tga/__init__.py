"""TGA: generalise trajectories by log cost, then draw new ones from the boxes (after Nergiz, Atzori and Saygin)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.k_boxes import k_boxes
from sequester.layouts.boxes import Boxes
from sequester.layouts.drawn import Drawn
from sequester.method import Method
from sequester.methods.series.shared.panel import whole_panel
from sequester.methods.series.tga.kernels.trajectory_cost import group_by_log_cost
from sequester.model import Series
from sequester.options import option
from sequester.papers import SERIES
from sequester.release import Guarantee, Release

CELLS = 1000
"""Atomic cells the value range is cut into; letters are their own cells."""


@dataclass(frozen=True, kw_only=True)
class TGA(Method):
    """Group series into boxes of k and release random series drawn from them. A baseline.

    *Guarantee*: as published; drawn rows are not identical, so nobody can see the k from the release.
    """

    k: int = option(low=2)
    """People per box, at least 2."""
    variant: Literal["multi", "fast"] = option("multi", level="paper")
    """Add the cheapest partner of the growing box one by one, or take the k-1 cheapest of the first at once."""
    reconstruct: bool = option(True, level="paper")
    """Release random draws from the boxes; otherwise the boxes themselves."""
    missing: Literal["refuse", "drop", "fill"] = option("refuse", level="everyday")
    """Records with missing values: refuse the data, drop those records, or fill by straight lines in time."""
    gap: int = option(2, low=1, needs={"missing": ("fill",)})
    """Missing values one after the other that are filled at most; a record with a longer gap is dropped."""
    unit: Literal["person", "record"] = option("person", level="everyday")
    """Count people (each must have one record) or records."""

    id: ClassVar[str] = "tga"
    accepts: ClassVar[type] = Series
    paper: ClassVar[str] = SERIES
    example: ClassVar[Mapping[str, Any]] = {"k": 5}
    for_odd_data = MappingProxyType({"repeated": {"unit": "record"}, "missing": {"missing": "drop"}})
    baseline: ClassVar[bool] = True

    @property
    def layout(self) -> str:  # type: ignore[override]
        """Boxes, or series drawn from them."""
        return "drawn" if self.reconstruct else "boxes"

    @property
    def guarantee(self) -> Guarantee:
        """Boxes of k, seen or drawn from."""
        return k_boxes(k=self.k, unit=self.unit, drawn=self.reconstruct)

    def apply(self, data: Series, *, rng: Randomness, engine: Engine) -> Release:
        """Group by log cost over cells; release boxes, or a uniform cell of its box for every member and time."""
        panel = whole_panel(self, data, k=self.k, unit=self.unit, missing=self.missing, gap=self.gap)
        values = panel.values
        low, span = float(values.min()), float(np.ptp(values))
        step = 1.0 if data.letters else (span / CELLS or 1.0)
        cells = np.floor((values - low) / step + 1e-9).astype(np.int64)
        group = group_by_log_cost(cells, self.k, rng.public.permutation(len(values)), fast=self.variant == "fast")
        shown = rng.secret.permutation(len(values))
        n_groups = int(group.max()) + 1
        order = np.argsort(group, kind="stable")
        starts = np.searchsorted(group[order], np.arange(n_groups))
        lo, hi = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
        number = rng.secret.permutation(n_groups)
        record = np.arange(1, len(shown) + 1)
        box_lo, box_hi = lo[group[shown]], hi[group[shown]]
        sensitive = {name: column[panel.rows[shown]] for name, column in data.sensitive.items()}
        shape: Boxes | Drawn
        if self.reconstruct:
            width = np.floor((box_hi - box_lo) / step + 1e-9).astype(np.int64) + 1
            drawn = np.minimum(box_lo + step * rng.secret.integers(0, width), box_hi)
            shape = Drawn(record=record, times=data.times, values=drawn, sensitive=sensitive, alphabet=data.letters)
        else:
            shape = Boxes(
                record=record, group=number[group[shown]] + 1, times=data.times, lo=box_lo, hi=box_hi,
                sensitive=sensitive, all_times=data.times, alphabet=data.letters,
            )  # fmt: skip
        origin = pa.table(
            {
                "record": record,
                "row": panel.rows[shown] + 1,
                "person": pa.array(data.persons[panel.rows[shown]].tolist(), pa.string()),
                "group": number[group[shown]] + 1,
            }
        )
        return Release(
            tables=shape.tables(),
            guarantee=self.guarantee,
            method=self,
            private={"origin": origin},
            reading=(*data.reading, *panel.facts),
            notes=panel.notes,
        )
