"""Fan-out of the intermediate level: relative difference of running, and time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sequester as sq
from experiments.s001_table4 import daily_loss, multi
from experiments.student_minutes import student_people

TITLE = "Fan-out at the intermediate level (Figure 4)"
PAPER = "Parameshwarappa, Chen, Koru 2020"
NOTE = (
    "As in the paper a larger fan-out gives slightly better clusters. Time is no longer a reason for a small one: in "
    "compiled code the whole clustering takes a fraction of a second, so our default is 200 with improvement passes."
)
CHART = {"x": "fan_out", "y": ["seconds"], "scale": "log"}


def run() -> Iterator[dict[str, Any]]:
    """A row per fan-out."""
    data = student_people()
    multi(student_people(60, days=2), fan_out=10, passes=1)
    for fan_out in (2, 10, 50, 250):
        begun = time.perf_counter()
        clusters = multi(data, fan_out=fan_out, passes=0)
        seconds = time.perf_counter() - begun
        release = sq.anonymize(data, sq.MCKA(k=5, literal=True, fan_out=fan_out), seed=1)
        seen = sq.measure(data, release)
        yield {
            "fan_out": fan_out,
            "running": round(seen["daily relative difference: running"], 4),
            "walking": round(seen["daily relative difference: walking"], 4),
            "seconds": round(seconds, 4),
            "loss": round(daily_loss(data, clusters)),
            "loss_3_passes": round(daily_loss(data, multi(data, fan_out=fan_out, passes=3))),
        }
