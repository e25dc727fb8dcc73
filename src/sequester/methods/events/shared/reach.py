"""How likely a walk through a chain still ends after a given number of states."""

from __future__ import annotations

import numpy as np


def arrivals(chain: np.ndarray, longest: int) -> np.ndarray:
    """`out[k, a]`: how likely a walk now in `a` visits exactly `k` more states and then ends, up to a factor per k.

    `chain` has rows that sum to 1 or are all zero, START is its last row and END its last column. Each row of the
    result is scaled to a largest value of 1, so that long walks do not underflow.
    """
    inner, end = chain[:-1, :-1], chain[:-1, -1]
    out = np.zeros((longest + 1, len(inner)))
    now = end.copy()
    for k in range(longest + 1):
        top = now.max(initial=0.0)
        if top <= 0:
            break
        now = now / top
        out[k] = now
        now = inner @ now
    return out
