"""Plain-loop twins of `primitives.markov`."""

import itertools
import math


def transitions(traces, n_states):
    """Per trace, the list of (from, to) with START = END = n_states."""
    return [list(zip([n_states, *t], [*t, n_states])) for t in traces]


def tally(cells):
    out = {}
    for c in cells:
        if c >= 0:
            out[c] = out.get(c, 0) + 1
    return dict(sorted(out.items()))


def arrivals(chain, longest):
    """Unscaled: probability to visit exactly k more states and then end, by recursion over the definition."""
    n = len(chain) - 1
    rows = [[chain[a][n] for a in range(n)]]
    for _ in range(longest):
        last = rows[-1]
        rows.append([sum(chain[a][b] * last[b] for b in range(n)) for a in range(n)])
    return rows


def walks(generator, lengths, rows, context, reach, bars, tries):
    """`rows[r]` is a list of (item, weight); the same draws in the same order as the kernel."""
    n = len(reach[0])
    out = []

    def draw(row, weights, banned):
        options = [(x, w * weights[x]) for x, w in rows[row] if x != n and x not in banned]
        total = 0.0
        for _, w in options:
            total += w
        if total <= 0:
            return None
        u = generator.random() * total
        last = None
        for x, w in options:
            if w > 0:
                last = x
                u -= w
                if u < 0:
                    return x
        return last

    for wanted in lengths:
        trace = []
        for _ in range(tries):
            trace, banned, before, now = [], set(), n, n
            while len(trace) < wanted:
                row = context[before][now] if now < n and context[before][now] >= 0 else now
                left = reach[wanted - len(trace) - 1]
                x = draw(row, left, banned)
                if x is None and row != now:
                    x = draw(now, left, banned)
                if x is None:
                    x = draw(now, [1.0] * n, banned)
                if x is None:
                    break
                banned |= {b for b in range(n) if bars[x][b]}
                trace.append(x)
                before, now = now, x
            if len(trace) == wanted:
                break
        out.append(trace)
    return out


def clocked(generator, traces, starts, gap_row, gap_bounds, edges, hours, weekdays, candidates, grain, span, tries):
    out = []
    for trace, start in zip(traces, starts):
        for left in reversed(range(tries)):
            t = start
            times = [t]
            for a, b in itertools.pairwise(trace):
                if left and t - start > span:
                    break
                shares = gap_bounds[gap_row[a][b]]
                u = generator.random() * shares[-1]
                j = min(sum(s <= u for s in shares), len(edges) - 2)
                lo, hi = edges[j], edges[j + 1]
                if lo >= 1:
                    n = candidates if hi > 3600 else 1
                    gaps = [int(lo * math.exp(generator.random() * math.log(hi / lo))) for _ in range(n)]
                    weights = []
                    for g in gaps:
                        day, second = divmod(t + g, 86400)
                        weights.append(hours[b][second // 3600] * weekdays[(day + 3) % 7])
                    pick = 0
                    if sum(weights) > 0 and n > 1:
                        u = generator.random() * sum(weights)
                        while pick < n - 1 and u >= weights[pick]:
                            u -= weights[pick]
                            pick += 1
                    t = (t + gaps[pick]) // grain * grain
                times.append(t)
            if times[-1] - start <= span:
                break
        out.append(times)
    return out
