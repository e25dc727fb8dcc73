"""How often bouts of a given age go on, or end and in what: counts per state and age, over rows and pools of hours.

The age of a bout is how long it has lasted, in doubling bins.

The clock of a matrix of intervals: its hours, its days, and pools of hours that resemble each other.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.sorting import spread

AGES = 10
"""Age bins: 1, 2-3, 4-7, ..., 512 and more intervals."""


class Pools(NamedTuple):
    """What the rows of a cluster did, by pool of hours, state and age."""

    stay: np.ndarray
    exits: np.ndarray
    """... and the state after."""
    people: np.ndarray
    seen: np.ndarray
    """The last row that was counted among the people."""
    totals: np.ndarray
    """Days x states: time spent."""


POOLS = Record(Pools, "int32[:, :, ::1], float32[:, :, :, ::1], int32[:, :, ::1], int64[:, :, ::1], float64[:, ::1]")


def pooled_over_all(
    states: np.ndarray, n_states: int, least: int, *, threads: int = 1
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rates and exits of the pool of all people, and which states enough people visit."""
    pieces: list[tuple[np.ndarray, ...]] = []
    spread(lambda a, b: pieces.append(_count_all(states[a:b], n_states)), len(states), threads)
    stay, exits, visitors, leavers = (np.sum(p, axis=0) for p in zip(*pieces))
    legal = visitors[:, 0] >= least
    exits = np.where((leavers >= least) & legal[None, None, :], exits, 0)
    rate = np.zeros((n_states, AGES))
    chosen = np.zeros((n_states, AGES, n_states))
    for a in range(n_states):
        for g in range(AGES):
            usable = [h for h in range(g, -1, -1) if visitors[a, h] >= least and exits[a, h].sum() > 0]
            if usable:
                h = usable[0]
                leaving = exits[a, h].sum()
                rate[a, g] = math.inf if stay[a, h] == 0 else -math.log(stay[a, h] / (stay[a, h] + leaving))
                chosen[a, g] = exits[a, h]
    return rate, chosen, legal


@kernel("const(uint8[:, ::1]), int64")
def _count_all(states: np.ndarray, n_states: int) -> tuple:
    """Stays, exits, people who visited and people who took each exit, by state and age."""
    stay = np.zeros((n_states, AGES), np.int64)
    exits = np.zeros((n_states, AGES, n_states), np.int64)
    visitors = np.zeros((n_states, AGES), np.int64)
    leavers = np.zeros((n_states, AGES, n_states), np.int64)
    seen = np.full((n_states, AGES), -1, np.int64)
    left = np.full((n_states, AGES, n_states), -1, np.int64)
    n_intervals = states.shape[1]
    for i in range(len(states)):
        begin = 0
        while begin < n_intervals:
            a = states[i, begin]
            end = begin + 1
            while end < n_intervals and states[i, end] == a:
                end += 1
            at = begin
            g = 0
            while at < end:
                stop = end if g == AGES - 1 else min(end, begin + (1 << (g + 1)) - 1)
                if seen[a, g] != i:
                    seen[a, g] = i
                    visitors[a, g] += 1
                stay[a, g] += stop - at
                if stop == end:
                    stay[a, g] -= 1
                    if end < n_intervals:
                        b = states[i, end]
                        exits[a, g, b] += 1
                        if left[a, g, b] != i:
                            left[a, g, b] = i
                            leavers[a, g, b] += 1
                at = stop
                g += 1
            begin = end
    return stay, exits, visitors, leavers


@kernel("const(uint8[::1]), int64, int64[::1], int64[:, ::1], int64[::1], Pools", Pools=POOLS)
def count_person(
    row: np.ndarray, i: int, hour_edges: np.ndarray, pools: np.ndarray, day_of: np.ndarray, counts: Pools
) -> None:
    """Add row `i` of a cluster to its pools: stays, exits, people, and the time spent per day and state."""
    stay, exits, people, seen, totals = counts.stay, counts.exits, counts.people, counts.seen, counts.totals
    n_intervals = len(row)
    n_levels = pools.shape[1]
    begin = 0
    hour = 0
    while begin < n_intervals:
        a = row[begin]
        end = begin + 1
        while end < n_intervals and row[end] == a:
            end += 1
        at = begin
        g = 0
        while at < end:
            while hour_edges[hour + 1] <= at:
                hour += 1
            while g < AGES - 1 and at - begin + 1 >= 1 << (g + 1):
                g += 1
            stop = min(end, hour_edges[hour + 1])
            if g < AGES - 1:
                stop = min(stop, begin + (1 << (g + 1)) - 1)
            totals[day_of[hour], a] += stop - at
            stays = stop - at - (1 if stop == end else 0)
            leaves = stop == end and end < n_intervals
            for level in range(n_levels):
                p = pools[hour, level]
                if seen[p, a, g] != i:
                    seen[p, a, g] = i
                    people[p, a, g] += 1
                stay[p, a, g] += stays
                if leaves:
                    exits[p, a, g, row[end]] += 1
            at = stop
        begin = end


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
