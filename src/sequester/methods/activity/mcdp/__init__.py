"""MCDP: rows drawn from noisy profiles of clusters (Parameshwarappa, Chen, Koru 2020). Not differential privacy."""

from __future__ import annotations

from dataclasses import dataclass

from sequester.methods.activity.shared.clustered import Multilevel, NoisyProfiles
from sequester.model import Activities
from sequester.options import option
from sequester.papers import ACTIVITY


@dataclass(frozen=True, kw_only=True)
class MCDP(Multilevel, NoisyProfiles):
    """Cluster people level by level, add Laplace noise to each cluster's profile, and publish rows drawn from it."""

    literal: bool = option(False, level="paper")
    """As printed: fan-out 50, no improvement passes, every state noised at epsilon by itself."""

    id = "mcdp"
    accepts = Activities
    paper = ACTIVITY + "; FPA: Rastogi, Nath 2010"
    layout = "states"
    example = {"k": 10, "epsilon": 1.0}  # noqa: RUF012

    @property
    def needs_everybody(self) -> bool:  # type: ignore[override]
        """Groups are formed of people who are in memory."""
        return bool(self.by)
