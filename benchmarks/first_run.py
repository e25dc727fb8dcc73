"""What does the first publication on a machine cost, what every later one, and what the demo?

`python -m benchmarks.first_run [METHOD...]` prints a row per method, and without names one for the demo.
"""

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

TITLE = "First and later runs of every method on its sample"
NOTE = """CPU seconds of a whole publication of the sample: import of the package, protect, judge, measure, draw, write.
`first` starts with an empty folder of kernels, `later` with what the first run left there; `kernels` were compiled. The
aims are 25 for `first` and 2.5 for `later`. The row `demo` is the whole tour from an empty folder, in two processes:
`first` is their CPU time, `elapsed` what you wait for; the aim is 60 on two free cores. On busy cores all figures
grow, CPU seconds up to twofold."""
FIRST, LATER, DEMO = 25.0, 2.5, 60.0

ONE = """
import sys, tempfile
from pathlib import Path
import sequester as sq
from sequester import _shell
_shell.pandas_on_demand()  # as the command does
cls = sq.method_class(sys.argv[1])
data = sq.sample(cls.accepts.kind, seed=1)
with tempfile.TemporaryDirectory() as folder:
    asked = sq.Request(method=cls(**cls.example), target=Path(folder, "one.bundle"), engine=sq.Engine(threads=2))
    sq.publish_data(data, asked)
"""


def run(methods: tuple[str, ...] = ()) -> Iterator[dict]:
    """One row per method, and one for the demo where no method is named."""
    from sequester.methods import METHODS

    for method in methods or tuple(METHODS):
        with tempfile.TemporaryDirectory() as folder:
            first = _cpu([sys.executable, "-c", ONE, method], Path(folder))
            kernels = len(list(Path(folder).rglob("*.kernel")))
            later = _cpu([sys.executable, "-c", ONE, method], Path(folder))
        yield {
            "bench": "first_run", "method": method, "first": round(first, 2), "later": round(later, 2),
            "kernels": kernels, "within": first <= FIRST and later <= LATER,
        }  # fmt: skip
    if not methods:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.monotonic()
            command = [sys.executable, "-m", "sequester", "demo", "--out", str(Path(folder, "tour"))]
            first = _cpu(command, Path(folder, "cache"))
            elapsed = time.monotonic() - begun
        yield {
            "bench": "first_run", "method": "demo", "first": round(first, 2), "elapsed": round(elapsed, 1),
            "within": elapsed <= DEMO,
        }  # fmt: skip


def _cpu(command: list[str], folder: Path) -> float:
    """CPU seconds of a process and those below it."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    # as after an installation, Python finds the byte code of every module
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run(command, env=kept | {"NUMBA_CACHE_DIR": str(folder)}, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    for row in run(tuple(sys.argv[1:])):
        print(json.dumps(row), flush=True)
