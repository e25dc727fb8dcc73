"""How often bouts of a given age go on, or end and in what: counts per state and age, over rows and pools of hours.

The age of a bout is how long it has lasted, in doubling bins.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.threads import spread

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
