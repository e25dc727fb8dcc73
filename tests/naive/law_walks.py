"""Walks through an ensemble of laws as plain loops: rows in a dictionary, the same random numbers as the kernels."""

import datetime
import math

from tests.naive.samplers import Xoshiro

DAY, HOUR = 86400, 3600
TRIES = 100


def key(family, cluster, value, row):
    """Family, cluster (24 bits, from -1), value (10 bits, -1 as 0) and row (24 bits) side by side."""
    return (((family << 24) + cluster + 1) * 1024 + max(value, 0)) * 2**24 + row


class Table:
    """Laws with their rows in a dictionary."""

    def __init__(self, laws):
        self.rows = {int(k): int(r) for k, r in laws.slots if k != -1}
        self.bounds, self.items, self.totals = laws.bounds.tolist(), laws.items.tolist(), laws.totals.tolist()
        self.means, self.spreads = laws.means.tolist(), laws.spreads.tolist()
        self.weights, self.shares = laws.weights.tolist(), laws.shares.tolist()

    def find(self, *parts):
        return self.rows.get(key(*parts))

    def entries(self, row):
        return range(self.bounds[row], self.bounds[row + 1])

    def count(self, e, row):
        return self.totals[e] - (self.totals[e - 1] if e > self.bounds[row] else 0)

    def total(self, row):
        return self.totals[self.bounds[row + 1] - 1]

    def fitting(self, families, cluster, values, row):
        """Rows of all families that know cluster and value."""
        found = []
        for f, (by_cluster, factor) in enumerate(zip(families.by_cluster, families.factor, strict=True)):
            value = int(values[factor]) if factor >= 0 else -1
            if (factor >= 0 and value < 0) or (by_cluster and cluster < 0):
                continue
            r = self.find(f, cluster if by_cluster else -1, value, row)
            if r is not None:
                found.append(r)
        return found

    def entry(self, stream, row):
        u = stream.random() * self.total(row)
        return next(e for e in self.entries(row) if self.totals[e] > u)

    def pick(self, stream, rows):
        total = 0.0
        for r in rows:
            total += self.weights[r]
        u = stream.random() * total
        for r in rows[:-1]:
            if u < self.weights[r]:
                return self.entry(stream, r)
            u -= self.weights[r]
        return self.entry(stream, rows[-1])

    def draw(self, stream, families, cluster, values, row, lossy=False):
        """An entry, or None."""
        rows = self.fitting(families, cluster, values, row)
        if not rows or (lossy and stream.random() >= max(self.shares[r] for r in rows)):
            return None
        return self.pick(stream, rows)


def at_least(stream, mean, spread, low):
    if spread > 0:
        for _ in range(60):
            x = mean + spread * stream.normal()
            if x >= low:
                return x
        return low
    return max(mean, low)


def time_like(stream, mean, spread, low, skewed):
    if not skewed:
        return at_least(stream, mean, spread, low)
    if spread <= 0 or mean <= 0:
        return max(mean, low)
    variance = math.log1p((spread / mean) ** 2)
    return max(low, mean * math.exp(math.sqrt(variance) * stream.normal() - variance / 2))


