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
