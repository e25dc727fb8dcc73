"""The paper's ratio test, and the sections of long objects that it counts.

A statistic is dropped whose frequency one record could change by more than e^epsilon. A drastic pause in the transition
times ends a section. `ratio_witness` is the pair of logs on which the test gives itself away.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from sequester.model import EventLog
from sequester.model.kind import take

HOUR, DAY = 3600, 86400


@dataclass(frozen=True, kw_only=True)
class Sections:
    """Section *s* owns events `bounds[s]:bounds[s+1]`; object *i* owns sections `of_object[i]:of_object[i+1]`."""

    bounds: np.ndarray
    of_object: np.ndarray
    times: np.ndarray
    """Working time of every event: strictly rising inside a day where only days are known."""
    has_clock: bool

    @property
    def n(self) -> int:
        """How many sections there are."""
        return len(self.bounds) - 1

    @property
    def durations(self) -> np.ndarray:
        """From first to last event of every section."""
        return self.times[self.bounds[1:] - 1] - self.times[self.bounds[:-1]]


def working_times(log: EventLog) -> np.ndarray:
    """Times to model: the log's own, except that events known by their day alone are put a minute apart.

    The paper fabricates times from the order of events where there is no clock; the same is done here inside a day,
    so that fifty procedures of one afternoon do not become fifty days when gaps must be positive.
    """
    if log.time_unit != "day" or not len(log.times):
        return log.times
    new = np.r_[True, log.times[1:] != log.times[:-1]]
    new[log.offsets[:-1]] = True
    first = np.flatnonzero(new)
    size = np.diff(np.r_[first, len(new)])
    rank = np.arange(len(new)) - np.repeat(first, size)
    step = np.minimum(60, (DAY - 1) // np.repeat(size, size))
    return log.times // DAY * DAY + rank * step


def sections_of(log: EventLog, split_gap: float) -> Sections:
    """Sections of a log: a pause of so many hours ends one; 0 and an order alone never do."""
    times = working_times(log)
    begins = np.zeros(len(times), bool)
    begins[log.offsets[:-1]] = True
    if split_gap and log.time_unit != "order":
        begins |= np.diff(times, prepend=times[:1]) >= int(split_gap * HOUR)
    bounds = np.r_[np.flatnonzero(begins), len(times)]
    of_object = np.searchsorted(bounds, log.offsets)
    return Sections(bounds=bounds, of_object=of_object, times=times, has_clock=log.time_unit != "order")


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


def ratio_witness(epsilon: float, *, many: int = 60) -> tuple[EventLog, EventLog]:
    """Logs around the smallest count the ratio test lets pass: with one person more a state appears, without it never.

    A statistic of c out of n passes iff c (n - 1) <= e^epsilon n (c - 1).
    """
    c = next(c for c in range(2, many) if c * (many + c - 1) <= np.exp(epsilon) * (many + c) * (c - 1))
    traces = [["a", "b"]] * many + [["a", "z"]] * c
    names = ("a", "b", "z")
    full = EventLog(
        offsets=np.arange(len(traces) + 1) * 2,
        states=np.array([names.index(s) for t in traces for s in t]),
        state_names=names,
        times=np.tile([0, 1], len(traces)),
        time_unit="order",
    )
    return take(full, np.arange(len(traces) - 1)), full
