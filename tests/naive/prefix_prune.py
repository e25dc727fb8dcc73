"""BF-P2kA on strings."""

from collections import Counter


def lcs(a, b):
    row = [0] * (len(b) + 1)
    for x in a:
        above = row
        row = [0]
        for j, y in enumerate(b):
            row.append(above[j] + 1 if x == y else max(above[j + 1], row[j]))
    return row[-1]


def prefixes(sequences):
    count = Counter()
    for s, n in sequences.items():
        for end in range(1, len(s) + 1):
            count[s[:end]] += n
    return count


def prune(sequences, k):
    """Counter of output sequences."""
    kept = Counter(sequences)
    cut = Counter()
    while True:
        support = prefixes(kept)
        rare = [s for s in kept if any(support[s[:end]] < k for end in range(1, len(s) + 1))]
        if not rare:
            break
        for s in rare:
            cut[s] += kept.pop(s)
    paths = sorted(support, key=lambda q: (len(q), q))
    for s in sorted(cut):
        best = max(paths, key=lambda q: (lcs(s, q), -len(q), [-ord(c) for c in q]), default=None)
        if best is not None and lcs(s, best) > 0:
            kept[best] += cut[s]
    return dict(kept)


def part_of(small, big):
    at = iter(big)
    return all(c in at for c in small)
