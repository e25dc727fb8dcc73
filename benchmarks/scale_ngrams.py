"""Symbols larger than memory: what counting n-grams in parts costs beside the same work in memory.

Every job runs in a process of its own, watched from outside. Series of 1,000 symbols, one per person, over 10 symbols;
grams of order 5. By hand, one size: `python -m benchmarks.scale_ngrams 100000000` prints JSON lines; from 10^9 on it
works only in parts. `command 50000000` runs the whole command.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

from benchmarks.memory import CHILD
from benchmarks.watching import watch

TITLE = "Symbols in parts: counting n-grams beside memory"
NOTE = """Grams of five out of ten symbols in series of 1,000, one per person: how often each occurs (`occurrences`), or
how many people have it (`people`). Parts hold a million symbols each. CPU seconds are of loading Parquet and counting,
without imports and compiling, with two threads, medians of so many runs as `runs` says; `ratio` is to the same work in
memory, in the same run. `peak_mb` is resident memory of the whole process, sampled from outside every 20 ms. Limits at
10^8 symbols: as much processor time as in memory, 400 MB; at 10^9 the same memory. The whole command reads shuffled
rows, a symbol each, under a limit of 400 MB; its seconds include imports."""
SIZES = (10_000_000, 100_000_000, 1_000_000_000)
LENGTH, SYMBOLS, ORDER, RUNS = 1_000, 10, 5, 3
PER_PART = 1_000_000
COMMAND = 50_000_000
COUNTS = ("occurrences", "people")
MOST_MB, MOST_RATIO = 400, 1.0


def write(folder: str, n: int, per_part: int) -> None:
    """Parts of simulated series: a symbol stays or moves to a neighbour."""
    from sequester.model import SymbolSeries
    from sequester.model.part_files import write_part

    for i in range(-(-n // per_part)):
        rng = np.random.default_rng(i)
        size = min(per_part, n - i * per_part)
        steps = rng.integers(-1, 2, size, dtype=np.int8)
        symbols = (np.cumsum(steps, dtype=np.int32) % SYMBOLS).astype(np.uint16)
        first = i * per_part // LENGTH
        people = np.array([f"p{first + j}" for j in range(size // LENGTH)], dtype=object)
        data = SymbolSeries(
            symbols=symbols, offsets=np.arange(0, size + 1, LENGTH), alphabet=tuple(map(str, range(SYMBOLS))),
            persons=people,
        )  # fmt: skip
        write_part(data, Path(folder) / f"part-{i:05d}.parquet", first + np.arange(len(people)))


def work(what: str, folder: str, n: int) -> dict[str, Any]:
    """One job in its own process."""
    import sequester as sq
    from sequester.engines import Engine
    from sequester.methods.ngrams.shared.counting import owned_of, tables_of
    from sequester.model import Parts

    engine = Engine(threads=2)
    facts = {"alphabet": tuple(map(str, range(SYMBOLS))), "people_known": True}
    paths = tuple(sorted(Path(folder).glob("*.parquet")))
    parts = Parts(kind="symbols", paths=paths, n_people=n // LENGTH, n_records=n // LENGTH, n_items=n, facts=facts)
    small = sq.sample("symbols", n_people=20)
    tables_of(small, 3, engine), owned_of(small, 3, None, engine)  # compiled before the clock runs
    counted, where = what.split(", ")
    begun, used = time.perf_counter(), time.process_time()
    data: Any = parts.load(paths[0]) if where == "in memory" else parts
    found = tables_of(data, ORDER, engine) if counted == "occurrences" else [owned_of(data, ORDER, None, engine)]
    cpu, seconds = time.process_time() - used, time.perf_counter() - begun
    arrays = [a for t in found for a in ((t.codes, t.counts) if hasattr(t, "codes") else (t.grams.counts, t.owners))]
    told = hashlib.sha256(b"".join(np.asarray(a, np.int64).tobytes() for a in arrays)).hexdigest()
    return {"cpu_seconds": cpu, "seconds": seconds, "told": told, "grams": len(arrays[-1])}


def watched(**options: Any) -> dict[str, Any]:
    """A job, and the largest resident memory that its process was seen with."""
    command = [sys.executable, "-c", CHILD, "benchmarks.scale_ngrams", "work", json.dumps(options)]
    seen = watch(command, env={"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)})
    done: dict[str, Any] = json.loads(seen.out.splitlines()[-1])
    return done | {"peak_mb": seen.peak / 1e6}


def parts(n: int, runs: int = RUNS) -> Iterator[dict[str, Any]]:
    """Both counts, in memory and in parts, in turn."""
    beside_memory = n < SIZES[-1]
    with tempfile.TemporaryDirectory() as place:
        folders = {"in parts": Path(place) / "parts", "in memory": Path(place) / "one"}
        for where, folder in folders.items():
            folder.mkdir()
            if where == "in parts":
                write(str(folder), n, PER_PART)
        if beside_memory:
            _joined(folders["in parts"], folders["in memory"], n)
        for counted in COUNTS:
            ways = ("in memory", "in parts") if beside_memory else ("in parts",)
            done: dict[str, list[dict[str, Any]]] = {where: [] for where in ways}
            for _ in range(runs):
                for where in ways:
                    done[where].append(watched(what=f"{counted}, {where}", folder=str(folders[where]), n=n))
            base = median(r["cpu_seconds"] for r in done[ways[0]])
            for where in ways:
                cpu = median(r["cpu_seconds"] for r in done[where])
                peak = max(r["peak_mb"] for r in done[where])
                row = {
                    "symbols": n, "what": f"{counted}, {where}", "runs": runs, "cpu_seconds": round(cpu, 2),
                    "seconds": round(median(r["seconds"] for r in done[where]), 2), "peak_mb": round(peak),
                }  # fmt: skip
                if where != ways[0]:
                    same = {r["told"] for r in done[where]} == {r["told"] for r in done[ways[0]]}
                    row |= {"ratio": round(cpu / base, 2), "equal": str(same)}
                if where == "in parts" and n >= SIZES[1]:
                    row |= {"met": peak <= MOST_MB and (not beside_memory or cpu <= MOST_RATIO * base)}
                yield row


def _joined(parts_folder: Path, folder: Path, n: int) -> None:
    """The same series as one part."""
    from sequester.model import Parts
    from sequester.model.part_files import write_part
    from sequester.model.parts import joined

    paths = tuple(sorted(parts_folder.glob("*.parquet")))
    facts = {"alphabet": tuple(map(str, range(SYMBOLS))), "people_known": True}
    all_parts = Parts(kind="symbols", paths=paths, n_people=1, n_records=1, n_items=n, facts=facts)
    data = joined(list(all_parts))
    write_part(data, folder / "whole.parquet", np.arange(data.n_records))


def command(n: int) -> Iterator[dict[str, Any]]:
    """The whole command, from shuffled rows as CSV to a verified bundle, under a limit of 400 MB."""
    from sequester.read.engine import own_engine

    with tempfile.TemporaryDirectory() as place:
        source = Path(place) / "symbols.csv"
        connection = own_engine(settings={"memory_limit": "1GB"})
        connection.execute(
            f"copy (select 'p' || (hash(i) % {n // LENGTH}) as person, (hash(i * 3) % {SYMBOLS})::varchar as symbol "
            f"from range({n}) t(i)) to '{source}' (header true)"
        )
        connection.close()
        seen = watch(
            [
                sys.executable, "-m", "sequester", "publish", "ngram-k", str(source), "--k", "5", "--n", "4",
                "--out", str(Path(place) / "a.bundle"), "--person", "person", "--value", "symbol",
                "--symbolize", "none", "--memory-limit", "400MB", "--scratch", str(Path(place) / "scratch"),
            ],
            env={"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
        )  # fmt: skip
        if seen.code:
            raise RuntimeError(f"publish: exit code {seen.code}")
        yield {
            "symbols": n, "what": "publish ngram-k, CSV to verified bundle", "runs": 1,
            "cpu_seconds": round(seen.cpu_seconds, 1), "seconds": round(seen.seconds, 1),
            "peak_mb": round(seen.peak / 1e6),
        }  # fmt: skip


def run() -> Iterator[dict[str, Any]]:
    """Rows of the table."""
    for n in SIZES:
        yield from parts(n, RUNS if n < SIZES[-1] else 1)
    yield from command(COMMAND)


if __name__ == "__main__":
    if sys.argv[1] == "command":
        for line in command(int(sys.argv[2])):
            print(json.dumps(line), flush=True)
        sys.exit()
    for line in parts(int(sys.argv[1]), *(int(word) for word in sys.argv[2:])):
        print(json.dumps(line), flush=True)
