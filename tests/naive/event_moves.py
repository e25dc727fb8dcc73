"""Plain-loop twins of the kernels of the time model."""

import math
from collections import Counter
from itertools import pairwise


def moves(states, times, offsets, edges, parts):
    """Seen, place, before, again, gap bin, part and hour class of every event, as lists of rows."""
    out = []
    for a, b in pairwise(offsets):
        batches, runs, gaps = [], [], []
        for p in range(a, b):
            i = p - a
            gap = times[p] - times[p - 1] if i else None
            before = 0
            if i > 1:
                last = gaps[i - 1]
                if last < 1:
                    before = min(runs[i - 1], 3)
                else:
                    before = 4 + sum(last >= x for x in (3600, 28800, 129600))
            again = bool(i) and any(states[a + j] == states[p] and batches[j] == batches[i - 1] for j in range(i))
            count = sum(states[a + j] == states[p] for j in range(i))
            seen = 3 if again else min(count, 2)
            place = sum(i >= x for x in (1, 2, 3, 4, 6, 8, 11, 16, 24))
            k = part = hour = 0
            if i:
                k = max(j for j in range(len(edges) - 1) if gap >= edges[j])
                if edges[k] >= 1:
                    part = int(parts * math.log(gap / edges[k]) / math.log(edges[k + 1] / edges[k]))
                    part = min(max(part, 0), parts - 1)
                hour = times[p - 1] % 86400 // 10800
            out.append([seen, place, before, int(again), k, part, hour])
            new = not i or gap >= 1
            batches.append((batches[-1] if i else 0) + (1 if new else 0))
            runs.append(0 if new else runs[-1] + 1)
            gaps.append(gap)
    return out


def clipped(cells, bounds, divisors, clip, size):
    """Sum of every object's counts, shrunk to the norm `clip`."""
    total = [0.0] * size
    for i, (a, b) in enumerate(pairwise(bounds)):
        own = {}
        for c in cells[a:b]:
            if c >= 0:
                own[c] = own.get(c, 0) + 1
        norm = math.sqrt(sum((n / divisors[i]) ** 2 for n in own.values()))
        for c, n in own.items():
            total[c] += n / divisors[i] * (clip / norm if norm > clip else 1.0)
    return total


def gated(cells, bounds, divisors, clip, limit, grid, size):
    """The sum over objects, object by object, and the largest sum of squares that one of them has in the end."""
    total, most = [0] * size, 0
    for i, by in enumerate(divisors):
        count = Counter(c for c in cells[bounds[i] : bounds[i + 1]] if c >= 0)
        norm = math.sqrt(sum((n / by) ** 2 for n in count.values()))
        shrink = clip / norm if norm > clip else 1.0
        values = {c: math.trunc(n / by * (shrink * grid)) for c, n in count.items()}
        factor = 1.0 - 2.0**-30
        while sum(v * v for v in values.values()) > limit * limit:
            values = {c: math.trunc(v * factor) for c, v in values.items()}
            factor *= factor
        most = max(most, sum(v * v for v in values.values()))
        for c, v in values.items():
            total[c] += v
    return total, most
