"""How fast is (k,P)-anonymity, how does it grow, and what does the exact bound save over the plain scan?"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from sequester.engines import Engine
from sequester.guarantees.randomness import Randomness
from sequester.methods.series import subgroups as ways
from sequester.methods.series.kapra import Kapra
from sequester.model import Series
from sequester.primitives import kp_groups
from sequester.primitives.sax import z_normalize

TITLE = "(k,P)-anonymity: seconds, growth, and the exact bound against the full scan"
NOTE = (
    "Whole `apply` with the released table, compilation excluded, one run each on a shared two-core machine; "
    "`cpu_seconds` (all threads) tells more than `seconds` when the machine is busy. `ratio` of formation rows: full "
    "scan / kd-tree in cpu time, groups identical. Public course scripts need 20-47 s for Walk."
)
SETTINGS = ((10, 3), (10, 10))


def walk() -> np.ndarray:
    steps = np.cumsum(np.random.default_rng(0).standard_normal(65536))
    pieces = np.lib.stride_tricks.sliding_window_view(steps, 11)[::10]
    return ((pieces - pieces.min()) / (pieces.max() - pieces.min()))[:, :10]


def motion() -> np.ndarray | None:
    path = Path(os.environ.get("SEQUESTER_DATA", "../shared/data")) / "cmu_mocap" / "motion_frames.csv.gz"
    if not path.exists():
        return None
    rows = np.genfromtxt(path, delimiter=",", skip_header=1, usecols=range(2, 56), max_rows=20352)
    rows = (rows - rows.min(axis=0)) / (rows.max(axis=0) - rows.min(axis=0))
    return rows[:, np.random.default_rng(0).choice(rows.shape[1], 10, replace=False)]


def seconds(values: np.ndarray, method: Kapra) -> tuple[float, float]:
    """Of one whole run: elapsed, and processor time."""
    data = Series(values=values)
    begun = time.perf_counter(), time.process_time()
    method.apply(data, rng=Randomness(seed=1), engine=Engine())
    return time.perf_counter() - begun[0], time.process_time() - begun[1]


def run() -> Iterator[dict[str, Any]]:
    small = np.random.default_rng(0).random((400, 10))
    for pattern in ("literal", "own-word-paa", "prototype"):
        seconds(small, Kapra(k=10, p=3, pattern=pattern))  # type: ignore[arg-type]
    kp_groups.form_groups(*kp_groups.boxes(small, np.arange(400) // 3, 134), 10, order=np.arange(134), scan=False)
    sets = {"Walk": walk(), "Motion": motion()}
    for name, values in sets.items():
        if values is None:
            continue
        for k, p in SETTINGS:
            for pattern in ("literal", "own-word", "own-word-paa", "prototype"):
                taken = seconds(values, Kapra(k=k, p=p, pattern=pattern))  # type: ignore[arg-type]
                yield _row(f"{pattern} on {name}", len(values), k, p, taken)
    for k, p in SETTINGS:
        before: tuple[int, float] | None = None
        for n in (10_000, 20_000, 50_000, 100_000, 500_000):
            taken = seconds(np.random.default_rng(0).random((n, 10)), Kapra(k=k, p=p, pattern="literal"))
            row = _row("literal on Uniform", n, k, p, taken)
            if before:
                row["exponent"] = round(math.log(taken[1] / before[1]) / math.log(n / before[0]), 2)
            before = (n, taken[1])
            yield row
    for n in (20_000, 50_000):
        yield formation(np.random.default_rng(0).random((n, 10)), 10, 3)


def formation(values: np.ndarray, k: int, p: int) -> dict[str, Any]:
    """Group formation alone: full scan against the kd-tree, groups compared."""
    found = ways.literal(values, z_normalize(values), p, 20, "consecutive")
    lo, hi, size = kp_groups.boxes(values, found.of, int(found.of.max()) + 1)
    order = kp_groups.by_value_loss(lo, hi, size)
    taken, groups = [], []
    for scan in (True, False):
        begun = time.perf_counter(), time.process_time()
        groups.append(kp_groups.form_groups(lo, hi, size, k, order=order, scan=scan))
        taken.append((time.perf_counter() - begun[0], time.process_time() - begun[1]))
    same = bool(np.array_equal(groups[0], groups[1]))
    return _row("formation, Uniform", len(values), k, p, taken[1]) | {
        "ratio": round(taken[0][1] / taken[1][1], 2),
        "identical": same,
    }


def _row(what: str, n: int, k: int, p: int, taken: tuple[float, float]) -> dict[str, Any]:
    told = {"seconds": round(taken[0], 3), "cpu_seconds": round(taken[1], 3)}
    return {"bench": "series_kapra", "what": what, "n": n, "k": k, "p": p, **told}


if __name__ == "__main__":
    import json

    for line in run():
        print(json.dumps(line), flush=True)
