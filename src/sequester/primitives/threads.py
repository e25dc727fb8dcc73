"""Run a kernel that releases the interpreter lock over slices of its work."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise


def usable() -> int:
    """Cores this process may use, or what `NUMBA_NUM_THREADS` says."""
    found = os.environ.get("NUMBA_NUM_THREADS", "")
    if found.isdigit() and int(found):
        return int(found)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def spread(work: Callable[[int, int], object], size: int, threads: int, *, pieces_per_thread: int = 4) -> None:
    """Call `work(first, last)` for slices that cover `range(size)`, on `threads` threads.

    More slices than threads, because rows and clusters do not all cost the same.
    """
    pieces = max(1, min(size, threads * pieces_per_thread if threads > 1 else 1))
    cuts = [size * i // pieces for i in range(pieces + 1)]
    if pieces == 1:
        work(0, size)
        return
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(work, a, b) for a, b in pairwise(cuts)]:
            done.result()
