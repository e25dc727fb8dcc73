"""Arrays that tasks leave in the scratch folder.

They are read back without `np.load`: it parses the header of a file as Python, and before 3.11.8 two threads of CPython
that do so at once can end in `SystemError: AST constructor recursion depth mismatch` (python/cpython#106905).
"""

from __future__ import annotations

import os
import re
import zipfile
from pathlib import Path
from typing import IO, Literal

import numpy as np

HEADER = re.compile(rb"\{'descr': '([^']+)', 'fortran_order': (False|True), 'shape': \(([\d, ]*)\), \} *\n")
"""What `np.save` writes before the numbers."""


def keep(path: Path, array: np.ndarray) -> None:
    """Write an array beside its place and rename it: two workers with one task leave one whole file."""
    beside = _beside(path)
    with beside.open("wb") as file:  # given a path, NumPy would add an ending of its own
        np.save(file, np.ascontiguousarray(array))  # rows are read from it by their places
    beside.replace(path)


def keep_all(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Write several arrays into one file, beside its place, and rename it."""
    beside = _beside(path)
    with beside.open("wb") as file:
        np.savez(file, **arrays)  # type: ignore[arg-type]
    beside.replace(path)


def mapped(path: Path) -> np.memmap:
    """What `keep` wrote, as a map that cannot be written."""
    with path.open("rb") as file:
        dtype, order, shape = _header(file)
        return np.memmap(file, dtype, "r", file.tell(), shape, order)


def load(path: Path) -> np.ndarray:
    """What `keep` wrote, in memory."""
    with path.open("rb") as file:
        return _array(file)


def load_all(path: Path) -> dict[str, np.ndarray]:
    """What `keep_all` wrote, in memory."""
    out = {}
    with zipfile.ZipFile(path) as stored:
        for name in stored.namelist():
            with stored.open(name) as file:
                out[name.removesuffix(".npy")] = _array(file)
    return out


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.stem}.{os.getpid()}.{os.urandom(4).hex()}{path.suffix}")


def _array(file: IO[bytes]) -> np.ndarray:
    dtype, order, shape = _header(file)
    return np.frombuffer(bytearray(file.read()), dtype).reshape(shape, order=order)


def _header(file: IO[bytes]) -> tuple[np.dtype, Literal["C", "F"], tuple[int, ...]]:
    begins = file.read(8)
    width = 2 if begins[6:7] == b"\x01" else 4
    size = int.from_bytes(file.read(width), "little")
    found = HEADER.fullmatch(file.read(size))
    if begins[:6] != b"\x93NUMPY" or found is None:
        raise ValueError("a file of the scratch folder holds no array of numbers")
    shape = tuple(int(n) for n in found[3].split(b",") if n.strip())
    return np.dtype(found[1].decode()), "F" if found[2] == b"True" else "C", shape
