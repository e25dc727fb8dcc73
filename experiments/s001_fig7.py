"""How multi-level clustering scales with people and with days."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from benchmarks.growth import exponent

from experiments.s001_table4 import multi
from experiments.student_minutes import student_people
from sequester.model import Activities

TITLE = "Scalability of multi-level clustering (Figure 7)"
PAPER = "Parameshwarappa, Chen, Koru 2020, Figure 7"
NOTE = """Curve only; the paper says that the algorithm scales linearly. So does ours: the last two rows are exponents
fitted over all sizes (1 is linear; below it, fixed costs still show). CPU seconds of two threads, better of two,
aggregation of the minutes included. `literal` has a fan-out of 50; `best` (fan-out 200, three passes) spends its time
on the passes. The machine did other work meanwhile, so that single points scatter."""
CHART = {"x": "size", "y": ["literal", "best"], "facet": "what", "rows": {"measure": "seconds"}}


def timed(data: Activities, *, fan_out: int, passes: int) -> float:
    """CPU seconds, the better of two."""
    best = float("inf")
    for _ in range(2):
        begun = time.process_time()
        multi(data, fan_out=fan_out, passes=passes)
        best = min(best, time.process_time() - begun)
    return round(best, 4)


def run() -> Iterator[dict[str, Any]]:
    """People at two weeks, then days at 9,800 people, then the exponents."""
    multi(student_people(60, days=2), fan_out=10, passes=1)
    found = []
    for what, sizes in (("people", (2450, 4900, 7350, 9800)), ("days", (1, 7, 14, 28))):
        rows = []
        for size in sizes:
            data = student_people(size) if what == "people" else student_people(days=size)
            literal, best = timed(data, fan_out=50, passes=0), timed(data, fan_out=200, passes=3)
            rows.append({"what": what, "measure": "seconds", "size": size, "literal": literal, "best": best})
            yield rows[-1]
        fitted = {c: exponent(sizes, [r[c] for r in rows]) for c in ("literal", "best")}
        found.append({"what": what, "measure": "exponent", "size": f"{sizes[0]} to {sizes[-1]}"} | fitted)
    yield from found
