"""Drawing a timed log, event by event, from lists and sets; the same random numbers as the kernel."""

import math

from tests.naive.samplers import Xoshiro

TRIES, CANDIDATES, DAY = 12, 24, 86400


def by_weight(stream, weights, total=None):
    """An index by weight: the first whose running sum exceeds the number drawn."""
    u, last = stream.random() * (running(weights) if total is None else total), 0
    for x, w in enumerate(weights):
        if w > 0:
            last = x
            u -= w
            if u < 0:
                return x
    return last


def running(weights):
    total = 0.0
    for w in weights:
        total += w
    return total


def place_of(i):
    return sum(i >= x for x in (1, 2, 3, 4, 6, 8, 11, 16, 24))


def before_of(gap, run):
    return min(run, 3) if gap < 1 else 4 + sum(gap >= x for x in (3600, 28800, 129600))


def gap_inside(stream, t, low, high, hours, weekdays, parts):
    """A gap of a bin: candidates by its parts, one of them by the hour and the weekday it leads to."""
    gaps, weights = [], []
    for _ in range(CANDIDATES if high > 3600 else 1):
        u = stream.random() * parts[-1]
        part = next((z for z, share in enumerate(parts[:-1]) if u < share), len(parts) - 1)
        gap = low * math.exp((part + stream.random()) * (math.log(high / low) / len(parts)))
        moment = t + int(gap)
        gaps.append(int(gap))
        weights.append(hours[moment % DAY // 3600] * weekdays[(moment // DAY + 3) % 7])
    if len(gaps) == 1 or running(weights) <= 0:
        return gaps[0]
    return gaps[by_weight(stream, weights)]


def state_weights(f, told, banned, here):
    """Weights of all states as the next one; `here` is what the trace looks like now."""
    last, previous, before, place, hour, length, left = told
    known = last < len(f.seen[0])
    row = f.context[previous][last] if len(f.context_rows) and known else -1
    out = []
    for x in range(len(f.seen[0])):
        w = 0.0 if x in banned else f.step[before][last][x]
        if w > 0:
            kind = 3 if x in here["batch"] else min(here["states"].count(x), 2)
            w *= f.seen[kind][x] * f.place[place][x] * f.length[length][last][x]
            w *= f.reach[length][left][x]
            w *= f.hour[hour][last][x] if known else 1.0
            w *= f.context_rows[row][x] if row >= 0 else 1.0
        out.append(w)
    return out


def on_open_days(f, t, bins):
    """Shares of bins, those that end on another day weighed by the weekdays on which they end; their sum stays."""
    out, far = list(bins), [k for k, share in enumerate(bins) if f.edges[k] >= 57600 and share > 0]
    for k in far:
        first, end = t + f.edges[k], t + f.edges[k + 1]
        if end - first < 7 * DAY:
            weight = 1e-9
            for day in range(int(first // DAY), math.ceil(end / DAY)):
                inside = min(end, (day + 1) * DAY) - max(first, day * DAY)
                weight += f.weekdays[(day + 3) % 7] * inside / (f.edges[k + 1] - f.edges[k])
            out[k] *= weight
    before, after = running([bins[k] for k in far]), running([out[k] for k in far])
    return [x * (before / after) if k in far else x for k, x in enumerate(out)]


def trace(stream, f, wanted, length, given, start, grain, limit):
    """One attempt at an object: its states, its times, and whether it outlasted the limit (None: no limit)."""
    n_states = len(f.seen[0])
    states, times, banned = [], [], set()
    batch, run, before, t = set(), 0, 0, start
    while len(states) < wanted:
        i = len(states)
        last = states[-1] if i else n_states
        previous = states[-2] if i > 1 else n_states
        place, hour = place_of(i), t % DAY // 10800
        if given:
            b = given[i]
        else:
            told = (last, previous, before, place, hour, length, wanted - i - 1)
            weights = state_weights(f, told, banned, {"batch": batch, "states": states})
            if running(weights) <= 0:
                weights = [0.0 if x in banned else f.step[before][last][x] for x in range(n_states)]
            if running(weights) <= 0:
                break
            b = by_weight(stream, weights)
        if i:
            again = int(b in batch)
            of_class = [
                f.gap_before[before][again][b][c] * f.gap_place[place][c] * f.gap_hour[hour][b][c]
                for c in range(len(f.gap_place[0]))
            ]
            shares = f.gap_rows[f.gap_row[last][b]]
            bins = [shares[k] * f.gap_to[b][k] * of_class[c] for k, c in enumerate(f.gap_class)]
            k = by_weight(stream, on_open_days(f, t, bins), running(bins)) if running(bins) > 0 else 0
            earlier = t
            if f.edges[k] >= 1:
                hours = list(f.hours[b])
                if given and i + 1 < wanted:
                    hours = [w * f.hour[x // 3][b][given[i + 1]] for x, w in enumerate(hours)]
                t += gap_inside(stream, t, f.edges[k], f.edges[k + 1], hours, f.weekdays, f.parts[b][k])
                t = t // grain * grain
            if t - earlier < 1:
                run += 1
            else:
                run, batch = 0, set()
            before = before_of(t - earlier, run)
        if len(f.bars):
            banned |= {x for x in range(n_states) if f.bars[b][x]}
        states.append(b)
        times.append(t)
        batch.add(b)
        if limit is not None and t - start > limit:
            return states, times, True
    return states, times, False


def draw(words, objects, factors, grain, span):
    """States, times and lengths of all objects."""
    stream = Xoshiro(words)
    f = type(factors)(*(part.tolist() for part in factors))
    states, times, walked = [], [], []
    for o, wanted in enumerate(objects.lengths.tolist()):
        given = objects.forced[objects.forced_bounds[o] : objects.forced_bounds[o + 1]].tolist()
        start = int(objects.starts[o])
        for left in reversed(range(TRIES)):
            limit = span if left else None
            own, when, outlasts = trace(stream, f, wanted, int(objects.classes[o]), given, start, grain, limit)
            if not outlasts and len(own) == wanted:
                break
        if not own:
            own, when = [len(f.seen[0]) - 1], [start]
        states += own
        times += when
        walked.append(len(own))
    return states, times, walked
