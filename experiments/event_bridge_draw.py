"""The gaps of a case, drawn so that they add up to a given span."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.xoshiro import fraction

DAY = 86400
CELLS = 254
"""Steps of the grid on which what is left of a span is followed, for cases long enough."""
CANDIDATES = 8
HALVINGS = 24


def bridged(
    generator: np.ndarray,
    drawn: tuple[np.ndarray, np.ndarray, np.ndarray],
    targets: np.ndarray,
    law: np.ndarray,
    edges: np.ndarray,
    hours: np.ndarray,
    weekdays: np.ndarray,
    grain: int,
) -> np.ndarray:
    """Times with the same starts, each case about `targets` seconds long; `law` is (from, to, bin of gaps)."""
    states, times, offsets = drawn
    out = times.copy()
    for lo, hi, target in zip(offsets[:-1], offsets[1:], targets.tolist(), strict=True):
        if hi - lo < 2:
            continue
        if target < grain:
            out[lo:hi] = times[lo]
            continue
        unit = -(-target // (CELLS * grain)) * grain
        shares = cell_shares(edges, unit, target // unit + 2, grain)
        steps, which = np.unique(states[lo : hi - 1] * np.int64(len(law)) + states[lo + 1 : hi], return_inverse=True)
        rows = law.reshape(-1, law.shape[2])[steps]
        to_come, tilt = _to_come(rows @ shares, which, target / unit)
        gaps = _walk(
            generator, int(times[lo]), target, unit, grain, rows, which.astype(np.int64), shares * tilt, shares,
            to_come, edges.astype(np.float64), hours[states[lo + 1 : hi]], weekdays.astype(np.float64),
        )  # fmt: skip
        out[lo:hi] = times[lo] + np.r_[0, np.cumsum(gaps)]
    return out


def cell_shares(edges: np.ndarray, unit: int, cells: int, grain: int) -> np.ndarray:
    """(bin, cell): where on the grid the gaps of a bin lie, even in logarithms; zero gaps in the first cell.

    A gap belongs in parts to the two nearest cells, so that its mean stays; in a log of days it was cut to its day.
    """
    at = np.arange(-1, cells + 1) * float(unit)
    out = np.zeros((len(edges) - 1, cells))
    out[0, 0] = 1.0
    for k, (low, high) in enumerate(pairwise(edges[1:]), start=1):
        wide = np.log(high / low)
        if grain == DAY:
            days = np.arange(cells * (unit // DAY))
            ends = np.clip(np.r_[days, len(days)] * float(DAY), low, high)
            mass, cell = np.diff(np.log(ends)) / wide, days * DAY / unit
            lower = cell.astype(np.int64)
            out[k] = np.bincount(lower, mass * (1 - cell + lower), cells)[:cells]
            out[k] += np.bincount(lower + 1, mass * (cell - lower), cells)[:cells]
            continue
        inside = np.clip(at, low, high)
        area = (inside * np.log(inside / low) - inside + low) / wide + np.maximum(at - high, 0.0)
        out[k] = np.maximum(np.diff(area, 2), 0.0) / unit
    return out


def _to_come(law: np.ndarray, which: np.ndarray, total: float) -> tuple[np.ndarray, np.ndarray]:
    """For every gap and rest of the span, how likely the gaps after it make up that rest; and the tilt.

    All gaps are tilted by the same exponential until their expected sum is the span. Given the sum, that changes
    nothing; but the sum is then never so unlikely that rounding hides it.
    """
    cells = law.shape[1]
    x = np.arange(cells) / cells
    law = law + 1e-12 * (law.sum(1, keepdims=True) <= 1e-12)
    often = np.bincount(which, minlength=len(law)).astype(float)
    low, high = -500.0, 500.0
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        tilted = law * np.exp(middle * x - max(middle, 0.0))
        mean = often @ (tilted @ x / np.maximum(tilted.sum(1), 1e-300))
        low, high = (middle, high) if mean * cells < total else (low, middle)
    tilt = np.exp(low * x - max(low, 0.0))
    tilted = law * tilt
    tilted /= np.maximum(tilted.sum(1, keepdims=True), 1e-300)
    size = 1 << int(np.ceil(np.log2(4 * cells)))
    waves = np.fft.rfft(tilted, size)
    after = np.ones((len(which), waves.shape[1]), complex)
    for i in range(len(which) - 2, -1, -1):
        after[i] = after[i + 1] * waves[which[i + 1]]
    found = np.fft.irfft(after, size)[:, :cells]
    return np.where(found > 1e-12, found, 0.0), tilt


@kernel(
    "uint64[::1], int64, int64, int64, int64, float64[:, ::1], int64[::1], float64[:, ::1], float64[:, ::1], "
    "float64[:, ::1], float64[::1], float64[:, ::1], float64[::1]"
)
def _walk(
    generator, start, target, unit, grain, rows, which, tilted, plain, to_come, edges, hours, weekdays
):  # fmt: skip
    """One gap after the other: its share of its bin and cell, by hour and weekday, times what is to come."""
    n_bins, cells = plain.shape
    gaps = np.zeros(len(which), np.int64)
    likes = np.ones(cells)
    weights, of_bin = np.zeros((n_bins, cells)), np.zeros(n_bins)
    begin, end = np.zeros(n_bins, np.int64), np.zeros(n_bins, np.int64)
    for k in range(n_bins):
        for j in range(cells):
            if plain[k, j] > 0.0:
                begin[k] = begin[k] if end[k] else j
                end[k] = j + 1
    by = np.zeros(CANDIDATES)
    gap_at = np.zeros(CANDIDATES, np.int64)
    t, left = start, target
    for i in range(len(which)):
        if unit < 4 * 86400:
            for j in range(1, cells):
                moment = t + j * unit
                likes[j] = weekdays[(moment // 86400 + 3) % 7]
                if unit < 86400:
                    likes[j] *= hours[i, moment % 86400 // 3600]
        rest = max(0, min(cells - 1, (left + unit // 2) // unit))
        row = rows[which[i]]
        total, of_bin[:] = 0.0, 0.0
        for k in range(n_bins):
            usual, mass = 0.0, 0.0
            for j in range(begin[k], end[k]):
                usual += plain[k, j] * likes[j]
                mass += plain[k, j]
            if usual <= 0.0 or row[k] <= 0.0:
                continue
            for j in range(begin[k], min(end[k], rest + 1)):
                weights[k, j] = row[k] * mass / usual * tilted[k, j] * likes[j] * to_come[i, rest - j]
                of_bin[k] += weights[k, j]
            total += of_bin[k]
        if total <= 0.0:  # nothing leads there: the rest is for the fitting
            continue
        u, k, j = fraction(generator) * total, 0, 0
        for b in range(n_bins):
            if of_bin[b] > 0.0:
                k = b
                if u < of_bin[b]:
                    break
                u -= of_bin[b]
        for c in range(begin[k], min(end[k], rest + 1)):
            if weights[k, c] > 0.0:
                j = c
                u -= weights[k, c]
                if u < 0.0:
                    break
        gap = np.int64(0)
        if k > 0:
            half = 0.0 if unit == 86400 == grain else 0.5
            low, high = max(edges[k], (j - half) * unit), min(edges[k + 1], (j + 1 - half) * unit)
            if high <= low:  # a part of a gap of the next cell
                low, high = max(edges[k], (j - 1.0) * unit), min(edges[k + 1], (j + 1.0) * unit)
            sum_ = 0.0
            for c in range(CANDIDATES):
                gap_at[c] = np.int64(low + fraction(generator) * (high - low)) // grain * grain
                moment = t + gap_at[c]
                by[c] = hours[i, moment % 86400 // 3600] * weekdays[(moment // 86400 + 3) % 7]
                sum_ += by[c]
            u, chosen = fraction(generator) * sum_, 0
            for c in range(CANDIDATES):
                chosen = c
                u -= by[c]
                if u < 0.0:
                    break
            gap = gap_at[chosen]
        gaps[i] = gap
        t += gap
        left -= gap
    return gaps
