"""Plain-loop twins of `primitives.minhash`."""

MASK = (1 << 64) - 1


def mix64(x):
    x = (x + 0x9E3779B97F4A7C15) & MASK
    x = ((x ^ (x >> 30)) * 0xBF58476D1CE4E5B9) & MASK
    x = ((x ^ (x >> 27)) * 0x94D049BB133111EB) & MASK
    return x ^ (x >> 31)


def shingles(sequence, width):
    return {tuple(sequence[i : i + width]) for i in range(max(1, len(sequence) - width + 1))}


def signature(sequence, seeds, width):
    tokens = []
    for gram in shingles(sequence, width):
        token = 0
        for state in gram:
            token = mix64(token ^ (state + 1))
        tokens.append(token)
    return [min(mix64(t ^ seed) >> 32 for t in tokens) for seed in seeds]


def jaccard(a, b, width):
    x, y = shingles(a, width), shingles(b, width)
    return len(x & y) / len(x | y)


def trie_clusters(signs, k):
    """Partition of indices as a list of sorted lists, ordered by smallest member."""
    rows = [tuple(int(v) for v in row) for row in signs]
    nodes = [(list(range(len(rows))), 0)] if rows else []
    finished = []
    while nodes and len(nodes) + len(finished) < k:
        nodes.sort(key=lambda node: (-len(node[0]), min(node[0])))
        members, column = nodes.pop(0)
        while column < len(rows[0]) and len({rows[i][column] for i in members}) == 1:
            column += 1
        if column == len(rows[0]):
            finished.append(members)
            continue
        children = {}
        for i in members:
            children.setdefault(rows[i][column], []).append(i)
        parts = sorted(children.values(), key=lambda c: (len(c), min(c)))
        spare = len(nodes) + len(finished) + len(parts) - k
        if spare > 0:
            parts = [[i for part in parts[: spare + 1] for i in part], *parts[spare + 1 :]]
        nodes += [(part, column + 1) for part in parts]
    return sorted(sorted(c) for c in finished + [m for m, _ in nodes])


def nearest_similarity(of, among):
    return [max((sum(x == y for x, y in zip(a, b)) / len(a) for b in among), default=0.0) for a in of]
