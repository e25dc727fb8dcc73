"""The samplers as plain loops over minutes, with the same random numbers as the kernels."""

import math

import numpy as np

MASK = (1 << 64) - 1


class Xoshiro:
    """xoshiro256++ on Python integers."""

    def __init__(self, words):
        self.s = [int(w) for w in words]

    def word(self):
        s = self.s
        r = (s[0] + s[3]) & MASK
        out = (((r << 23) | (r >> 41)) + s[0]) & MASK
        t = (s[1] << 17) & MASK
        s[2] ^= s[0]
        s[3] ^= s[1]
        s[1] ^= s[2]
        s[0] ^= s[3]
        s[2] ^= t
        s[3] = ((s[3] << 45) | (s[3] >> 19)) & MASK
        return out

    def uniform(self):
        return ((self.word() >> 11) + 1.0) / 2**53

    def random(self):
        return 1.0 - self.uniform()

    def normal(self):
        radius = math.sqrt(-2.0 * math.log(self.uniform()))
        return radius * math.cos(2.0 * math.pi * self.uniform())


def sample_mixture(states, order, bounds, place, seeds, lanes, block):
    out = np.zeros((len(order), states.shape[1]), dtype=np.uint8)
    for c in range(len(bounds) - 1):
        streams = [Xoshiro(seeds[c][:, v]) for v in range(lanes)]
        rows = order[bounds[c] : bounds[c + 1]]
        for at in range(0, states.shape[1], block):
            for o in range(bounds[c], bounds[c + 1]):
                words = [streams[w % lanes].word() for w in range(block // 4)]
                halves = [(w >> (16 * h)) & 0xFFFF for w in words for h in range(4)]
                for t in range(min(block, states.shape[1] - at)):
                    out[place[o], at + t] = states[rows[halves[t] * len(rows) >> 16], at + t]
    return out


def sample_shares(shares, bounds, place, seeds, lanes, out):
    for c in range(len(shares)):
        streams = [Xoshiro(seeds[c][:, v]) for v in range(lanes)]
        drawn = []
        for o in range(bounds[c], bounds[c + 1]):
            for t in range(shares.shape[2]):
                if not drawn:
                    drawn = [s.word() for s in streams]
                u = (drawn.pop(0) >> 11) / 2**53
                a = 0
                while a < shares.shape[1] - 1 and u >= shares[c, a, t]:
                    u -= shares[c, a, t]
                    a += 1
                out[place[o], t] = a


def age_bin(age):
    return min(9, int(math.log2(age)))


def _moves(row):
    """(interval, state, age bin, next state or None at the end) for every interval."""
    age = 0
    for t, a in enumerate(row):
        age = age + 1 if t and row[t - 1] == a else 1
        yield t, int(a), age_bin(age), int(row[t + 1]) if t + 1 < len(row) else None


def pooled_over_all(states, n_states, least):
    stay, exits = np.zeros((n_states, 10)), np.zeros((n_states, 10, n_states))
    visitors, leavers = {}, {}
    for i, row in enumerate(states):
        for _, a, g, b in _moves(row):
            visitors.setdefault((a, g), set()).add(i)
            if b is None:
                continue
            if b == a:
                stay[a, g] += 1
            else:
                exits[a, g, b] += 1
                leavers.setdefault((a, g, b), set()).add(i)
    legal = np.array([len(visitors.get((a, 0), ())) >= least for a in range(n_states)])
    for a, g, b in np.ndindex(*exits.shape):
        if len(leavers.get((a, g, b), ())) < least or not legal[b]:
            exits[a, g, b] = 0
    rate, chosen = np.zeros((n_states, 10)), np.zeros((n_states, 10, n_states))
    for a in range(n_states):
        for g in range(10):
            for h in range(g, -1, -1):
                if len(visitors.get((a, h), ())) >= least and exits[a, h].sum() > 0:
                    total = stay[a, h] + exits[a, h].sum()
                    rate[a, g] = math.inf if stay[a, h] == 0 else -math.log(stay[a, h] / total)
                    chosen[a, g] = exits[a, h]
                    break
    return rate, chosen, legal


def sample_semimarkov(states, n_states, order, bounds, place, clock, *, least, candidates, seeds):
    rate_all, exits_all, legal = pooled_over_all(states, n_states, least)
    hour_of = np.searchsorted(clock.hour_edges, np.arange(states.shape[1]), side="right") - 1
    day_of_hour = np.searchsorted(clock.day_edges, np.arange(len(clock.pools)), side="right") - 1
    out = np.zeros_like(states)
    for c in range(len(bounds) - 1):
        members = order[bounds[c] : bounds[c + 1]]
        stay, exits, people = {}, {}, {}
        totals = np.zeros((len(clock.day_edges) - 1, n_states))
        for i in members:
            for t, a, g, b in _moves(states[i]):
                totals[day_of_hour[hour_of[t]], a] += 1
                for p in clock.pools[hour_of[t]]:
                    people.setdefault((p, a, g), set()).add(int(i))
                    if b == a:
                        stay[p, a, g] = stay.get((p, a, g), 0) + 1
                    elif b is not None:
                        exits.setdefault((p, a, g), np.zeros(n_states))[b] += 1
        totals /= len(members)

        def rule(hour, a, g, stay=stay, exits=exits, people=people):
            for p in clock.pools[hour]:
                if len(people.get((p, a, g), ())) >= least:
                    leaving = exits.get((p, a, g), np.zeros(n_states)) * legal
                    kept = stay.get((p, a, g), 0)
                    if leaving.sum() == 0:
                        return 0.0, leaving
                    return (math.inf if kept == 0 else -math.log(kept / (kept + leaving.sum()))), leaving
            return rate_all[a, g], exits_all[a, g]

        random = Xoshiro(seeds[c])
        for o in range(bounds[c], bounds[c + 1]):
            state, begun = _first(states, members, legal, clock.hour_edges[1], random), 0
            for d in range(len(clock.day_edges) - 1):
                first, last = (int(clock.hour_edges[clock.day_edges[d + e]]) for e in (0, 1))
                best = None
                for _ in range(candidates):
                    row, after, since = _day(state, begun, first, last, clock, hour_of, rule, random, n_states)
                    score = sum(abs((row == a).sum() - totals[d, a]) for a in range(n_states))
                    if best is None or score < best[0]:
                        best = (score, row, after, since)
                out[place[o], first:last] = best[1]
                state, begun = best[2], best[3]
    return out


def _first(states, members, legal, n_first, random):
    for _ in range(64):
        i = members[min(len(members) - 1, int(random.uniform() * len(members)))]
        a = int(states[i, min(n_first - 1, int(random.uniform() * n_first))])
        if legal[a]:
            return a
    return int(np.argmax(legal))


def _day(state, begun, first, last, clock, hour_of, rule, random, n_states):
    row, at = np.zeros(last - first, dtype=np.uint8), first
    while at < last:
        left = -math.log(random.uniform())
        leaving = None
        while leaving is None and at < last:
            hour = hour_of[at]
            g = age_bin(at - begun + 1)
            stop = int(clock.hour_edges[hour + 1])
            if g < 9:
                stop = min(stop, begun + 2 ** (g + 1) - 1)
            speed, exits = rule(hour, state, g)
            need = (stop - at) * speed
            until = stop
            if left < need:
                until = min(stop, at + 1 + int(left / speed))
                leaving = exits
            else:
                left -= need
            row[at - first : until - first] = state
            at = until
        if leaving is not None:
            pick = random.uniform() * leaving.sum()
            for b in range(n_states):
                if leaving[b] > 0:
                    target = b
                    pick -= leaving[b]
                    if pick <= 0:
                        break
            state, begun = target, at
    return row, state, begun


def simulate_hours(shapes, weekend, tilt, day_tilt, shift, pace, bout_minutes, seeds):
    """Minutes of people whose hourly mixes are tilted shapes, one minute after the other."""
    n_states = shapes.shape[2]
    out = np.zeros((len(tilt), len(weekend) * 1440), dtype=np.uint8)

    def draw(weights, u):
        left = u
        for a in range(n_states):
            left -= weights[a]
            if left <= 0:
                return a
        return n_states - 1

    for i in range(len(tilt)):
        random, state = Xoshiro(seeds[i]), None
        for t in range(out.shape[1]):
            d, h = t // 1440, t // 60 % 24
            late = h - shift[i]
            low = math.floor(late)
            shape = (1 - (late - low)) * shapes[weekend[d], low % 24] + (late - low) * shapes[
                weekend[d], (low + 1) % 24
            ]
            mix = shape * np.exp(tilt[i] + day_tilt[i, d])
            mix = mix / mix.sum()
            leave = np.minimum(0.95, pace[i] / bout_minutes)
            if state is None:
                state = draw(mix, random.uniform())
            if random.uniform() <= leave[state]:
                state = draw(mix * leave, random.uniform() * (mix * leave).sum())
            out[i, t] = state
    return out
