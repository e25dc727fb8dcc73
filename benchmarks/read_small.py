"""How long does it take to read a small file? Many files of one person each are read one by one."""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import sequester as sq
from sequester.read import engine

TITLE = "Reading a small file"
NOTE = """CPU time of reading a table of 60 events, the best of five turns of 20 files. `shared` is the program now:
one query engine per process. `started_anew` starts an engine for every query, as it was before. `ratio` is between the
two columns of a row. No limit is stated."""
ALONE = True
TURNS, FILES = 5, 20
ROWS = [(f"p{i % 7}", f"2024-03-{1 + i % 28:02d} 10:{i % 60:02d}:00", f"s{i % 3}") for i in range(60)]
NAMES = ("person", "time", "state")


def _write(form: str, path: Path) -> None:
    if form == "parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        pq.write_table(pa.table({n: [r[i] for r in ROWS] for i, n in enumerate(NAMES)}), path)
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(NAMES, row))) for row in ROWS))
    else:
        path.write_text("\n".join(",".join(row) for row in [NAMES, *ROWS]))


def _milliseconds(read: Callable[[], object]) -> float:
    best = float("inf")
    for _ in range(TURNS):
        begun = time.process_time()
        for _ in range(FILES):
            read()
        best = min(best, time.process_time() - begun)
    return 1000 * best / FILES


def run() -> Iterator[dict]:
    """A row per format."""
    shared = engine.connect
    with tempfile.TemporaryDirectory() as folder:
        for form in ("csv", "jsonl", "parquet"):
            path = Path(folder) / f"t.{form}"
            _write(form, path)

            def read(path: Path = path) -> object:
                return sq.read_events(path, person="person", time_format="iso", time_unit="second")

            quick = _milliseconds(read)
            _patch(engine.own_engine)
            slow = _milliseconds(read)
            _patch(shared)
            yield {
                "bench": "read_small",
                "format": form,
                "shared_ms": round(quick, 1),
                "started_anew_ms": round(slow, 1),
                "ratio": round(slow / quick, 1),
            }


def _patch(connect: Callable[..., object]) -> None:
    from sequester.read import delimited

    for module in (engine, delimited):
        module.connect = connect  # type: ignore[attr-defined]
