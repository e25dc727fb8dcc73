"""Walks through an ensemble of laws over states and sections (the mechanics of Shaked and Rokach's generator)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.events.markov_ratio.kernels import law_index
from sequester.methods.events.markov_ratio.kernels.law_index import Families, Laws, draw, find, gather, key_of, pick
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.sorting import first_count_above
from sequester.primitives.xoshiro import fraction, normal

DAY, HOUR = 86400, 3600
TRIES = 100
"""Of drawing a state that is allowed and suits its place."""


class Chain(NamedTuple):
    """The laws of one level of the generator: of states inside a section, or of sections inside an object."""

    families: Families
    start: Laws
    hour: Laws
    """Start hour; for states, keyed by the hour, with the duration as its time."""
    move: Laws
    near: Laws
    """What occurs together, for rows that no model has."""
    time_mean: float
    """Of a move whose model is not there."""
    time_spread: float


class Plan(NamedTuple):
    """Everything else a walk needs."""

    hours: np.ndarray
    """Running share of start hours, where no law has one."""
    length_mean: float
    length_spread: float
    leaves: np.ndarray
    """Per state: whether a section ever goes on from it."""
    ends: np.ndarray
    """Per state: how often it is the last one of its section."""
    openers: np.ndarray
    """States that nothing ever comes before."""
    bars: np.ndarray
    """`bars[a, b]`: b may not follow a anywhere later; empty when nothing is barred."""
    finals: np.ndarray
    """States after which nothing follows."""
    has_clock: bool
    has_hours: bool
    """Whether times tell more than the day; if not, every section starts in hour 0 of its laws."""
    unit: int
    """Smallest step of time inside a section."""
    sized: bool
    """Whether sections have a number of events, and what was suppressed a share; otherwise time alone ends them."""
    max_events: int


class Objects(NamedTuple):
    """What is given of every object: the day it starts, and how many sections it has."""

    dates: np.ndarray
    section_means: np.ndarray
    section_spreads: np.ndarray


class Memory(NamedTuple):
    """What a walk carries along: the values its laws are keyed by, states it may not enter, room for found rows."""

    values: np.ndarray
    banned: np.ndarray
    rows: np.ndarray


RECORDS = law_index.RECORDS | {
    "Objects": Record(Objects, "int64[::1], float64[::1], float64[::1]"),
    "Memory": Record(Memory, "int64[::1], boolean[::1], int64[::1]"),
    "Chain": Record(Chain, "Families, Laws, Laws, Laws, Laws, float64, float64"),
    "Plan": Record(
        Plan,
        "int64[::1], float64, float64, boolean[::1], float64[::1], boolean[::1], boolean[:, ::1], boolean[::1], "
        "boolean, boolean, int64, boolean, int64",
    ),
}


@kernel("uint64[::1], float64, float64, float64")
def at_least(generator, mean, spread, low):
    """A normal draw not below `low`."""
    if spread > 0.0:
        for _ in range(60):
            x = mean + spread * normal(generator)
            if x >= low:
                return x
        return low
    return max(mean, low)


@kernel("uint64[::1], float64, float64, float64, boolean")
def time_like(generator, mean, spread, low, skewed):
    """A time of that mean and spread, not below `low`: log-normal if `skewed`, else normal.

    A normal law cut off at `low` has a larger mean than asked for wherever the spread is not small beside the mean,
    and for pauses it never is.
    """
    if not skewed:
        return at_least(generator, mean, spread, low)
    if spread <= 0.0 or mean <= 0.0:
        return max(mean, low)
    variance = np.log1p((spread / mean) ** 2)
    return max(low, mean * np.exp(np.sqrt(variance) * normal(generator) - variance / 2))


@kernel("int64")
def civil(day):
    """Month (0..11) and year of a day counted from 1970-01-01, in the Gregorian calendar."""
    z = day + 719468
    era = z // 146097
    of_era = z - era * 146097
    year = (of_era - of_era // 1460 + of_era // 36524 - of_era // 146096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    m = (5 * of_year + 2) // 153
    month = m + 2 if m < 10 else m - 10
    return month, year + era * 400 + (1 if month < 2 else 0)


@kernel("int64, int64")
def log2_bin(length, unit):
    """0 below one unit, then 1 + floor(log2(units))."""
    out = 0
    x = length // unit
    while x >= 1:
        out += 1
        x //= 2
    return out


@kernel("int64[::1], int64, boolean")
def _moment(values, t, has_clock):
    """Fill weekday and hour at positions 1 and 2 of `values`; position 0 is the duration's."""
    if has_clock:
        day = t // DAY
        values[1] = (day + 3) % 7
        values[2] = (t - day * DAY) // HOUR


