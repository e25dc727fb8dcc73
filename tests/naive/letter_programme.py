"""The linear programme of published letters: corners and directions written down, one record at a time."""

import itertools
import math


def bounds(lo, hi, letters, cuts, below, above):
    """Least and largest value behind every letter; infinite where nothing bounds it or nothing fits."""
    level = len(below)
    lines = [(cuts[a], h, 1) for a, h in zip(letters, hi) if a > 0]  # mu + slope * sigma <= bound
    lines += [(cuts[a + 1], low, -1) for a, low in zip(letters, lo) if a < level - 1]  # ... >= bound
    scale = max(map(abs, (*lo, *hi)))

    def fits(mu, sigma):
        return sigma >= -1e-9 * scale and all(
            side * (mu + slope * sigma) <= side * bound + 1e-9 * scale for slope, bound, side in lines
        )

    corners = [(bound, 0.0) for _, bound, _ in lines]
    for (a, b, _), (c, d, _) in itertools.combinations(lines, 2):
        if a != c:
            sigma = (b - d) / (a - c)
            corners.append((b - a * sigma, sigma))
    corners = [corner for corner in corners if fits(*corner)]
    if not corners:
        return [-math.inf] * level, [math.inf] * level
    # directions in which one may go for ever: sigma stays (0) or grows (1)
    least = [max([-slope * s for slope, _, side in lines if side < 0], default=-math.inf) for s in (0, 1)]
    most = [min([-slope * s for slope, _, side in lines if side > 0], default=math.inf) for s in (0, 1)]

    def bounded(slope, sign):
        for s in (0, 1):
            if least[s] <= most[s]:
                ends = (least[s], most[s])
                if any(sign * (end + slope * s) < 0 for end in ends):
                    return False
        return True

    low = [min(mu + b * s for mu, s in corners) if bounded(b, 1) else -math.inf for b in below]
    high = [max(mu + a * s for mu, s in corners) if bounded(a, -1) else math.inf for a in above]
    return low, high
