"""Plain loops of the sampler day-types, interval by interval."""

import math

import numpy as np

from sequester.methods.activity.shared.kernels.day_types import AGES, MOST_LEAVING, MOST_TILT, OLDEST, PARTS, WIDTH
from sequester.primitives.xoshiro import bell, uniform


def age_bin(lasted):
    return next(g for g, last in enumerate(OLDEST) if lasted <= last)


def hour_of(hours, t):
    return next(h for h in range(len(hours.clock)) if hours.edges[h] <= t < hours.edges[h + 1])


def count_rows(states, which, hours, n_states):
    seen = np.zeros((len(which), len(hours.clock), n_states), np.int64)
    risk, ended = (np.zeros((n_states, AGES, PARTS), np.int64) for _ in range(2))
    moved = np.zeros((PARTS, n_states, n_states), np.int64)
    changes, at_risk = np.zeros((2, 24, n_states, n_states), np.int64), np.zeros((2, 24, n_states, AGES), np.int64)
    visited, left = ([set() for _ in range(len(which))] for _ in range(2))
    for i, r in enumerate(which):
        begun = 0
        for t, a in enumerate(states[r]):
            if t and states[r, t - 1] != a:
                begun = t
            h = hour_of(hours, t)
            kind, clock, g = hours.kind[h], hours.clock[h], age_bin(t - begun + 1)
            seen[i, h, a] += 1
            visited[i].add(int(a))
            if t + 1 == states.shape[1]:
                continue
            risk[a, g, clock // WIDTH] += 1
            at_risk[kind, clock, a, g] += 1
            b = states[r, t + 1]
            if b != a:
                ended[a, g, clock // WIDTH] += 1
                moved[clock // WIDTH, a, b] += 1
                changes[kind, clock, a, b] += 1
                left[i].add((int(a), int(b)))
    visitors = np.array([sum(a in v for v in visited) for a in range(n_states)])
    leavers = np.array([[sum((a, b) in v for v in left) for b in range(n_states)] for a in range(n_states)])
    return (seen, risk, ended, moved), (changes, at_risk, visitors, leavers)


def count_cluster(states, members, hours, age, n_states):
    changes, exposure = np.zeros((2, 24, n_states, n_states)), np.zeros((2, 24, n_states))
    who = {}
    for r in members:
        begun = 0
        for t, a in enumerate(states[r]):
            if t and states[r, t - 1] != a:
                begun = t
            h = hour_of(hours, t)
            kind, clock = hours.kind[h], hours.clock[h]
            who.setdefault((kind, clock, int(a)), set()).add(int(r))
            if t + 1 == states.shape[1]:
                continue
            exposure[kind, clock, a] += age[a, age_bin(t - begun + 1), clock // WIDTH]
            if states[r, t + 1] != a:
                changes[kind, clock, a, states[r, t + 1]] += 1
    people = np.zeros((2, 24, n_states), np.int64)
    ever = np.zeros((24, n_states), np.int64)
    for clock in range(24):
        for a in range(n_states):
            sets = [who.get((kind, clock, a), set()) for kind in (0, 1)]
            people[:, clock, a] = [len(s) for s in sets]
            ever[clock, a] = len(sets[0] | sets[1])
    return changes, exposure, people, ever


def simulate_row(laws, hours, person, day, cluster, seed):
    """One row; uses up the same random numbers, an interval at a time."""
    n_states = laws.rate.shape[-1]
    random = seed.copy()
    z = uniform(random)
    state = None
    for b in range(n_states):
        z -= laws.first[cluster, b]
        if z <= 0 and laws.first[cluster, b] > 0:
            state = b
            break
    state = int(np.argmax(laws.first[cluster])) if state is None else state
    left = -math.log(uniform(random))
    out, begun = [], 0
    for h, clock in enumerate(hours.clock):
        kind, d, p = hours.kind[h], hours.day[h], clock // WIDTH
        where = (clock + 0.5) / WIDTH - 0.5
        low, w = math.floor(where), where - math.floor(where)
        high, low = min(low + 1, PARTS - 1), max(low, 0)
        favour = np.empty(n_states)
        for b in range(n_states):
            tilt = laws.hour[kind, clock, b]
            tilt += (1 - w) * (person[low, b] + day[d, low, b]) + w * (person[high, b] + day[d, high, b])
            if laws.noise[b] > 0:
                tilt += laws.noise[b] * bell(random)
            favour[b] = math.exp(tilt / 2)
        for t in range(hours.edges[h], hours.edges[h + 1]):
            out.append(state)
            leave = np.zeros(n_states)
            for b in range(n_states):
                if b != state:
                    tilt = min(MOST_TILT, max(1 / MOST_TILT, favour[b] * (1 / favour[state])))
                    leave[b] = laws.rate[cluster, kind, clock, state, b] * laws.target[p, state, b] * tilt
            chance = min(MOST_LEAVING, leave.sum() * laws.age[state, age_bin(t - begun + 1), p])
            hazard = -math.log1p(-chance)
            if left >= hazard:
                left -= hazard
                continue
            if t + 1 == hours.edges[-1]:
                break
            pick = uniform(random) * leave.sum()
            for b in range(n_states):
                if leave[b] > 0:
                    target = b
                    pick -= leave[b]
                    if pick <= 0:
                        break
            state, begun = target, t + 1
            left = -math.log(uniform(random))
    return np.array(out, np.uint8)


def herd(shown, target, gap, order):
    kept = np.zeros(len(order), np.int64)
    gap = gap.copy()
    for i in order:
        scores = [((gap + shown[r, i] - target) ** 2).sum() for r in range(len(shown))]
        kept[i] = int(np.argmin(scores))
        gap += shown[kept[i], i] - target
    return kept, gap
