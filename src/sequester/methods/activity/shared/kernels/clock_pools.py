"""The clock of a matrix of intervals: its hours, its days, and pools of hours that resemble each other."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.activity.shared.kernels.bout_ages import AGES
from sequester.primitives.compiled import Record

LARGEST_TABLE = 1 << 22
"""Cells of one cluster's table; finer pools are left out when many states would exceed it."""


class Clock(NamedTuple):
    """How the intervals fall into clock hours, days and pools."""

    hour_edges: np.ndarray
    """Intervals at which a clock hour begins, and the end."""
    day_edges: np.ndarray
    """Numbers of the hours at which a calendar day begins, and their count."""
    pools: np.ndarray
    """Hours x levels: which pool an hour belongs to, finest level first."""

    @classmethod
    def of(
        cls, n_intervals: int, interval_seconds: int, start: np.datetime64, n_states: int, weekdays: bool = True
    ) -> Clock:
        """The clock of a matrix whose first interval begins at `start`; without `weekdays` all days are alike."""
        t = start.astype("datetime64[s]") + np.arange(n_intervals) * np.timedelta64(interval_seconds, "s")
        hour = t.astype("datetime64[h]").astype(np.int64)
        firsts = np.flatnonzero(np.diff(hour, prepend=hour[0] - 1))
        of_day = hour[firsts] % 24
        day = hour[firsts] // 24
        weekend = ((day + 3) % 7 >= 5) & weekdays  # 1970-01-01 was a Thursday
        n = len(firsts)
        levels = [np.arange(n), of_day + 24 * weekend, of_day, np.zeros(n, np.int64)]
        while len(levels) > 1 and sum(int(p.max()) + 1 for p in levels) * n_states * n_states * AGES > LARGEST_TABLE:
            levels = levels[1:]
        offsets = np.cumsum([0] + [int(p.max()) + 1 for p in levels])[:-1]
        return cls(
            hour_edges=np.append(firsts, n_intervals).astype(np.int64),
            day_edges=np.append(np.flatnonzero(np.diff(day, prepend=day[0] - 1)), n).astype(np.int64),
            pools=np.stack([p + o for p, o in zip(levels, offsets)], axis=1).astype(np.int64),
        )


CLOCK = Record(Clock, "int64[::1], int64[::1], int64[:, ::1]")
