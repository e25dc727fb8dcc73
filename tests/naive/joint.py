"""The cost of a grouping and the rule of diversity, from the definitions, with plain loops."""

import math
from collections import defaultdict


def cost(values, shapes, group, subgroup, weight):
    """Sum of size x width over groups, and weight x (size - sum of correlations with the mean) over subgroups."""
    total = 0.0
    members = defaultdict(list)
    for i, g in enumerate(group):
        members[g].append(i)
    for rows in members.values():
        square = 0.0
        for j in range(len(values[0])):
            column = [values[i][j] for i in rows]
            square += (max(column) - min(column)) ** 2
        total += len(rows) * math.sqrt(square / len(values[0]))
    members = defaultdict(list)
    for i, s in enumerate(subgroup):
        members[s].append(i)
    f = len(shapes[0])
    for rows in members.values():
        mean = [sum(shapes[i][j] for i in rows) / len(rows) for j in range(f)]
        norm = math.sqrt(sum(m * m for m in mean))
        for i in rows:
            product = sum(a * b for a, b in zip(shapes[i], mean, strict=True))
            total += weight * (1 - (product / (norm * math.sqrt(f)) if norm > 0 else 0.0))
    return total


def keeps(known, free, near, share):
    """Whether values (None: not known) keep the rule: in any window at most one in `share` of the known ones."""
    there = [v for v in known if v is not None]
    protected = [v for v, f in zip(known, free, strict=True) if v is not None and not f]
    return all(sum(v <= w <= v + near for w in protected) * share <= len(there) for v in protected)
