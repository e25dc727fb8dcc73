"""The paper's ratio test: drop a statistic whose frequency one record could change by more than e^epsilon."""

from __future__ import annotations

import math

import numpy as np


def passes(count: np.ndarray | np.integer, out_of: np.ndarray | np.integer, epsilon: float) -> np.ndarray:
    """Whether count/out_of divided by (count-1)/(out_of-1) is at most e^epsilon; a count of 1 never passes.

    Written without division and with e^-epsilon, so that neither a zero nor a large epsilon can upset it.
    """
    c, n = np.asarray(count, np.float64), np.asarray(out_of, np.float64)
    return (c >= 2) & (c * (n - 1) * math.exp(-epsilon) <= n * (c - 1))


def retained(count: np.ndarray, bounds: np.ndarray, epsilon: float, mode: str) -> np.ndarray:
    """Which entries of the rows `bounds[r]:bounds[r+1]` are kept.

    `simultaneous` tests all entries of a row against its full sum: what is left then passes against the smaller sum
    as well, so repeating the test changes nothing. `sequential` removes the smallest failing entry, subtracts it
    from the sum and tests again, which keeps more. `off` keeps everything (the paper's infinite epsilon).
    """
    count = np.asarray(count, np.int64)
    if mode == "off" or len(count) == 0:
        return np.ones(len(count), bool)
    sizes = np.diff(bounds)
    row = np.repeat(np.arange(len(sizes)), sizes)
    total = np.add.reduceat(count, bounds[:-1])
    if mode == "simultaneous":
        return passes(count, total[row], epsilon)
    # Sorted by count inside each row, removal always takes the next smallest: one pointer per row walks upward, and
    # it stops for good at the first entry that passes, because larger counts pass more easily.
    order = np.lexsort((count, row))
    kept = np.ones(len(count), bool)
    at, active = bounds[:-1].copy(), np.arange(len(sizes))
    while len(active):
        entry = order[at[active]]
        fails = ~passes(count[entry], total[active], epsilon)
        active, entry = active[fails], entry[fails]
        kept[entry] = False
        total[active] -= count[entry]
        at[active] += 1
        active = active[at[active] < bounds[active + 1]]
    return kept
