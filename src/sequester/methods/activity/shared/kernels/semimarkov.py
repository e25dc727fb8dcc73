"""Rows that keep bouts: a semi-Markov chain whose every rule is pooled over enough people, best of several days.

The chance of leaving state a depends on how long the bout has lasted (its age, in doubling bins) and on the finest
pool of people and hours that `least` people of the cluster visited in that state and age: this day's hour, this hour
of weekdays or weekends, this hour, the whole cluster, all clusters. In the pool of all clusters a target reached by
fewer than `least` people is dropped. A state that fewer than `least` people ever visit is never drawn.

Bouts are drawn whole: the survival of a geometric law at rate -log(stay) is that of one exponential number used up
minute by minute, across age bins and hours alike.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.errors import counted
from sequester.methods.activity.shared.kernels.bout_ages import AGES, CLOCK, Clock, Pools, count_person, pooled_over_all
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.sorting import spread
from sequester.primitives.xoshiro import uniform


class Clusters(NamedTuple):
    """Who is together, and where the rows drawn for them go."""

    order: np.ndarray
    bounds: np.ndarray
    place: np.ndarray
    seeds: np.ndarray


class Common(NamedTuple):
    """What enough of all people did: the pool of all clusters, and the states that may be drawn."""

    rate: np.ndarray
    exits: np.ndarray
    legal: np.ndarray


class Asked(NamedTuple):
    """People a pool must have, and continuations drawn per day."""

    least: int
    candidates: int


class Rules(NamedTuple):
    """What the rows of one cluster are drawn by."""

    members: np.ndarray
    row_of: np.ndarray
    """Hour, state, age → pool."""
    rate: np.ndarray
    """Pool, state, age → rate of leaving."""
    exits: np.ndarray
    means: np.ndarray
    """Days x states: the members' mean time."""


class Drafts(NamedTuple):
    """Room for the bouts of two continuations: the best so far and the next one."""

    state: np.ndarray
    end: np.ndarray
    spent: np.ndarray


RECORDS = {
    "Clock": CLOCK,
    "Clusters": Record(Clusters, "int64[::1], int64[::1], int64[::1], uint64[:, ::1]"),
    "Common": Record(Common, "float64[:, ::1], float64[:, :, ::1], boolean[::1]"),
    "Asked": Record(Asked, "int64, int64"),
    "Rules": Record(Rules, "int64[::1], int32[:, :, ::1], float64[:, :, ::1], float32[:, :, :, ::1], float64[:, ::1]"),
    "Drafts": Record(Drafts, "uint8[:, ::1], int64[:, ::1], float64[::1]"),
}


def sample_semimarkov(
    states: np.ndarray,
    n_states: int,
    order: np.ndarray,
    bounds: np.ndarray,
    place: np.ndarray,
    clock: Clock,
    *,
    least: int,
    candidates: int,
    seeds: np.ndarray,
    threads: int = 1,
) -> np.ndarray:
    """As many rows per cluster as it has members.

    Parameters
    ----------
    order, bounds
        Cluster c holds rows `order[bounds[c]:bounds[c + 1]]`.
    place
        Where in the output the row drawn for `order[i]` goes.
    least
        People a pool must have.
    candidates
        Continuations drawn per day; the one nearest the cluster's mean totals of that day is kept.
    seeds
        Clusters x 4 random 64-bit numbers.
    """
    common = Common(*pooled_over_all(states, n_states, least, threads=threads))
    if not common.legal.any():
        raise ValueError(f"no state is visited by {counted(least, 'row')}")
    out = np.empty((len(order), states.shape[1]), dtype=np.uint8)
    clusters, asked = Clusters(order, bounds, place, seeds), Asked(least, candidates)
    spread(
        lambda a, b: _clusters(states, clusters, common, clock, asked, a, b, out),
        len(bounds) - 1,
        threads,
        pieces_per_thread=16,
    )
    return out


