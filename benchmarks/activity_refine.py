"""How does improving clusters grow with the number of people, and how much tighter do clusters become?"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from benchmarks.growth import exponent
from benchmarks.memory import forget_peak, peak_bytes, resident
from sequester.methods.activity.shared.kernels.multilevel import multilevel, partition_sizes, window_counts
from sequester.methods.activity.shared.kernels.refine import refine
from sequester.samples.minutes import minutes

TITLE = "Improving clusters: growth from 25,000 to 100,000 people"
NOTE = """Three passes over clusters of five people by minutes per day of a week, one thread, processor seconds; beside
them those of the multi-level clustering they improve. `peak`: memory beyond the counts, in units of the
counts. `before` and `after`: within-cluster sum of squares per person. Limit: exponent 1.2."""
SIZES = (25_000, 50_000, 100_000)
K, BLOCK, LIMIT = 5, 5_000, 1.2


def run() -> Iterator[dict[str, Any]]:
    """A row per size, then the exponent."""
    days = np.arange(8) * 1440
    parts = [minutes(n_people=BLOCK, days=7, seed=100 + s, threads=2).states for s in range(SIZES[-1] // BLOCK)]
    counts = np.concatenate([window_counts(p, 4, days, threads=2) for p in parts]).astype(np.float64)
    improved(counts[:2000])  # compiles
    costs = []
    for n in SIZES:
        row = improved(counts[:n])
        costs.append(row["cpu_seconds"])
        yield {"bench": "activity_refine", "what": "three passes", "n": n} | row
    grown = exponent(SIZES, costs)
    yield {"bench": "activity_refine", "what": "growth", "exponent": grown, "limit": LIMIT, "met": grown <= LIMIT}


def improved(x: np.ndarray) -> dict[str, Any]:
    """Seconds and losses of one size."""
    begun = time.process_time()
    found = multilevel([x.sum(axis=2, keepdims=True), x], partition_sizes(len(x), K, 2, 200))
    forget_peak()
    held, between = resident(), time.process_time()
    better = refine(x, found, smallest=K, largest=2 * K - 1, passes=3)
    done = time.process_time()
    flat = x.reshape(len(x), -1)
    return {
        "cpu_seconds": round(done - between, 3),
        "peak": round((peak_bytes() - held) / x.nbytes, 2),
        "multilevel": round(between - begun, 3),
        "before": round(loss(flat, found)),
        "after": round(loss(flat, better)),
    }


def loss(x: np.ndarray, labels: np.ndarray) -> float:
    """Within-cluster sum of squares per person."""
    order, sizes = np.argsort(labels, kind="stable"), np.bincount(labels)
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    means = np.add.reduceat(x[order], starts, axis=0) / sizes[:, None]
    return float(((x[order] - np.repeat(means, sizes, axis=0)) ** 2).sum() / len(x))


if __name__ == "__main__":
    import json

    for line in run():
        print(json.dumps(line), flush=True)
