"""The simulated day, written plainly: one person, lists and dictionaries of probabilities."""

import math

MASK = 2**64 - 1


class Splitmix:
    def __init__(self, seed):
        self.x = int(seed)

    def uniform(self):
        self.x = (self.x + 0x9E3779B97F4A7C15) & MASK
        z = self.x
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & MASK
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & MASK
        z ^= z >> 31
        return (z >> 11) / 2**53


def normal(row):
    total = 0.0
    for v in row:
        total += v
    return [v / total for v in row]


def tilt(profile, weights, target, steps=10):
    states = range(len(target))
    factor = [1.0 for _ in states]
    for _ in range(steps):
        mean = [1e-12 for _ in states]
        for row, weight in zip(profile, weights):
            if weight > 0:
                total = sum(row[a] * factor[a] for a in states)
                for a in states:
                    mean[a] += weight / total * row[a] * factor[a]
        factor = [factor[a] * (target[a] / mean[a]) for a in states]
        largest = max(factor)
        factor = [max(f / largest, 1e-12) for f in factor]
    return factor


def day_matrices(q, exchange, starts):
    """Rates of leaving and where to, per segment."""
    states, out = range(len(q[0])), []
    for s in range(len(q)):
        before, after = max(0, s - 1), min(len(q) - 1, s + 1)
        apart = max(1, starts[after] - starts[before])
        change = [(q[after][a] - q[before][a]) / apart for a in states]
        rising = sum(c for c in change if c > 0) + 1e-300
        rows = []
        for a in states:
            row = []
            for b in states:
                flow = 0.0
                if a != b:
                    flow = exchange[s][a][b] * math.sqrt(q[s][a]) * math.sqrt(q[s][b])
                    net = max(-change[a], 0.0) * max(change[b], 0.0) / rising
                    back = max(-change[b], 0.0) * max(change[a], 0.0) / rising
                    if net or back:
                        flow = max(0.0, flow - (net + back) / 2) + net
                row.append(flow / q[s][a])
            rows.append(row)
        out.append(rows)
    return out


def person(seed, targets, profile, day_bins, exchange, seg, age_factor, day_length, candidates, closeness, age_bin):
    random, states = Splitmix(seed), range(len(profile[0]))
    path, state, age, last = [], None, 0, None
    for d, target in enumerate(targets):
        segments = range(seg.of_day[d], seg.of_day[d + 1])
        factor = tilt(profile, day_bins[d], target)
        q = []
        for s in segments:
            c = seg.combo[s]
            low, high = (normal([profile[b][a] * factor[a] for a in states]) for b in (seg.low[c], seg.high[c]))
            w = seg.weight[c]
            q.append([(1 - w) * low[a] + w * high[a] for a in states])
        if last is not None:
            gap = [last[a] - q[0][a] for a in states]
            for s in range(min(4, len(q))):
                q[s] = [max(1e-9, q[s][a] + gap[a] * (1 - (s + 1) / 5)) for a in states]
        last = q[-1]
        rates = day_matrices(q, [exchange[seg.combo[s]] for s in segments], [seg.start[s] for s in segments])
        if state is None:
            u, state = random.uniform(), len(states) - 1
            for a in states:
                u -= q[0][a]
                if u < 0:
                    state = a
                    break
        length = seg.end[segments[-1]] - seg.start[segments[0]]
        drafts = []
        for _ in range(candidates if length == day_length else 1):
            now, old, draft = state, age, []
            for s in segments:
                for _ in range(seg.end[s] - seg.start[s]):
                    u = random.uniform()
                    row = rates[s - segments[0]][now]
                    leave = sum(row)
                    if old > 0:
                        chance = min(0.9, leave * age_factor[now][age_bin(old)])
                        if u < chance:
                            now, old = choose(row, u * (leave / chance), now), 0
                    draft.append(now)
                    old += 1
            miss = sum(closeness[a] * abs(draft.count(a) / length - target[a]) for a in states)
            drafts.append((miss, len(drafts), draft, now, old))
        _, _, draft, state, age = min(drafts)
        path += draft
    return path


def choose(row, u, now):
    others = [b for b in range(len(row)) if b != now]
    reached = 0.0
    for b in others:
        reached += row[b]
        if reached > u:
            return b
    return others[-1]
