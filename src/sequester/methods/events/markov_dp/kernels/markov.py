"""Markov chains over event logs: what each object contributes, and walks of a given length.

States are `0..S-1`. `S` stands for START in a row and for END in a column, so a chain over S states is a matrix of
S+1 rows and S+1 columns whose cell (S, S) is never used.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.events.shared.reach import arrivals
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.sorting import first_above, sort_first
from sequester.primitives.xoshiro import fraction

__all__ = ["Chain", "Clock", "Limits", "arrivals", "clocked", "norms_within", "tally_within", "transitions", "walks"]


class Chain(NamedTuple):
    """Rows of a chain: row *r* has entries `bounds[r]:bounds[r+1]`; rows `0..S-1` are states, row S is START."""

    bounds: np.ndarray
    items: np.ndarray
    weights: np.ndarray
    context: np.ndarray
    """`context[a, b]` names the row to use after `a` then `b` (a = S at the start), or -1 for row b."""


class Clock(NamedTuple):
    """Laws of times."""

    gap_row: np.ndarray
    """(from, to) → row of `gap_bounds`."""
    gap_bounds: np.ndarray
    """Cumulative shares over bins."""
    edges: np.ndarray
    """Bin *j* spans `edges[j]..edges[j+1]` seconds."""
    hours: np.ndarray
    """(state, hour) → weight."""
    weekdays: np.ndarray


class Limits(NamedTuple):
    """How times are drawn: moments tried per gap, seconds they are cut to, longest trace, drawings of one."""

    candidates: int
    grain: int
    span: int
    tries: int


RECORDS = {
    "Chain": Record(Chain, "int64[::1], int64[::1], float64[::1], int64[:, ::1]"),
    "Clock": Record(Clock, "int64[:, ::1], float64[:, ::1], float64[::1], float64[:, ::1], float64[::1]"),
    "Limits": Record(Limits, "int64, int64, int64, int64"),
}


@kernel("const(int32[::1]), const(int64[::1]), int64")
def transitions(states, offsets, n_states):
    """Cell `from * (S+1) + to` of every transition, START and END included: an object of L events owns L+1 of them.

    Returns the cells and the offsets that say whose they are.
    """
    side = n_states + 1
    n = len(offsets) - 1
    cells = np.empty(len(states) + n, np.int64)
    bounds = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        bounds[i] = at
        before = n_states
        for p in range(offsets[i], offsets[i + 1]):
            cells[at] = before * side + states[p]
            before = states[p]
            at += 1
        cells[at] = before * side + n_states
        at += 1
    bounds[n] = at
    return cells, bounds


@kernel("int64[::1], int64[::1]")
def tally_within(cells, bounds):
    """Distinct cells of every object in rising order with their counts; negative cells are left out."""
    n = len(bounds) - 1
    kept = np.empty(len(cells), np.int64)
    counts = np.empty(len(cells), np.int64)
    owners = np.empty(n + 1, np.int64)
    at = 0
    for i in range(n):
        owners[i] = at
        own = cells[bounds[i] : bounds[i + 1]].copy()
        sort_first(own, len(own))
        for c in own:
            if c < 0:
                continue
            if at > owners[i] and kept[at - 1] == c:
                counts[at - 1] += 1
            else:
                kept[at] = c
                counts[at] = 1
                at += 1
    owners[n] = at
    return kept[:at].copy(), counts[:at].copy(), owners


def norms_within(counts: np.ndarray, owners: np.ndarray) -> np.ndarray:
    """Euclidean norm of every object's counts."""
    owner = np.repeat(np.arange(len(owners) - 1), np.diff(owners))
    return np.sqrt(np.bincount(owner, counts.astype(np.float64) ** 2, minlength=len(owners) - 1))


@kernel("uint64[::1], float64[::1], int64[::1], int64, int64, float64[::1], boolean[::1], int64")
def _draw(generator, weights, items, lo, hi, reach, banned, end):
    """Index of an entry drawn by weight x reach among those not banned, or -1; END is never drawn."""
    total = 0.0
    for e in range(lo, hi):
        x = items[e]
        if x != end and not banned[x]:
            total += weights[e] * reach[x]
    if total <= 0.0:
        return -1
    u = fraction(generator) * total
    last = -1
    for e in range(lo, hi):
        x = items[e]
        if x != end and not banned[x]:
            w = weights[e] * reach[x]
            if w > 0.0:
                last = e
                u -= w
                if u < 0.0:
                    return e
    return last


