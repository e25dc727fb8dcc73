"""Chains whose rates are pooled, tilted by a person's and a day's random effects: counting, and simulating.

The chance to leave state a for b in an hour is rate[a, b] times the age factor of the bout, times a correction of
targets, times exp((d_b - d_a) / 2), where d says how much this person favours each state on that part of that day.
Bouts are drawn whole: within an hour and an age bin the chance to leave stays the same, so one exponential number is
used up from piece to piece.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.xoshiro import bell, uniform

OLDEST = np.array([1, 2, 3, 4, 8, 16, 32, 64, 128, 256, 512, 2**62])
"""Last age of every bin of ages of a bout, in intervals: fine where most bouts end."""
AGES = len(OLDEST)
PARTS = 12
"""Parts of a day."""
WIDTH = 24 // PARTS
"""Hours in a part."""
MOST_TILT = math.exp(4.0)
MOST_LEAVING = 0.95


class Hours(NamedTuple):
    """The clock hours that a matrix of intervals falls into."""

    edges: np.ndarray
    """Interval at which every hour begins, and the end."""
    clock: np.ndarray
    """Hour of the day."""
    kind: np.ndarray
    """0 on weekdays, 1 on weekends."""
    day: np.ndarray
    """Number of the calendar day, from 0."""


class Laws(NamedTuple):
    """What a row is simulated from."""

    rate: np.ndarray
    """Clusters x kinds of day x 24 x states x states: chance per interval to leave for another state."""
    age: np.ndarray
    """States x ages x parts: factor on leaving."""
    target: np.ndarray
    """Parts x states x states: factor on targets."""
    hour: np.ndarray
    """Kinds of day x 24 x states: how much an hour favours a state."""
    first: np.ndarray
    """Clusters x states: chance to begin in it."""
    noise: np.ndarray
    """States: standard deviation of what an hour favours by itself."""


class Rows(NamedTuple):
    """The rows to simulate."""

    cluster: np.ndarray
    person: np.ndarray
    """Rows x parts x states: what this person favours."""
    day: np.ndarray
    """Rows x days x parts x states: what this day of theirs favours."""
    seeds: np.ndarray
    """Rows x 4 random 64-bit numbers."""


class Tally(NamedTuple):
    """What rows show, added up."""

    hours: np.ndarray
    """Rows x hours x states: intervals (`uint16`)."""
    risk: np.ndarray
    """States x ages x parts: intervals after which a bout could go on or end."""
    ended: np.ndarray
    """States x ages x parts: bouts that ended."""
    moved: np.ndarray
    """Parts x states x states: changes."""


class Pooled(NamedTuple):
    """Counts behind the rates of everyone."""

    changes: np.ndarray
    """Kinds of day x 24 x states x states."""
    risk: np.ndarray
    """Kinds of day x 24 x states x ages: intervals after which a bout could go on or end."""
    visitors: np.ndarray
    """States: people."""
    leavers: np.ndarray
    """States x states: people."""


class Members(NamedTuple):
    """Clusters: c holds rows `order[bounds[c]:bounds[c + 1]]`."""

    order: np.ndarray
    bounds: np.ndarray
    which: np.ndarray
    """The clusters to count."""


class ClusterCounts(NamedTuple):
    """What the members of clusters show."""

    changes: np.ndarray
    """Clusters x kinds of day x 24 x states x states."""
    exposure: np.ndarray
    """Clusters x kinds of day x 24 x states: intervals, weighted by the age factor."""
    people: np.ndarray
    """Clusters x kinds of day x 24 x states: who visited."""
    ever: np.ndarray
    """Clusters x 24 x states: who visited on any kind of day."""


READ_ONLY = "const(uint8[:, ::1])"
RECORDS = {
    "Hours": Record(Hours, "int64[::1], int64[::1], int64[::1], int64[::1]"),
    "Laws": Record(
        Laws,
        "float64[:, :, :, :, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, :, ::1], float64[:, ::1], "
        "float64[::1]",
    ),
    "Rows": Record(Rows, "int64[::1], float64[:, :, ::1], float64[:, :, :, ::1], uint64[:, ::1]"),
    "Tally": Record(Tally, "uint16[:, :, ::1], int64[:, :, ::1], int64[:, :, ::1], int64[:, :, ::1]"),
    "Pooled": Record(Pooled, "int64[:, :, :, ::1], int64[:, :, :, ::1], int64[::1], int64[:, ::1]"),
    "Members": Record(Members, "int64[::1], int64[::1], int64[::1]"),
    "ClusterCounts": Record(
        ClusterCounts,
        "float64[:, :, :, :, ::1], float64[:, :, :, ::1], int64[:, :, :, ::1], int64[:, :, ::1]",
    ),
}


def _told(*names: str) -> dict[str, Record]:
    return {name: RECORDS[name] for name in names}


@kernel("float64")
def _hazard(chance: float) -> float:
    """-log(1 - chance); for small chances its series, to a part in a million and several times quicker."""
    if chance < 0.05:
        return chance * (1 + chance * (1 / 2 + chance * (1 / 3 + chance * (1 / 4))))
    return -math.log1p(-chance)


@kernel("Laws, Hours, Rows, int64, int64, Tally, uint8[:, ::1]", **_told("Laws", "Hours", "Rows", "Tally"))
def simulate(laws: Laws, hours: Hours, rows: Rows, first: int, last: int, tally: Tally, out: np.ndarray) -> None:
    """Rows `first` to `last`: what they show into `tally`, and the states into `out` unless it has no columns."""
    n_states = laws.rate.shape[-1]
    n_hours = len(hours.clock)
    finish = hours.edges[n_hours]
    leave = np.empty((n_states, n_states))
    total = np.empty(n_states)
    favour = np.empty(n_states)
    write = out.shape[1] > 0
    for u in range(first, last):
        random = rows.seeds[u].copy()
        c = rows.cluster[u]
        state = n_states - 1
        z = uniform(random)
        for b in range(n_states):
            z -= laws.first[c, b]
            if z <= 0 and laws.first[c, b] > 0:
                state = b
                break
        if laws.first[c, state] <= 0:  # rounding: the likeliest one
            for b in range(n_states):
                if laws.first[c, b] > laws.first[c, state]:
                    state = b
        begun = 0
        at = 0
        g = 0
        left = -math.log(uniform(random))
        for h in range(n_hours):
            clock = hours.clock[h]
            kind = hours.kind[h]
            d = hours.day[h]
            p = clock // WIDTH
            # Effects are told at the middle of parts; an hour in between takes its share of both.
            where = (clock + 0.5) / WIDTH - 0.5
            low = math.floor(where)
            w = where - low
            high = min(low + 1, PARTS - 1)
            low = max(low, 0)
            for b in range(n_states):
                tilt = laws.hour[kind, clock, b]
                tilt += (1 - w) * (rows.person[u, low, b] + rows.day[u, d, low, b])
                tilt += w * (rows.person[u, high, b] + rows.day[u, d, high, b])
                if laws.noise[b] > 0:
                    tilt += laws.noise[b] * bell(random)
                favour[b] = math.exp(min(300.0, max(-300.0, tilt / 2)))
            for a in range(n_states):
                total[a] = -1.0  # reckoned when the state is entered
            stop_hour = hours.edges[h + 1]
            while at < stop_hour:
                if total[state] < 0:
                    s = 0.0
                    against = 1.0 / favour[state]
                    for b in range(n_states):
                        r = laws.rate[c, kind, clock, state, b]
                        if b == state or r <= 0:
                            leave[state, b] = 0.0
                            continue
                        tilt = favour[b] * against
                        tilt = min(MOST_TILT, max(1.0 / MOST_TILT, tilt))
                        leave[state, b] = r * laws.target[p, state, b] * tilt
                        s += leave[state, b]
                    total[state] = s
                while at - begun >= OLDEST[g]:
                    g += 1
                stop = min(stop_hour, begun + OLDEST[g])
                chance = min(MOST_LEAVING, total[state] * laws.age[state, g, p])
                begin = at
                leaving = False
                if chance > 0:
                    speed = _hazard(chance)
                    need = (stop - at) * speed
                    if left < need:
                        at = min(stop, at + 1 + int(left / speed))
                        leaving = True
                    else:
                        left -= need
                        at = stop
                else:
                    at = stop
                tally.hours[u, h, state] += at - begin
                tally.risk[state, g, p] += at - begin
                if write:
                    out[u, begin:at] = state
                if at == finish:
                    tally.risk[state, g, p] -= 1  # nothing follows the last interval
                elif leaving:
                    pick = uniform(random) * total[state]
                    target = state
                    for b in range(n_states):
                        if leave[state, b] > 0:
                            target = b
                            pick -= leave[state, b]
                            if pick <= 0:
                                break
                    tally.ended[state, g, p] += 1
                    tally.moved[p, state, target] += 1
                    state = target
                    begun = at
                    g = 0
                    left = -math.log(uniform(random))


@kernel(f"{READ_ONLY}, int64[::1], Hours, int64, int64, Tally, Pooled", **_told("Hours", "Tally", "Pooled"))
def count_rows(
    states: np.ndarray, which: np.ndarray, hours: Hours, first: int, last: int, tally: Tally, pooled: Pooled
) -> None:
    """What the rows `which[first:last]` show, into `tally` and `pooled`."""
    changes, at_risk, visitors, leavers = pooled
    n_states = changes.shape[-1]
    n = states.shape[1]
    seen = np.zeros(n_states, np.bool_)
    left = np.zeros((n_states, n_states), np.bool_)
    for i in range(first, last):
        row = states[which[i]]
        seen[:] = False
        left[:] = False
        begun = 0
        h = 0
        while begun < n:
            a = row[begun]
            seen[a] = True
            end = begun + 1
            while end < n and row[end] == a:
                end += 1
            at = begun
            g = 0
            while at < end:
                while hours.edges[h + 1] <= at:
                    h += 1
                while at - begun >= OLDEST[g]:
                    g += 1
                stop = min(min(end, hours.edges[h + 1]), begun + OLDEST[g])
                clock = hours.clock[h]
                kind = hours.kind[h]
                exposed = stop - at - (1 if stop == n else 0)
                tally.hours[i, h, a] += stop - at
                tally.risk[a, g, clock // WIDTH] += exposed
                at_risk[kind, clock, a, g] += exposed
                if stop == end and end < n:
                    b = row[end]
                    tally.ended[a, g, clock // WIDTH] += 1
                    tally.moved[clock // WIDTH, a, b] += 1
                    changes[kind, clock, a, b] += 1
                    left[a, b] = True
                at = stop
            begun = end
        for a in range(n_states):
            visitors[a] += seen[a]
            for b in range(n_states):
                leavers[a, b] += left[a, b]


@kernel(
    f"{READ_ONLY}, Members, Hours, float64[:, :, ::1], int64, int64, ClusterCounts",
    **_told("Members", "Hours", "ClusterCounts"),
)
def count_clusters(
    states: np.ndarray, members: Members, hours: Hours, age: np.ndarray, first: int, last: int, counts: ClusterCounts
) -> None:
    """What the members of the clusters `which[first:last]` show; `age` is the factor on leaving."""
    order, bounds, which = members
    changes, exposure, people, ever = counts
    n = states.shape[1]
    n_states = changes.shape[-1]
    seen = np.zeros((2, 24, n_states), np.bool_)
    for i in range(first, last):
        c = which[i]
        for o in range(bounds[c], bounds[c + 1]):
            row = states[order[o]]
            seen[:] = False
            begun = 0
            h = 0
            while begun < n:
                a = row[begun]
                end = begun + 1
                while end < n and row[end] == a:
                    end += 1
                at = begun
                g = 0
                while at < end:
                    while hours.edges[h + 1] <= at:
                        h += 1
                    while at - begun >= OLDEST[g]:
                        g += 1
                    stop = min(min(end, hours.edges[h + 1]), begun + OLDEST[g])
                    clock = hours.clock[h]
                    kind = hours.kind[h]
                    seen[kind, clock, a] = True
                    exposed = stop - at - (1 if stop == n else 0)
                    exposure[i, kind, clock, a] += exposed * age[a, g, clock // WIDTH]
                    if stop == end and end < n:
                        changes[i, kind, clock, a, row[end]] += 1
                    at = stop
                begun = end
            for clock in range(24):
                for a in range(n_states):
                    people[i, 0, clock, a] += seen[0, clock, a]
                    people[i, 1, clock, a] += seen[1, clock, a]
                    ever[i, clock, a] += seen[0, clock, a] or seen[1, clock, a]
