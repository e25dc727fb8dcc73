"""Gaps of a drawn case brought to a given span, in whole days where possible: clock times stay as they were drawn."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.xoshiro import fraction

DAY = 86400
WEEK, LONG = 7, 70
"""Days: from the first on a change is made in whole weeks as far as they go; cases of the second or more change in
whole weeks alone, because weekdays matter more there than three days."""
FAR = 3
"""Days by which a changed gap may move to meet a weekday."""


@kernel("int64, int64")
def _in_steps(days, step):
    """The nearest multiple of a step of one day or seven."""
    return (days + step // 2) // step * step


@kernel("int64[::1], int64")
def change_days(gaps, need):
    """Add `need` days to the gaps of a day or more in proportion, or take them off; returns what gaps could not give.

    Gaps of a week or more change first, in whole weeks: they keep weekdays. Where no gap lasts a day, the longest gets
    what is to be added.
    """
    for step in (WEEK, 1):
        if abs(need) < step:
            continue
        whole = np.int64(0)
        for g in gaps:
            whole += g // 86400 if g >= step * 86400 else 0
        if whole == 0:
            continue
        aim, seen, given = max(need, -whole), np.int64(0), np.int64(0)
        for i in range(len(gaps)):
            days = gaps[i] // 86400
            if days >= step:
                seen += days
                more = _in_steps(np.int64(np.floor(seen * (aim / whole) + 0.5)) - given, step)
                more = max(more, 0) if aim > 0 else min(max(more, -(days // step * step)), 0)
                gaps[i] += more * 86400
                given += more
        need -= given
    if need > 0:
        longest = len(gaps) // 2
        for i in range(len(gaps)):
            if gaps[i] > gaps[longest]:
                longest = i
        gaps[longest] += need * 86400
    return min(need, 0)


@kernel("int64[::1], int64")
def squeeze(gaps, need):
    """Take `need` days off gaps that are shorter than a day, as far as they last.

    Neighbouring gaps that make up a day together lose that day, evenly among all such groups: only the events between
    them leave their time of day.
    """
    while need > 0:
        groups, begin, length = np.int64(0), 0, np.int64(0)
        for g in gaps:
            length += g
            if length >= 86400:
                groups += 1
                length = np.int64(0)
        length = np.int64(0)
        if groups == 0:
            return
        each, seen = min(need, groups), np.int64(0)
        for i in range(len(gaps)):
            length += gaps[i]
            if length >= 86400:
                if (seen + 1) * each // groups > seen * each // groups:
                    kept, given, sum_ = length - 86400, np.int64(0), np.int64(0)
                    for j in range(begin, i + 1):
                        sum_ += gaps[j]
                        gaps[j] = sum_ * kept // length - given
                        given += gaps[j]
                seen += 1
                begin, length = i + 1, np.int64(0)
        need -= each


@kernel("int64[::1], int64, int64")
def within_a_day(gaps, total, target):
    """Seconds, for targets below a day: long gaps are cut to one level, or gaps of a minute and more are stretched."""
    if total > target:
        low, high = np.int64(0), gaps.max()
        while low < high:
            level = (low + high + 1) // 2
            kept = np.int64(0)
            for g in gaps:
                kept += min(g, level)
            if kept > target:
                high = level - 1
            else:
                low = level
        for i in range(len(gaps)):
            gaps[i] = min(gaps[i], low)
        return
    long = np.int64(0)
    for g in gaps:
        if g >= 60:
            long += g
    if long == 0:
        gaps[np.argmax(gaps)] += target - total
        return
    for i in range(len(gaps)):
        if gaps[i] >= 60:
            gaps[i] = np.int64(gaps[i] * ((target - total + long) / long))


@kernel("int64[::1], int64, int64")
def fit_case(gaps, target, grain):
    """Gaps whose sum is near the target: within half a day, or within a quarter where the target is below a day."""
    need = np.int64(np.floor((target - gaps.sum()) / 86400 + 0.5))
    left = change_days(gaps, _in_steps(need, WEEK) if abs(need) >= WEEK and target >= LONG * 86400 else need)
    if left < 0 and grain < 86400 <= target:
        squeeze(gaps, -left)
    if grain < 86400 and target < 86400:
        total = gaps.sum()
        if abs(total - target) > 0.25 * target + (60 if total > target else 0):
            within_a_day(gaps, total, target)


@kernel("uint64[::1], int64, int64, int64, float64[::1]")
def _weekday_shift(generator, moment, days, back, weekdays):
    """Days by which a gap of so many is moved so that it ends on a likely weekday; `back` is what was moved before."""
    reach = min(FAR, max(1, days // 3))
    weights = np.zeros(2 * FAR + 1)
    total = 0.0
    for q in range(-reach, reach + 1):
        if days + q - back >= 1:
            weights[q + FAR] = weekdays[((moment // 86400 + q - back) + 3) % 7]
            total += weights[q + FAR]
    if total <= 0.0:
        return back
    u = fraction(generator) * total
    pick = 0
    for q in range(-reach, reach + 1):
        if weights[q + FAR] > 0.0:
            pick = q
            u -= weights[q + FAR]
            if u < 0.0:
                break
    return np.int64(pick)


@kernel("uint64[::1], const(int64[::1]), const(int64[::1]), const(int64[::1]), int64, const(float64[::1])")
def fitted(generator, times, offsets, targets, grain, weekdays):
    """Times of all events, the last of every case about `targets` seconds after its first.

    A changed gap of two days or more may move by up to three days, drawn by the weights of weekdays; the next changed
    gap takes the deviation back.
    """
    out = times.copy()
    weights = weekdays.copy()
    for i in range(len(targets)):
        lo, hi = offsets[i], offsets[i + 1]
        if hi - lo < 2:
            continue
        gaps = times[lo + 1 : hi] - times[lo : hi - 1]
        fit_case(gaps, targets[i], grain)
        t, off = times[lo], np.int64(0)
        for p in range(lo + 1, hi):
            gap = gaps[p - lo - 1]
            days = gap // 86400
            if days >= 2 and (days - (times[p] - times[p - 1]) // 86400) % WEEK:
                shift = _weekday_shift(generator, t + gap, days, off, weights)
                gap += (shift - off) * 86400
                off = shift
            t += gap
            out[p] = t
    return out
