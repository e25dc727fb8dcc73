"""Event logs larger than memory: what reading and measuring in parts cost beside the same work in memory.

Every job runs in a process of its own, watched from outside. The log is shuffled text with ties in time, 16 events per
person, 40 states. By hand, one group of rows: `python -m benchmarks.scale_events parts 10000000` (or `dask 10000000`,
`spark 10000000`, `drawing 1000000`, `ratio 1000000`, `command 50000000`) prints JSON lines.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.memory import CHILD
from benchmarks.watching import Watched, watch

TITLE = "Event logs in parts: reading, measuring and publishing beside memory"
NOTE = """CPU seconds are of the work without imports, with Dask and Spark of driver and workers together (of whole
commands: with imports), medians of so many runs as `runs` says. `ratio` is to the same work in memory, on Dask and
Spark to that on threads, of drawing to that on one thread, in the same run; `wall` is the same of elapsed time.
`busiest_seconds` is the processor time of the busiest thread: what drawing takes where cores are free. `peak_mb` is
resident memory of the whole process, sampled from outside every 20 ms, and `worker_mb` that of the largest process it
started. Parts are read and measured under a limit of 400 MB with two threads; whole commands run under 1 GB. `equal`:
the parts put together have the fingerprint of the log in memory; every noisy step was given the same integers; the same
times were drawn; `markov-ratio` made the same table of events and the same model."""
SMALL, LARGE, HUGE = 1_000_000, 10_000_000, 50_000_000
RUNS = 3
LIMIT = 400 * 10**6
ROLES = {"person": "person", "time": "time", "state": "state", "time_format": "iso", "time_unit": "second"}
METHOD = {"epsilon": 4.0, "delta": 1e-8, "dates": "2020-01-01..2020-12-31"}
JOBS = ("read in memory", "read in parts", "measure in memory", "measure in parts")


def write_log(path: str, n: int) -> int:
    """Shuffled events as CSV, written in a stream; returns the bytes."""
    from sequester.read.engine import own_engine

    connection = own_engine(settings={"memory_limit": "1GB"})
    connection.execute(
        f"copy (select 'p' || (hash(i) % {n // 16}) as person, strftime(timestamp '2020-01-01' + to_seconds((hash(i + "
        f"77) % 525600) * 60), '%Y-%m-%d %H:%M:%S') as time, 's' || (hash(i * 3) % 40) as state from range({n}) t(i)) "
        f"to '{path}' (header true)"
    )
    connection.close()
    return Path(path).stat().st_size


def work(what: str, source: str, folder: str, n: int, compared: bool = False) -> dict[str, Any]:
    """One job in its own process; `compared`: the fingerprint of what was read is told too, which takes memory."""
    import numpy as np

    import sequester as sq
    from sequester.dp.noise import RecordingNoise, TeachingNoise
    from sequester.engines import Engine
    from sequester.methods.events.markov_dp.people import People

    engine = Engine(threads=2, memory=LIMIT)
    method = sq.MarkovDP(people_at_least=n // 16, **METHOD)
    noise = RecordingNoise(TeachingNoise(np.random.default_rng(1)))
    if "measure" in what:  # compiled before the clock runs
        warm(n)
    if what == "measure on Dask":
        return _on_dask(source, folder, n, method, noise)
    if what == "measure on Spark":
        return _on_spark(source, folder, n, method, noise)
    begun, used = time.perf_counter(), time.process_time()
    told = ""
    if what.endswith("in memory"):
        log = sq.read_events(source, **ROLES)
        read, read_until = time.process_time() - used, time.perf_counter()
        if what == "measure in memory":
            method.measure(log, noise, method.ledger())
    else:
        log = sq.read_parts("events", source, folder, engine=engine, **ROLES)
        read, read_until = time.process_time() - used, time.perf_counter()
        if what == "measure in parts":
            with engine.workspace() as scratch:
                method.measure(People(log, method.design("second"), engine, scratch), noise, method.ledger(), "second")
    cpu, seconds = time.process_time() - used, time.perf_counter() - begun
    if "measure" in what:
        cpu, seconds = cpu - read, time.perf_counter() - read_until
        told = _given(noise)
    elif compared:
        told = (log.whole() if what.endswith("in parts") else log).fingerprint()
    return {"cpu_seconds": cpu, "seconds": seconds, "told": told}


def warm(n: int) -> None:
    """Load the kernels of measuring."""
    import numpy as np

    import sequester as sq
    from sequester.dp.noise import TeachingNoise

    method = sq.MarkovDP(people_at_least=n // 16, **METHOD)
    method.measure(sq.sample("events", n_people=40), TeachingNoise(np.random.default_rng(0)), method.ledger())


def _on_dask(source: str, folder: str, n: int, method: Any, noise: Any) -> dict[str, Any]:
    """Measuring on two workers; they are started, and have loaded their kernels, before the clock runs."""
    import sequester as sq
    from sequester.engines import Engine
    from sequester.engines.dask import on_dask
    from sequester.methods.events.markov_dp.people import People

    log = sq.read_parts("events", source, folder, engine=Engine(threads=2, memory=LIMIT), **ROLES)
    with on_dask(n_workers=2, memory=LIMIT, scratch=Path(folder)) as engine, engine.workspace() as scratch:
        engine.client.run(warm, n)

        def used() -> float:
            return time.process_time() + sum(engine.client.run(time.process_time).values())

        begun, cpu = time.perf_counter(), used()
        method.measure(People(log, method.design("second"), engine, scratch), noise, method.ledger(), "second")
        seconds, cpu = time.perf_counter() - begun, used() - cpu
    return {"cpu_seconds": cpu, "seconds": seconds, "told": _given(noise)}


def _on_spark(source: str, folder: str, n: int, method: Any, noise: Any) -> dict[str, Any]:
    """The same on two executors, each a Java process with a Python process below it."""
    from functools import partial

    import psutil

    import sequester as sq
    from sequester.engines import Engine
    from sequester.engines.spark import on_spark
    from sequester.methods.events.markov_dp.people import People

    log = sq.read_parts("events", source, folder, engine=Engine(threads=2, memory=LIMIT), **ROLES)
    spark = on_spark("local-cluster[2,1,1024]", 2, memory=LIMIT, scratch=Path(folder))
    with spark as engine, engine.workspace() as scratch:
        engine.map(partial(_warmed, n), range(8))

        def used() -> float:
            """Of this process and all below it, those that ended included."""
            whole = [psutil.Process(), *psutil.Process().children(recursive=True)]
            return sum(sum(p.cpu_times()[:4]) for p in whole)

        begun, cpu = time.perf_counter(), used()
        method.measure(People(log, method.design("second"), engine, scratch), noise, method.ledger(), "second")
        seconds, cpu = time.perf_counter() - begun, used() - cpu
    return {"cpu_seconds": cpu, "seconds": seconds, "told": _given(noise)}


def _warmed(n: int, part: int) -> int:
    warm(n)
    return part


def draw(source: str, folder: str, n: int, threads: int) -> dict[str, Any]:
    """Only the drawing of the log, into a file, after everything was measured and fitted."""
    import hashlib

    import numpy as np

    import sequester as sq
    from sequester.dp.noise import TeachingNoise
    from sequester.engines import Engine
    from sequester.methods.events.markov_dp.drawing import log_blocks, shuffled
    from sequester.methods.events.markov_dp.generate import wanted_objects
    from sequester.methods.events.markov_dp.laws import laws
    from sequester.methods.events.markov_dp.timed import fitted
    from sequester.methods.events.shared.notes import Rules
    from sequester.stored_tables import gathered

    method = sq.MarkovDP(people_at_least=n // 16, **METHOD)
    plan, secret = method.design("second"), np.random.default_rng(3)
    log = sq.read_events(source, **ROLES)
    measured = method.measure(log, TeachingNoise(np.random.default_rng(1)), method.ledger())
    model = fitted(laws(measured, plan, Rules()), measured, plan, Rules(), secret)
    wanted = shuffled(wanted_objects(model.laws, secret), secret)
    ready = model.finished(int(wanted.lengths.max()))
    of_threads: dict[int, float] = {}

    class Timed(Engine):
        """Tells what every thread has used."""

        def each(self, task: Any, parts: Any, title: str = "parts") -> Iterator[Any]:
            def timed(part: Any) -> Any:
                before = time.thread_time()
                made = task(part)
                mine = threading.get_ident()
                of_threads[mine] = of_threads.get(mine, 0.0) + time.thread_time() - before
                return made

            return super().each(timed, parts, title)

    begun, used, here = time.perf_counter(), time.process_time(), time.thread_time()
    engine = Timed(threads=threads)
    table = gathered(log_blocks(ready, wanted, measured, plan, secret, engine), folder=Path(folder), in_files=True)
    cpu, seconds = time.process_time() - used, time.perf_counter() - begun
    busiest = max(time.thread_time() - here, *of_threads.values())
    told = hashlib.sha256()
    for batch in table.to_batches():
        told.update(batch.column("time").cast("int64").to_numpy().tobytes())
    return {
        "cpu_seconds": cpu, "busiest": busiest, "seconds": seconds, "told": told.hexdigest(), "drawn": table.num_rows,
    }  # fmt: skip


def drawing(n: int, runs: int = RUNS) -> Iterator[dict[str, Any]]:
    """Drawing the log on one thread and on two, in turn."""
    with tempfile.TemporaryDirectory() as place:
        source = str(Path(place) / "log.csv")
        n_bytes = write_log(source, n)
        done: dict[int, list[dict[str, Any]]] = {1: [], 2: []}
        for _ in range(runs):
            for threads, seen in done.items():
                seen.append(watched("draw", source=source, folder=place, n=n, threads=threads))
    base = {x: median(r[x] for r in done[1]) for x in ("cpu_seconds", "seconds")}
    for threads, seen in done.items():
        cpu, wall, busiest = (median(r[x] for r in seen) for x in ("cpu_seconds", "seconds", "busiest"))
        yield {
            "events": n,
            "csv_mb": round(n_bytes / 1e6),
            "what": f"draw {seen[0]['drawn']} events, {threads} thread{'s' * (threads > 1)}",
            "runs": runs,
            "cpu_seconds": round(cpu, 2),
            "busiest_seconds": round(busiest, 2),
            "ratio": round(cpu / base["cpu_seconds"], 2),
            "seconds": round(wall, 1),
            "wall": round(wall / base["seconds"], 2),
            "peak_mb": round(max(r["peak_mb"] for r in seen)),
            "equal": "" if threads == 1 else str({r["told"] for r in seen} == {r["told"] for r in done[1]}),
        }


def ratio_work(what: str, source: str, folder: str, n: int) -> dict[str, Any]:
    """`markov-ratio` from what was read to its release; parts are under the limit, so that it is drawn into files."""
    import hashlib

    import sequester as sq
    from sequester.engines import Engine

    method = sq.MarkovRatio(epsilon=0.35)
    engine = Engine(threads=2, memory=LIMIT, scratch=Path(folder)) if what.endswith("in parts") else Engine(threads=2)
    sq.anonymize(sq.sample("events", n_people=40), method, seed=1)  # compiled before the clock runs
    if what.endswith("in parts"):
        parts = Path(folder) / "parts"
        log: Any = sq.read_parts("events", source, parts, engine=engine, **ROLES)
    else:
        log = sq.read_events(source, **ROLES)
    begun, used = time.perf_counter(), time.process_time()
    release = sq.anonymize(log, method, seed=1, engine=engine)
    cpu, seconds = time.process_time() - used, time.perf_counter() - begun
    told = hashlib.sha256()
    for table in (release.tables["events"], release.private["model"]):
        for name in table.column_names:
            for batch in table.select([name]).to_batches(max_chunksize=1 << 13):
                told.update("\n".join(["", *map(str, batch[0].to_pylist())]).encode())
    return {"cpu_seconds": cpu, "seconds": seconds, "told": told.hexdigest(), "rows": release.private["model"].num_rows}


def ratio(n: int, runs: int = RUNS) -> Iterator[dict[str, Any]]:
    """`markov-ratio` in memory and in parts, in turn."""
    with tempfile.TemporaryDirectory() as place:
        source = str(Path(place) / "log.csv")
        n_bytes = write_log(source, n)
        done: dict[str, list[dict[str, Any]]] = {"markov-ratio in memory": [], "markov-ratio in parts": []}
        for _ in range(runs):
            for job, seen in done.items():
                with tempfile.TemporaryDirectory(dir=place) as folder:
                    seen.append(watched("ratio_work", what=job, source=source, folder=folder, n=n))
    here = done["markov-ratio in memory"]
    for job, seen in done.items():
        cpu = median(r["cpu_seconds"] for r in seen)
        yield {
            "events": n,
            "csv_mb": round(n_bytes / 1e6),
            "what": job,
            "runs": runs,
            "statistics": seen[0]["rows"],
            "cpu_seconds": round(cpu, 2),
            "ratio": round(cpu / median(r["cpu_seconds"] for r in here), 2),
            "seconds": round(median(r["seconds"] for r in seen), 1),
            "peak_mb": round(max(r["peak_mb"] for r in seen)),
            "equal": "" if seen is here else str({r["told"] for r in seen} == {r["told"] for r in here}),
        }


def _given(noise: Any) -> str:
    """A print of what every noisy step was given."""
    import hashlib

    import numpy as np

    return hashlib.sha256(b"".join(np.asarray(s["given"]).tobytes() for s in noise.transcript)).hexdigest()


def watched(job: str = "work", **options: Any) -> dict[str, Any]:
    """A job, and the largest resident memory that its process was seen with."""
    command = [sys.executable, "-c", CHILD, "benchmarks.scale_events", job, json.dumps(options)]
    seen = watch(command, env={"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    done: dict[str, Any] = json.loads(seen.out.splitlines()[-1])
    return done | {"peak_mb": seen.peak / 1e6, "worker_mb": seen.peak_below / 1e6}


def parts(n: int, runs: int = RUNS, *, beside_memory: bool = True) -> Iterator[dict[str, Any]]:
    """Reading and measuring, in memory and in parts, one after the other and so many times round."""
    with tempfile.TemporaryDirectory() as place:
        source = str(Path(place) / "log.csv")
        n_bytes = write_log(source, n)
        jobs = JOBS if beside_memory else JOBS[1::2]
        done: dict[str, list[dict[str, Any]]] = {job: [] for job in jobs}
        for _ in range(runs):
            for job in jobs:
                with tempfile.TemporaryDirectory(dir=place) as folder:
                    done[job].append(watched(what=job, source=source, folder=folder, n=n))
        prints = {}
        for job in JOBS[:2] if beside_memory else ():
            with tempfile.TemporaryDirectory(dir=place) as folder:
                prints[job] = watched(what=job, source=source, folder=folder, n=n, compared=True)["told"]
    for job in jobs:
        cpu = {name: median(r["cpu_seconds"] for r in done[name]) for name in jobs}
        base = job.replace("in parts", "in memory") if beside_memory else job
        told = {name: {r["told"] for r in done[name]} for name in jobs}
        equal = told[job] == told[base] and prints.get(job) == prints.get(base)
        yield {
            "events": n,
            "csv_mb": round(n_bytes / 1e6),
            "what": job,
            "runs": runs,
            "cpu_seconds": round(cpu[job], 2),
            "ratio": round(cpu[job] / cpu[base], 2),
            "seconds": round(median(r["seconds"] for r in done[job]), 1),
            "peak_mb": round(max(r["peak_mb"] for r in done[job])),
            "equal": "" if job == base else str(equal),
        }


def sequester(*words: str) -> Watched:
    """A command, watched."""
    env = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    return watch([sys.executable, "-m", "sequester", *words], env=env)


def publishing(source: Path, target: Path, n: int, *more: str) -> list[str]:
    """The words of a publication of the log."""
    roles = [word for name, value in ROLES.items() for word in (f"--{name.replace('_', '-')}", value)]
    told = [word for name, value in METHOD.items() for word in (f"--{name}", str(value))]
    scratch = ["--scratch", str(target.parent / "scratch")]
    return [
        "publish", "markov-dp", str(source), "--out", str(target), "--people-at-least", str(n // 16), *roles, *told,
        *scratch, *more,
    ]  # fmt: skip


def command(n: int) -> Iterator[dict[str, Any]]:
    """The whole command, from a CSV file to a verified bundle; and the check of a reader who gets it."""
    with tempfile.TemporaryDirectory() as place:
        source, target = Path(place) / "log.csv", Path(place) / "log.bundle"
        n_bytes = write_log(str(source), n)
        made = sequester(*publishing(source, target, n, "--memory-limit", "1GB"))
        yield _row(n, n_bytes, "publish, CSV to verified bundle, limit 1 GB", made)
        source.unlink()
        yield _row(n, sum(p.stat().st_size for p in target.rglob("*.parquet")), "verify the bundle", sequester(
            "verify", str(target)
        ))  # fmt: skip


def spark(n: int, runs: int = RUNS) -> Iterator[dict[str, Any]]:
    """Measuring on two threads and on two Spark executors, in turn; it needs Java and pyspark."""
    yield from dask(n, runs, "measure on Spark")


def dask(n: int, runs: int = RUNS, there: str = "measure on Dask") -> Iterator[dict[str, Any]]:
    """Measuring on two threads and on two Dask workers, in turn."""
    with tempfile.TemporaryDirectory() as place:
        source = str(Path(place) / "log.csv")
        n_bytes = write_log(source, n)
        jobs = ("measure in parts", there)
        done: dict[str, list[dict[str, Any]]] = {job: [] for job in jobs}
        for _ in range(runs):
            for job in jobs:
                with tempfile.TemporaryDirectory(dir=place) as folder:
                    done[job].append(watched(what=job, source=source, folder=folder, n=n))
    for job, seen in done.items():
        cpu, wall = (
            {name: median(r[x] for r in done[name]) for name in jobs} for x in ("cpu_seconds", "seconds")
        )  # fmt: skip
        yield {
            "events": n,
            "csv_mb": round(n_bytes / 1e6),
            "what": job,
            "runs": runs,
            "cpu_seconds": round(cpu[job], 2),
            "ratio": round(cpu[job] / cpu[jobs[0]], 2),
            "seconds": round(wall[job], 1),
            "wall": round(wall[job] / wall[jobs[0]], 2),
            "peak_mb": round(max(r["peak_mb"] for r in seen)),
            "worker_mb": round(max(r["worker_mb"] for r in seen)),
            "equal": "" if job == jobs[0] else str({r["told"] for r in seen} == {r["told"] for r in done[jobs[0]]}),
        }


def _row(n: int, n_bytes: int, what: str, seen: Watched) -> dict[str, Any]:
    if seen.code:
        raise RuntimeError(f"{what}: exit code {seen.code}")
    return {
        "events": n,
        "csv_mb": round(n_bytes / 1e6),
        "what": what,
        "runs": 1,
        "cpu_seconds": round(seen.cpu_seconds, 1),
        "seconds": round(seen.seconds, 1),
        "peak_mb": round(seen.peak / 1e6),
    }


def run() -> Iterator[dict[str, Any]]:
    """Rows of the table."""
    for n in (SMALL, LARGE):
        yield from parts(n)
    yield from parts(HUGE, 1, beside_memory=False)
    yield from dask(LARGE)
    yield from drawing(SMALL)
    yield from ratio(SMALL)
    yield from command(HUGE)


GROUPS = {"parts": parts, "dask": dask, "spark": spark, "drawing": drawing, "ratio": ratio, "command": command}

if __name__ == "__main__":
    which, size, *rest = sys.argv[1:]
    told: dict[str, Any] = {"runs": int(rest[0])} if rest else {}
    if which == "parts" and int(size) >= HUGE:
        told |= {"beside_memory": False}
    for line in GROUPS[which](int(size), **told):
        print(json.dumps(line), flush=True)
