"""Who agrees with a target on its known points: plain loops, one question at a time."""

import numpy as np


def agree_on_columns(codes, owner, targets, points):
    out = []
    for row, known in zip(targets, points):
        counts = []
        for p in range(1, len(known) + 1):
            columns = [c for c in known[:p] if c >= 0]
            counts.append(
                len({owner[i] for i in range(len(codes)) if all(codes[i][c] == codes[row][c] for c in columns)})
            )
        out.append(counts)
    return np.array(out)


def agree_on_members(sets, points):
    out = []
    for known in points:
        out.append([sum({c for c in known[:p] if c >= 0} <= s for s in sets) for p in range(1, len(known) + 1)])
    return np.array(out)


def contains_in_order(sequence, pattern):
    rest = iter(sequence)
    return all(any(x == y for y in rest) for x in pattern)


def agree_on_order(sequences, targets, points):
    out = []
    for target, known in zip(targets, points):
        counts = []
        for p in range(1, len(known) + 1):
            pattern = [sequences[target][at] for at in sorted(q for q in known[:p] if q >= 0)]
            counts.append(sum(contains_in_order(s, pattern) for s in sequences))
        out.append(counts)
    return np.array(out)
