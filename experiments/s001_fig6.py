"""Windows of the second level: days, hours, quarters of an hour."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sequester as sq
from experiments.s001_table4 import daily_loss, multi
from experiments.student_minutes import student_people

TITLE = "Aggregation of time at the second level (Figure 6)"
PAPER = "Parameshwarappa, Chen, Koru 2020"
NOTE = "As in the paper, finer windows cost time and bring nothing for daily durations."
CHART = {"x": "level", "y": "seconds", "scale": "log"}
PRINTED = {"day": 1280.0, "hour": None, "15min": 17651.0}


def run() -> Iterator[dict[str, Any]]:
    """A row per second level."""
    data, small = student_people(), student_people(60, days=2)
    for level in ("day", "hour", "15min"):
        levels = ("period", level)
        multi(small, fan_out=10, passes=0, levels=levels)
        begun = time.perf_counter()
        clusters = multi(data, fan_out=50, passes=0, levels=levels)
        seconds = time.perf_counter() - begun
        seen = sq.measure(data, sq.anonymize(data, sq.MCKA(k=5, literal=True, levels=levels), seed=1))
        yield {
            "level": level,
            "paper_seconds": PRINTED[level],
            "seconds": round(seconds, 3),
            "running": round(seen["daily relative difference: running"], 4),
            "walking": round(seen["daily relative difference: walking"], 4),
            "daily_loss": round(daily_loss(data, clusters)),
        }
