"""MDAV-DP: the paper's baseline, plain MDAV and the noise of MCDP. Not differential privacy."""

from __future__ import annotations

from dataclasses import dataclass

from sequester.methods.activity.shared.clustered import NoisyProfiles, PlainMDAV
from sequester.model import Activities
from sequester.papers import ACTIVITY


@dataclass(frozen=True, kw_only=True)
class MDAVDP(PlainMDAV, NoisyProfiles):
    """Cluster people with plain MDAV, add Laplace noise to each cluster's profile, and publish rows drawn from it."""

    id = "mdav-dp"
    accepts = Activities
    paper = ACTIVITY + "; MDAV: Domingo-Ferrer, Torra 2005"
    layout = "states"
    example = {"k": 10, "epsilon": 1.0}  # noqa: RUF012
    baseline = True
