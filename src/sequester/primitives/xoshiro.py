"""Random numbers inside compiled loops: xoshiro256++ (Blackman and Vigna 2018), four 64-bit words of state."""

from __future__ import annotations

import numpy as np
from numba import njit


@njit(cache=True, nogil=True, inline="always")
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
