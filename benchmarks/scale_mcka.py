"""Activity larger than memory: what clustering and drawing in files costs beside the same work in memory.

Every job runs in a process of its own, watched from outside. By hand, one size: `python -m benchmarks.scale_mcka
100000` prints JSON lines.
"""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.memory import CHILD
from benchmarks.watching import watch

TITLE = "Activity in parts: clusters of five and drawn weeks beside memory"
NOTE = """`mcka` with k = 5 and everything else as by default, on people x 10,080 minutes in Parquet parts of 2,000. CPU
seconds are of loading and of the release, without imports and compiling, with two threads or two Dask workers (driver
and workers together), medians of so many runs as `runs` says; `ratio` is to the same work in memory, in the same run.
`peak_mb` is resident memory of the whole process, mapped files included, sampled from outside every 20 ms, and
`worker_mb` that of the largest process it started. `equal`: clusters, and every fiftieth drawn row, have the same
checksum. Limits: 1.5 times the processor time (in parts), 1 GB, and 600 MB for a worker."""
SIZES, RUNS, PER_PART, DAYS, K = (10_000, 100_000), 1, 2_000, 7, 5
MOST_MB, MOST_WORKER_MB, MOST_RATIO = 1_000, 600, 1.5
WAYS = ("in memory", "in parts", "on Dask")


def write(folder: str, n: int) -> None:
    """Parts of simulated people."""
    from sequester.model.part_files import write_part
    from sequester.model.parts import facts_of
    from sequester.samples.minutes import minutes

    for i in range(-(-n // PER_PART)):
        size = min(PER_PART, n - i * PER_PART)
        data = minutes(n_people=size, days=DAYS, seed=100 + i, threads=2)
        names = np.array([f"p{i * PER_PART + j}" for j in range(size)], dtype=object)
        named = type(data)(**facts_of(data), states=data.states, persons=names)
        write_part(named, Path(folder) / f"part-{i:05d}.parquet", i * PER_PART + np.arange(size))
        if i == 0:
            (Path(folder) / "facts").write_bytes(pickle.dumps(facts_of(data)))


def work(what: str, folder: str, n: int) -> dict[str, Any]:
    """One job in its own process."""
    import sequester as sq
    from sequester.engines import Engine
    from sequester.engines.dask import on_dask
    from sequester.model import Parts
    from sequester.model.parts import joined

    method = sq.MCKA(k=K)
    warm()
    facts = pickle.loads((Path(folder) / "facts").read_bytes())
    paths = tuple(sorted(Path(folder).glob("*.parquet")))
    parts = Parts(kind="activity", paths=paths, n_people=n, n_records=n, n_items=n * DAYS * 1440, facts=facts)
    scratch = Path(folder) / "scratch"
    with on_dask(n_workers=2, scratch=scratch) if what == "on Dask" else nullcontext() as cluster:
        if cluster is not None:  # workers are started, and have loaded their kernels
            cluster.client.run(warm)

        def used() -> float:
            below = cluster.client.run(time.process_time) if cluster is not None else {}
            return time.process_time() + sum(below.values())

        begun, cpu = time.perf_counter(), used()
        data: Any = joined(list(parts)) if what == "in memory" else parts
        release = sq.anonymize(data, method, seed=7, engine=cluster or Engine(threads=2, scratch=scratch))
        cpu, seconds = used() - cpu, time.perf_counter() - begun
    table = release.tables["sequences"]
    told = hashlib.sha256(table["cluster"].to_numpy().tobytes())
    for i in range(0, n, 50):
        told.update(np.asarray(table["states"][i].values).tobytes())
    return {"cpu_seconds": cpu, "seconds": seconds, "told": told.hexdigest()}


def warm() -> None:
    """Load the kernels."""
    import sequester as sq
    from sequester.samples.minutes import minutes

    sq.anonymize(minutes(n_people=60, days=2, seed=1), sq.MCKA(k=K))


def watched(**options: Any) -> dict[str, Any]:
    """A job, and the largest resident memory that its process was seen with."""
    command = [sys.executable, "-c", CHILD, "benchmarks.scale_mcka", "work", json.dumps(options)]
    seen = watch(command, env={"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    done: dict[str, Any] = json.loads(seen.out.splitlines()[-1])
    return done | {"peak_mb": seen.peak / 1e6, "worker_mb": seen.peak_below / 1e6}


def parts(n: int, runs: int = RUNS) -> Iterator[dict[str, Any]]:
    """In memory and in parts, in turn."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, n)
        done: dict[str, list[dict[str, Any]]] = {way: [] for way in WAYS}
        for _ in range(runs):
            for way in WAYS:
                done[way].append(watched(what=way, folder=folder, n=n))
        base = median(r["cpu_seconds"] for r in done[WAYS[0]])
        for way in WAYS:
            cpu, peak = median(r["cpu_seconds"] for r in done[way]), max(r["peak_mb"] for r in done[way])
            row = {
                "people": n, "what": way, "runs": runs, "cpu_seconds": round(cpu, 1),
                "seconds": round(median(r["seconds"] for r in done[way]), 1), "peak_mb": round(peak),
                "ratio": round(cpu / base, 2),
            }  # fmt: skip
            if way != WAYS[0]:
                same = {r["told"] for r in done[way]} == {r["told"] for r in done[WAYS[0]]}
                worker = max(r["worker_mb"] for r in done[way])
                small = peak <= MOST_MB and worker <= MOST_WORKER_MB
                quick = way == "on Dask" or cpu <= MOST_RATIO * base
                row |= {"worker_mb": round(worker), "equal": str(same), "met": same and small and quick}
            yield row


def run() -> Iterator[dict[str, Any]]:
    """Rows of the table."""
    for n in SIZES:
        yield from parts(n)


if __name__ == "__main__":
    for line in parts(int(sys.argv[1]), *(int(word) for word in sys.argv[2:])):
        print(json.dumps(line), flush=True)
