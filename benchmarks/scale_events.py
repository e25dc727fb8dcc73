"""Event logs larger than memory: what reading and measuring in parts cost beside the same work in memory.

Every job runs in a process of its own; its memory is sampled from outside, because a thread inside misses peaks while a
kernel holds the interpreter. The log is shuffled text with ties in time, 16 events per person, 40 states.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.memory import CHILD

TITLE = "Event logs in parts: reading and measuring beside memory"
NOTE = """CPU seconds are of the whole process without imports, medians of so many runs as `runs` says; `ratio` is to
the same work in memory, in the same run. `peak_mb` is resident memory of the whole process, sampled from outside every
20 ms. Parts are read and measured under a limit of 400 MB with two threads. `equal`: the parts put together have the
fingerprint of the log in memory; every noisy step was given the same integers."""
SIZES, RUNS = (1_000_000, 10_000_000), 1
LIMIT = 400 * 10**6
ROLES = {"person": "person", "time": "time", "state": "state", "time_format": "iso", "time_unit": "second"}
METHOD = {"epsilon": 4.0, "delta": 1e-8, "dates": "2020-01-01..2020-12-31"}


def write_log(path: str, n: int) -> int:
    """Shuffled events as CSV; returns the bytes."""
    from sequester.read.engine import connect

    connection = connect()
    connection.execute(
        f"copy (select 'p' || (hash(i) % {n // 16}) as person, strftime(timestamp '2020-01-01' + to_seconds((hash(i + "
        f"77) % 525600) * 60), '%Y-%m-%d %H:%M:%S') as time, 's' || (hash(i * 3) % 40) as state from range({n}) t(i)) "
        f"to '{path}' (header true)"
    )
    connection.close()
    return Path(path).stat().st_size


def work(what: str, source: str, folder: str, n: int) -> dict[str, Any]:
    """One job in its own process."""
    import numpy as np

    import sequester as sq
    from sequester.dp.noise import RecordingNoise, TeachingNoise
    from sequester.engines import Engine
    from sequester.methods.events.markov_dp.crowd import Split

    engine = Engine(threads=2, memory=LIMIT)
    method = sq.MarkovDP(people_at_least=n // 16, **METHOD)
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(1)))
    if "measure" in what:  # compiled before the clock runs
        small = TeachingNoise(np.random.default_rng(0))
        method.measure(sq.sample("events", n_people=40), small, method.ledger())
    begun, used = time.perf_counter(), time.process_time()
    told = ""
    if what.endswith("in memory"):
        log = sq.read_events(source, **ROLES)
        read = time.process_time() - used
        if what == "measure in memory":
            method.measure(log, noise, method.ledger())
    else:
        log = sq.read_parts("events", source, folder, engine=engine, **ROLES)
        read = time.process_time() - used
        if what == "measure in parts":
            with engine.workspace() as scratch:
                method.measure(Split(log, method.design("second"), engine, scratch), noise, method.ledger(), "second")
    cpu, seconds = time.process_time() - used, time.perf_counter() - begun
    if "measure" in what:
        cpu -= read
        import hashlib

        told = hashlib.sha256(b"".join(np.asarray(s["given"]).tobytes() for s in noise.transcript)).hexdigest()
    elif n <= SIZES[0]:
        told = (log.whole() if what.endswith("in parts") else log).fingerprint()
    return {"cpu_seconds": cpu, "seconds": seconds, "told": told}


def watched(**options: Any) -> dict[str, Any]:
    """A job, and the largest resident memory that its process was seen with."""
    command = [sys.executable, "-c", CHILD, "benchmarks.scale_events", "work", json.dumps(options)]
    paths = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | paths) as process:
        page, most = os.sysconf("SC_PAGE_SIZE"), 0
        while process.poll() is None:
            try:
                most = max(most, int(Path(f"/proc/{process.pid}/statm").read_text("ascii").split()[1]) * page)
            except (OSError, IndexError):
                break
            time.sleep(0.02)
        out = process.stdout.read() if process.stdout else ""
    done: dict[str, Any] = json.loads(out.splitlines()[-1])
    return done | {"peak_mb": most / 1e6}


def run() -> Iterator[dict[str, Any]]:
    """Rows of the table."""
    for n in SIZES:
        with tempfile.TemporaryDirectory() as place:
            source = str(Path(place) / "log.csv")
            n_bytes = write_log(source, n)
            for job in ("read", "measure"):
                base: dict[str, Any] = {}
                for how in ("in memory", "in parts"):
                    runs = []
                    for i in range(RUNS):
                        folder = str(Path(place) / f"{job}-{i}")
                        runs.append(watched(what=f"{job} {how}", source=source, folder=folder, n=n))
                    cpu = median(r["cpu_seconds"] for r in runs)
                    row = {
                        "events": n,
                        "csv_mb": round(n_bytes / 1e6),
                        "what": f"{job} {how}",
                        "runs": RUNS,
                        "cpu_seconds": round(cpu, 2),
                        "ratio": round(cpu / base.get("cpu", cpu), 2),
                        "peak_mb": round(max(r["peak_mb"] for r in runs)),
                        "equal": "" if not base or not runs[0]["told"] else str(runs[0]["told"] == base["told"]),
                    }
                    base = base or {"cpu": cpu, "told": runs[0]["told"]}
                    yield row
