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


def boxes(values, group, n_groups):
    """Per group the least and the largest value of every column, and how many records there are."""
    members = [[row for row, g in zip(values, group) if g == own] for own in range(n_groups)]
    d = len(values[0])
    lo = [[min((row[j] for row in rows), default=math.inf) for j in range(d)] for rows in members]
    hi = [[max((row[j] for row in rows), default=-math.inf) for j in range(d)] for rows in members]
    return lo, hi, [len(rows) for rows in members]


def squared_widths(lo, hi, members):
    """Sum of the squared widths of the box around some boxes."""
    return sum((max(hi[s][j] for s in members) - min(lo[s][j] for s in members)) ** 2 for j in range(len(lo[0])))


def form_in_order(lo, hi, size, k, order):
    """Group of every subgroup (-1: left over), and how many groups there are."""
    group = [-1] * len(size)
    n_groups = 0
    for s in range(len(size)):
        if size[s] >= k:
            group[s] = n_groups
            n_groups += 1

    def left():
        return [s for s in range(len(size)) if group[s] < 0]

    while sum(size[s] for s in left()) >= k:
        members = [next(s for s in order if group[s] < 0)]
        group[members[0]] = n_groups
        while sum(size[s] for s in members) < k:

            def loss(s, members=members):
                return sum(size[t] for t in [*members, s]) ** 2 * squared_widths(lo, hi, [*members, s])

            members.append(min(left(), key=loss))  # of equal ones the first
            group[members[-1]] = n_groups
        n_groups += 1
    return group, n_groups


def place_leftovers(lo, hi, size, group, n_groups):
    """Every subgroup without a group joins the one whose loss grows least, one after the other."""
    group = list(group)
    for s in range(len(size)):
        if group[s] >= 0 or n_groups == 0:
            continue
        rises = []
        for g in range(n_groups):
            members = [t for t in range(len(size)) if group[t] == g]
            before, after = sum(size[t] for t in members), sum(size[t] for t in [*members, s])
            grown = math.sqrt(after**2 * squared_widths(lo, hi, [*members, s]))
            rises.append(grown - before * math.sqrt(squared_widths(lo, hi, members)))
        group[s] = rises.index(min(rises))
    return group


def group_by_log_cost(cells, k, order, fast):
    """Groups of k around seeds in a given order, then the rest one by one."""

    def logs(members):
        return math.fsum(math.log(max(c) - min(c) + 1) for c in zip(*(cells[r] for r in members)))

    group, n_groups = [-1] * len(cells), 0
    for seed in order:
        free = [r for r in range(len(cells)) if group[r] < 0 and r != seed]
        if group[seed] >= 0 or len(free) < k - 1:
            continue
        members = [seed]
        if fast:
            members += sorted(free, key=lambda r: round(logs([seed, r]), 9))[: k - 1]
        while len(members) < k:
            members.append(min((r for r in free if r not in members), key=lambda r: round(logs([*members, r]), 9)))
        for r in members:
            group[r] = n_groups
        n_groups += 1
    for r in range(len(cells)) if n_groups else ():
        if group[r] < 0:
            rises = []
            for g in range(n_groups):
                members = [t for t in range(len(cells)) if group[t] == g]
                rises.append(round((len(members) + 1) * logs([*members, r]) - len(members) * logs(members), 9))
            group[r] = rises.index(min(rises))
    return group
