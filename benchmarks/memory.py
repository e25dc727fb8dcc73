"""What a piece of work costs: seconds, processor time, and the peak of memory, each run apart from the others.

`getrusage` would tell the parent's peak where that was larger: a child keeps it across fork and exec. The high-water
mark of the address space begins anew, and can be set back.
"""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

CHILD = """
import json, sys
from importlib import import_module
module, name, options = sys.argv[1:]
print(json.dumps(getattr(import_module(module), name)(**json.loads(options))))
"""


class Cost(NamedTuple):
    """Of one piece of work."""

    seconds: float
    cpu_seconds: float
    peak: int
    """Bytes of resident memory beyond those given as resident before."""

    def columns(self, input_bytes: int) -> dict[str, Any]:
        """As columns of a row; `peak` in units of the input."""
        return {
            "seconds": round(self.seconds, 3),
            "cpu_seconds": round(self.cpu_seconds, 3),
            "peak": round(self.peak / input_bytes, 2),
            "peak_mib": round(self.peak / 2**20, 1),
        }


def resident(mark: str = "VmRSS") -> int:
    """Resident memory of this process in bytes, now (`VmRSS`) or at its peak (`VmHWM`); Linux."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith(mark):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell a process's memory")


def peak_bytes() -> int:
    """Largest resident memory so far."""
    return resident("VmHWM")


def forget_peak() -> None:
    """Importing and compiling have peaks of their own; start from what is resident now."""
    with contextlib.suppress(OSError):
        Path("/proc/self/clear_refs").write_text("5", "ascii")


def cost_of(work: Callable[[], Any], before: int | None = None) -> tuple[Cost, Any]:
    """Cost and result of a call; `before` is what was resident before the input was made (default: right now)."""
    before = resident() if before is None else before
    forget_peak()
    begun, used = time.perf_counter(), time.process_time()
    result = work()
    seconds, cpu = time.perf_counter() - begun, time.process_time() - used
    return Cost(seconds, cpu, max(0, peak_bytes() - before)), result


def apart(module: str, function: str, /, **options: Any) -> Any:
    """Result of `module.function(**options)` from a process of its own, so that no run hides another's peak."""
    command = [sys.executable, "-c", CHILD, module, function, json.dumps(options)]
    paths = {"PYTHONPATH": os.pathsep.join(p for p in sys.path if p)}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=os.environ | paths)
    return json.loads(done.stdout.splitlines()[-1])
