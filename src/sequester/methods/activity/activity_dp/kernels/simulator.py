"""Simulated days: a semi-Markov walk over states that follows a daily profile, a day's target and a law of bouts.

A person-day has a target share per state. The profile is tilted until its mean over the day is the target; within
half-hour segments a state is left at a rate made of the exchange flows between states, scaled to the tilted profile,
plus the net flow that carries the profile from one segment to the next, times a factor for the age of the bout.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.activity.activity_dp.kernels.calendar import SEGMENTS
from sequester.primitives.compiled import Record, kernel

RAKING_STEPS = 10
CATCH_UP = 4
"""Segments over which a new day's profile takes over from the last day's end."""
MOST = 0.9
"""Largest probability of leaving a state in one interval."""


class People(NamedTuple):
    """Whom to simulate: a person's walk depends on their own seed, pace and targets only."""

    seeds: np.ndarray
    pace: np.ndarray
    """Factor on the exchange between states."""
    targets: np.ndarray
    """People x days x states, positive shares."""


class Law(NamedTuple):
    """What all people have in common."""

    profile: np.ndarray
    """Bins x states, positive."""
    day_bins: np.ndarray
    """Days x bins, how a day is spread over bins."""
    exchange: np.ndarray
    """Combinations x states x states: exchange flow divided by the root of both states' shares in the profile."""
    age_factor: np.ndarray
    """States x length bins: factor on the rate of leaving."""
    age_bin: np.ndarray
    """Age in intervals → length bin, capped."""


class Choice(NamedTuple):
    """Of `candidates` for a whole day, the one is kept whose counts miss the target least."""

    day_length: int
    candidates: int
    closeness: np.ndarray
    """What a miss in a state counts."""


RECORDS = {
    "People": Record(People, "uint64[::1], float64[::1], float64[:, :, ::1]"),
    "Law": Record(Law, "float64[:, ::1], float64[:, ::1], float64[:, :, ::1], float64[:, ::1], int64[::1]"),
    "Segments": SEGMENTS,
    "Choice": Record(Choice, "int64, int64, float64[::1]"),
}


@kernel("uint64")
def _next(x):
    """A step of splitmix64: the new counter and its hash as a number in [0, 1)."""
    x = x + np.uint64(0x9E3779B97F4A7C15)
    z = x
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return x, np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@kernel("float64[:, ::1], float64[::1], float64[::1], int64")
def tilt(profile, weights, target, steps):
    """Factors per state that give the profile (bins x states) the mean `target` under the bins' `weights`."""
    n_bins, n_states = profile.shape
    factor = np.ones(n_states)
    mean = np.empty(n_states)
    for _ in range(steps):
        mean[:] = 1e-12
        for b in range(n_bins):
            if weights[b] > 0:
                total = 0.0
                for a in range(n_states):
                    total += profile[b, a] * factor[a]
                share = weights[b] / total
                for a in range(n_states):
                    mean[a] += share * profile[b, a] * factor[a]
        largest = 0.0
        for a in range(n_states):
            factor[a] *= target[a] / mean[a]
            largest = max(largest, factor[a])
        for a in range(n_states):
            factor[a] = max(factor[a] / largest, 1e-12)
    return factor


