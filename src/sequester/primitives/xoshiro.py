"""Random numbers inside compiled loops: xoshiro256++ (Blackman and Vigna 2018), four 64-bit words of state."""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel

BYTES_TO_BELL = 1.0 / math.sqrt(8 * (256**2 - 1) / 12)
"""Eight uniform bytes have this standard deviation, turned round."""


@kernel("uint64[::1]")
def word(g: np.ndarray) -> int:
    """64 random bits from one step of xoshiro256++."""
    r = g[0] + g[3]
    bits = ((r << np.uint64(23)) | (r >> np.uint64(41))) + g[0]
    t = g[1] << np.uint64(17)
    g[2] ^= g[0]
    g[3] ^= g[1]
    g[1] ^= g[2]
    g[0] ^= g[3]
    g[2] ^= t
    g[3] = (g[3] << np.uint64(45)) | (g[3] >> np.uint64(19))
    return bits


@kernel("uint64[::1]")
def uniform(g: np.ndarray) -> float:
    """A number in (0, 1] from one step."""
    return (np.float64(word(g) >> np.uint64(11)) + 1.0) * (1.0 / 9007199254740992.0)


@kernel("uint64[::1]")
def fraction(g: np.ndarray) -> float:
    """A number in [0, 1) from one step."""
    return 1.0 - uniform(g)


@kernel("uint64[::1]")
def bell(g: np.ndarray) -> float:
    """Nearly a standard normal number from one step: the sum of its eight bytes, which ends at 4.9.

    For effects that only have to scatter.
    """
    bits = word(g)
    even = np.uint64(0x00FF00FF00FF00FF)
    pairs = (bits & even) + ((bits >> np.uint64(8)) & even)
    total = (pairs * np.uint64(0x0001000100010001)) >> np.uint64(48)
    return (np.float64(total) - 1020.0) * BYTES_TO_BELL


def state_from(generator: np.random.Generator) -> np.ndarray:
    """A state for one run of a kernel, drawn from a generator of NumPy.

    numba's own way of using such a generator in a kernel cannot be cached safely (see `primitives.compiled`).
    """
    state = np.frombuffer(generator.bytes(32), np.uint64).copy()
    state[0] |= np.uint64(1)  # all zeros would stay zeros
    return state
