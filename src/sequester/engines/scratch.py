"""A folder for the time of the work, and the arrays that tasks leave in it.

Only its owner may look in, and nothing of it stays, however the work ends.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import tempfile
import threading
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Literal

import numpy as np

from sequester.errors import InputError
from sequester.platform import ENDING, NO_LINK, OURS, is_mine, lock

PREFIX = "sequester-scratch-"
LOCK = ".held"
"""Locked by whoever works here; a kill releases the lock, so what it left is seen and swept."""


@contextmanager
def workspace(where: Path | None) -> Iterator[Path]:
    """A new folder inside `where` (the system's folder for temporary files if not given), removed at the end.

    An error, Ctrl-C, a hang-up and a request to end remove it too. What a killed process left in the same place is
    removed by the next one that works there.
    """
    place = Path(where) if where is not None else Path(tempfile.gettempdir())
    try:
        place.mkdir(parents=True, exist_ok=True)
        sweep(place)
        folder = Path(tempfile.mkdtemp(prefix=PREFIX, dir=place))  # 0700 from the start
    except OSError as error:
        raise InputError(
            f"scratch: '{place.name}' cannot be written ({error.strerror}). Pass ‹scratch=› with a folder on a disk "
            "that has room."
        ) from error
    held = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT | OURS, 0o600)
    try:
        with suppress(OSError):  # some shared disks have no locks: then nothing is swept there
            lock(held)
        with _ending_is_an_exception():
            yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os.close(held)
        shutil.rmtree(folder, ignore_errors=True)  # Windows removes no file that is open


def sweep(place: Path) -> int:
    """Remove what killed processes of this user left in `place`; returns how many folders."""
    gone = 0
    for folder in place.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if not is_mine(folder):
                continue
            handle = os.open(folder / LOCK, os.O_RDWR | NO_LINK | OURS)
            try:
                ended = lock(handle)
                if ended:
                    shutil.rmtree(folder, ignore_errors=True)
                    gone += 1
            finally:
                os.close(handle)
            if ended:
                shutil.rmtree(folder, ignore_errors=True)  # Windows removes no file that is open
    return gone


@contextmanager
def _ending_is_an_exception() -> Iterator[None]:
    """A request to end unwinds the stack, so that every `finally` on the way runs."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals in its main thread only
        return

    def stop(number: int, _frame: Any) -> None:
        raise SystemExit(128 + number)

    before = {number: signal.getsignal(number) for number in ENDING}
    for number, handler in before.items():
        if handler == signal.SIG_DFL:  # whoever set a handler knows better
            signal.signal(number, stop)
    try:
        yield
    finally:
        for number, handler in before.items():
            if handler == signal.SIG_DFL:
                signal.signal(number, handler)


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
