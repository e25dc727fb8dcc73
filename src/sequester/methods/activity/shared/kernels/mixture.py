"""Draw rows from the mixture of a cluster: every interval independently.

Drawing from the per-interval shares of a cluster is the same as copying, at every interval, the state of a member
chosen at random. So no table of shares is built: a random byte selects among the members' rows.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.sorting import spread

LANES = 64
"""Independent generators advanced together: enough of them that the compiler uses whole vectors."""
BLENDED = 24
"""Up to this many members their rows are blended under vector masks; above it single bytes are fetched."""
BLOCK = 4096
"""Intervals sampled at a time: the members' rows of a block stay in the nearest cache."""


def sample_mixture(
    states: np.ndarray, order: np.ndarray, bounds: np.ndarray, place: np.ndarray, seeds: np.ndarray, *, threads: int = 1
) -> np.ndarray:
    """As many rows per cluster as it has members, each interval drawn from a random member.

    Parameters
    ----------
    states
        Rows x intervals, `uint8`.
    order, bounds
        Cluster c holds rows `order[bounds[c]:bounds[c + 1]]`; at most 65,535 of them.
    place
        Where in the output the row drawn for `order[i]` goes.
    seeds
        Clusters x 4 x LANES random 64-bit numbers.
    """
    out = np.empty((len(order), states.shape[1]), dtype=np.uint8)
    spread(
        lambda a, b: _sample(states, order, bounds, place, a, b, seeds, out),
        len(bounds) - 1,
        threads,
        pieces_per_thread=16,
    )
    return out


def sample_shares(
    shares: np.ndarray, bounds: np.ndarray, place: np.ndarray, seeds: np.ndarray, out: np.ndarray, *, threads: int = 1
) -> None:
    """Rows `place[bounds[c]:bounds[c + 1]]` of `out` from every table of shares, intervals independent.

    `shares` are clusters x states x intervals; `seeds` holds clusters x 4 x LANES random 64-bit numbers.
    """
    spread(lambda a, b: _sample_table(shares, bounds, place, a, b, seeds, out), len(shares), threads)


def cluster_shares(
    states: np.ndarray, n_states: int, order: np.ndarray, bounds: np.ndarray, *, threads: int = 1
) -> np.ndarray:
    """Share of members in every state at every interval, clusters x states x intervals."""
    out = np.zeros((len(bounds) - 1, n_states, states.shape[1]))
    spread(lambda a, b: _shares(states, order, bounds, a, b, out), len(bounds) - 1, threads)
    return out


@kernel("uint64[:, ::1], uint64[::1], int64")
def _draw(g: np.ndarray, words: np.ndarray, at: int) -> None:
    """One step of xoshiro256++ (Blackman and Vigna) on every lane."""
    for v in range(LANES):
        s0 = g[0, v]
        s1 = g[1, v]
        s2 = g[2, v]
        s3 = g[3, v]
        r = s0 + s3
        words[at + v] = ((r << np.uint64(23)) | (r >> np.uint64(41))) + s0
        t = s1 << np.uint64(17)
        s2 ^= s0
        s3 ^= s1
        s1 ^= s2
        s0 ^= s3
        s2 ^= t
        s3 = (s3 << np.uint64(45)) | (s3 >> np.uint64(19))
        g[0, v] = s0
        g[1, v] = s1
        g[2, v] = s2
        g[3, v] = s3


@kernel("const(uint8[:, ::1]), int64[::1], int64[::1], int64[::1], int64, int64, uint64[:, :, ::1], uint8[:, ::1]")
def _sample(
    states: np.ndarray,
    order: np.ndarray,
    bounds: np.ndarray,
    place: np.ndarray,
    first: int,
    last: int,
    seeds: np.ndarray,
    out: np.ndarray,
) -> None:
    n_intervals = states.shape[1]
    per_block = BLOCK // 4
    words = np.empty(per_block, np.uint64)
    halves = words.view(np.uint16)
    few = np.empty(BLOCK, np.uint8)
    many = np.empty(BLOCK, np.uint16)
    picked = np.empty(BLOCK, np.uint8)
    g = np.empty((4, LANES), np.uint64)
    for c in range(first, last):
        for a in range(4):
            for v in range(LANES):
                g[a, v] = seeds[c, a, v]
        rows = order[bounds[c] : bounds[c + 1]]
        size = np.uint32(len(rows))
        for at in range(0, n_intervals, BLOCK):
            length = min(BLOCK, n_intervals - at)
            for o in range(bounds[c], bounds[c + 1]):
                for w in range(0, per_block, LANES):
                    _draw(g, words, w)
                if size <= BLENDED:
                    for t in range(BLOCK):
                        few[t] = np.uint8((np.uint32(halves[t]) * size) >> np.uint32(16))
                    for m in range(len(rows)):
                        source = states[rows[m], at : at + length]
                        code = np.uint8(m)
                        for t in range(length):
                            mask = np.uint8(np.uint8(0) - np.uint8(few[t] == code))
                            picked[t] = np.uint8(picked[t] ^ ((picked[t] ^ source[t]) & mask))
                else:
                    for t in range(BLOCK):
                        many[t] = np.uint16((np.uint32(halves[t]) * size) >> np.uint32(16))
                    for t in range(length):
                        picked[t] = states[rows[many[t]], at + t]
                for t in range(length):
                    out[place[o], at + t] = picked[t]


@kernel("float64[:, :, ::1], int64[::1], int64[::1], int64, int64, uint64[:, :, ::1], uint8[:, ::1]")
def _sample_table(
    shares: np.ndarray,
    bounds: np.ndarray,
    place: np.ndarray,
    first: int,
    last: int,
    seeds: np.ndarray,
    out: np.ndarray,
) -> None:
    n_states = shares.shape[1]
    words = np.empty(LANES, np.uint64)
    g = np.empty((4, LANES), np.uint64)
    unit = 1.0 / 9007199254740992.0
    for c in range(first, last):
        for a in range(4):
            for v in range(LANES):
                g[a, v] = seeds[c, a, v]
        at = LANES
        for o in range(bounds[c], bounds[c + 1]):
            for t in range(shares.shape[2]):
                if at == LANES:
                    _draw(g, words, 0)
                    at = 0
                u = np.float64(words[at] >> np.uint64(11)) * unit
                at += 1
                a = 0
                while a < n_states - 1 and u >= shares[c, a, t]:
                    u -= shares[c, a, t]
                    a += 1
                out[place[o], t] = a


@kernel("const(uint8[:, ::1]), int64[::1], int64[::1], int64, int64, float64[:, :, ::1]")
def _shares(states: np.ndarray, order: np.ndarray, bounds: np.ndarray, first: int, last: int, out: np.ndarray) -> None:
    for c in range(first, last):
        size = bounds[c + 1] - bounds[c]
        for o in range(bounds[c], bounds[c + 1]):
            for t in range(states.shape[1]):
                out[c, states[order[o], t], t] += 1.0
        for a in range(out.shape[1]):  # a loop, because an array at a time takes the compiler seconds
            for t in range(out.shape[2]):
                out[c, a, t] /= size
