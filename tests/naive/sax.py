"""SAX, one number at a time."""

import math
from statistics import NormalDist


def z_normalize(row, ddof=0):
    mean = math.fsum(row) / len(row)
    if len(row) <= ddof:
        return [0.0] * len(row)
    deviation = math.sqrt(math.fsum((x - mean) ** 2 for x in row) / (len(row) - ddof))
    if deviation <= 1e-12 * max(1.0, abs(mean)):
        return [0.0] * len(row)
    return [(x - mean) / deviation for x in row]


def letter(z, level):
    for j in range(1, level):
        if z < NormalDist().inv_cdf(j / level):
            return j - 1
    return level - 1


def words(z_rows, max_level):
    return [[[letter(z, level) for z in row] for row in z_rows] for level in range(1, max_level + 1)]


def pattern_loss(x, y):
    """Cosine distance of the vectors of all pairwise differences."""
    dx = [a - b for i, a in enumerate(x) for b in x[:i]]
    dy = [a - b for i, a in enumerate(y) for b in y[:i]]
    nx, ny = math.sqrt(sum(a * a for a in dx)), math.sqrt(sum(a * a for a in dy))
    if nx < 1e-12 and ny < 1e-12:
        return 0.0
    if nx < 1e-12 or ny < 1e-12:
        return 1.0
    return 1 - sum(a * b for a, b in zip(dx, dy, strict=True)) / (nx * ny)
