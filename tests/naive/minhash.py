"""Plain-loop twins of `primitives.minhash`."""

MASK = (1 << 64) - 1


def mix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def shingles(sequence, width):
    return {tuple(sequence[i : i + width]) for i in range(max(1, len(sequence) - width + 1))}


def tokens(sequence, width):
    """A number for every different shingle."""
    out = []
    for gram in shingles(sequence, width):
        token = 0
        for state in gram:
            token = mix64(token ^ (state + 1))
        out.append(token)
    return out


def signature(sequence, seeds, width):
    return [min(mix64(t ^ seed) >> 32 for t in tokens(sequence, width)) for seed in seeds]


def set_code(sequence, width):
    """One number for all shingles of a sequence, mixed in the order of signed numbers."""
    own = tokens(sequence, width)
    code = len(own)
    for token in sorted(own, key=lambda t: t - (1 << 64) if t >> 63 else t):
        code = mix64(code ^ token)
    return code


def jaccard(a, b, width):
    x, y = shingles(a, width), shingles(b, width)
    return len(x & y) / len(x | y)


def distinct_sets(sequences, width):
    """Sets of shingles as lists of member numbers, largest first, then by first member."""
    groups = {}
    for i, sequence in enumerate(sequences):
        groups.setdefault(frozenset(shingles(sequence, width)), []).append(i)
    return sorted(groups.values(), key=lambda g: (-len(g), g[0]))


def band_neighbours(rows, candidates, earlier, width, bands, depth):
    """Per row, those that share a band with it, where a band keeps its first `depth` candidates."""
    columns = len(rows[0])
    asked = [set() for _ in rows]
    for band in range(bands):
        first = band * (columns - width) // max(bands - 1, 1)
        for i, row in enumerate(rows):
            same = [j for j in candidates if rows[j][first : first + width] == row[first : first + width]]
            asked[i] |= set([j for j in same if j < i or not earlier][:depth])
    return asked


def nearest(rows, candidates, earlier, bands=None):
    """Per row the most similar candidate (-1: like none) and its equal positions; `bands` is (width, number, depth)."""
    asked = [set(candidates)] * len(rows) if bands is None else band_neighbours(rows, candidates, earlier, *bands)
    out = []
    for i, row in enumerate(rows):
        found = [(-sum(x == y for x, y in zip(row, rows[j])), j) for j in asked[i] if j < i or not earlier]
        best = min(found, default=(0, -1))
        out.append((best[1], -best[0]) if best[0] < 0 else (-1, 0))
    return out


def centre_clusters(signs, weights, k, bands=None):
    """The centre of every row; `bands` is (width, number, depth), or None to compare all."""
    rows = [tuple(int(v) for v in row) for row in signs]
    n = len(rows)
    like = nearest(rows, range(n), True, bands)
    cost = [int(w) * (len(rows[0]) - equal) for w, (_, equal) in zip(weights, like)]
    wanted = [i for i in sorted(range(n), key=lambda i: (-cost[i], i))[: max(1, k)] if cost[i] > 0]
    if 0 not in wanted:
        wanted = [0, *wanted[: max(1, k) - 1]]
    best = nearest(rows, sorted(wanted), False, bands)
    return [i if i in wanted else max(best[i][0], 0) for i in range(n)]


def nearest_similarity(of, among):
    return [max((sum(x == y for x, y in zip(a, b)) / len(a) for b in among), default=0.0) for a in of]
