"""What cutting records into cells costs: losses of kapra uncut and cut, at a size that both can do."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any
from unittest.mock import patch

import sequester as sq
from experiments.series_data import motion, uniform
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.shared import records_table as cutting

TITLE = "kapra in cells: what cutting costs"
PAPER = "beyond Shou et al. 2013"
NOTE = """100,000 records, k = 10, P = 3, exact ends; `cells` is the most records searched together, changes are against
the uncut search. Above a million records the default cuts into cells of at most 200,000; here cells are smaller, so
more records lie near a cut than at that size. Uniform noise is the worst case: its records fill ten dimensions evenly.
Cutting lowers both losses here, because the search makes fewer rounds the more records it holds.
Limit: 3 % more value loss. `cpu` is processor time in units of the uncut run of the same data."""
LIMIT = 3.0


def run() -> Iterator[dict[str, Any]]:
    """A row per data set and size of cells."""
    for name, data in (("Uniform", uniform(100_000)), ("Motion", motion(n=100_000))):
        base: tuple[float, float, float] | None = None
        for cells in (None, 50_000, 25_000, 12_500):
            begun = time.process_time()
            with patch.multiple(cutting, UNCUT=cells or cutting.UNCUT, CELL=cells or cutting.CELL):
                release = sq.anonymize(data, Kapra(k=10, p=3, ends_step=0.0), seed=1)
            cpu = time.process_time() - begun
            told = sq.measure(data, release, n_queries=0, n_targets=0)
            value, pattern = told["value loss per record"], told["pattern loss per record"]
            base = base or (value, pattern, cpu)
            more = 100 * (value / base[0] - 1)
            yield {
                "data": name, "cells": cells or "uncut", "value loss": round(value, 5),
                "value loss, % more": round(more, 2), "pattern loss": round(pattern, 5),
                "pattern loss, % more": round(100 * (pattern / base[1] - 1), 2), "cpu": round(cpu / base[2], 2),
                "limit": LIMIT, "met": more <= LIMIT,
            }  # fmt: skip


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
