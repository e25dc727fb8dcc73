"""States and times of a synthetic log, drawn together: each step knows the moment it starts from and its batch."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.events.markov_dp.kernels.moves import before_class, place_class
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.xoshiro import fraction

TRIES = 12
"""Drawings of a trace that would outlast the public range; the last one stays."""
CANDIDATES = 24
NEXT_DAY, WEEK = 57600.0, 604800.0
"""Seconds: bins of gaps from the first on end on another day; those narrower than the second end on some weekdays."""


class Factors(NamedTuple):
    """What multiplies the laws; 1 where nothing is known."""

    step: np.ndarray
    """(before, from, to): the chain times what the gap before changes, one class if it was not measured; START is the
    last `from`."""
    seen: np.ndarray
    place: np.ndarray
    hour: np.ndarray
    """(hour class, from, to); one class if it was not measured."""
    length: np.ndarray
    """(length class, from, to)."""
    context: np.ndarray
    """(before last, last) → row of `context_rows`, or -1."""
    context_rows: np.ndarray
    reach: np.ndarray
    """(length class, states to come, state)."""
    gap_row: np.ndarray
    """(from, to) → row of `gap_rows`."""
    gap_rows: np.ndarray
    """Shares over gap bins."""
    gap_class: np.ndarray
    """Class of every gap bin."""
    gap_to: np.ndarray
    """(to, bin)."""
    gap_before: np.ndarray
    """(before, again, to, gap class)."""
    gap_place: np.ndarray
    gap_hour: np.ndarray
    """(hour class, to, gap class)."""
    parts: np.ndarray
    """(to, bin, part): running shares."""
    edges: np.ndarray
    hours: np.ndarray
    weekdays: np.ndarray
    bars: np.ndarray
    """`bars[a, b]`: b may not follow a anywhere later; empty when nothing is barred."""


class Objects(NamedTuple):
    """What is given of every object before its states and times are drawn."""

    lengths: np.ndarray
    """How many events it wants."""
    classes: np.ndarray
    """Its length class."""
    forced: np.ndarray
    """States that are not drawn: object *i* takes `forced[forced_bounds[i]:forced_bounds[i+1]]` if there are any."""
    forced_bounds: np.ndarray
    starts: np.ndarray
    """Its first moment."""


RECORDS = {
    "Objects": Record(
        Objects, "const(int64[::1]), const(int64[::1]), const(int32[::1]), const(int64[::1]), const(int64[::1])"
    ),
    "Factors": Record(
        Factors,
        "float64[:, :, ::1], float64[:, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, :, ::1], "
        "int64[:, ::1], float64[:, ::1], float64[:, :, ::1], int64[:, ::1], float64[:, ::1], "
        "int64[::1], float64[:, ::1], float64[:, :, :, ::1], float64[:, ::1], float64[:, :, ::1], "
        "float64[:, :, ::1], float64[::1], float64[:, ::1], float64[::1], "
        "boolean[:, ::1]",
    ),
}


@kernel("uint64[::1], float64[::1], int64, float64")
def _pick(generator, weights, n, total):
    """An index drawn by weight; `total` is positive."""
    u = fraction(generator) * total
    last = 0
    for x in range(n):
        if weights[x] > 0.0:
            last = x
            u -= weights[x]
            if u < 0.0:
                return x
    return last


@kernel("uint64[::1], int64, float64, float64, float64[::1], float64[::1], float64[::1], float64[:, ::1]")
def _moment_in(generator, t, low, high, hours, weekdays, parts, room):
    """A gap of `low..high` seconds: candidates by the parts of the bin, one of them by its hour and weekday."""
    weights, gaps = room[0], room[1]
    tries = CANDIDATES if high > 3600.0 else 1
    n_parts = len(parts)
    wide = np.log(high / low) / n_parts
    total = 0.0
    for c in range(tries):
        u = fraction(generator) * parts[n_parts - 1]
        z = 0
        while z < n_parts - 1 and u >= parts[z]:
            z += 1
        gaps[c] = low * np.exp((z + fraction(generator)) * wide)
        moment = t + np.int64(gaps[c])
        day = moment // 86400
        weights[c] = hours[(moment - day * 86400) // 3600] * weekdays[(day + 3) % 7]
        total += weights[c]
    pick = 0
    if total > 0.0 and tries > 1:
        pick = _pick(generator, weights, tries, total)
    return np.int64(gaps[pick])


@kernel("int64, float64[::1], float64[::1], float64[::1]")
def _on_open_days(t, by_bin, edges, weekdays):
    """Weigh bins of gaps that end on another day by the weekdays they end on from here; their sum stays."""
    before, after = 0.0, 0.0
    for k in range(len(by_bin)):
        if edges[k] < NEXT_DAY or by_bin[k] <= 0.0:
            continue
        before += by_bin[k]
        wide = edges[k + 1] - edges[k]
        if wide < WEEK:
            first, end, weight = t + edges[k], t + edges[k + 1], 1e-9
            day = np.int64(first // 86400)
            while day * 86400 < end:
                inside = min(end, (day + 1) * 86400.0) - max(first, day * 86400.0)
                weight += weekdays[(day + 3) % 7] * inside / wide
                day += 1
            by_bin[k] *= weight
        after += by_bin[k]
    if after > 0.0:
        for k in range(len(by_bin)):
            if edges[k] >= NEXT_DAY:
                by_bin[k] *= before / after


@kernel("uint64[::1], Objects, Factors, int64, int64", **RECORDS)
def draw(generator, objects, f, grain, span):
    """States, times and lengths of all objects."""
    lengths, classes, starts = objects.lengths, objects.classes, objects.starts
    forced, forced_bounds = objects.forced, objects.forced_bounds
    n_states = len(f.seen[0])
    total_events = lengths.sum()
    states = np.empty(total_events, np.int32)
    times = np.empty(total_events, np.int64)
    walked = np.zeros(len(lengths), np.int64)
    weights = np.empty(n_states)
    count = np.zeros(n_states, np.int64)
    batch_of = np.zeros(n_states, np.int64)
    banned = np.zeros(n_states, np.bool_)
    n_bins, n_classes = len(f.gap_class), f.gap_place.shape[1]
    by_class, by_bin = np.empty(n_classes), np.empty(n_bins)
    room, hours = np.empty((2, CANDIDATES)), np.empty(24)
    by_before, by_hour = len(f.step) > 1, len(f.hour) > 1
    has_bars, has_contexts = len(f.bars) > 0, len(f.context_rows) > 0
    batch = 0
    at = 0
    for o in range(len(lengths)):
        wanted, given = lengths[o], forced_bounds[o + 1] > forced_bounds[o]
        la = classes[o]
        done = 0
        for left in range(TRIES - 1, -1, -1):
            count[:] = 0
            banned[:] = False
            batch += 1
            run, before = 0, 0
            last, previous = np.int64(n_states), np.int64(n_states)
            t = starts[o]
            done = 0
            outlasts = False
            while done < wanted:
                place = place_class(done)
                h = (t % 86400) // 10800
                s, g = before if by_before else 0, h if by_hour else 0
                if given:
                    b = np.int64(forced[forced_bounds[o] + done])
                else:
                    row = f.context[previous, last] if has_contexts and last < n_states else np.int64(-1)
                    total = 0.0
                    for x in range(n_states):
                        w = f.step[s, last, x]
                        if w > 0.0:
                            if banned[x]:
                                w = 0.0
                            else:
                                kind = 3 if batch_of[x] == batch else min(count[x], 2)
                                w *= f.seen[kind, x] * f.place[place, x] * f.length[la, last, x]
                                w *= f.reach[la, wanted - done - 1, x]
                                if last < n_states:
                                    w *= f.hour[g, last, x]
                                if row >= 0:
                                    w *= f.context_rows[row, x]
                        weights[x] = w
                        total += w
                    if total <= 0.0:  # no walk of that length: take any step there is
                        for x in range(n_states):
                            weights[x] = 0.0 if banned[x] else f.step[s, last, x]
                            total += weights[x]
                    if total <= 0.0:
                        break
                    b = np.int64(_pick(generator, weights, n_states, total))
                if done > 0:
                    again = 1 if batch_of[b] == batch else 0
                    for c in range(n_classes):
                        by_class[c] = f.gap_before[before, again, b, c] * f.gap_place[place, c]
                        by_class[c] *= f.gap_hour[h, b, c]
                    total = 0.0
                    r = f.gap_row[last, b]
                    for k in range(n_bins):
                        by_bin[k] = f.gap_rows[r, k] * f.gap_to[b, k] * by_class[f.gap_class[k]]
                        total += by_bin[k]
                    _on_open_days(t, by_bin, f.edges, f.weekdays)
                    k = _pick(generator, by_bin, n_bins, total) if total > 0.0 else 0
                    earlier = t
                    if f.edges[k] >= 1.0:
                        for x in range(24):
                            hours[x] = f.hours[b, x]
                        if given and by_hour and done + 1 < wanted:
                            # The states are fixed: what hours tell of them acts on times.
                            after = forced[forced_bounds[o] + done + 1]
                            for x in range(24):
                                hours[x] *= f.hour[x // 3, b, after]
                        t += _moment_in(
                            generator, t, f.edges[k], f.edges[k + 1], hours, f.weekdays, f.parts[b, k], room
                        )
                        t = t // grain * grain
                    if t - earlier < 1:
                        run += 1
                    else:
                        run = 0
                        batch += 1
                    before = before_class(t - earlier, run)
                if has_bars:
                    for x in range(n_states):
                        if f.bars[b, x]:
                            banned[x] = True
                states[at + done] = b
                times[at + done] = t
                count[b] += 1
                batch_of[b] = batch
                previous, last = last, b
                done += 1
                if left > 0 and t - starts[o] > span:
                    outlasts = True
                    break
            if not outlasts and done == wanted:
                break
        if done == 0:  # nothing can start: the state of all the others stands for it
            states[at] = n_states - 1
            times[at] = starts[o]
            done = 1
        walked[o] = done
        at += done
    return states[:at].copy(), times[:at].copy(), walked
