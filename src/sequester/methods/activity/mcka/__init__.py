"""MCKA: rows drawn from clusters of at least k people (Parameshwarappa, Chen, Koru 2020)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sequester.methods.activity.shared.clustered import Multilevel
from sequester.methods.activity.shared.drawn import DrawnRows
from sequester.model import Activities, Data
from sequester.options import option
from sequester.papers import ACTIVITY


@dataclass(frozen=True, kw_only=True)
class MCKA(DrawnRows, Multilevel):
    """Cluster people level by level into groups of k, and publish rows drawn from each group."""

    centroids: bool = option(False, level="paper")
    """Also publish the mean minutes per cluster, state and day, where at least k members share them."""
    covariate_means: bool = option(False, level="paper")
    """Also publish cluster means of numeric covariates known for at least k members; not of two-valued ones."""
    literal: bool = option(False, level="paper")
    """Everything as printed in the paper: fan-out 50, clusters not improved, independent intervals."""

    id = "mcka"
    accepts = Activities
    paper = ACTIVITY
    example = {"k": 5}  # noqa: RUF012

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """Means that are published anyhow."""
        return {**super().idle(data), **({"centroids": "‹exact=False›"} if self.exact else {})}

    @property
    def needs_everybody(self) -> bool:  # type: ignore[override]
        """Only day-types draws into a file, and only where people are not in groups."""
        return bool(self.by) or self.sampler != "day-types"
