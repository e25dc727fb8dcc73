"""Fan-out of the intermediate level: relative difference of running, and time."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sequester as sq
from experiments.s001_table4 import daily_differences, daily_loss, multi
from experiments.student_minutes import student_people

TITLE = "Fan-out at the intermediate level (Figure 4)"
PAPER = "Parameshwarappa, Chen, Koru 2020, Figure 4"
NOTE = """Curve only, but for the time at 50. As in the paper a larger fan-out gives slightly better clusters, and the
printed procedure is quickest from 10 to 50. `literal`: no improvement passes, independent minutes. `best`: three
passes and our sampler, which keeps bouts and pays for them with a larger relative difference of daily minutes. Seconds
are CPU seconds of two threads. Time is no longer a reason for a small fan-out, so our default is 200."""
CHART = {"x": "fan_out", "y": ["literal", "best"], "facet": "measure", "scale": "log", "y_free": True}
PRINTED = {("seconds of clustering", 50): 1280.0}


def run() -> Iterator[dict[str, Any]]:
    """Rows by measure and fan-out."""
    data = student_people()
    multi(student_people(60, days=2), fan_out=10, passes=1)
    for fan_out in (2, 10, 50, 250):
        told: dict[str, dict[str, float]] = {}
        for column, passes, method in (
            ("literal", 0, sq.MCKA(k=5, literal=True, fan_out=fan_out)),
            ("best", 3, sq.MCKA(k=5, fan_out=fan_out)),
        ):
            begun = time.process_time()
            clusters = multi(data, fan_out=fan_out, passes=passes)
            seconds = time.process_time() - begun
            seen = daily_differences(data, sq.anonymize(data, method, seed=1))
            told[column] = {
                "seconds of clustering": round(seconds, 4),
                "relative difference, running": seen["running"],
                "relative difference, walking": seen["walking"],
                "loss of clusters": round(daily_loss(data, clusters)),
            }
        for measure, value in told["literal"].items():
            paper = PRINTED.get((measure, fan_out))
            yield {"measure": measure, "fan_out": fan_out, "paper": paper, "literal": value,
                   "best": told["best"][measure]}  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Measures one after the other."""
    return {"By fan-out": sorted(rows, key=lambda r: [w["measure"] for w in rows].index(r["measure"]))}
