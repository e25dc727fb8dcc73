"""Work in parts whose processes are killed: for the suite in short, for `benchmarks.scale_kills` at length.

When to kill is told by the file of drawn noise: it has a line more after every noisy step, so a number of lines is a
moment inside the measuring, on a fast machine and on a slow one.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
PUBLISH = (
    "--epsilon", "50", "--delta", "1e-6", "--people-at-least", "3000", "--dates", "2024-01-01..2025-12-31",
    "--time-format", "iso", "--time-unit", "second", "--memory-limit", "300MB", "--no-measure",
)  # fmt: skip
PROGRAM = "import sys; {before}; from sequester.cli import main; sys.exit(main())"
SECONDS = 300


def write_files(folder: Path, n_people: int, n_files: int, seed: int = 2) -> Path:
    """A sample log as so many files of whole people."""
    import numpy as np
    import pyarrow as pa
    from pyarrow import csv

    import sequester as sq

    folder.mkdir()
    log = sq.sample("events", n_people=n_people, seed=seed)
    for i in range(n_files):
        part = log.take(np.arange(i, log.n_records, n_files))
        owner = np.repeat(np.arange(part.n_records), np.diff(part.offsets))
        columns = {
            "person": pa.array(part.persons[owner].tolist()),
            "time": pa.array(part.times, pa.timestamp("s")),
            "state": pa.array([part.state_names[s] for s in part.states.tolist()]),
        }
        csv.write_csv(pa.table(columns), folder / f"{i:03d}.csv")
    return folder


@dataclass
class Ended:
    """How a run ended, and what was seen on the way."""

    code: int
    said: str
    seconds: float
    killed: int
    """How many processes were killed."""
    noise: list[str] = field(default_factory=list)
    """Lines of the file of drawn noise, as they were seen last."""


def publish(source: Path, target: Path, scratch: Path, *more: str, before: str = "pass") -> subprocess.Popen[str]:
    """`sequester publish markov-dp` in a process of its own."""
    paths = os.pathsep.join((str(ROOT / "src"), str(ROOT)))
    given = ("publish", "markov-dp", str(source), "--out", str(target), "--scratch", str(scratch), *PUBLISH, *more)
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM.format(before=before), *given],
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=os.environ | {"PYTHONPATH": paths},
    )  # fmt: skip


def workers_of(process: subprocess.Popen[str]) -> list[Any]:
    """Worker processes of a driver: what it spawned, without helpers that only count resources."""
    import psutil  # comes with Dask

    try:
        below = psutil.Process(process.pid).children(recursive=True)
    except psutil.NoSuchProcess:
        return []
    out = []
    for one in below:
        try:
            if "spawn_main" in " ".join(one.cmdline()):
                out.append(one)
        except psutil.Error:
            continue
    return out


def watched(process: subprocess.Popen[str], target: Path, *, kill: str = "", at: int = 0, wait: float = 0.0) -> Ended:
    """Wait for a run; kill the `driver`, one `worker`, or `all` workers from then on, once `at` noisy steps are drawn.

    `wait`: so many seconds later, into the work of the next round.
    """
    noise, begun = target.with_name(f".{target.name}.noise"), time.monotonic()
    seen: list[str] = []
    killed, when = 0, None
    while process.poll() is None:
        if time.monotonic() - begun > SECONDS:
            process.kill()
            raise TimeoutError("the run did not end")
        with suppress(OSError):
            seen = noise.read_text("ascii").splitlines() or seen
        if len(seen) > at and when is None:  # the first line tells what the run is
            when = time.monotonic() + wait
        if when is not None and time.monotonic() >= when and kill and (kill == "all" or not killed):
            killed += _killed(process, kill)
        time.sleep(0.002)
    said, _ = process.communicate()
    return Ended(process.returncode, said, time.monotonic() - begun, killed, seen)


def _killed(process: subprocess.Popen[str], whom: str) -> int:
    if whom == "driver":
        process.kill()
        return 1
    found = workers_of(process)[: 1 if whom == "worker" else None]
    for one in found:
        with suppress(ProcessLookupError):
            os.kill(one.pid, signal.SIGKILL)
    return len(found)
