"""What the samplers of `mcka` cost beside each other."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import sequester as sq
from sequester.engines import Engine
from sequester.model import Activities
from sequester.samples.minutes import minutes

TITLE = "Samplers of mcka: processor time"
NOTE = """Processor seconds of a whole `anonymize` (clusters, drawing, tables) of 14 days of minutes with k = 5 on one
thread, the best of seven (three from 1,000 people on), and the ratio to `independent`, the paper's. Calibrating
day-types simulates 160 to 600 rows by the number of people, in six rounds; below 60 people that is most of the work,
and a fifth of a second."""
ALONE = True
SIZES = (30, 60, 120, 250, 500, 1000, 4000)


def run() -> Iterator[dict[str, Any]]:
    """A row per number of people."""
    for sampler in ("independent", "day-types"):
        seconds(minutes(n_people=30, days=14), sampler, 1)  # compiles
    for n in SIZES:
        data = minutes(n_people=n, days=14, seed=1)
        found = {s: seconds(data, s, 7 if n < 1000 else 3) for s in ("independent", "day-types")}
        ratio = found["day-types"] / found["independent"]
        told = {"bench": "activity_samplers", "n": n} | {s: round(v, 2) for s, v in found.items()}
        yield told | {"what": f"{n} people", "ratio": round(ratio, 2)}


def seconds(data: Activities, sampler: Any, repeat: int) -> float:
    """The cheapest of several."""
    out = []
    for seed in range(repeat):
        begun = time.process_time()
        sq.anonymize(data, sq.MCKA(k=5, sampler=sampler), seed=seed, engine=Engine(threads=1))
        out.append(time.process_time() - begun)
    return min(out)
