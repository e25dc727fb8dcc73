"""Where large arrays live: in memory, or in files that the system may write out and drop."""

from __future__ import annotations

import mmap
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np


class Room:
    """Makes arrays. With a folder they are maps of files there, which do not count as memory of the process.

    A file loses its name as soon as it is mapped: its space is free when the array is gone, however the process ends.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def zeros(self, n: int, dtype: Any) -> np.ndarray:
        """An array of n zeros."""
        if self.folder is None or n == 0:
            return np.zeros(n, dtype=dtype)
        handle, name = tempfile.mkstemp(dir=self.folder, suffix=".array")
        with os.fdopen(handle, "r+b") as file:
            Path(name).unlink()
            file.truncate(n * np.dtype(dtype).itemsize)
            return np.memmap(file, dtype=dtype, mode="r+", shape=(n,)).view(np.ndarray)

    def empty(self, n: int, dtype: Any) -> np.ndarray:
        """An array of n numbers to be written."""
        return np.empty(n, dtype=dtype) if self.folder is None else self.zeros(n, dtype)


def rest(*arrays: np.ndarray) -> None:
    """Let go of what a process holds of mapped files; the files, and what was written, stay. Others are left alone."""
    for array in arrays:
        held: Any = array
        while isinstance(held, np.ndarray):
            held = held.base
        if isinstance(held, mmap.mmap) and hasattr(held, "madvise"):
            held.madvise(mmap.MADV_DONTNEED)
