"""Envelopes of groups and sums of shapes, with one record more or less: what a local search asks for all the time."""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel


@kernel("float64[:, ::1], int64[::1], int64, float64[:, :, ::1], int64")
def extremes(values, members, count, ends, g):
    for j in range(values.shape[1]):
        a, a2, b, b2 = np.inf, np.inf, -np.inf, -np.inf
        for m in range(count):
            v = values[members[m], j]
            if v < a:
                a, a2 = v, a
            elif v < a2:
                a2 = v
            if v > b:
                b, b2 = v, b
            elif v > b2:
                b2 = v
        ends[0, g, j], ends[1, g, j], ends[2, g, j], ends[3, g, j] = a, a2, b, b2


@kernel("float64[:, ::1], float64[:, :, ::1], int64, int64, int64")
def width_of(values, ends, g, without, extra):
    """Root mean squared width of a group less one record, plus one (-1: none)."""
    total = 0.0
    d = values.shape[1]
    for j in range(d):
        low, high = ends[0, g, j], ends[2, g, j]
        if without >= 0:
            v = values[without, j]
            if v == low:
                low = ends[1, g, j]
            if v == high:
                high = ends[3, g, j]
        if extra >= 0:
            v = values[extra, j]
            if v < low:
                low = v
            if v > high:
                high = v
        total += (high - low) * (high - low)
    return math.sqrt(total / d)


@kernel("float64[:, ::1], float64[:, :, ::1], int64, int64, int64, float64")
def swapped(values, ends, g, without, extra, limit):
    """As `width_of`, but infinite once it is known to exceed `limit`."""
    if limit <= 0.0:
        return np.inf
    total, d = 0.0, values.shape[1]
    most = limit * limit * d
    for j in range(d):
        low, high = ends[0, g, j], ends[2, g, j]
        v = values[without, j]
        if v == low:
            low = ends[1, g, j]
        if v == high:
            high = ends[3, g, j]
        v = values[extra, j]
        if v < low:
            low = v
        if v > high:
            high = v
        total += (high - low) * (high - low)
        if total > most:
            return np.inf
    return math.sqrt(total / d)


@kernel("float64[:, ::1], int64, float64[:, ::1], int64, int64")
def length_of(sums, s, shapes, without, extra):
    """Length of a sum of shapes less one, plus one (-1: none)."""
    square = 0.0
    for j in range(sums.shape[1]):
        v = sums[s, j]
        if without >= 0:
            v -= shapes[without, j]
        if extra >= 0:
            v += shapes[extra, j]
        square += v * v
    return math.sqrt(square)


@kernel("float64[:, ::1], int64, float64[:, ::1], int64, float64")
def add(sums, s, shapes, i, sign):
    """Add a shape to a sum, or take it away. A loop, because an array at a time takes the compiler seconds."""
    for j in range(sums.shape[1]):
        sums[s, j] += sign * shapes[i, j]
