"""How long do the event-log methods take, and does the time grow with the log?

The log is drawn from a fixed chain of sixteen states with ten events per object on average. Each size runs in a
process of its own, so that its peak memory is its own; compilation is excluded by a small run before.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from benchmarks.growth import exponent
from benchmarks.memory import apart, cost_of, peak_bytes, resident

TITLE = "Event logs: time and memory against the number of events"
NOTE = """One process per row, compilation excluded. `ratio` is to sorting the events by person and time
(`numpy.lexsort`) in the same process, in processor time. `peak` is memory beyond the idle process in units of the
log's arrays, which it includes. `exponent` is fitted from 1.25 million events on by least squares on processor time.
Limits: 25,000 events, the size of the paper's samples, in a second; 10 million events (a million objects) in 90 seconds
and 4 GiB for the whole process."""
SMALL = 25_000
SIZES = (1_250_000, 2_500_000, 5_000_000, 10_000_000)
CHART = {"x": "n", "y": "seconds", "color": "what", "scale": "log", "y_scale": "log"}


def made_log(n_events: int, seed: int = 0) -> Any:
    """A log of about `n_events`: lengths around ten, log-normal gaps, two years of starts."""
    import numpy as np

    from sequester.model import EventLog

    rng = np.random.default_rng(seed)
    n_states, n = 16, max(n_events // 10, 1)
    below = np.cumsum(rng.dirichlet(np.full(n_states, 0.3), n_states + 1), axis=1)
    walked = np.clip(rng.poisson(9, n) + 1, 1, 40)
    offsets = np.r_[0, np.cumsum(walked)]
    states, now = np.empty(offsets[-1], np.int32), np.full(n, n_states)
    for step in range(int(walked.max())):
        on = np.flatnonzero(walked > step)
        now[on] = np.minimum((below[now[on]] <= rng.random((len(on), 1))).sum(1), n_states - 1)
        states[offsets[on] + step] = now[on]
    gaps = np.maximum(1, rng.lognormal(8, 2, len(states))).astype(np.int64)
    gaps[offsets[:-1]] = 0
    total = np.cumsum(gaps)
    start = 1_700_000_000 + rng.integers(0, 500 * 86400, n)
    times = np.repeat(start - total[offsets[:-1]], walked) + total
    return EventLog(
        names_public=True,
        offsets=offsets,
        states=states,
        state_names=tuple(f"state {i}" for i in range(n_states)),
        times=times,
    )


def one(what: str, n: int) -> dict[str, Any]:
    """Train and resynthesise once; called in a process of its own."""
    import numpy as np

    import sequester as sq

    methods = {
        "markov-ratio": lambda n: sq.MarkovRatio(epsilon=0.35),
        "markov-dp": lambda n: sq.MarkovDP(
            epsilon=1.0, delta=1e-6, people_at_least=max(n // 10, 1), dates="2023-11-01..2025-12-31", force=True
        ),
    }
    sq.anonymize(made_log(2_000), methods[what](2_000))
    before = resident()
    log = made_log(n)
    owner = np.repeat(np.arange(log.n_records), np.diff(log.offsets))
    sorting, _ = cost_of(lambda: np.lexsort((log.times, owner)))
    cost, release = cost_of(lambda: sq.anonymize(log, methods[what](n)), before)
    size = log.states.nbytes + log.times.nbytes + log.offsets.nbytes
    told = {"bench": "events_markov", "what": what, "n": len(log.states)} | cost.columns(size)
    return told | {
        "ratio": round(cost.cpu_seconds / sorting.cpu_seconds, 1),
        "objects": log.n_records,
        "synthetic": release.tables["events"].num_rows,
        "process_gib": round(peak_bytes() / 2**30, 2),
    }


def run() -> Iterator[dict[str, Any]]:
    """All sizes of both methods, then how each grew."""
    for what in ("markov-ratio", "markov-dp"):
        small = apart("benchmarks.events_markov", "one", what=what, n=SMALL)
        yield small | {"limit": "1 s", "met": small["seconds"] <= 1.0}
        rows = []
        for n in SIZES:
            rows.append(apart("benchmarks.events_markov", "one", what=what, n=n))
            yield rows[-1] | ({"limit": "90 s", "met": rows[-1]["seconds"] <= 90.0} if n == SIZES[-1] else {})
        grown = exponent([r["n"] for r in rows], [r["cpu_seconds"] for r in rows])
        yield {"bench": "events_markov", "what": f"{what}: growth, 1.25 to 10 million events", "exponent": grown}
        used = rows[-1]["process_gib"]
        yield {"bench": "events_markov", "what": f"{what}: GiB at 10 million events", "process_gib": used, "limit": 4.0,
               "met": used <= 4.0}  # fmt: skip


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
