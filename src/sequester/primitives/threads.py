"""Run a kernel that releases the interpreter lock over slices of its work."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise


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