@kernel("int64[::1], int64, boolean, int64")
def _season(values, t, has_clock, year0):
    """Fill weekday, hour, month and year."""
    _moment(values, t, has_clock)
    if has_clock:
        month, year = civil(t // DAY)
        values[3] = month
        values[4] = min(max(year - year0, 0), 1023)


@kernel("int64[::1], int64")
def _grown(buffer, at):
    if at < len(buffer):
        return buffer
    out = np.empty(2 * len(buffer), buffer.dtype)
    for i in range(len(buffer)):  # loops: an assignment of slices takes the compiler seconds
        out[i] = buffer[i]
    return out


@kernel("uint64[::1], Chain, Plan, int64, int64[::1], int64[::1]", **RECORDS)
def _next_section(generator, outer, plan, cluster, values, rows):
    """Cluster of the next section (-1: none known) and the time from start to start."""
    e = np.int64(-1)
    if cluster >= 0:
        e = draw(generator, outer.move, outer.families, -1, values, cluster, rows, plan.sized)
    if e >= 0:
        cluster, mean, spread = outer.move.items[e], outer.move.means[e], outer.move.spreads[e]
    else:
        cluster = np.int64(-1) if plan.sized else _nearby(generator, outer, cluster)
        mean, spread = outer.time_mean, outer.time_spread
    return cluster, np.int64(time_like(generator, mean, spread, 1.0, plan.sized))


@kernel("uint64[::1], Chain, int64, int64[::1], boolean[::1], int64[::1]", **RECORDS)
def _first_event(generator, inner, cluster, values, banned, rows):
    """An entry of the start law whose state is allowed, or -1."""
    for _ in range(TRIES):
        e = draw(generator, inner.start, inner.families, cluster, values, 0, rows, False)
        if e < 0 or not banned[inner.start.items[e]]:
            return e
    return np.int64(-1)


@kernel("uint64[::1], Chain, Plan, int64, int64, boolean, Memory", **RECORDS)
def _next_event(generator, inner, plan, cluster, state, last, memory):
    """Next state (-1: none) and gap; where sections are sized, given that it is their last event, or that it is not."""
    values, banned, rows = memory.values, memory.banned, memory.rows
    found, total, _ = gather(inner.move, inner.families, cluster, values, state, rows)
    if found:
        e = pick(generator, inner.move, rows, found, total)
        for _ in range(TRIES):
            b = inner.move.items[e]
            suits = plan.ends[b] if last else 1.0 - plan.ends[b]
            if not banned[b] and (not plan.sized or fraction(generator) < suits):
                break
            e = pick(generator, inner.move, rows, found, total)
        state, mean, spread = inner.move.items[e], inner.move.means[e], inner.move.spreads[e]
    else:
        state, mean, spread = _nearby(generator, inner, state), inner.time_mean, inner.time_spread
    if state >= 0 and banned[state]:
        state = np.int64(-1)
    return state, np.int64(time_like(generator, mean, spread, float(plan.unit), plan.sized))


@kernel("int64[::1], int64, int64, int64, int64")
def _fill_slot(times, head, at, stop, unit):
    """Stretch or shrink the gaps of a section so that its last event is at the end of its slot."""
    start, last = times[head], times[at - 1]
    for p in range(head + 1, at):
        share = (times[p] - start) / max(last - start, 1)
        times[p] = max(times[p - 1] + unit, start + np.int64(share * (stop - start)))


@kernel("uint64[::1], Objects, int64, Chain, Chain, Plan, int64", **RECORDS)
def synthesize(generator, objects, year0, outer, inner, plan, most):
    """Objects in three phases: a date and a number of sections each, a cluster and a slot per section, then events.

    Returns states, times and offsets; where time alone ends sections, it gives up after more than `most` events.
    """
    dates = objects.dates
    n = len(dates)
    states = np.empty(max(16, 8 * n), np.int64)
    times = np.empty(max(16, 8 * n), np.int64)
    offsets = np.zeros(n + 1, np.int64)
    values = np.full(5, -1, np.int64)
    rows = np.empty(max(len(outer.families.factor), len(inner.families.factor)), np.int64)
    banned = np.zeros(len(plan.leaves), np.bool_)
    memory = Memory(values, banned, rows)
    hour_unit = HOUR if plan.has_clock else 1
    at = 0
    for i in range(n):
        begin = at
        if at > most and not plan.sized:
            offsets[i + 1] = at
            continue
        for a in range(len(banned)):
            banned[a] = False
        over = False
        sections = max(1, round(objects.section_means[i] + objects.section_spreads[i] * normal(generator)))
        for f in range(len(values)):
            values[f] = -1
        start = np.int64(0)
        if plan.has_clock:
            _season(values, dates[i] * DAY, True, year0)
            values[2] = -1
            e = draw(generator, outer.hour, outer.families, -1, values, 0, rows, False)
            if e >= 0:
                hour = outer.hour.items[e]
            else:
                hour = first_count_above(plan.hours, fraction(generator) * plan.hours[-1])
            start = dates[i] * DAY + hour * HOUR + np.int64(fraction(generator) * HOUR)
        e = draw(generator, outer.start, outer.families, -1, values, 0, rows, plan.sized)
        cluster = outer.start.items[e] if e >= 0 else np.int64(-1)
        for s in range(sections):
            if s > 0:
                _season(values, start, plan.has_clock, year0)
                values[0] = -1
                cluster, gap = _next_section(generator, outer, plan, cluster, values, rows)
                if cluster < 0 and not plan.sized:
                    break
                start = max(start + gap, times[at - 1] + 1) if at > begin else start + gap
            values[0] = -1
            _moment(values, start, plan.has_clock)
            mean, spread = plan.length_mean, plan.length_spread
            hour = values[2] if plan.has_hours else np.int64(0)
            e = draw(generator, inner.hour, inner.families, cluster, values, hour, rows, False)
            if e >= 0:
                mean, spread = inner.hour.means[e], inner.hour.spreads[e]
            length = np.int64(time_like(generator, mean, spread, 0.0, plan.sized))
            values[0] = log2_bin(length, hour_unit)
            e = _first_event(generator, inner, cluster, values, banned, rows)
            if e < 0:
                continue
            wanted = plan.max_events
            if plan.sized:
                wanted = round(time_like(generator, inner.start.means[e], inner.start.spreads[e], 1.0, True))
            a = inner.start.items[e]
            t = start
            head = at
            while a >= 0:
                states = _grown(states, at)
                times = _grown(times, at)
                states[at] = a
                times[at] = t
                at += 1
                if at - begin == 1:
                    for f in range(len(banned)):
                        banned[f] |= plan.openers[f]
                over = plan.finals[a] or at - begin >= plan.max_events
                if over or not plan.leaves[a] or at - head >= wanted:
                    break
                if len(plan.bars):
                    for f in range(len(banned)):
                        banned[f] |= plan.bars[a, f]
                _moment(values, t, plan.has_clock)
                last = at - head + 1 == wanted
                a, gap = _next_event(generator, inner, plan, cluster, a, last, memory)
                t += gap
                if t > start + length and not plan.sized:
                    break
            if plan.sized:
                _fill_slot(times, head, at, start + length, plan.unit)
            if over:
                break
        offsets[i + 1] = at
    return states[:at].astype(np.int32), times[:at].copy(), offsets


@kernel("uint64[::1], Chain, int64", **RECORDS)
def _nearby(generator, chain, row):
    """An item seen together with `row`, else one that starts a sequence, else -1."""
    if row >= 0:
        r = find(chain.near, key_of(0, -1, -1, row))
        if r >= 0:
            lo, hi = chain.near.bounds[r], chain.near.bounds[r + 1]
            u = fraction(generator) * chain.near.totals[hi - 1]
            return chain.near.items[lo + first_count_above(chain.near.totals[lo:hi], u)]
    r = find(chain.start, key_of(0, -1, -1, 0))
    if r < 0:
        return np.int64(-1)
    lo, hi = chain.start.bounds[r], chain.start.bounds[r + 1]
    u = fraction(generator) * chain.start.totals[hi - 1]
    return chain.start.items[lo + first_count_above(chain.start.totals[lo:hi], u)]
