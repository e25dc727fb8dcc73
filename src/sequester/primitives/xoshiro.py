"""Random numbers inside compiled loops: xoshiro256++ (Blackman and Vigna 2018), four 64-bit words of state."""

from __future__ import annotations

import math

import numpy as np

from sequester.primitives.compiled import kernel


@kernel("uint64[::1]")
def uniform(g: np.ndarray) -> float:
    """A number in (0, 1] from one step of xoshiro256++."""
    r = g[0] + g[3]
    word = ((r << np.uint64(23)) | (r >> np.uint64(41))) + g[0]
    t = g[1] << np.uint64(17)
    g[2] ^= g[0]
    g[3] ^= g[1]
    g[1] ^= g[2]
    g[0] ^= g[3]
    g[2] ^= t
    g[3] = (g[3] << np.uint64(45)) | (g[3] >> np.uint64(19))
    return (np.float64(word >> np.uint64(11)) + 1.0) * (1.0 / 9007199254740992.0)


@kernel("uint64[::1]")
def fraction(g: np.ndarray) -> float:
    """A number in [0, 1) from one step."""
    return 1.0 - uniform(g)


@kernel("uint64[::1]")
def normal(g: np.ndarray) -> float:
    """A standard normal number from two steps (Box and Muller 1958)."""
    radius = math.sqrt(-2.0 * math.log(uniform(g)))
    return radius * math.cos(2.0 * math.pi * uniform(g))


def state_from(generator: np.random.Generator) -> np.ndarray:
    """A state for one run of a kernel, drawn from a generator of NumPy.

    numba's own way of using such a generator in a kernel cannot be cached safely (see `primitives.compiled`).
    """
    state = np.frombuffer(generator.bytes(32), np.uint64).copy()
    state[0] |= np.uint64(1)  # all zeros would stay zeros
    return state
