"""Choose among candidates, row after row, so that what all chosen rows show together comes near a target."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


def herd(shown: np.ndarray, target: np.ndarray, gap: np.ndarray, order: np.ndarray) -> np.ndarray:
    """Which candidate is kept of every row.

    Parameters
    ----------
    shown
        Candidates x rows x anything.
    target
        What a row should show on average; same shape as one candidate of one row.
    gap
        Shown so far minus targets so far; moved in place, so that the next call goes on.
    order
        In which order rows choose.
    """
    n_candidates, n_rows = shown.shape[:2]
    flat = np.ascontiguousarray(shown.reshape(n_candidates, n_rows, -1), dtype=np.float32)
    moved = np.ascontiguousarray(gap.ravel(), dtype=np.float64)
    kept = _herd(flat, np.ascontiguousarray(target.ravel(), dtype=np.float64), moved, order.astype(np.int64))
    gap[...] = moved.reshape(gap.shape)
    return kept


@kernel("float32[:, :, ::1], float64[::1], float64[::1], int64[::1]")
def _herd(shown: np.ndarray, target: np.ndarray, gap: np.ndarray, order: np.ndarray) -> np.ndarray:
    n_candidates, _, width = shown.shape
    kept = np.zeros(len(order), np.int64)
    for i in order:
        best = 0
        lowest = np.inf
        for r in range(n_candidates):
            score = 0.0
            for j in range(width):
                off = gap[j] + shown[r, i, j] - target[j]
                score += off * off
            if score < lowest:
                lowest = score
                best = r
        kept[i] = best
        for j in range(width):
            gap[j] += shown[best, i, j] - target[j]
    return kept