@kernel("const(uint8[:, ::1]), Clusters, Common, Clock, Asked, int64, int64, uint8[:, ::1]", **RECORDS)
def _clusters(
    states: np.ndarray,
    clusters: Clusters,
    common: Common,
    clock: Clock,
    asked: Asked,
    first: int,
    last: int,
    out: np.ndarray,
) -> None:
    """Draw the rows of clusters `first` to `last`."""
    order, bounds, legal, least = clusters.order, clusters.bounds, common.legal, asked.least
    hour_edges, day_edges, pools = clock.hour_edges, clock.day_edges, clock.pools
    n_states = len(legal)
    n_hours, n_levels = pools.shape
    n_days = len(day_edges) - 1
    n_pools = pools.max() + 2
    all_pool = n_pools - 1
    stay = np.zeros((n_pools, n_states, AGES), np.int32)
    exits = np.zeros((n_pools, n_states, AGES, n_states), np.float32)
    people = np.zeros((n_pools, n_states, AGES), np.int32)
    seen = np.zeros((n_pools, n_states, AGES), np.int64)
    rate = np.zeros((n_pools, n_states, AGES))
    row_of = np.zeros((n_hours, n_states, AGES), np.int32)
    totals = np.zeros((n_days, n_states))
    day_of = np.zeros(n_hours, np.int64)
    longest = 0
    for d in range(n_days):
        day_of[day_edges[d] : day_edges[d + 1]] = d
        longest = max(longest, hour_edges[day_edges[d + 1]] - hour_edges[day_edges[d]])
    counts = Pools(stay, exits, people, seen, totals)
    drafts = Drafts(np.empty((2, longest + 1), np.uint8), np.empty((2, longest + 1), np.int64), np.empty(n_states))
    for c in range(first, last):
        stay[:] = 0
        exits[:] = 0
        people[:] = 0
        seen[:] = -1
        totals[:] = 0
        n_members = bounds[c + 1] - bounds[c]
        for o in range(bounds[c], bounds[c + 1]):
            count_person(states[order[o]], o, hour_edges, pools, day_of, counts)
        for d in range(n_days):
            for a in range(n_states):
                totals[d, a] /= n_members
        for p in range(n_pools - 1):
            for a in range(n_states):
                for g in range(AGES):
                    if people[p, a, g] < least:
                        continue
                    leaving = 0.0
                    for b in range(n_states):
                        if not legal[b]:
                            exits[p, a, g, b] = 0
                        leaving += exits[p, a, g, b]
                    if stay[p, a, g] == 0 and leaving > 0:
                        rate[p, a, g] = np.inf
                    elif leaving > 0:
                        rate[p, a, g] = -math.log(stay[p, a, g] / (stay[p, a, g] + leaving))
                    else:
                        rate[p, a, g] = 0.0
        for a in range(n_states):
            for g in range(AGES):
                rate[all_pool, a, g] = common.rate[a, g]
                for b in range(n_states):
                    exits[all_pool, a, g, b] = np.float32(common.exits[a, g, b])
        for h in range(n_hours):
            for a in range(n_states):
                for g in range(AGES):
                    row_of[h, a, g] = all_pool
                    for level in range(n_levels):
                        if people[pools[h, level], a, g] >= least:
                            row_of[h, a, g] = pools[h, level]
                            break
        random = clusters.seeds[c].copy()
        rules = Rules(order[bounds[c] : bounds[c + 1]], row_of, rate, exits, totals)
        for o in range(bounds[c], bounds[c + 1]):
            _one_row(states, common, clock, rules, asked, random, drafts, out[clusters.place[o]])


@kernel("const(uint8[:, ::1]), int64[::1], boolean[::1], int64, uint64[::1]")
def _first_state(states: np.ndarray, members: np.ndarray, legal: np.ndarray, n_first: int, random: np.ndarray) -> int:
    """A state of the cluster's first hour, by share; if none of them is common enough, the first common state."""
    for _ in range(64):
        i = members[min(len(members) - 1, int(uniform(random) * len(members)))]
        a = states[i, min(n_first - 1, int(uniform(random) * n_first))]
        if legal[a]:
            return a
    for b in range(len(legal)):
        if legal[b]:
            return b
    return 0


