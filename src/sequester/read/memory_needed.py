"""How much memory a source takes, before it is read: a warning before the work, not a kill in the middle of it."""

from __future__ import annotations

import os
from pathlib import Path

from sequester.read.table import DELIMITED, JSON, PARQUET, ending

PER_BYTE = {".csv": 12, ".jsonl": 8, ".parquet": 80}
"""Memory per byte of the file while a log is read and protected, by ending: text is its own size, Parquet is packed."""
FREE_TEXT, FREE_TEXT_IN_FILES = 3.0, 0.4
"""How much more free text takes than a log: with all arrays in memory, and with most of them in files."""
PACKED = 8
"""How many times larger a file is that was packed."""


def memory_needed(source: str | Path, kind: str = "", *, in_files: bool = False) -> int:
    """Bytes that reading and protecting a source takes at its peak, by the size of its files; an estimate.

    `in_files`: under a memory limit, where arrays of free text lie in files.
    """
    root = Path(source)
    files = [p for p in root.rglob("*") if p.is_file()] if root.is_dir() else [root] if root.is_file() else []
    more = 1.0 if kind != "text" else FREE_TEXT_IN_FILES if in_files else FREE_TEXT
    return int(more * sum(_needed(p) for p in files))


def _needed(path: Path) -> int:
    kind = ending(path)
    usual = ".parquet" if kind in PARQUET else ".jsonl" if kind in JSON else ".csv" if kind in DELIMITED else ""
    if not usual:
        return 0  # other formats are small, or nobody knows
    return path.stat().st_size * PER_BYTE[usual] * (PACKED if path.suffix.lower() in (".gz", ".zip") else 1)


def available_memory() -> int | None:
    """Bytes this process may still take: what the machine has free, or what its control group allows."""
    try:
        free = os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        for line in Path("/proc/meminfo").read_text("ascii").splitlines():
            if line.startswith("MemAvailable:"):
                free = int(line.split()[1]) << 10
        limit = Path("/sys/fs/cgroup/memory.max")
        used = Path("/sys/fs/cgroup/memory.current")
        if limit.is_file() and used.is_file() and limit.read_text("ascii").strip().isdigit():
            free = min(free, int(limit.read_text("ascii")) - int(used.read_text("ascii")))
        return int(free)
    except (OSError, ValueError, AttributeError):  # Windows has none of these
        return None
