"""Eigenvalues of small symmetric matrices, by Jacobi's rotations.

NumPy's own routine wakes all threads of the linear algebra library for matrices of a few dozen rows, and they wait for
each other longer than the work takes.
"""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel

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
