"""Activity larger than memory: what clustering and drawing in files costs beside the same work in memory.

Every job runs in a process of its own, watched from outside. By hand, one size: `python -m benchmarks.scale_mcka
100000` prints JSON lines; `python -m benchmarks.scale_mcka publish 100000` publishes parts and verifies the bundle.
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
checksum. Limits: 1.5 times the processor time (in parts), 1 GB, and 600 MB for a worker. `publish` is from parts to a
verified bundle under a limit of 400 MB, without figures of use; `verify` is the check of a reader who gets it."""
SIZES, RUNS, PER_PART, DAYS, K = (10_000, 100_000), 1, 2_000, 7, 5
LIMIT = 400 * 10**6
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


def publish(method: str, folder: str, n: int) -> dict[str, Any]:
    """From parts to a verified bundle, in a process of its own."""
    import sequester as sq
    from sequester.engines import Engine
    from sequester.model import Parts

    facts = pickle.loads((Path(folder) / "facts").read_bytes())
    paths = tuple(sorted(Path(folder).glob("*.parquet")))
    parts = Parts(kind="activity", paths=paths, n_people=n, n_records=n, n_items=n * DAYS * 1440, facts=facts)
    dp = {"epsilon": 4.0, "delta": 1e-6, "people_at_least": n}
    told: sq.Method = sq.MCKA(k=K) if method == "mcka" else sq.ActivityDP(**dp)
    engine = Engine(threads=2, memory=LIMIT, scratch=Path(folder) / "scratch")
    begun, cpu = time.perf_counter(), time.process_time()
    sq.publish_data(
        parts, sq.Request(method=told, target=Path(folder) / f"{method}.bundle", engine=engine, evidence=())
    )
    return {"cpu_seconds": time.process_time() - cpu, "seconds": time.perf_counter() - begun}


def verify(method: str, folder: str, n: int) -> dict[str, Any]:
    """What a reader does with the bundle."""
    import sequester as sq

    begun, cpu = time.perf_counter(), time.process_time()
    if not sq.verify(Path(folder) / f"{method}.bundle").holds:
        raise RuntimeError(f"{method}: the bundle of {n} people is not confirmed")
    return {"cpu_seconds": time.process_time() - cpu, "seconds": time.perf_counter() - begun}


def whole(n: int) -> Iterator[dict[str, Any]]:
    """Publishing and verifying, one run each."""
    with tempfile.TemporaryDirectory() as folder:
        write(folder, n)
        for method in ("mcka", "activity-dp"):
            for job in ("publish", "verify"):
                seen = watched(job, method=method, folder=folder, n=n)
                yield {
                    "people": n, "what": f"{job} {method}", "runs": 1, "cpu_seconds": round(seen["cpu_seconds"], 1),
                    "seconds": round(seen["seconds"], 1), "peak_mb": round(seen["peak_mb"]),
                    "met": seen["peak_mb"] <= MOST_MB,
                }  # fmt: skip


def warm() -> None:
    """Load the kernels."""
    import sequester as sq
    from sequester.samples.minutes import minutes

    sq.anonymize(minutes(n_people=60, days=2, seed=1), sq.MCKA(k=K))


def watched(job: str = "work", **options: Any) -> dict[str, Any]:
    """A job, and the largest resident memory that its process was seen with."""
    command = [sys.executable, "-c", CHILD, "benchmarks.scale_mcka", job, json.dumps(options)]
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
    for n in SIZES:
        yield from whole(n)


if __name__ == "__main__":
    words = sys.argv[1:]
    rows = whole(int(words[1])) if words[0] == "publish" else parts(*(int(word) for word in words))
    for line in rows:
        print(json.dumps(line), flush=True)
