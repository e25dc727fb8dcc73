"""How long traces are, from a noisy histogram of lengths."""

from __future__ import annotations

from math import erf, sqrt

import numpy as np

from sequester.primitives.noisy_fit import simplex

CLEAR = 4.0
"""Deviations by which the last bin that counts must stand out of the noise."""
WIDTHS = (0.15, 0.3, 0.6)
"""Spread of a bump, in logarithms of the length; without the narrow ones eight to twelve events came out as six to
fifteen."""
STEPS = 500


def length_weights(noisy: np.ndarray, sd: float, edges: np.ndarray, total: float) -> np.ndarray:
    """Expected objects per bin: the mixture of bumps nearest to the noisy counts, none beyond the last clear bin.

    Noise in the many long bins would make traces half as long again as they are, and cutting them there makes a long
    tail too short; a bump that is centred where objects were clearly seen brings its own tail. Bins of a single length
    may also stand alone, for logs whose traces have a few fixed lengths.
    """
    if total <= 0:
        return np.zeros(len(noisy))
    clear = np.flatnonzero(noisy > CLEAR * sd)
    last = int(clear[-1]) if len(clear) else int(np.argmax(noisy))
    bumps = _bumps(edges, edges[last + 1])
    size = float(np.linalg.norm(bumps, 2)) ** 2
    parts = here = np.full(bumps.shape[1], 1.0 / bumps.shape[1])
    aim, pace = noisy / total, 1.0
    for _ in range(STEPS):  # accelerated projected gradient
        moved = simplex(here - bumps.T @ (bumps @ here - aim) / size)
        faster = (1 + sqrt(1 + 4 * pace * pace)) / 2
        here = moved + (pace - 1) / faster * (moved - parts)
        parts, pace = moved, faster
    return total * (bumps @ parts)


def _bumps(edges: np.ndarray, end: float) -> np.ndarray:
    """One column per bump: its mass in every bin."""
    centres = np.sqrt(edges[:-1] * np.maximum(edges[1:] - 1.0, edges[:-1]))
    columns = []
    for width in WIDTHS:
        for centre in centres[centres <= end]:
            below = [0.5 * (1 + erf(np.log((edge - 0.5) / centre) / (width * sqrt(2)))) for edge in edges]
            columns.append(np.diff(below))
    single = np.diff(edges) == 1
    columns += [np.eye(len(centres))[j] for j in np.flatnonzero(single & (centres <= end))]
    out = np.array(columns).T
    return out / out.sum(axis=0)
