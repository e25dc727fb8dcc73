"""A process and those it starts, watched from outside.

A thread inside would miss peaks while a kernel holds the interpreter.
"""

from __future__ import annotations

import os
import resource
import subprocess
import time
from pathlib import Path
from typing import NamedTuple

EVERY_SECONDS = 0.02


class Watched(NamedTuple):
    """What a command cost."""

    code: int
    out: str
    seconds: float
    cpu_seconds: float
    """Of the process and of all it started and waited for."""
    peak: int
    """Largest resident memory of the process, in bytes."""
    peak_below: int
    """Largest resident memory of any process it started."""


def watch(command: list[str], *, env: dict[str, str] | None = None) -> Watched:
    """Run a command to its end."""
    begun, used = time.perf_counter(), _used()
    most, below = 0, 0
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=os.environ | (env or {})) as process:
        while process.poll() is None:
            most = max(most, _resident(process.pid))
            below = max([below, *(_resident(pid) for pid in _below(process.pid))])
            time.sleep(EVERY_SECONDS)
        out = process.stdout.read() if process.stdout else ""
    return Watched(process.returncode, out, time.perf_counter() - begun, _used() - used, most, below)


def _used() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text("ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError, ValueError):
        return 0


def _below(pid: int) -> list[int]:
    """Everything a process started, and what that started."""
    out: list[int] = []
    for told in Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            found = [int(word) for word in told.read_text("ascii").split()]
        except OSError:
            continue
        for one in found:
            out += [one, *_below(one)]
    return out
