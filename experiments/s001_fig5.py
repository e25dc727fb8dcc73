"""People per cluster: relative difference of running under MCKA and MCDP."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import sequester as sq
from experiments.student_minutes import student_people

TITLE = "People per cluster (Figure 5)"
PAPER = "Parameshwarappa, Chen, Koru 2020"
NOTE = (
    "MCKA: larger clusters are less alike, as in the paper. MCDP: the paper finds an optimum at k = 50; with correctly "
    "calibrated noise there is none in this range, because noise on a share still exceeds the share at k = 100."
)
CHART = {"x": "k", "y": ["mcka_literal", "mcka_best", "mcdp_literal", "mcdp_joint"]}


def run() -> Iterator[dict[str, Any]]:
    """A row per k, for running and for the mean over states."""
    data = student_people(4900)
    for k in (5, 10, 50, 100):
        methods = {
            "mcka_literal": sq.MCKA(k=k, literal=True),
            "mcka_best": sq.MCKA(k=k),
            "mcdp_literal": sq.MCDP(k=k, epsilon=1.0, literal=True),
            "mcdp_joint": sq.MCDP(k=k, epsilon=1.0),
        }
        seen = {name: sq.measure(data, sq.anonymize(data, m, seed=1)) for name, m in methods.items()}
        for state in ("running", "walking", "stationary"):
            yield {"k": k, "state": state} | {
                name: round(e[f"daily relative difference: {state}"], 3) for name, e in seen.items()
            }
