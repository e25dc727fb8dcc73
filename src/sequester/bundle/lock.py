"""One writer per bundle: a lock held by the kernel, so that it ends with its holder and never rests on process ids.

Two containers on one volume can have equal process ids; a lock of the kernel (`flock`) tells them apart.
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sequester.errors import BundleError
from sequester.platform import NO_LINK, OURS, lock, signals_wait, unlock

PATIENCE_SECONDS = 600.0
PAUSE_SECONDS = 0.05


@contextmanager
def locked(target: Path) -> Iterator[None]:
    """Hold the lock of `target`: a hidden file beside it that is gone when nobody writes."""
    path = target.with_name(f".{target.name}.lock")
    handle = _acquire(path, target.name)
    try:
        yield
    finally:
        with signals_wait():
            unlock(path, handle)


def _acquire(path: Path, name: str) -> int:
    until = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            handle = os.open(path, os.O_RDWR | os.O_CREAT | NO_LINK | OURS, 0o600)
        except OSError as error:
            raise BundleError(
                f"publish: '{name}' cannot be written there ({error.strerror}). Choose another folder or name."
            ) from error
        try:
            if lock(handle) and _is_still(path, handle):
                return handle
        except OSError as error:
            os.close(handle)
            raise BundleError(
                f"publish: '{name}' cannot be locked here ({error.strerror}). Publish to a local folder and move "
                "the result."
            ) from error
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)
        if time.monotonic() > until:
            raise BundleError(
                f"publish: another process has been writing '{name}' for more than {PATIENCE_SECONDS / 60:.0f} "
                "minutes. Wait for it, then try again."
            )
        time.sleep(PAUSE_SECONDS)


def _is_still(path: Path, handle: int) -> bool:
    """Whether the locked file is the one that has the name now."""
    try:
        there = path.stat(follow_symlinks=False)
    except FileNotFoundError:
        return False
    held = os.fstat(handle)
    return (there.st_dev, there.st_ino) == (held.st_dev, held.st_ino)
