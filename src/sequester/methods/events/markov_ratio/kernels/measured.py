"""Walks of measured lengths through an ensemble: END is among what may follow, gaps come from bins."""

from __future__ import annotations

import numpy as np

from sequester.methods.events.markov_ratio.kernels.law_index import draw, find, gather, key_of
from sequester.methods.events.markov_ratio.kernels.object_laws import (
    FACTORS,
    RECORDS,
    in_bin,
    seasonal,
    set_attributes,
    wanted_length,
)
from sequester.primitives.compiled import kernel
from sequester.primitives.xoshiro import fraction

DAY, HOUR = 86400, 3600
CANDIDATES = 24
REACH_COSTS = 400_000
"""Steps that finding the reach of one section may take; beyond it, the reach of the whole log serves."""
OPENING = 100
"""Times a start state is drawn until one is allowed."""


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


@kernel("Laws, int64, int64, int64, int64, float64[:, ::1], float64[:, ::1], int64[::1]", **RECORDS)
def _cluster_reach(law, cluster, by_cluster, n_states, steps, fallback, out, rows):
    """Fill `out[k, a]` for k below `steps` with the reach of a cluster's chain, states it lacks as in the whole log."""
    entries = 0
    for a in range(n_states):
        r = find(law, key_of(by_cluster, cluster, -1, a))
        if r < 0:
            r = find(law, key_of(0, -1, -1, a))
        rows[a] = r
        if r >= 0:
            entries += law.bounds[r + 1] - law.bounds[r]
    if entries * steps > REACH_COSTS:
        for k in range(steps):  # loops: an assignment of slices takes the compiler seconds
            for a in range(n_states):
                out[k, a] = fallback[k, a]
        return
    for k in range(steps):
        top = 0.0
        for a in range(n_states):
            total = 0.0
            if rows[a] >= 0:
                lo, hi = law.bounds[rows[a]], law.bounds[rows[a] + 1]
                before = 0
                for e in range(lo, hi):
                    count = law.totals[e] - before
                    before = law.totals[e]
                    x = law.items[e]
                    if x == n_states:
                        total += count if k == 0 else 0.0
                    elif k > 0:
                        total += count * out[k - 1, x]
                total /= law.totals[hi - 1]
            out[k, a] = total
            top = max(top, total)
        if top > 0.0:
            for a in range(n_states):
                out[k, a] /= top


@kernel("uint64[::1], Laws, int64[::1], int64, float64[::1], boolean[::1], int64", **RECORDS)
def _step(generator, law, rows, found, reach, banned, end):
    """A state from the weighted mean of the gathered rows times the reach, or -1."""
    total = 0.0
    for pass_ in range(2):
        u = fraction(generator) * total if pass_ else 0.0
        last = np.int64(-1)
        for f in range(found):
            lo, hi = law.bounds[rows[f]], law.bounds[rows[f] + 1]
            scale = 1.0 / law.totals[hi - 1]
            before = 0
            for e in range(lo, hi):
                count = law.totals[e] - before
                before = law.totals[e]
                x = law.items[e]
                if x == end or banned[x]:
                    continue
                w = scale * count * reach[x]
                if w <= 0.0:
                    continue
                if not pass_:
                    total += w
                else:
                    last = x
                    u -= w
                    if u < 0.0:
                        return x
        if total <= 0.0:
            return np.int64(-1)
    return last


