"""Sorting and searching inside compiled loops.

Kernels use these and never `np.sort`, `np.argsort`, `np.unique` or `np.searchsorted`, whose machine code cannot be told
apart in a cache that several processes fill (see `primitives.compiled`). Outside a kernel use NumPy.

Run a kernel that releases the interpreter lock over slices of its work.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np

from sequester.primitives.compiled import kernel

RUN = 16
"""Stretches of this length are put in order by insertion before they are merged."""


@kernel("int64[::1], int64")
def sort_first(values, n):
    """Put the first `n` numbers in rising order, in place."""
    for start in range(0, n, RUN):
        for i in range(start + 1, min(start + RUN, n)):
            value = values[i]
            at = i
            while at > start and values[at - 1] > value:
                values[at] = values[at - 1]
                at -= 1
            values[at] = value
    if n <= RUN:
        return
    other = np.empty(n, np.int64)
    width = RUN
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            a, b = start, middle
            for at in range(start, end):
                if a < middle and (b >= end or values[a] <= values[b]):
                    other[at] = values[a]
                    a += 1
                else:
                    other[at] = values[b]
                    b += 1
        for at in range(n):
            values[at] = other[at]
        width *= 2


@kernel("int64[::1]")
def order_of(keys):
    """The places of the keys in rising order; equal keys keep their order."""
    n = len(keys)
    order = np.empty(n, np.int64)
    for i in range(n):
        order[i] = i
    for start in range(0, n, RUN):
        for i in range(start + 1, min(start + RUN, n)):
            key = keys[i]
            at = i
            while at > start and keys[order[at - 1]] > key:
                order[at] = order[at - 1]
                at -= 1
            order[at] = i
    other = np.empty(n, np.int64)
    width = RUN
    while width < n:
        for start in range(0, n, 2 * width):
            middle, end = min(start + width, n), min(start + 2 * width, n)
            a, b = start, middle
            for at in range(start, end):
                if a < middle and (b >= end or keys[order[a]] <= keys[order[b]]):
                    other[at] = order[a]
                    a += 1
                else:
                    other[at] = order[b]
                    b += 1
        for at in range(n):
            order[at] = other[at]
        width *= 2
    return order


@kernel("float64[::1]")
def order_of_reals(keys):
    """As `order_of`, for numbers that are neither missing nor not a number."""
    n = len(keys)
    plain = np.empty(n)
    for i in range(n):
        plain[i] = keys[i] + 0.0  # one zero instead of two
    whole = plain.view(np.int64)
    for i in range(n):
        if whole[i] < 0:
            whole[i] ^= 0x7FFFFFFFFFFFFFFF  # the bits of a negative number fall where it rises
    return order_of(whole)


@kernel("int64[::1], float64")
def first_count_above(rising, value):
    """The first place of a rising row of whole numbers that holds more than `value` (`np.searchsorted`, right)."""
    low, high = 0, len(rising)
    while low < high:
        middle = (low + high) // 2
        if rising[middle] <= value:
            low = middle + 1
        else:
            high = middle
    return low


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
