"""Bins that several methods count gaps and lengths in; fixed, so that they tell nothing about any log."""

from __future__ import annotations

import numpy as np

DAY, HOUR = 86400, 3600
_D = float(DAY)
GAP_EDGES = np.array(
    [0, 1, 10, 60, 300, 900, 1800, HOUR, 2 * HOUR, 4 * HOUR, 8 * HOUR, 16 * HOUR, _D, 1.5 * _D, 2 * _D, 3 * _D,
     5 * _D, 7 * _D, 14 * _D, 30 * _D, 60 * _D, 90 * _D, 180 * _D, 365 * _D, 1095 * _D]
)  # fmt: skip
"""Seconds; a longer gap counts as one of the last bin."""
GAP_BINS = len(GAP_EDGES) - 1


def gap_bin(gaps: np.ndarray) -> np.ndarray:
    """Bin of every gap."""
    return np.clip(np.searchsorted(GAP_EDGES, gaps, side="right") - 1, 0, GAP_BINS - 1)


def length_edges(longest: int) -> np.ndarray:
    """Left edges of length bins, 1..8 then growing by a fifth, and one past the longest."""
    edges = list(range(1, 9))
    while edges[-1] < longest:
        edges.append(max(edges[-1] + 1, round(edges[-1] * 1.21)))
    return np.array([e for e in edges if e <= longest] + [longest + 1])
