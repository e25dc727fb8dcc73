"""MDAV-KA: the paper's baseline, plain MDAV on one level of windows and the same sampling."""

from __future__ import annotations

from dataclasses import dataclass

from sequester.methods.activity.shared.clustered import PlainMDAV
from sequester.methods.activity.shared.drawn import DrawnRows
from sequester.model import Activities
from sequester.papers import ACTIVITY


@dataclass(frozen=True, kw_only=True)
class MDAVKA(DrawnRows, PlainMDAV):
    """Cluster people with plain MDAV into groups of k, and publish rows drawn from each group."""

    id = "mdav-ka"
    accepts = Activities
    paper = ACTIVITY + "; MDAV: Domingo-Ferrer, Torra 2005"
    example = {"k": 5}  # noqa: RUF012
    baseline = True
