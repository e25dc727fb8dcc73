"""Memory that is free but held: allocators keep it for later, and a limit counts it all the same."""

from __future__ import annotations

import ctypes
import sys

PROGRAM = 200 * 10**6
"""What the programs themselves take of a limit: interpreter, libraries, compiled kernels."""


def usable(memory: int) -> int:
    """Of a limit, what is left for data."""
    return max(memory - PROGRAM, memory // 4)


def give_back() -> None:
    """Return what is free to the operating system."""
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()
    if _trim is not None:
        _trim(0)


def _found() -> ctypes._NamedFuncPointer | None:
    try:
        return getattr(ctypes.CDLL(None), "malloc_trim", None)
    except (OSError, TypeError):  # other systems have other allocators
        return None


_trim = _found()
