"""A folder that appears whole or not at all: temporary sibling, flush, one rename.

Replacing an existing folder exchanges the two names in one system call where the system can; where it cannot, the
old folder steps aside under a name that `settle` knows how to bring back.
"""

from __future__ import annotations

import ctypes
import errno
import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sequester.errors import BundleError

RENAME_EXCHANGE = 2
AT_FDCWD = -100


def require_writable(target: Path) -> None:
    """Say before any work what would only show after it."""
    if not target.name:
        raise BundleError("publish: --out must name the bundle to write, such as NAME.bundle.")
    place = next(folder for folder in target.absolute().parents if folder.exists())
    if not place.is_dir():
        raise BundleError(f"publish: '{target.name}' cannot be written: '{place.name}' is a file, not a folder.")
    if not os.access(place, os.W_OK | os.X_OK):
        raise BundleError(f"publish: '{target.name}' cannot be written: no permission to write in '{place.name}'.")


@contextmanager
def staged(target: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """A temporary sibling of `target` that takes its place when the block ends well."""
    settle(target)
    if target.exists() and not overwrite:
        raise BundleError(f"publish: '{target.name}' exists. Pass --overwrite to replace it.")
    if target.exists() and not (target.is_dir() and _is_ours(target)):
        raise BundleError(f"publish: '{target.name}' is not something sequester wrote; it will not be replaced.")
    stage = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(target)
        stage.mkdir()
        yield stage
        flush(stage)
        _swap_in(stage, target)
    except OSError as error:
        if error.errno == errno.ENOSPC:
            raise BundleError(
                f"publish: the disk is full; '{target.name}' was not written and nothing was lost. Free some space."
            ) from error
        what = error.strerror or type(error).__name__
        raise BundleError(f"publish: '{target.name}' cannot be written ({what}). Check the folder.") from error
    finally:
        shutil.rmtree(stage, ignore_errors=True)


def settle(target: Path) -> None:
    """Bring back what an interrupted replacement left aside (only where folders cannot be exchanged at once)."""
    aside = _aside(target)
    if aside.exists():
        if target.exists():
            shutil.rmtree(aside, ignore_errors=True)
        else:
            aside.rename(target)


def flush(folder: Path) -> None:
    """Everything below `folder` is on the disk."""
    for path in sorted(folder.rglob("*"), reverse=True):
        _fsync(path)
    _fsync(folder)


def _swap_in(stage: Path, target: Path) -> None:
    if not target.exists():
        stage.rename(target)
    elif not _exchange(stage, target):
        target.rename(_aside(target))
        stage.rename(target)
        shutil.rmtree(_aside(target), ignore_errors=True)
    _fsync(target.parent)


def _exchange(a: Path, b: Path) -> bool:
    """Swap two names at once (Linux); False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return call(AT_FDCWD, os.fsencode(a), AT_FDCWD, os.fsencode(b), RENAME_EXCHANGE) == 0


def _aside(target: Path) -> Path:
    return target.with_name(f".{target.name}.old")


def _is_ours(target: Path) -> bool:
    return (target / "manifest.json").exists() or (target / "custodian.json").exists() or not any(target.iterdir())


def _remove_leftovers(target: Path) -> None:
    """Stages of processes that no longer run."""
    for left in target.parent.glob(f".{target.name}.*.tmp"):
        pid = left.name.removesuffix(".tmp").rpartition(".")[2]
        if pid.isdigit() and not _alive(int(pid)):
            shutil.rmtree(left, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return pid != os.getpid()


def _fsync(path: Path) -> None:
    with suppress(PermissionError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
