"""Gaps fitted to a span, one case at a time, from lists; the same random numbers as the kernel."""

import math
from itertools import pairwise

from tests.naive.samplers import Xoshiro

DAY = 86400


def in_steps(days, step):
    return step * ((days + step // 2) // step)


def changed(gaps, need):
    """Gaps with so many days more or fewer, and how many they could not give."""
    for step in (7, 1):
        days = [g // DAY if g >= step * DAY else 0 for g in gaps]
        if abs(need) < step or not sum(days):
            continue
        aim, given = max(need, -sum(days)), 0
        for i, d in enumerate(days):
            if d:
                more = in_steps(math.floor(sum(days[: i + 1]) * (aim / sum(days)) + 0.5) - given, step)
                more = max(more, 0) if aim > 0 else -min(max(-more, 0), d // step * step)
                gaps[i] += more * DAY
                given += more
        need -= given
    if need > 0:
        middle = len(gaps) // 2
        gaps[middle if gaps[middle] == max(gaps) else gaps.index(max(gaps))] += need * DAY
    return gaps, min(need, 0)


def squeezed(gaps, need):
    while need > 0:
        groups, own = [], []
        for i in range(len(gaps)):
            own.append(i)
            if sum(gaps[j] for j in own) >= DAY:
                groups.append(own)
                own = []
        if not groups:
            break
        each = min(need, len(groups))
        for k, own in enumerate(groups):
            if (k + 1) * each // len(groups) > k * each // len(groups):
                length = sum(gaps[j] for j in own)
                until = [sum(gaps[j] for j in own[: m + 1]) * (length - DAY) // length for m in range(len(own))]
                for j, a, b in zip(own, [0, *until], until):
                    gaps[j] = b - a
        need -= each
    return gaps


def by_seconds(gaps, target):
    total = sum(gaps)
    if total > target:
        level = max(x for x in (*gaps, *_levels(gaps, target)) if sum(min(g, x) for g in gaps) <= target)
        return [min(g, level) for g in gaps]
    long = sum(g for g in gaps if g >= 60)
    if not long:
        gaps[gaps.index(max(gaps))] += target - total
        return gaps
    return [int(g * ((target - total + long) / long)) if g >= 60 else g for g in gaps]


def _levels(gaps, target):
    """Candidates for a common level: what is left for the gaps above it, shared evenly."""
    rising = sorted(gaps)
    return [(target - sum(rising[:i])) // (len(rising) - i) for i in range(len(rising))]


def fit(gaps, target, by_day):
    need = math.floor((target - sum(gaps)) / DAY + 0.5)
    gaps, left = changed(gaps, in_steps(need, 7) if abs(need) >= 7 and target >= 70 * DAY else need)
    if left < 0 and not by_day and target >= DAY:
        gaps = squeezed(gaps, -left)
    total = sum(gaps)
    if not by_day and target < DAY and abs(total - target) > 0.25 * target + (60 if total > target else 0):
        gaps = by_seconds(gaps, target)
    return gaps


def shift_of(stream, moment, days, back, weekdays):
    reach = min(3, max(1, days // 3))
    allowed = [q for q in range(-reach, reach + 1) if days + q - back >= 1]
    weights = [weekdays[(moment // DAY + q - back + 3) % 7] for q in allowed]
    total = 0.0
    for w in weights:
        total += w
    if total <= 0:
        return back
    u, pick = stream.random() * total, 0
    for q, w in zip(allowed, weights):
        if w > 0:
            pick = q
            u -= w
            if u < 0:
                break
    return pick


def fitted(words, times, offsets, targets, grain, weekdays):
    stream, out = Xoshiro(words), []
    for a, b, target in zip(offsets[:-1], offsets[1:], targets, strict=True):
        own = times[a:b]
        drawn = [y - x for x, y in pairwise(own)]
        gaps = fit(list(drawn), target, grain >= DAY) if drawn else []
        t, off = own[0], 0
        out.append(t)
        for gap, before in zip(gaps, drawn):
            days = gap // DAY
            if days >= 2 and (days - before // DAY) % 7:
                shift = shift_of(stream, t + gap, days, off, weekdays)
                gap += (shift - off) * DAY
                off = shift
            t += gap
            out.append(t)
    return out