@kernel("People, Law, Segments, Choice, uint8[:, ::1]", **RECORDS)
def simulate(people, law, segments, choice, out):
    """Fill `out` (people x intervals) with simulated states."""
    pace, targets, profile, exchange = people.pace, people.targets, law.profile, law.exchange
    age_factor, age_bin, closeness = law.age_factor, law.age_bin, choice.closeness
    seg_start, seg_end, of_day, combo = segments.start, segments.end, segments.of_day, segments.combo
    low, high, weight = segments.low, segments.high, segments.weight
    day_length, candidates = choice.day_length, choice.candidates
    n_people, n_days, n_states = targets.shape
    n_most = 0
    for d in range(n_days):
        n_most = max(n_most, of_day[d + 1] - of_day[d])
    longest = len(age_bin) - 1
    q = np.empty((n_most, n_states))
    root = np.empty(n_states)
    leave = np.empty((n_most, n_states))
    toward = np.empty((n_most, n_states, n_states))
    change = np.empty(n_states)
    last_q = np.empty(n_states)
    gap = np.empty(n_states)
    counts = np.empty(n_states)
    drafts = np.empty((candidates, day_length), np.uint8)
    ends = np.empty((candidates, 2), np.int64)
    for i in range(n_people):
        x = np.uint64(people.seeds[i])
        state, age = -1, 0
        for d in range(n_days):
            first, n_seg = of_day[d], of_day[d + 1] - of_day[d]
            factor = tilt(profile, law.day_bins[d], targets[i, d], RAKING_STEPS)
            for s in range(n_seg):
                c = combo[first + s]
                for k in range(2):
                    b = high[c] if k == 1 else low[c]
                    w = weight[c] if k == 1 else 1.0 - weight[c]
                    total = 0.0
                    for a in range(n_states):
                        total += profile[b, a] * factor[a]
                    for a in range(n_states):
                        add = w * profile[b, a] * factor[a] / total
                        q[s, a] = add if k == 0 else q[s, a] + add
            if d > 0:
                for a in range(n_states):
                    gap[a] = last_q[a] - q[0, a]
                for s in range(min(CATCH_UP, n_seg)):
                    for a in range(n_states):
                        q[s, a] = max(1e-9, q[s, a] + gap[a] * (1.0 - (s + 1.0) / (CATCH_UP + 1.0)))
            for a in range(n_states):
                last_q[a] = q[n_seg - 1, a]
            for s in range(n_seg):
                c = combo[first + s]
                before, after = max(0, s - 1), min(n_seg - 1, s + 1)
                apart = max(1, seg_start[first + after] - seg_start[first + before])
                rising = 1e-300
                for a in range(n_states):
                    root[a] = np.sqrt(q[s, a])
                    change[a] = (q[after, a] - q[before, a]) / apart
                    if change[a] > 0:
                        rising += change[a]
                for a in range(n_states):
                    total = 0.0
                    for b in range(n_states):
                        if b != a:
                            flow = pace[i] * exchange[c, a, b] * root[a] * root[b]
                            net = 0.0
                            if change[a] < 0 and change[b] > 0:
                                net = -change[a] * change[b] / rising
                                flow = max(0.0, flow - net / 2) + net
                            elif change[a] > 0 and change[b] < 0:
                                flow = max(0.0, flow + change[a] * change[b] / rising / 2)
                            total += flow / q[s, a]
                        toward[s, a, b] = total
                    leave[s, a] = total
            if state < 0:
                x, u = _next(x)
                state, age = n_states - 1, 0
                for a in range(n_states):
                    u -= q[0, a]
                    if u < 0:
                        state = a
                        break
            length = seg_end[first + n_seg - 1] - seg_start[first]
            tries = candidates if length == day_length else 1
            best, least = 0, np.inf
            for k in range(tries):
                now, old = state, age
                counts[:] = 0.0
                at = 0
                for s in range(n_seg):
                    rate = leave[s, now]
                    for _ in range(seg_end[first + s] - seg_start[first + s]):
                        x, u = _next(x)
                        if old > 0:
                            out_of = min(MOST, rate * age_factor[now, age_bin[min(old, longest)]])
                            if u < out_of:
                                u *= rate / out_of
                                to = 0
                                while to < n_states - 1 and (to == now or toward[s, now, to] <= u):
                                    to += 1
                                if to == now:
                                    to = now - 1
                                now, old = to, 0
                                rate = leave[s, now]
                        drafts[k, at] = now
                        counts[now] += 1.0
                        old += 1
                        at += 1
                ends[k, 0], ends[k, 1] = now, old
                miss = 0.0
                for a in range(n_states):
                    miss += closeness[a] * abs(counts[a] / length - targets[i, d, a])
                if miss < least:
                    best, least = k, miss
            begin = seg_start[first]
            for t in range(length):
                out[i, begin + t] = drafts[best, t]
            state, age = ends[best, 0], ends[best, 1]