@kernel("const(uint8[:, ::1]), Common, Clock, Rules, Asked, uint64[::1], Drafts, uint8[::1]", **RECORDS)
def _one_row(
    states: np.ndarray,
    common: Common,
    clock: Clock,
    rules: Rules,
    asked: Asked,
    random: np.ndarray,
    drafts: Drafts,
    out: np.ndarray,
) -> None:
    """Draw one row, day by day."""
    hour_edges, day_edges, means = clock.hour_edges, clock.day_edges, rules.means
    bout_state, bout_end, spent = drafts.state, drafts.end, drafts.spent
    state = _first_state(states, rules.members, common.legal, hour_edges[1], random)
    begun = 0
    for d in range(len(day_edges) - 1):
        kept = 1
        kept_score = np.inf
        kept_bouts = 0
        kept_state = state
        kept_begun = begun
        for _ in range(asked.candidates):
            spare = 1 - kept
            bouts, next_state, next_begun = _one_day(
                state, begun, d, clock, rules, random, bout_state[spare], bout_end[spare]
            )
            spent[:] = 0.0
            at = hour_edges[day_edges[d]]
            for b in range(bouts):
                spent[bout_state[spare, b]] += bout_end[spare, b] - at
                at = bout_end[spare, b]
            score = 0.0
            for a in range(len(spent)):
                score += abs(spent[a] - means[d, a])
            if score < kept_score:
                kept_score = score
                kept_bouts = bouts
                kept_state = next_state
                kept_begun = next_begun
                kept = spare
        at = hour_edges[day_edges[d]]
        for b in range(kept_bouts):
            out[at : bout_end[kept, b]] = bout_state[kept, b]
            at = bout_end[kept, b]
        state = kept_state
        begun = kept_begun


@kernel("int64, int64, int64, Clock, Rules, uint64[::1], uint8[::1], int64[::1]", **RECORDS)
def _one_day(
    state: int,
    begun: int,
    day: int,
    clock: Clock,
    rules: Rules,
    random: np.ndarray,
    bout_state: np.ndarray,
    bout_end: np.ndarray,
) -> tuple:
    """Bouts of one day from (state, begun); returns their number and what the next day starts with."""
    hour_edges, row_of, rate, exits = clock.hour_edges, rules.row_of, rules.rate, rules.exits
    n_states = exits.shape[3]
    hour = clock.day_edges[day]
    at = hour_edges[hour]
    finish = hour_edges[clock.day_edges[day + 1]]
    bouts = 0
    while at < finish:
        left = -math.log(uniform(random))
        g = 0
        leaving = False
        row = 0
        while not leaving and at < finish:
            while hour_edges[hour + 1] <= at:
                hour += 1
            while g < AGES - 1 and at - begun + 1 >= 1 << (g + 1):
                g += 1
            stop = hour_edges[hour + 1]
            if g < AGES - 1:
                stop = min(stop, begun + (1 << (g + 1)) - 1)
            row = row_of[hour, state, g]
            speed = rate[row, state, g]
            need = (stop - at) * speed
            if left < need:
                at = min(stop, at + 1 + int(left / speed))
                leaving = True
            else:
                left -= need
                at = stop
        bout_state[bouts] = state
        bout_end[bouts] = at
        bouts += 1
        if leaving:
            total = 0.0
            for b in range(n_states):
                total += exits[row, state, g, b]
            pick = uniform(random) * total
            target = -1
            for b in range(n_states):
                if exits[row, state, g, b] > 0:
                    target = b
                    pick -= exits[row, state, g, b]
                    if pick <= 0:
                        break
            state = target
            begun = at
    return bouts, state, begun
