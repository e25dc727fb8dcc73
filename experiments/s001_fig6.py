"""Windows of the second level: days, hours, quarters of an hour; and a third level."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sequester as sq
from experiments.s001_table4 import daily_differences, daily_loss, multi
from experiments.student_minutes import student_people

TITLE = "Aggregation of time at the second level (Figure 6)"
PAPER = "Parameshwarappa, Chen, Koru 2020, Figure 6, and the text on the number of levels"
NOTE = """The paper prints three times and draws the rest. As in the paper, finer windows cost much time and change the
relative difference little (by hour it is 5 to 10 % smaller here, at a larger loss of daily minutes). A third level
took half as long again in the paper; here the row of two levels, the first one, also pays for the first look at the
data, and the third level takes no longer. It changes little: the loss is smaller as printed and a little larger at our
best. `literal`: fan-out 50, no passes; `best`: 200 and three passes on the finest level, independent minutes; not run
on quarters of an hour, where the passes would take minutes. The paper ran R, we run compiled code; its seconds passed
on a clock, ours are CPU seconds of two threads."""
CHART = {"x": "levels", "y": ["literal", "best"], "facet": "measure", "y_free": True}
PRINTED = {"day": 1280.0, "15min": 17651.0, "day, day": 1951.0}


def run() -> Iterator[dict[str, Any]]:
    """Rows by levels and measure."""
    data, small = student_people(), student_people(60, days=2)
    for below in (("day",), ("hour",), ("15min",), ("day", "day")):
        levels = ("period", *below)
        told = []
        ways = ((50, 0, {"literal": True}), (200, 3, {"sampler": "independent"}))
        for fan_out, passes, options in ways[:1] if "15min" in below else ways:
            multi(small, fan_out=10, passes=passes, levels=levels)
            begun = time.process_time()
            clusters = multi(data, fan_out=fan_out, passes=passes, levels=levels)
            seconds = time.process_time() - begun
            method = sq.MCKA(k=5, levels=levels, **options)  # type: ignore[arg-type]
            seen = daily_differences(data, sq.anonymize(data, method, seed=1))
            told.append(
                {
                    "seconds of clustering": round(seconds, 3),
                    "relative difference, running": seen["running"],
                    "relative difference, walking": seen["walking"],
                    "loss of clusters": round(daily_loss(data, clusters)),
                }
            )
        name = ", ".join(below)
        for measure, literal in told[0].items():
            paper = PRINTED.get(name) if measure == "seconds of clustering" else None
            yield {"measure": measure, "levels": f"period, {name}", "paper": paper, "literal": literal,
                   "best": told[-1][measure] if len(told) == 2 else None}  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Measures one after the other."""
    return {"By levels": sorted(rows, key=lambda r: [w["measure"] for w in rows].index(r["measure"]))}
