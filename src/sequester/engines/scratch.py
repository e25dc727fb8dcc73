"""A folder for the time of the work: only its owner may look in, and nothing of it stays, however the work ends."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from sequester.errors import InputError
from sequester.platform import ENDING, NO_LINK, OURS, is_mine, lock

PREFIX = "sequester-scratch-"
LOCK = ".held"
"""Locked by whoever works here; a kill releases the lock, so what it left can be told and swept."""


@contextmanager
def workspace(where: Path | None) -> Iterator[Path]:
    """A new folder inside `where` (the system's folder for temporary files if not told), removed at the end.

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
