"""How long does `sequester --help` take? Nothing heavy may be imported at the start."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

TITLE = "Start-up time of the command line"
NOTE = """`ratio` is to a bare interpreter in the same run. No limit is stated."""


def run() -> Iterator[dict]:
    """Median of nine starts, beside a bare interpreter."""
    bare = 0.0
    for what, code in (("python -c pass", "pass"), ("sequester --help", "from sequester.cli import main; main()")):
        times = []
        for _ in range(9):
            begun = time.perf_counter()
            subprocess.run([sys.executable, "-c", code, "--help"], stdout=subprocess.DEVNULL, check=True)
            times.append(time.perf_counter() - begun)
        seconds = sorted(times)[4]
        bare = bare or seconds
        yield {"bench": "startup", "what": what, "seconds": round(seconds, 3), "ratio": round(seconds / bare, 1)}
