"""MDAV at full resolution: one bit per interval and state, distances by counting bits.

At the finest resolution x[a, t] is 1 where the person is in state a, so the squared norm of a difference is the
number of intervals in which exactly one of two people is in that state: an exclusive or and a count of bits.
The partition is the one `mdav` would find on the same indicator features.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from sequester.primitives.compiled import kernel, written_in_llvm
from sequester.primitives.sorting import spread


@written_in_llvm(lambda word: np.uint64(int(word).bit_count()))
def _bits() -> Any:
    """Number of ones in a 64-bit word."""
    from numba import types
    from numba.extending import intrinsic

    def bits(typing_context: Any, word: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.ctpop(arguments[0])

        return types.uint64(types.uint64), generate

    return intrinsic(bits)


def planes(states: np.ndarray, n_states: int, *, threads: int = 1) -> np.ndarray:
    """Rows x states x words: bit t of a row's plane a is set where the row is in state a at interval t."""
    n_words = (states.shape[1] + 63) // 64
    out = np.zeros((len(states), n_states, n_words), dtype=np.uint64)
    spread(lambda a, b: _pack(states[a:b], out[a:b]), len(states), threads)
    return out


def full_resolution_mdav(
    states: np.ndarray, n_states: int, weights: np.ndarray, size: int, *, variant: str = "2k", threads: int = 1
) -> np.ndarray:
    """Cluster labels of MDAV on the state indicators of every interval.

    The mean drifts little from round to round, so a record's distance to it is only recomputed while its last
    known distance plus the drift since then could still be the largest.
    """
    n, n_intervals = states.shape
    labels = np.full(n, -1, dtype=np.int64)
    if n < 2 * size:
        labels[:] = 0
        return labels
    bits = planes(states, n_states, threads=threads)
    weights = np.asarray(weights, dtype=np.float64)
    alive = np.arange(n)
    total = np.zeros((n_states, n_intervals), dtype=np.int64)
    _add_rows(states, alive, total, 1)
    bound = np.full(n, np.inf)
    drift = 0.0
    mean = total / n
    clusters = 0
    scan = np.empty(n)

    def distances(centre: int) -> np.ndarray:
        out = scan[: len(alive)]
        spread(
            lambda a, b: _scan(bits, alive[a:b], centre, weights, out[a:b]), len(alive), threads, pieces_per_thread=1
        )
        return out

    while len(alive) >= (3 if variant == "3k" else 2) * size:
        r = _farthest_from_mean(states, alive, mean, weights, bound, drift)
        d = distances(r)
        d[alive == r] = -1.0
        s = int(alive[np.argmax(d)])
        d[alive == r] = np.inf
        d[alive == s] = np.inf
        group = np.concatenate([[r], alive[np.argsort(d, kind="stable")[: size - 1]]])
        labels[group] = clusters
        alive = alive[labels[alive] < 0]
        d = distances(s)
        d[alive == s] = np.inf
        other = np.concatenate([[s], alive[np.argsort(d, kind="stable")[: size - 1]]])
        labels[other] = clusters + 1
        alive = alive[labels[alive] < 0]
        clusters += 2
        _add_rows(states, np.concatenate([group, other]), total, -1)
        if len(alive):
            moved = total / len(alive)
            drift += float(weights @ np.sqrt(((moved - mean) ** 2).sum(axis=1)))
            mean = moved
    if variant == "3k" and len(alive) >= 2 * size:
        r = _farthest_from_mean(states, alive, mean, weights, bound, drift)
        d = distances(r)
        d[alive == r] = -1.0
        labels[alive[np.argsort(d, kind="stable")[:size]]] = clusters
        alive = alive[labels[alive] < 0]
        clusters += 1
    if len(alive) >= size:
        labels[alive] = clusters
    elif len(alive):
        labels[alive] = _closest(states, labels, clusters, mean, weights)
    return labels


def _farthest_from_mean(
    states: np.ndarray, alive: np.ndarray, mean: np.ndarray, weights: np.ndarray, bound: np.ndarray, drift: float
) -> int:
    """Record farthest from the mean; `bound` keeps each record's last distance minus the drift at that time."""
    upper = bound[alive] + drift
    best, who = -1.0, -1
    squares = (mean * mean).sum(axis=1)
    for at in np.argsort(-upper, kind="stable"):
        if upper[at] < best * (1 - 1e-9):
            break
        i = int(alive[at])
        d = _to_mean(states[i], mean, squares, weights)
        bound[i] = d - drift
        if d > best or (d == best and i < who):
            best, who = d, i
    return who


def _closest(states: np.ndarray, labels: np.ndarray, clusters: int, mean: np.ndarray, weights: np.ndarray) -> int:
    best, into = np.inf, 0
    for c in range(clusters):
        rows = np.flatnonzero(labels == c)
        total = np.zeros(mean.shape, dtype=np.int64)
        _add_rows(states, rows, total, 1)
        d = float(weights @ np.sqrt(((total / len(rows) - mean) ** 2).sum(axis=1)))
        if d < best:
            best, into = d, c
    return into


@kernel("const(uint8[:, ::1]), uint64[:, :, ::1]")
def _pack(states: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(states)):
        for t in range(states.shape[1]):
            out[i, states[i, t], t >> 6] |= np.uint64(1) << np.uint64(t & 63)


@kernel("uint64[:, :, ::1], int64[::1], int64, float64[::1], float64[::1]")
def _scan(bits: np.ndarray, rows: np.ndarray, centre: int, weights: np.ndarray, out: np.ndarray) -> None:
    n_words = bits.shape[2]
    for o in range(len(rows)):
        i = rows[o]
        d = 0.0
        for a in range(bits.shape[1]):
            x = bits[i, a]
            y = bits[centre, a]
            ones = np.uint64(0)
            for w in range(n_words):
                ones += _bits(x[w] ^ y[w])
            d += weights[a] * math.sqrt(np.float64(ones))
        out[o] = d


@kernel("const(uint8[:, ::1]), int64[::1], int64[:, ::1], int64")
def _add_rows(states: np.ndarray, rows: np.ndarray, total: np.ndarray, sign: int) -> None:
    for i in rows:
        for t in range(states.shape[1]):
            total[states[i, t], t] += sign


@kernel("const(uint8[::1]), float64[:, ::1], float64[::1], float64[::1]")
def _to_mean(row: np.ndarray, mean: np.ndarray, squares: np.ndarray, weights: np.ndarray) -> float:
    """|x|^2 - 2 x.c + |c|^2 per state, where x is an indicator."""
    n_states = len(squares)
    ones = np.zeros(n_states)
    dots = np.zeros(n_states)
    for t in range(len(row)):
        ones[row[t]] += 1.0
        dots[row[t]] += mean[row[t], t]
    d = 0.0
    for a in range(n_states):
        d += weights[a] * math.sqrt(max(0.0, ones[a] - 2.0 * dots[a] + squares[a]))
    return d
