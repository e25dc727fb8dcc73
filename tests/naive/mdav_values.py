"""MDAV with plain loops."""


def distance(a, b):
    return sum((x - y) ** 2 for x, y in zip(a, b, strict=True))


def mdav(rows, m):
    left = list(range(len(rows)))
    groups = []

    def take(seed):
        near = sorted(left, key=lambda r: (r != seed, distance(rows[r], rows[seed]), r))[:m]
        for r in near:
            left.remove(r)
        groups.append(sorted(near))

    while len(left) >= 2 * m:
        both = len(left) >= 3 * m
        mean = [sum(rows[r][j] for r in left) / len(left) for j in range(len(rows[0]))]
        seed = max(left, key=lambda r: (distance(rows[r], mean), -r))
        take(seed)
        if both:
            take(max(left, key=lambda r: (distance(rows[r], rows[seed]), -r)))
    if left:
        groups.append(sorted(left))
    return groups
