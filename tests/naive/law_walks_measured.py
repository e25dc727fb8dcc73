"""Walks of measured lengths as plain loops; the same random numbers as the kernel."""

import math

from tests.naive.law_walks import DAY, HOUR, Table, set_moment, set_season
from tests.naive.samplers import Xoshiro

FACTORS, CANDIDATES, REACH_COSTS, OPENING = 6, 24, 400_000, 100


class Walker:
    def __init__(self, words, year0, tested, frame):
        self.stream, self.year0, self.laws, self.frame = Xoshiro(words), year0, tested, frame
        told = ("start", "move", "gap", "length", "duration", "pause", "attribute", "first", "then")
        self.table = {name: Table(getattr(tested, name)) for name in told}
        self.clocked = frame.unit > 0

    def draw(self, name, families, cluster, values, row, lossy=False):
        return self.table[name].draw(self.stream, families, cluster, values, row, lossy)

    def kept(self, name, *parts):
        """An item of a row with the share the test left of it, or None."""
        law = self.table[name]
        row = law.find(*parts)
        if row is None or self.stream.random() >= law.shares[row]:
            return None
        return law.items[law.entry(self.stream, row)]

    def by_share(self, running):
        u = self.stream.random() * running[-1]
        return next((j for j, x in enumerate(running[:-1]) if u < x), len(running) - 1)

    def by_weight(self, weights):
        total = 0.0
        for w in weights:
            total += w
        u = self.stream.random() * total
        for j, w in enumerate(weights[:-1]):
            if u < w:
                return j
            u -= w
        return len(weights) - 1

    def in_bin(self, b):
        low, high = int(self.frame.length_edges[b]), int(self.frame.length_edges[b + 1])
        return min(low + int(self.stream.random() * (high - low)), high - 1)

    def wanted_length(self, cluster):
        frame = self.frame
        if cluster >= 0:
            b = self.kept("length", 0, cluster, -1, 0)
            if b is not None:
                return self.in_bin(b)
        if not len(frame.residual) or frame.residual[-1] <= 0:
            return 1
        group = self.by_share(frame.residual.tolist())
        low, high = int(frame.group_low[group]), int(frame.group_high[group])
        return min(int(low * (high / low) ** self.stream.random()), high - 1)

    def in_season(self, cluster, values):
        law, families = self.table["first"], self.laws.outer

        def share(row):
            return sum(law.count(e, row) for e in law.entries(row) if law.items[e] == cluster) / law.total(row)

        whole = law.find(0, -1, -1, 0)
        usual = share(whole) if whole is not None else 0.0
        if usual <= 0:
            return 1.0
        total = weight = 0.0
        for f, factor in enumerate(families.factor):
            if factor >= 0 and values[factor] < 0:
                continue
            row = law.find(f, -1, values[factor] if factor >= 0 else -1, 0)
            if row is not None:
                total += share(row)
                weight += 1.0
        return total / (weight * usual) if weight > 0 else 1.0

    def season_of(self, clusters, values):
        weights = [self.in_season(c, values) for c in clusters]
        total = 0.0
        for w in weights:
            total += w
        if total <= 0:
            return 0
        u = self.stream.random() * total
        for k, w in enumerate(weights):
            u -= w
            if u < 0:
                return k
        return len(clusters) - 1

    def attributes(self, cluster, values):
        for j, untold in enumerate(self.frame.untold.tolist()):
            item = self.kept("attribute", 1, cluster, -1, j) if cluster >= 0 else None
            if item is None:
                item = self.by_share(untold) if untold[-1] > 0 else -1
            values[FACTORS + j] = item

    def reach(self, cluster, steps):
        """`out[k][a]`: how likely a walk of the cluster, now in a, ends after k more states."""
        law, n, whole = self.table["move"], self.frame.n_states, self.frame.reach[:steps].tolist()
        if cluster < 0:
            return whole
        families = zip(self.laws.families.by_cluster, self.laws.families.factor, strict=True)
        own = next((f for f, (by_cluster, factor) in enumerate(families) if by_cluster and factor < 0), 0)
        rows = [law.find(own, cluster, -1, a) for a in range(n)]
        rows = [law.find(0, -1, -1, a) if r is None else r for a, r in enumerate(rows)]
        if sum(len(law.entries(r)) for r in rows if r is not None) * steps > REACH_COSTS:
            return whole
        out = []
        for k in range(steps):
            line = []
            for row in rows:
                total = 0.0
                for e in law.entries(row) if row is not None else ():
                    if law.items[e] == n:
                        total += law.count(e, row) if k == 0 else 0.0
                    elif k:
                        total += law.count(e, row) * out[-1][law.items[e]]
                line.append(total / law.total(row) if row is not None else 0.0)
            top = max(line)
            out.append([x / top for x in line] if top > 0 else line)
        return out

    def step(self, rows, reach, banned):
        law, choices = self.table["move"], []
        for row in rows:
            scale = 1.0 / law.total(row)
            for e in law.entries(row):
                x = law.items[e]
                if x != self.frame.n_states and x not in banned:
                    w = scale * law.count(e, row) * reach[x]
                    if w > 0:
                        choices.append((x, w))
        total = 0.0
        for _, w in choices:
            total += w
        if total <= 0:
            return None
        u = self.stream.random() * total
        for x, w in choices:
            u -= w
            if u < 0:
                return x
        return choices[-1][0]

    def later(self, t, gap, hours):
        low, high = self.frame.gap_edges[gap], self.frame.gap_edges[gap + 1]
        if low < 1:
            return t
        moments = [
            t + int(low * math.exp(self.stream.random() * math.log(high / low)))
            for _ in range(CANDIDATES if high > HOUR else 1)
        ]
        weights = [float(hours[m % DAY // HOUR]) for m in moments]
        if len(moments) == 1 or sum(weights) <= 0:
            return moments[0]
        return moments[self.by_weight(weights)]

    def section(self, day, t, first, cluster, pause, length, values, banned, so_far):
        """Events of one section as (state, time), and whether it ends the object; None if nothing can start it."""
        laws, frame = self.laws, self.frame
        values[:FACTORS] = [-1] * FACTORS
        e = self.draw("duration", laws.few, cluster, values, 0)
        if e is not None:
            values[0] = self.table["duration"].items[e]
        for _ in range(OPENING):
            e = self.draw("start", laws.families, cluster, values, 0)
            if e is None or self.table["start"].items[e] not in banned:
                break
        else:
            e = None
        if e is None:
            return None
        a = self.table["start"].items[e]
        if not first and self.clocked:
            t = self.later(t, pause, frame.hours[a])
        elif frame.unit == 1:
            hour = self.by_weight(frame.hours[a].tolist())
            t = day * DAY + hour * HOUR + int(self.stream.random() * HOUR)
        if frame.unit == 2:
            t = t // DAY * DAY
        wanted = min(self.wanted_length(cluster) if length is None else length, len(frame.reach))
        reach = self.reach(cluster, wanted)
        values[5] = 4
        out = []
        while True:
            out.append((a, t))
            if so_far + len(out) == 1:
                banned |= {x for x, opens in enumerate(frame.openers) if opens}
            over = bool(frame.finals[a]) or so_far + len(out) >= frame.max_events
            if over or len(out) >= wanted:
                return out, over
            if len(frame.bars):
                banned |= {x for x, barred in enumerate(frame.bars[a]) if barred}
            set_moment(values, t, self.clocked)
            rows = self.table["move"].fitting(laws.families, cluster, values, a)
            b = self.step(rows, reach[wanted - len(out) - 1], banned)
            if b is None:
                b = self.step(rows, [1.0] * frame.n_states, banned)
            if b is None:
                return out, over
            if self.clocked:
                e = self.draw("gap", laws.gap_families, cluster, values, a * frame.n_states + b)
                gap = self.table["gap"].items[e] if e is not None else frame.usual_gap
                before = t
                t = self.later(t, gap, frame.hours[b] if frame.unit == 1 else [1.0] * 24)
                if frame.unit == 2:
                    t = t // DAY * DAY
                values[5] = sum(t - before >= x for x in (1, HOUR, DAY))
            a = b


def synthesize(words, objects, year0, tested, frame):
    """States, times, offsets, and the value of every declared column."""
    walker = Walker(words, year0, tested, frame)
    states, times, offsets, drawn = [], [], [0], []
    for i, day in enumerate(objects.dates.tolist()):
        values, length, t = [-1] * (FACTORS + len(frame.untold)), None, day * DAY
        set_season(values, t, walker.clocked, year0)
        values[2] = -1
        if len(objects.lengths):
            clusters = objects.clusters[i].tolist()
            k = walker.season_of(clusters, values) if clusters[0] >= 0 else 0
            cluster = clusters[k]
            length = walker.in_bin(objects.bins[i, k]) if cluster >= 0 else int(objects.lengths[i])
        else:
            e = walker.draw("first", tested.outer, -1, values, 0, True)
            cluster = walker.table["first"].items[e] if e is not None else -1
        walker.attributes(cluster, values)
        drawn.append(values[FACTORS:])
        events, banned, pause, first = [], set(), 0, True
        while True:
            if not first:
                if length is not None or cluster < 0:
                    break
                values[:FACTORS] = [-1] * FACTORS
                set_season(values, t, walker.clocked, year0)
                e = walker.draw("then", tested.outer, -1, values, cluster)
                if e is None or walker.table["then"].items[e] == frame.n_clusters:
                    break
                e2 = walker.draw("pause", tested.few, cluster, values, 0)
                pause = walker.table["pause"].items[e2] if e2 is not None else frame.usual_gap
                cluster = walker.table["then"].items[e]
            told = walker.section(day, t, first, cluster, pause, length, values, banned, len(events))
            if told is None:
                break
            events += told[0]
            t, first = told[0][-1][1], False
            if told[1]:
                break
        states += [a for a, _ in events]
        times += [when for _, when in events]
        offsets.append(len(states))
    return states, times, offsets, drawn
