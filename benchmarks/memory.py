"""Peak memory of this process.

`getrusage` would tell the parent's peak where that was larger: a child keeps it across fork and exec. The high-water
mark of the address space begins anew.
"""

from __future__ import annotations

from pathlib import Path


def peak_bytes() -> int:
    """Largest resident memory so far (Linux)."""
    for line in Path("/proc/self/status").read_text("ascii").splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    raise OSError("this system does not tell the peak of a process's memory")
