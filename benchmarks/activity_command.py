"""The whole command: from a Parquet file to a verified bundle."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TITLE = "File to verified bundle, 9,800 people x 20,160 minutes"
NOTE = """One process per row, import, reading, writing and verifying included. `ratio` is the size of the released
data to that of the input file. `load` is how many processes wanted the cores when the row began. Limits: 12 s, and a
ratio of at most 3; where more processes than cores wanted them, seconds on the clock say nothing and the row is not
judged. Memory and growth of the same methods stand on the page `activity_scale`."""


def _children() -> float:
    """Processor time of finished child processes."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run() -> Iterator[dict[str, Any]]:
    """A row per method."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from sequester.layouts.states import sequences_table
    from sequester.samples.minutes import paper_sized

    data = paper_sized()
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "minutes.parquet"
        table = sequences_table(data.states).drop(["record"]).append_column("person", pa.array(data.persons.tolist()))
        pq.write_table(table, source, compression="zstd")
        size = source.stat().st_size
        del data, table
        for name, more in (("default", ""), ("as printed", ", literal = true"), ("exact", ", exact = true")):
            target = Path(folder) / f"{name.replace(' ', '-')}.bundle"
            plan = Path(folder) / "plan.toml"
            plan.write_text(
                f'[[release]]\nsource = "{source.name}"\nmethod = "mcka"\nout = "{target.name}"\nevidence = []\n'
                f'parameters = {{k = 5{more}}}\nroles = {{states = ["stationary", "walking", "running", "missing"]}}\n'
            )
            command = [sys.executable, "-m", "sequester", "run", str(plan)]
            begun, used, load = time.perf_counter(), _children(), os.getloadavg()[0]
            subprocess.run(command, check=True, capture_output=True)
            seconds, cpu = time.perf_counter() - begun, _children() - used
            out = sum(p.stat().st_size for p in (target / "data").iterdir())
            yield {
                "bench": "activity_command",
                "what": f"publish mcka, {name}",
                "n": 9800,
                "seconds": round(seconds, 2),
                "cpu_seconds": round(cpu, 2),
                "ratio": round(out / size, 2),
                "input_megabytes": round(size / 1e6, 1),
                "load": round(load, 1),
                "limit": "12 s, ratio 3",
                "met": seconds <= 12 and out / size <= 3 if load <= (os.cpu_count() or 1) else None,
            }


if __name__ == "__main__":
    for line in run():
        print(json.dumps(line), flush=True)
