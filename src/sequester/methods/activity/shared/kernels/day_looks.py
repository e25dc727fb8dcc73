"""What counts by row, hour and state show: how people differ from their cluster, days from their person, hours from
the hour before.

Fourier coefficients of real series under the unitary transform, as orthonormal real coordinates.

Eigenvalues of small symmetric matrices, by Jacobi's rotations.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel

FLOOR = 0.03
"""Added to every share before its logarithm: what is rarer than this is not told apart."""


class Reference(NamedTuple):
    """What rows are compared with."""

    cluster: np.ndarray
    """Clusters x parts x states: shares."""
    kind: np.ndarray
    """Clusters x kinds of day x parts x states: shares."""
    borrowed: float
    """Intervals of the cluster that are added to a person's own before shares are taken."""


@kernel("float64[::1], float64[::1], float64[::1]")
def _apart(spent: np.ndarray, usual: np.ndarray, out: np.ndarray) -> None:
    """Logarithms of shares against what is usual, centred over the states; 0 where nothing was seen."""
    n = len(spent)
    total = 0.0
    for a in range(n):
        total += spent[a]
    if total <= 0:
        out[:] = 0.0
        return
    mean = 0.0
    for a in range(n):
        out[a] = math.log((spent[a] / max(total, 1.0) + FLOOR) / (usual[a] + FLOOR))
        mean += out[a]
    mean /= n
    for a in range(n):
        out[a] -= mean


@kernel(
    "float64[:, :, :, ::1], int64[::1], int64[::1], Reference, float64[:, :, ::1], float64[:, :, :, ::1]",
    Reference=Record(Reference, "float64[:, :, ::1], float64[:, :, :, ::1], float64"),
)
def deviations(
    spent: np.ndarray,
    kind: np.ndarray,
    cluster: np.ndarray,
    usual: Reference,
    person: np.ndarray,
    day: np.ndarray,
) -> None:
    """From intervals by row, day, part and state: people against their cluster, days against their person."""
    n_rows, n_days, n_parts, n_states = spent.shape
    by_kind = np.empty((2, n_parts, n_states))
    both = np.empty(n_states)
    for u in range(n_rows):
        c = cluster[u]
        by_kind[:] = 0.0
        for d in range(n_days):
            for p in range(n_parts):
                for a in range(n_states):
                    by_kind[kind[d], p, a] += spent[u, d, p, a]
        for p in range(n_parts):
            for a in range(n_states):
                both[a] = by_kind[0, p, a] + by_kind[1, p, a]
            _apart(both, usual.cluster[c, p], person[u, p])
            for k in range(2):
                total = usual.borrowed
                for a in range(n_states):
                    total += by_kind[k, p, a]
                for a in range(n_states):
                    by_kind[k, p, a] = (by_kind[k, p, a] + usual.borrowed * usual.kind[c, k, p, a]) / total
        for d in range(n_days):
            for p in range(n_parts):
                _apart(spent[u, d, p], by_kind[kind[d], p], day[u, d, p])


@kernel("uint16[:, :, ::1], int64[::1], float64[:, :, ::1]")
def add_cells(counts: np.ndarray, cell: np.ndarray, out: np.ndarray) -> None:
    """Add the hours of every row into the cells they belong to: rows x cells x states."""
    n_rows, n_hours, n_states = counts.shape
    for u in range(n_rows):
        for h in range(n_hours):
            for a in range(n_states):
                out[u, cell[h], a] += counts[u, h, a]


@kernel("uint16[:, :, ::1], float64[::1]")
def add_jumps(counts: np.ndarray, out: np.ndarray) -> int:
    """Add the squared changes of the logarithm of shares, centred over states; returns how many pairs of hours."""
    n_rows, n_hours, n_states = counts.shape
    logs = np.empty((2, n_states))
    pairs = 0
    for u in range(n_rows):
        before = False
        for h in range(n_hours):
            now = logs[h % 2]
            total = 0
            for a in range(n_states):
                total += counts[u, h, a]
            if total == 0:
                before = False
                continue
            mean = 0.0
            for a in range(n_states):
                now[a] = math.log(counts[u, h, a] / total + FLOOR)
                mean += now[a]
            mean /= n_states
            for a in range(n_states):
                now[a] -= mean
            if before:
                pairs += 1
                for a in range(n_states):
                    change = now[a] - logs[1 - h % 2, a]
                    out[a] += change * change
            before = True
    return pairs