@kernel("uint64[::1], int64[::1], Chain, float64[:, ::1], boolean[:, ::1], int64", **RECORDS)
def walks(generator, lengths, chain, reach, bars, tries):
    """Walk a chain for exactly the asked number of states where it can, fewer where it cannot.

    `reach` comes from `arrivals`. `bars[a, b]` forbids b anywhere after a. Returns all states and the lengths walked.
    """
    bounds, items, weights, context = chain.bounds, chain.items, chain.weights, chain.context
    n_states = len(reach[0])
    out = np.empty(lengths.sum(), np.int32)
    walked = np.zeros(len(lengths), np.int64)
    open_reach = np.ones(n_states)
    has_bars = np.zeros(n_states, np.bool_)
    for a in range(n_states):
        has_bars[a] = bars[a].any()
    banned = np.zeros(n_states, np.bool_)
    at = 0
    for i in range(len(lengths)):
        wanted = lengths[i]
        best = 0
        for _ in range(tries):
            banned[:] = False
            before, now = n_states, n_states
            done = 0
            while done < wanted:
                row = now
                if now < n_states and context[before, now] >= 0:
                    row = context[before, now]
                e = _draw(
                    generator, weights, items, bounds[row], bounds[row + 1], reach[wanted - done - 1], banned, n_states
                )
                if e < 0 and row != now:  # a context that leads nowhere: fall back on the state alone
                    e = _draw(
                        generator,
                        weights,
                        items,
                        bounds[now],
                        bounds[now + 1],
                        reach[wanted - done - 1],
                        banned,
                        n_states,
                    )
                if e < 0:  # no walk of that length: take any step there is
                    e = _draw(generator, weights, items, bounds[now], bounds[now + 1], open_reach, banned, n_states)
                if e < 0:
                    break
                x = items[e]
                if has_bars[x]:
                    for b in range(n_states):
                        if bars[x, b]:
                            banned[b] = True
                out[at + done] = x
                before, now = now, x
                done += 1
            best = done
            if done == wanted:
                break
        walked[i] = best
        at += best
    return out[:at].copy(), walked


@kernel("uint64[::1], int32[::1], int64[::1], int64[::1], Clock, Limits", **RECORDS)
def clocked(generator, states, offsets, starts, clock, limits):
    """Times of all events: a gap bin from the row of (from, to), then a moment in it that suits state and weekday.

    Of `candidates` log-uniform moments one is drawn with weight `hours[state, hour] * weekdays[weekday]` and cut to
    whole multiples of `grain` seconds before the next gap starts from it. A trace longer than `span` is given up and
    drawn again, `tries` times in all; the last one stays.
    """
    edges, grain, span = clock.edges, limits.grain, limits.span
    times = np.empty(len(states), np.int64)
    weights = np.empty(limits.candidates)
    gaps = np.empty(limits.candidates)
    for i in range(len(starts)):
        for left in range(limits.tries - 1, -1, -1):
            t = starts[i]
            for p in range(offsets[i], offsets[i + 1]):
                if left and t - starts[i] > span:
                    break  # later events cannot bring it back
                if p > offsets[i]:
                    shares = clock.gap_bounds[clock.gap_row[states[p - 1], states[p]]]
                    b = min(first_above(shares, fraction(generator) * shares[-1]), len(edges) - 2)
                    if edges[b] >= 1.0:
                        hours = clock.hours[states[p]]
                        t += _moment_in(generator, t, edges[b], edges[b + 1], hours, clock.weekdays, weights, gaps)
                        t = t // grain * grain
                times[p] = t
            if t - starts[i] <= span:
                break
    return times


@kernel("uint64[::1], int64, float64, float64, float64[::1], float64[::1], float64[::1], float64[::1]")
def _moment_in(generator, t, low, high, hours, weekdays, weights, gaps):
    """A gap of `low..high` seconds whose end suits the hour and weekday; scratch space decides how many are tried."""
    tries = len(gaps) if high > 3600.0 else 1
    total = 0.0
    for c in range(tries):
        gaps[c] = low * np.exp(fraction(generator) * np.log(high / low))
        moment = t + np.int64(gaps[c])
        day = moment // 86400
        weights[c] = hours[(moment - day * 86400) // 3600] * weekdays[(day + 3) % 7]
        total += weights[c]
    pick = 0
    if total > 0.0 and tries > 1:
        u = fraction(generator) * total
        while pick < tries - 1 and u >= weights[pick]:
            u -= weights[pick]
            pick += 1
    return np.int64(gaps[pick])
