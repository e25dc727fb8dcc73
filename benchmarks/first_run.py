"""What does the first publication on a machine cost, and what every later one?"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

TITLE = "First and later runs of every method on its sample"
NOTE = """CPU seconds of one process that reads nothing but the sample: import of the package, then anonymize, verify
and measure. `cold` starts with an empty folder of kernels, `warm` with what the cold run left there; `compiling` is
their difference, on one core. `kernels` counts what had to be compiled."""

ONE = """
import json, sys
import sequester as sq
from sequester.methods import method_class
cls = method_class(sys.argv[1])
data = sq.sample(cls.accepts.kind, seed=1)
release = sq.anonymize(data, cls(**cls.example), seed=7)
sq.verify(release, data)
sq.measure(data, release)
made = sys.modules.get("sequester.primitives.compiled")
print(json.dumps(sum(sum(k._cache_misses.values()) for k in made.KERNELS.values()) if made else 0))
"""


def run() -> Iterator[dict]:
    """One row per method."""
    from sequester.methods import METHODS

    for method in METHODS:
        with tempfile.TemporaryDirectory() as folder:
            cold, kernels = _cpu(method, Path(folder))
            warm, again = _cpu(method, Path(folder))
        yield {
            "bench": "first_run", "method": method, "cold": round(cold, 2), "warm": round(warm, 2),
            "compiling": round(cold - warm, 2), "kernels": kernels, "compiled_again": again,
        }  # fmt: skip


def _cpu(method: str, folder: Path) -> tuple[float, int]:
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run(
        [sys.executable, "-c", ONE, method],
        env=os.environ | {"NUMBA_CACHE_DIR": str(folder)},
        stdout=subprocess.PIPE,
        check=True,
        text=True,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    seconds = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return seconds, json.loads(done.stdout.splitlines()[-1])


if __name__ == "__main__":
    for row in run():
        print(json.dumps(row), flush=True)
