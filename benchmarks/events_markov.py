"""How long do the event-log methods take, and does the time grow with the log?

The log is drawn from a fixed chain of sixteen states with ten events per object on average. Each size runs in a
process of its own, so that its peak memory is its own; compilation is excluded by a small run before.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any

from benchmarks.memory import peak_bytes

TITLE = "Event logs: time and memory against the number of events"
NOTE = "25,000 records is the size of the paper's samples; 10 million records are a million objects."
SIZES = (25_000, 250_000, 2_500_000, 10_000_000)
CHART = {"x": "n", "y": "seconds", "color": "what", "scale": "log"}


def made_log(n_events: int, seed: int = 0) -> Any:
    """A log of about `n_events`: lengths around ten, log-normal gaps, two years of starts."""
    import numpy as np

    from sequester.model import EventLog
    from sequester.primitives import markov

    rng = np.random.default_rng(seed)
    n_states, n = 16, max(n_events // 10, 1)
    chain = rng.dirichlet(np.full(n_states + 1, 0.3), n_states + 1)
    chain[-1, -1] = 0
    chain /= chain.sum(1, keepdims=True)
    lengths = np.clip(rng.poisson(9, n) + 1, 1, 40)
    where = np.nonzero(chain)
    bounds = np.r_[0, np.cumsum(np.bincount(where[0], minlength=n_states + 1))].astype(np.int64)
    states, walked = markov.walks(
        rng, lengths, bounds, where[1].astype(np.int64), chain[where], np.full((n_states + 1, n_states), -1),
        markov.arrivals(chain, 40), np.zeros((n_states, n_states), bool), 1,
    )  # fmt: skip
    offsets = np.r_[0, np.cumsum(walked)]
    gaps = np.maximum(1, rng.lognormal(8, 2, len(states))).astype(np.int64)
    gaps[offsets[:-1]] = 0
    total = np.cumsum(gaps)
    start = 1_700_000_000 + rng.integers(0, 500 * 86400, n)
    times = np.repeat(start - total[offsets[:-1]], walked) + total
    return EventLog(
        offsets=offsets, states=states, state_names=tuple(f"state {i}" for i in range(n_states)), times=times
    )


def one(what: str, n: int) -> dict[str, Any]:
    """Train and resynthesise once; called in a process of its own."""
    import sequester as sq

    methods = {
        "markov-ratio": lambda n: sq.MarkovRatio(epsilon=0.35),
        "markov-dp": lambda n: sq.MarkovDP(
            epsilon=1.0, delta=1e-6, people_at_least=max(n // 10, 1), dates="2023-11-01..2025-12-31", force=True
        ),
    }
    sq.anonymize(made_log(2_000), methods[what](2_000))
    log = made_log(n)
    begun, worked = time.perf_counter(), time.process_time()
    release = sq.anonymize(log, methods[what](n))
    seconds, worked = time.perf_counter() - begun, time.process_time() - worked
    return {
        "bench": "events_markov",
        "what": what,
        "n": len(log.states),
        "objects": log.n_records,
        "synthetic": release.tables["events"].num_rows,
        "seconds": round(seconds, 2),
        "cpu_seconds": round(worked, 2),
        "microseconds_per_event": round(1e6 * seconds / len(log.states), 2),
        "peak_gib": round(peak_bytes() / 2**30, 2),
    }


def run() -> Iterator[dict[str, Any]]:
    """All sizes of both methods."""
    for what in ("markov-ratio", "markov-dp"):
        for n in SIZES:
            done = subprocess.run(
                [sys.executable, "-m", "benchmarks.events_markov", what, str(n)],
                capture_output=True,
                text=True,
                check=True,
            )
            yield json.loads(done.stdout)


if __name__ == "__main__":
    if len(sys.argv) == 3:
        print(json.dumps(one(sys.argv[1], int(sys.argv[2]))))
    else:
        for row in run():
            print(json.dumps(row), flush=True)