def low_frequencies(series: np.ndarray, terms: int) -> np.ndarray:
    """Coordinates of the first `terms` frequencies, ... x (2 * terms - 1)."""
    _check(series.shape[-1], terms)
    f = np.fft.rfft(series, axis=-1, norm="ortho")[..., :terms]
    root = math.sqrt(2.0)
    return np.concatenate([f[..., :1].real, root * f[..., 1:].real, root * f[..., 1:].imag], axis=-1)


def from_low_frequencies(coordinates: np.ndarray, length: int) -> np.ndarray:
    """The series of `length` whose coordinates these are; all higher frequencies are zero."""
    terms = (coordinates.shape[-1] + 1) // 2
    _check(length, terms)
    f = np.zeros((*coordinates.shape[:-1], length // 2 + 1), dtype=np.complex128)
    f[..., 0] = coordinates[..., 0]
    real, imaginary = coordinates[..., 1:terms], coordinates[..., terms:]
    f[..., 1:terms] = (real + 1j * imaginary) / math.sqrt(2.0)
    return np.fft.irfft(f, n=length, axis=-1, norm="ortho")


def _check(length: int, terms: int) -> None:
    if not 1 <= terms <= (length + 1) // 2:
        raise ValueError(f"{terms} frequencies do not fit a series of length {length}")


def shares_from_noisy(shares: np.ndarray) -> np.ndarray:
    """Clip to 0..1 and divide by the sum over states (axis -2); uniform where nothing is left."""
    kept = np.clip(shares, 0.0, 1.0)
    total = kept.sum(axis=-2, keepdims=True)
    return np.where(total > 0, kept / np.where(total > 0, total, 1.0), 1.0 / shares.shape[-2])


SMALL = 100
"""Rows up to which rotations are quicker."""
SWEEPS = 30


def eigen(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Eigenvalues and eigenvectors (as columns) of the symmetric part of a matrix, in no particular order."""
    even = (matrix + matrix.T) / 2
    if len(even) > SMALL:
        return np.linalg.eigh(even)
    turned = np.eye(len(even))
    _rotate(even, turned)
    return even.diagonal().copy(), turned.T


@kernel("float64[:, ::1], float64[:, ::1]")
def _rotate(a: np.ndarray, v: np.ndarray) -> None:
    """Makes `a` diagonal in place; the rows of `v`, the unit matrix before, become its eigenvectors."""
    n = len(a)
    size = 0.0
    for i in range(n):
        for j in range(n):
            size += a[i, j] * a[i, j]
    for _ in range(SWEEPS):
        off = 0.0
        for i in range(n):
            for j in range(i + 1, n):
                off += a[i, j] * a[i, j]
        if off <= 1e-28 * size:
            break
        for i in range(n):
            for j in range(i + 1, n):
                if a[i, j] * a[i, j] <= 1e-32 * size / (n * n):
                    continue
                angle = (a[j, j] - a[i, i]) / (2.0 * a[i, j])
                t = 1.0 / (abs(angle) + math.sqrt(angle * angle + 1.0))
                if angle < 0:
                    t = -t
                c = 1.0 / math.sqrt(t * t + 1.0)
                s = t * c
                for m in range(n):
                    x = a[i, m]
                    y = a[j, m]
                    a[i, m] = c * x - s * y
                    a[j, m] = s * x + c * y
                    x = v[i, m]
                    y = v[j, m]
                    v[i, m] = c * x - s * y
                    v[j, m] = s * x + c * y
                for m in range(n):
                    x = a[m, i]
                    y = a[m, j]
                    a[m, i] = c * x - s * y
                    a[m, j] = s * x + c * y
