"""A plain walk through hourly transition matrices."""

import numpy as np

from sequester.primitives.xoshiro import uniform


def walk_one(matrices, pooled, first, hours, follows, stray, seed, length):
    random = seed.copy()

    def choose(weights):
        pick = uniform(random) * sum(float(w) for w in weights)
        for b, w in enumerate(weights):
            if w > 0:
                last = b
                pick -= float(w)
                if pick <= 0:
                    break
        return last

    out = [choose(first)]
    hour, row = None, follows
    for t in range(length - 1):
        h = hours[t % len(hours)]
        if h != hour:
            hour, row = h, follows
            if uniform(random) <= stray:
                row = min(len(matrices) - 1, int(uniform(random) * len(matrices)))
        weights = matrices[row, h, out[-1]]
        if weights.sum() == 0:
            weights = pooled[h, out[-1]]
        out.append(choose(weights) if weights.sum() > 0 else out[-1])
    return np.array(out, np.uint8)
