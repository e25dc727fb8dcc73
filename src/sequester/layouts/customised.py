"""What published ranges and letters tell about unpublished ones (Shou et al. 2013, Section 6).

A record is known by ranges [lo_j, hi_j] and letters a_j at some times, all letters at one level with break points
b_1 < … < b_{v-1}. Two facts bound the value behind any letter:

* **order** (Lemma 1): a smaller letter means a smaller value, so r > max lo_j over smaller letters, r < min hi_j over
  larger ones;
* **normalisation**: r = mu + z sigma with z in the letter's cell and |z| <= c. The known times give
  mu + b_{a_j} sigma <= hi_j and mu + b_{a_j + 1} sigma >= lo_j, a linear programme in (mu, sigma >= 0), solved by
  looking at its vertices. The extreme values are unbounded exactly when the known letters span fewer than three ranks
  (a letter between known ones may be bounded all the same).
"""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.normal import breakpoints


def order_bounds(lo: np.ndarray, hi: np.ndarray, letters: np.ndarray, level: int) -> tuple[np.ndarray, np.ndarray]:
    """Lemma 1: lower and upper bound of the value behind each of `level` letters; infinite where nothing bounds it.

    `lo`, `hi`, `letters` are records x known times; the answers records x level.
    """
    n = len(lo)
    low, high = np.full((n, level), -np.inf), np.full((n, level), np.inf)
    for a in range(level):
        low[:, a] = np.where(letters < a, lo, -np.inf).max(axis=1, initial=-np.inf)
        high[:, a] = np.where(letters > a, hi, np.inf).min(axis=1, initial=np.inf)
    return low, high


def largest_z(n_times: int, ddof: int) -> float:
    """No normalised value of so long a series exceeds it: sqrt(n - 1), or (n - 1) / sqrt(n) for the sample sd."""
    return math.sqrt(n_times - 1) if ddof == 0 else (n_times - 1) / math.sqrt(n_times)


def programme_bounds(
    lo: np.ndarray, hi: np.ndarray, letters: np.ndarray, level: int, n_times: int, ddof: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """The linear programme's bounds of the value behind each letter, in the shapes of `order_bounds`.

    Infinite where the programme is unbounded, and where it has no solution (letters that are not the record's own).
    """
    c = largest_z(n_times, ddof)
    cuts = np.concatenate([[-np.inf], breakpoints(level), [np.inf]])
    return _programme(
        np.ascontiguousarray(lo, dtype=np.float64),
        np.ascontiguousarray(hi, dtype=np.float64),
        np.ascontiguousarray(letters, dtype=np.int64),
        cuts,
        np.clip(cuts[:-1], -c, c),
        np.clip(cuts[1:], -c, c),
    )


def letter_bounds(
    lo: np.ndarray, hi: np.ndarray, letters: np.ndarray, level: int, n_times: int, ddof: int = 0
) -> tuple[np.ndarray, np.ndarray]:
    """Both facts together."""
    if level == 1:
        return np.full((len(lo), 1), -np.inf), np.full((len(lo), 1), np.inf)
    low, high = order_bounds(lo, hi, letters, level)
    lp_low, lp_high = programme_bounds(lo, hi, letters, level, n_times, ddof)
    return np.maximum(low, lp_low), np.minimum(high, lp_high)


def likeliest_letters(
    low: np.ndarray, high: np.ndarray, lo: np.ndarray, hi: np.ndarray, domain: tuple[float, float]
) -> np.ndarray:
    """For ranges (lo, hi) the letter whose bounds overlap it most, infinite bounds cut at the domain; ties: the lower.

    A range of no width is in a letter or not: there the narrowest interval that holds it wins.
    """
    low, high = np.maximum(low, domain[0]), np.minimum(high, domain[1])
    overlap = np.minimum(high, hi[:, None]) - np.maximum(low, lo[:, None])
    width = np.where(hi > lo, hi - lo, 1.0)[:, None]
    point = (hi == lo)[:, None] & (overlap >= 0)
    score = np.where(point, 1.0 / (1.0 + np.maximum(0.0, high - low)), np.maximum(0.0, overlap) / width)
    return score.argmax(axis=1)


@kernel("float64[:, ::1], float64[:, ::1], int64[:, ::1], float64[::1], float64[::1], float64[::1]")
def _programme(lo, hi, letters, cuts, below, above):
    n, m = lo.shape
    level = len(below)
    low = np.full((n, level), -np.inf)
    high = np.full((n, level), np.inf)
    # lines: mu + slope * sigma <= bound (kind 0) or >= bound (kind 1)
    slope = np.empty(2 * m)
    bound = np.empty(2 * m)
    upper = np.empty(2 * m, dtype=np.uint8)
    for i in range(n):
        lines = 0
        least, most = level, -1
        scale = 1e-300
        for j in range(m):
            a = letters[i, j]
            least, most = min(least, a), max(most, a)
            scale = max(scale, max(abs(lo[i, j]), abs(hi[i, j])))
            if a > 0:
                slope[lines], bound[lines], upper[lines] = cuts[a], hi[i, j], 1
                lines += 1
            if a < level - 1:
                slope[lines], bound[lines], upper[lines] = cuts[a + 1], lo[i, j], 0
                lines += 1
        slack = 1e-9 * scale
        found = False
        best_low = np.full(level, np.inf)
        best_high = np.full(level, -np.inf)
        for p in range(lines):
            for q in range(p, lines):
                if q == p:
                    sigma = 0.0
                    mu = bound[p]
                else:
                    if slope[p] == slope[q]:
                        continue
                    sigma = (bound[p] - bound[q]) / (slope[p] - slope[q])
                    mu = bound[p] - slope[p] * sigma
                if sigma < -slack:
                    continue
                feasible = True
                for r in range(lines):
                    value = mu + slope[r] * sigma
                    if (upper[r] == 1 and value > bound[r] + slack) or (upper[r] == 0 and value < bound[r] - slack):
                        feasible = False
                        break
                if not feasible:
                    continue
                found = True
                for a in range(level):
                    best_low[a] = min(best_low[a], mu + below[a] * sigma)
                    best_high[a] = max(best_high[a], mu + above[a] * sigma)
        if not found:
            continue
        # with fewer than three ranks sigma may grow, mu following with slope in [-cuts[least + 1], -cuts[most]]
        ray = most - least < 2
        for a in range(level):
            if not (ray and below[a] < cuts[least + 1]):
                low[i, a] = best_low[a] - slack
            if not (ray and above[a] > cuts[most]):
                high[i, a] = best_high[a] + slack
    return low, high
