"""Local search on groups of subgroups, every loss worked out from scratch."""

import math


def loss(lo, hi, size, members):
    n = sum(int(size[s]) for s in members)
    if n == 0:
        return 0.0
    total = 0.0
    for j in range(len(lo[0])):
        gap = max(hi[s][j] for s in members) - min(lo[s][j] for s in members)
        total += gap * gap
    return n * math.sqrt(total / len(lo[0]))


def best_split(lo, hi, size, members, k):
    """The best cut into two sides of at least k: its loss and the first side (None if there is no cut)."""
    count, cuts = len(members), []
    if count <= 10:
        cuts = [{i for i in range(count) if bits >> i & 1} for bits in range(1, 1 << (count - 1))]
    else:
        for j in range(len(lo[0])):
            order = sorted(range(count), key=lambda i: lo[members[i]][j] + hi[members[i]][j])
            cuts += [set(order[: cut + 1]) for cut in range(count - 1)]
    best, side = math.inf, None
    for cut in cuts:
        one, other = [m for i, m in enumerate(members) if i in cut], [m for i, m in enumerate(members) if i not in cut]
        if min(sum(size[m] for m in one), sum(size[m] for m in other)) < k:
            continue
        both = loss(lo, hi, size, one) + loss(lo, hi, size, other)
        if both < best:
            best, side = both, one
    return best, side


def refine(lo, hi, size, group, k, near, sweeps):
    n = len(size)
    groups = [[s for s in range(n) if group[s] == g] for g in range(max(group) + 1)]
    most, room = len(groups) + n, max(32, 2 * max(map(len, groups)))
    of = list(group)
    for _ in range(sweeps):
        changed = False
        for g in range(len(groups)):
            if sum(size[s] for s in groups[g]) >= 2 * k and len(groups) < most:
                best, side = best_split(lo, hi, size, groups[g], k)
                if best < loss(lo, hi, size, groups[g]) * (1 - 1e-12):
                    groups[g] = [s for s in groups[g] if s not in side]
                    groups.append(side)
                    for s in side:
                        of[s] = len(groups) - 1
                    changed = True
        for s in range(n):
            g = of[s]
            here = loss(lo, hi, size, groups[g])
            best, into, against = -1e-12 * max(1.0, here), None, None
            alone = [m for m in groups[g] if m != s]
            left = sum(size[m] for m in alone)
            for h in dict.fromkeys(of[t] for t in near[s] if t >= 0):
                if h == g:
                    continue
                there = loss(lo, hi, size, groups[h])
                if (left >= k or not alone) and len(groups[h]) < room:
                    change = loss(lo, hi, size, alone) + loss(lo, hi, size, [*groups[h], s]) - here - there
                    if change < best:
                        best, into, against = change, h, None
                for t in groups[h]:
                    others = [m for m in groups[h] if m != t]
                    if left + size[t] < k or sum(size[m] for m in others) + size[s] < k:
                        continue
                    mine = loss(lo, hi, size, [*alone, t])
                    change = mine + loss(lo, hi, size, [*others, s]) - here - there
                    if mine - here - there < best and change < best:
                        best, into, against = change, h, t
            if into is None:
                continue
            changed = True
            if against is None:
                last = groups[g].pop()
                groups[g] = [last if m == s else m for m in groups[g]]
                groups[into].append(s)
            else:
                groups[g] = [against if m == s else m for m in groups[g]]
                groups[into] = [s if m == against else m for m in groups[into]]
                of[against] = g
            of[s] = into
        if not changed:
            break
    return of