@kernel("uint64[::1], int64, float64, float64, float64[::1], float64[:, ::1]")
def _later(generator, t, low, high, hours, scratch):
    """A moment `low..high` seconds after t, log-uniform, chosen among several by the hours of the state."""
    if low < 1.0:
        return t
    tries = CANDIDATES if high > HOUR else 1
    total = 0.0
    for c in range(tries):
        moment = t + np.int64(low * np.exp(fraction(generator) * np.log(high / low)))
        scratch[0, c] = moment
        w = hours[np.int64(moment % DAY) // HOUR]
        scratch[1, c] = w
        total += w
    pick = 0
    if total > 0.0 and tries > 1:
        u = fraction(generator) * total
        while pick < tries - 1 and u >= scratch[1, pick]:
            u -= scratch[1, pick]
            pick += 1
    return np.int64(scratch[0, pick])


@kernel("Families", **RECORDS)
def _cluster_family(families):
    """The family of one model per cluster without a factor."""
    for f in range(len(families.factor)):
        if families.by_cluster[f] and families.factor[f] < 0:
            return f
    return 0


@kernel("uint64[::1], Objects, int64, Tested, Frame", **RECORDS)
def synthesize(generator, objects, year0, laws, frame):
    """Objects from a date each: sections until END follows a cluster, events until the wanted length is reached.

    Returns states, times, offsets, and the value of every declared column (objects x columns).
    """
    dates = objects.dates
    n, n_states = len(dates), frame.n_states
    sized = len(objects.lengths) > 0
    states = np.empty(max(16, 8 * n), np.int64)
    times = np.empty(max(16, 8 * n), np.int64)
    offsets = np.zeros(n + 1, np.int64)
    drawn = np.full((n, len(frame.untold)), -1, np.int64)
    values = np.full(FACTORS + len(frame.untold), -1, np.int64)
    rows = np.empty(max(len(laws.gap_families.factor), len(laws.outer.factor), 4), np.int64)
    chain_rows = np.empty(n_states, np.int64)
    reach = np.empty((len(frame.reach), n_states))
    open_reach = np.ones(n_states)
    banned = np.zeros(n_states, np.bool_)
    scratch = np.empty((2, CANDIDATES))
    flat = np.ones(24)
    at = 0
    clocked = frame.unit > 0
    for i in range(n):
        begin = at
        for s in range(n_states):
            banned[s] = False
        over = False
        t = dates[i] * DAY
        for f in range(len(values)):
            values[f] = -1
        _season(values, t, clocked, year0)
        values[2] = -1
        length = np.int64(0)
        if sized:
            k = seasonal(generator, laws, objects.clusters[i], values) if objects.clusters[i, 0] >= 0 else 0
            cluster = objects.clusters[i, k]
            length = in_bin(generator, frame, objects.bins[i, k]) if cluster >= 0 else objects.lengths[i]
        else:
            e = draw(generator, laws.first, laws.outer, -1, values, 0, rows, True)
            cluster = laws.first.items[e] if e >= 0 else np.int64(-1)
        set_attributes(generator, laws, frame, cluster, values)
        for f in range(len(frame.untold)):
            drawn[i, f] = values[FACTORS + f]
        opened = False
        while not over:
            pause = np.int64(0)
            if opened:
                if sized or cluster < 0:
                    break
                for f in range(FACTORS):
                    values[f] = -1
                _season(values, t, clocked, year0)
                e = draw(generator, laws.then, laws.outer, -1, values, cluster, rows, False)
                if e < 0 or laws.then.items[e] == frame.n_clusters:
                    break
                e2 = draw(generator, laws.pause, laws.few, cluster, values, 0, rows, False)
                pause = laws.pause.items[e2] if e2 >= 0 else np.int64(frame.usual_gap)
                cluster = laws.then.items[e]
            for f in range(FACTORS):
                values[f] = -1
            e = draw(generator, laws.duration, laws.few, cluster, values, 0, rows, False)
            if e >= 0:
                values[0] = laws.duration.items[e]
            a = np.int64(-1)
            for _ in range(OPENING):
                e = draw(generator, laws.start, laws.families, cluster, values, 0, rows, False)
                if e < 0 or not banned[laws.start.items[e]]:
                    a = laws.start.items[e] if e >= 0 else np.int64(-1)
                    break
            if a < 0:
                break
            if opened and clocked:
                t = _later(generator, t, frame.gap_edges[pause], frame.gap_edges[pause + 1], frame.hours[a], scratch)
            elif frame.unit == 1:
                hour = 0
                total = 0.0
                for h in range(24):
                    total += frame.hours[a, h]
                u = fraction(generator) * total
                while hour < 23 and u >= frame.hours[a, hour]:
                    u -= frame.hours[a, hour]
                    hour += 1
                t = dates[i] * DAY + hour * HOUR + np.int64(fraction(generator) * HOUR)
            if frame.unit == 2:
                t = t // DAY * DAY
            opened = True
            wanted = min(length if sized else wanted_length(generator, laws, frame, cluster), len(frame.reach))
            if cluster >= 0:
                _cluster_reach(
                    laws.move, cluster, _cluster_family(laws.families), n_states, wanted, frame.reach, reach, chain_rows
                )
            else:
                for k in range(wanted):
                    for s in range(n_states):
                        reach[k, s] = frame.reach[k, s]
            values[5] = 4
            done = 0
            while True:
                states = _grown(states, at)
                times = _grown(times, at)
                states[at] = a
                times[at] = t
                at += 1
                done += 1
                if at - begin == 1:
                    for s in range(len(banned)):
                        if frame.openers[s]:
                            banned[s] = True
                over = frame.finals[a] or at - begin >= frame.max_events
                if over or done >= wanted:
                    break
                if len(frame.bars):
                    for s in range(len(banned)):
                        if frame.bars[a, s]:
                            banned[s] = True
                _moment(values, t, clocked)
                found, _ = gather(laws.move, laws.families, cluster, values, a, rows)
                b = _step(generator, laws.move, rows, found, reach[wanted - done - 1], banned, n_states)
                if b < 0:  # no walk of that length: take any step there is
                    b = _step(generator, laws.move, rows, found, open_reach, banned, n_states)
                if b < 0:
                    break
                if clocked:
                    e = draw(generator, laws.gap, laws.gap_families, cluster, values, a * n_states + b, rows, False)
                    gap = laws.gap.items[e] if e >= 0 else np.int64(frame.usual_gap)
                    before = t
                    hours = frame.hours[b] if frame.unit == 1 else flat
                    t = _later(generator, t, frame.gap_edges[gap], frame.gap_edges[gap + 1], hours, scratch)
                    if frame.unit == 2:
                        t = t // DAY * DAY
                    pause = t - before
                    values[5] = 0 if pause < 1 else 1 if pause < HOUR else 2 if pause < DAY else 3
                a = b
        offsets[i + 1] = at
    return states[:at].copy(), times[:at].copy(), offsets, drawn