def set_moment(values, t, clocked):
    if clocked:
        values[1], values[2] = (t // DAY + 3) % 7, t % DAY // HOUR


def set_season(values, t, clocked, year0):
    set_moment(values, t, clocked)
    if clocked:
        date = datetime.date(1970, 1, 1) + datetime.timedelta(days=t // DAY)
        values[3], values[4] = date.month - 1, min(max(date.year - year0, 0), 1023)


class Level:
    """A chain with its laws as tables."""

    def __init__(self, chain):
        self.families = chain.families
        self.start, self.hour, self.move, self.near = map(Table, (chain.start, chain.hour, chain.move, chain.near))
        self.mean, self.spread = chain.time_mean, chain.time_spread

    def nearby(self, stream, row):
        for table, where in ((self.near, row), (self.start, 0)):
            r = table.find(0, -1, -1, where) if where >= 0 else None
            if r is not None:
                return table.items[table.entry(stream, r)]
        return -1


def synthesize(words, objects, year0, outer, inner, plan, most):
    """States, times and offsets of the published generator."""
    stream, outer, inner = Xoshiro(words), Level(outer), Level(inner)
    states, times, offsets = [], [], [0]
    for i, day in enumerate(objects.dates.tolist()):
        if len(states) <= most or plan.sized:
            one_object(stream, (day, objects.section_means[i], objects.section_spreads[i]), year0, outer, inner, plan,
                       states, times)  # fmt: skip
        offsets.append(len(states))
    return states, times, offsets


def one_object(stream, told, year0, outer, inner, plan, states, times):
    day, mean, spread = told
    begin, banned = len(states), set()
    sections = max(1, round(mean + spread * stream.normal()))
    values, start = [-1] * 5, 0
    if plan.has_clock:
        set_season(values, day * DAY, True, year0)
        values[2] = -1
        e = outer.hour.draw(stream, outer.families, -1, values, 0)
        if e is not None:
            hour = outer.hour.items[e]
        else:
            u = stream.random() * plan.hours[-1]
            hour = next(h for h, x in enumerate(plan.hours) if x > u)
        start = day * DAY + int(hour) * HOUR + int(stream.random() * HOUR)
    e = outer.start.draw(stream, outer.families, -1, values, 0, plan.sized)
    cluster = outer.start.items[e] if e is not None else -1
    for s in range(sections):
        if s:
            set_season(values, start, plan.has_clock, year0)
            values[0] = -1
            e = outer.move.draw(stream, outer.families, -1, values, cluster, plan.sized) if cluster >= 0 else None
            if e is not None:
                cluster, mean, spread = outer.move.items[e], outer.move.means[e], outer.move.spreads[e]
            else:
                cluster = -1 if plan.sized else outer.nearby(stream, cluster)
                mean, spread = outer.mean, outer.spread
            gap = int(time_like(stream, mean, spread, 1.0, plan.sized))
            if cluster < 0 and not plan.sized:
                break
            start = max(start + gap, times[-1] + 1) if len(states) > begin else start + gap
        if one_section(stream, start, cluster, values, banned, begin, inner, plan, states, times):
            break


def one_section(stream, start, cluster, values, banned, begin, inner, plan, states, times):
    """Whether the object ends with it."""
    values[0] = -1
    set_moment(values, start, plan.has_clock)
    e = inner.hour.draw(stream, inner.families, cluster, values, values[2] if plan.has_hours else 0)
    law = (plan.length_mean, plan.length_spread) if e is None else (inner.hour.means[e], inner.hour.spreads[e])
    length = int(time_like(stream, *law, 0.0, plan.sized))
    values[0] = (length // (HOUR if plan.has_clock else 1)).bit_length()
    for _ in range(TRIES):
        e = inner.start.draw(stream, inner.families, cluster, values, 0)
        if e is None or inner.start.items[e] not in banned:
            break
    else:
        e = None
    if e is None:
        return False
    wanted = plan.max_events
    if plan.sized:
        wanted = round(time_like(stream, inner.start.means[e], inner.start.spreads[e], 1.0, True))
    a, t, head, over = inner.start.items[e], start, len(states), False
    while a >= 0:
        states.append(a)
        times.append(t)
        if len(states) - begin == 1:
            banned |= {x for x, opens in enumerate(plan.openers) if opens}
        over = bool(plan.finals[a]) or len(states) - begin >= plan.max_events
        if over or not plan.leaves[a] or len(states) - head >= wanted:
            break
        if len(plan.bars):
            banned |= {x for x, barred in enumerate(plan.bars[a]) if barred}
        set_moment(values, t, plan.has_clock)
        a, gap = next_event(stream, inner, plan, cluster, a, len(states) - head + 1 == wanted, values, banned)
        t += gap
        if t > start + length and not plan.sized:
            break
    if plan.sized:
        last = times[-1]
        for p in range(head + 1, len(times)):
            share = (times[p] - start) / max(last - start, 1)
            times[p] = max(times[p - 1] + plan.unit, start + int(share * length))
    return over


def next_event(stream, inner, plan, cluster, state, last, values, banned):
    rows = inner.move.fitting(inner.families, cluster, values, state)
    if rows:
        e = inner.move.pick(stream, rows)
        for _ in range(TRIES):
            b = inner.move.items[e]
            suits = plan.ends[b] if last else 1 - plan.ends[b]
            if b not in banned and (not plan.sized or stream.random() < suits):
                break
            e = inner.move.pick(stream, rows)
        state, mean, spread = inner.move.items[e], inner.move.means[e], inner.move.spreads[e]
    else:
        state, mean, spread = inner.nearby(stream, state), inner.mean, inner.spread
    gap = int(time_like(stream, mean, spread, float(plan.unit), plan.sized))
    return (-1 if state in banned else state), gap
