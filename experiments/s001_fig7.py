"""How multi-level clustering scales with people and with days."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from experiments.s001_table4 import multi
from experiments.student_minutes import student_people
from sequester.model import Activities

TITLE = "Scalability of multi-level clustering (Figure 7)"
PAPER = "Parameshwarappa, Chen, Koru 2020"
NOTE = "Linear in people and in days, as in the paper; aggregation of the minutes is included and dominates."
CHART = {"x": "size", "y": ["literal", "best"], "facet": "what"}


def timed(data: Activities, *, fan_out: int, passes: int) -> float:
    """Seconds, the better of two."""
    best = float("inf")
    for _ in range(2):
        begun = time.perf_counter()
        multi(data, fan_out=fan_out, passes=passes)
        best = min(best, time.perf_counter() - begun)
    return round(best, 4)


def run() -> Iterator[dict[str, Any]]:
    """People at two weeks, then days at 9,800 people."""
    multi(student_people(60, days=2), fan_out=10, passes=1)
    for n in (2450, 4900, 7350, 9800):
        data = student_people(n)
        yield {
            "what": "people",
            "size": n,
            "literal": timed(data, fan_out=50, passes=0),
            "best": timed(data, fan_out=200, passes=3),
        }
    for days in (1, 7, 14, 28):
        data = student_people(days=days)
        yield {
            "what": "days",
            "size": days,
            "literal": timed(data, fan_out=50, passes=0),
            "best": timed(data, fan_out=200, passes=3),
        }
