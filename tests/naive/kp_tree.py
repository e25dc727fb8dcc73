"""Node splitting and recycling, recursively on lists."""

from collections import defaultdict


def classes(keys, level, members):
    out = defaultdict(list)
    for r in members:
        out[keys[level][r]].append(r)
    return list(out.values())


def split(keys, members, level, p, printed=False):
    """List of (members, level, good); `printed` stops where a node of 2p or more has one child only."""
    top = len(keys) - 1
    if len(members) < p:
        return [(members, level, False)]
    if level == top:
        return [(members, level, True)]
    if len(members) < 2 * p:
        while level < top and len(classes(keys, level + 1, members)) == 1:
            level += 1
        return [(members, level, True)]
    children = classes(keys, level + 1, members)
    if len(children) == 1 and printed:
        return [(members, level, True)]
    if len(children) == 1:
        return split(keys, members, level + 1, p)
    good = [c for c in children if len(c) >= p]
    bad = [c for c in children if len(c) < p]
    if not good:
        return [(members, level, True)]
    out = []
    for child in good:
        out += split(keys, child, level + 1, p, printed)
    rest = sorted(r for c in bad for r in c)
    if len(rest) >= p:
        out.append((rest, level, True))
    else:
        out += [(c, level + 1, False) for c in bad]
    return out


def recycle(keys, leaves, p):
    pool = {r: level for members, level, good in leaves if not good for r in members}
    done = []
    current = max(pool.values(), default=0)
    while len(pool) >= p:
        for members in classes(keys, current, sorted(r for r, level in pool.items() if level >= current)):
            if len(members) >= p:
                done.append((members, current))
                for r in members:
                    del pool[r]
        current -= 1
    return done, sorted(pool)
