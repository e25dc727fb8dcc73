"""Tying records for diversity, and the search on single records: every cost and every rule computed anew each time."""

import math

import numpy as np

HEAVY = 1e6


def clash(rule, a, b):
    """Whether two records may not be tied: protected values of one window, or nothing to hide one among."""
    for values, free, near in zip(rule.values, rule.free, rule.near, strict=True):
        known = [not math.isnan(values[i]) for i in (a, b)]
        needs = [known[j] and not free[i] for j, i in enumerate((a, b))]
        if (needs[0] and not known[1]) or (needs[1] and not known[0]):
            return True
        if all(needs) and abs(values[a] - values[b]) <= near:
            return True
    return False


def tie(unit, rule, first):
    """Bundles of l records that do not clash, each from the nearest to its middle; None if somebody finds no place."""
    bundles, late = [], []
    taken = {}
    for i in first:
        if i in taken:
            continue
        inside = [i]
        while len(inside) < rule.l:
            middle = unit[inside].mean(axis=0)
            free = [
                r for r in range(len(unit)) if r not in taken and not any(r == m or clash(rule, m, r) for m in inside)
            ]
            if not free:
                break
            inside.append(min(free, key=lambda r: ((unit[r] - middle) ** 2).sum()))
        if len(inside) < rule.l:
            late.append(i)
            continue
        taken |= dict.fromkeys(inside, len(bundles))
        bundles.append(inside)
    for i in late:
        if i in taken:
            continue
        fitting = [b for b in range(len(bundles)) if not any(clash(rule, i, r) for r in bundles[b])]
        near = [(((unit[r] - unit[i]) ** 2).sum(), r, b) for b in fitting for r in bundles[b]]
        if not near:
            return None
        chosen = min(near)[2]
        bundles[chosen].append(i)
        taken[i] = chosen
    for i in range(len(unit)):
        if i not in taken:
            taken[i] = len(bundles)
            bundles.append([i])
    return [taken[i] for i in range(len(unit))]


def fullest(values, width):
    """The most values in one window."""
    return max((sum(v <= w <= v + width for w in values) for v in values), default=0)


def excess(rule, members):
    """By how many members a subgroup fails the rule."""
    out = 0
    for values, free, near in zip(rule.values, rule.free, rule.near, strict=True):
        known = [i for i in members if not math.isnan(values[i])]
        out += max(0, fullest([values[i] for i in known if not free[i]], near) * rule.l - len(known))
    return out


def width(values, members):
    rows = values[members]
    return math.sqrt(((rows.max(axis=0) - rows.min(axis=0)) ** 2).mean())


def lost(shapes, members):
    return len(members) - math.sqrt((shapes[members].sum(axis=0) ** 2).sum() / shapes.shape[1])


def cost(values, shapes, groups, subgroups, weight, rule):
    total = sum(len(m) * width(values, m) for m in groups)
    return total + sum(weight * lost(shapes, m) + HEAVY * excess(rule, m) for m in subgroups)


def improve(values, shapes, group, subgroup, near, k, p, weight, rule, sweeps):
    """Change places or move, record by record, whichever lowers the cost most; the cost is computed anew each time."""
    group, subgroup = group.tolist(), subgroup.tolist()
    room = max(group.count(g) for g in set(group)) + max(8, k)

    def having(labels, *wanted):
        return [[i for i, x in enumerate(labels) if x == w] for w in dict.fromkeys(wanted)]

    for _ in range(sweeps):
        done = 0
        for i in range(len(values)):
            g, s = group[i], subgroup[i]
            size = group.count(g)
            best = -1e-9 * max(1e-9, width(values, having(group, g)[0]) * size + weight)
            change = None
            for h in dict.fromkeys([g, *(int(x) for x in near[i] if x >= 0)]):
                for j in [j for j in range(len(values)) if group[j] == h]:
                    t = subgroup[j]
                    if t == s:
                        continue
                    before = cost(values, shapes, having(group, g, h), having(subgroup, s, t), weight, rule)
                    moves = [(h, t, g, s)]
                    leaves = subgroup.count(s) > p and (h == g or (size > k and group.count(h) < room))
                    if leaves:
                        moves.append((h, t, h, t))
                    for new in moves:
                        trial, parts = list(group), list(subgroup)
                        trial[i], parts[i], trial[j], parts[j] = new
                        after = cost(values, shapes, having(trial, g, h), having(parts, s, t), weight, rule)
                        if after - before < best:
                            best, change = after - before, (trial, parts)
            if change is not None:
                group, subgroup = change
                done += 1
        if not done:
            break
    return np.array(group), np.array(subgroup)
