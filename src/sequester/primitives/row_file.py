"""Rows of bytes in a file, read and written by their numbers.

A map of the file would bring more than is asked for: the system maps large pieces around every row that is touched, and
all of them count as memory of the process. Here a row is copied, and nothing else. The file has a name, so that other
processes can open it.

Where large arrays live: in memory, or in files that the system may write out and drop.
"""

from __future__ import annotations

import mmap
import os
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sequester.platform import OURS, read_at, remove, write_at


class RowFile(NamedTuple):
    """A matrix of bytes in a file."""

    path: Path
    n: int
    width: int

    @classmethod
    def new(cls, path: Path, n: int, width: int) -> RowFile:
        """A file of zeros, for its owner alone."""
        handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | OURS, 0o600)
        try:
            os.truncate(handle, n * width)
        finally:
            os.close(handle)
        return cls(path, n, width)

    def like(self, n: int, width: int) -> RowFile:
        """Another file beside it."""
        return RowFile.new(self.path.with_name(f"{self.path.name}-{os.urandom(4).hex()}"), n, width)

    def rows(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A matrix with these rows in it, and where in it they stand."""
        block = self.take(which)
        block.flags.writeable = False
        return block, np.arange(len(which))

    def take(self, rows: np.ndarray) -> np.ndarray:
        """A copy of some rows, in their order."""
        out = np.empty((len(rows), self.width), np.uint8)
        handle = os.open(self.path, os.O_RDONLY | OURS)
        try:
            for first, last in _runs(rows):
                _fill(handle, out[first:last], int(rows[first]) * self.width)
        finally:
            os.close(handle)
        return out

    def put(self, rows: np.ndarray, block: np.ndarray) -> None:
        """Write `block` where the rows stand. Done twice, it leaves the same file."""
        flat = np.ascontiguousarray(block)
        handle = os.open(self.path, os.O_WRONLY | OURS)
        try:
            for first, last in _runs(rows):
                _pour(handle, flat[first:last], int(rows[first]) * self.width)
        finally:
            os.close(handle)

    def mapped(self, *, to_write: bool = False) -> np.ndarray:
        """The whole matrix as a map; it stays when the file has lost its name."""
        if not self.n * self.width:
            return np.zeros((self.n, self.width), np.uint8)
        return np.memmap(self.path, dtype=np.uint8, mode="r+" if to_write else "r", shape=(self.n, self.width)).view(
            np.ndarray
        )


class RowsInMemory(NamedTuple):
    """A matrix of bytes in memory, with the face of one in a file."""

    matrix: np.ndarray

    @classmethod
    def of(cls, matrix: np.ndarray) -> RowsInMemory:
        """Rows to be read: kernels are compiled for what cannot be written."""
        view = np.ascontiguousarray(matrix).view()
        view.flags.writeable = False
        return cls(view)

    def like(self, n: int, width: int) -> RowsInMemory:
        """Another matrix, to be written."""
        return RowsInMemory(np.empty((n, width), np.uint8))

    def rows(self, which: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A matrix with these rows in it, and where in it they stand."""
        return self.matrix, which.astype(np.int64)

    def take(self, rows: np.ndarray) -> np.ndarray:
        """Some rows, in their order."""
        return self.matrix[rows]

    def put(self, rows: np.ndarray, block: np.ndarray) -> None:
        """Write `block` where the rows stand."""
        self.matrix[rows] = block

    def mapped(self, *, to_write: bool = False) -> np.ndarray:
        return self.matrix


def _runs(rows: np.ndarray) -> list[tuple[int, int]]:
    """Slices of `rows` that follow each other in the file."""
    if not len(rows):
        return []
    cuts = np.flatnonzero(np.diff(rows) != 1) + 1
    return list(pairwise([0, *cuts.tolist(), len(rows)]))


def _fill(handle: int, out: np.ndarray, at: int) -> None:
    view = out.data.cast("B") if out.size else memoryview(b"")
    while len(view):
        read = read_at(handle, view, at)
        if not read:
            raise OSError("the file is shorter than its rows")
        view, at = view[read:], at + read


def _pour(handle: int, block: np.ndarray, at: int) -> None:
    view = block.data.cast("B") if block.size else memoryview(b"")
    while len(view):
        written = write_at(handle, view, at)
        view, at = view[written:], at + written


class Room:
    """Makes arrays. With a folder they are maps of files there, which do not count as memory of the process.

    A file loses its name as soon as it is mapped: its space is free when the array is gone, however the process ends.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = folder

    def zeros(self, n: int, dtype: Any) -> np.ndarray:
        if self.folder is None or n == 0:
            return np.zeros(n, dtype=dtype)
        handle, name = tempfile.mkstemp(dir=self.folder, suffix=".array")
        with os.fdopen(handle, "r+b") as file:
            remove(Path(name))
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
