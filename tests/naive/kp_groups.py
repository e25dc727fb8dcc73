"""Group formation by full scan, and greedy partition, with plain loops."""

import math


def loss(values, members):
    width = [max(values[r][j] for r in members) - min(values[r][j] for r in members) for j in range(len(values[0]))]
    return len(members) * math.sqrt(sum(w * w for w in width) / len(width))


def form(values, subgroups, k):
    left = [list(s) for s in subgroups]
    groups = [s for s in left if len(s) >= k]
    left = [s for s in left if len(s) < k]
    while sum(map(len, left)) >= k:
        group = list(left.pop(min(range(len(left)), key=lambda i: (round(loss(values, left[i]), 12), i))))
        while len(group) < k:
            best = min(range(len(left)), key=lambda i: (round(loss(values, group + left[i]), 12), i))
            group += left.pop(best)
        groups.append(group)
    for s in left:
        best = min(groups, key=lambda g: round(loss(values, g + s) - loss(values, g), 12))
        best += s
    return sorted(sorted(g) for g in groups)


def greedy_partition(values, members, m):
    if len(members) < 2 * m:
        return [sorted(members)]

    def far(u):
        return max(members, key=lambda r: (sum((a - b) ** 2 for a, b in zip(values[r], values[u], strict=True)), -r))

    u = members[0]
    for _ in range(3):
        v = far(u)
        w = far(v)
        if w == u:
            break
        u = w
    if u == v:
        v = members[1] if u == members[0] else members[0]
    one, two = [u], [v]
    for r in members:
        if r in (u, v):
            continue
        rise = [loss(values, [*side, r]) - loss(values, side) for side in (one, two)]
        (one if rise[0] <= rise[1] else two).append(r)
    for poor, rich in ((one, two), (two, one)):
        while len(poor) < m:
            pulled = min(sorted(rich), key=lambda r: loss(values, [*poor, r]))
            rich.remove(pulled)
            poor.append(pulled)
    return greedy_partition(values, sorted(one), m) + greedy_partition(values, sorted(two), m)
