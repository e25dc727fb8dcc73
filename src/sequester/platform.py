"""What operating systems do differently: locks, exchanged names, closed folders, children, signals.

Each question has one answer here, chosen by what the system offers and not by its name. Linux and macOS are POSIX; the
other half of each answer is for Windows, and is run on Linux with the POSIX calls taken away (`make test-portable`).
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import getpass
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

try:
    import fcntl
except ImportError:
    fcntl = None  # type: ignore[assignment]
    import msvcrt
try:
    import resource
except ImportError:  # Windows sets a process no limits
    resource = None  # type: ignore[assignment]

POSIX = fcntl is not None
PAUSE_SECONDS, HELD_SECONDS = 0.05, 3.0
ENDING = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGHUP", "SIGBREAK") if hasattr(signal, name))
"""A request to end and a closed terminal, as the system calls them."""
STOPPING = (signal.SIGINT, *ENDING)
RENAME_EXCHANGE = 2
AT_FDCWD = -100
NO_LINK = getattr(os, "O_NOFOLLOW", 0)
OURS = getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
"""Opened for this process alone, and byte by byte."""
ONE_PLACE = threading.Lock()
"""A handle has one place in its file; where it cannot be passed over, threads take turns."""


def lock(handle: int, *, wait: bool = False) -> bool:
    """Hold an open file against all other processes until it is closed; False if another holds it."""
    if POSIX:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except OSError as error:
            if error.errno in (errno.EWOULDBLOCK, errno.EACCES, errno.EINTR):
                return False
            raise
        return True
    while True:
        try:
            os.lseek(handle, 0, os.SEEK_SET)
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined,unused-ignore]
            return True
        except OSError as error:
            if error.errno not in (errno.EACCES, errno.EDEADLK):
                raise
        if not wait:
            return False
        time.sleep(PAUSE_SECONDS)


def exchange(a: Path, b: Path) -> bool:
    """Swap two names at once; False where the system cannot, and the caller steps aside first."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        call = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return int(call(AT_FDCWD, os.fsencode(a), AT_FDCWD, os.fsencode(b), RENAME_EXCHANGE)) == 0


def put(source: Path, goal: Path) -> None:
    """Give a file or folder its name. On Windows a virus scanner may hold what is new: then it is tried again."""
    until = time.monotonic() + (0 if POSIX else HELD_SECONDS)
    while True:
        try:
            source.replace(goal)
            return
        except PermissionError:
            if time.monotonic() >= until:
                raise
        time.sleep(PAUSE_SECONDS)


def close_to_others(path: Path) -> None:
    """Only the owner can look into a folder and what lies in it, or into a file, whatever the umask says.

    Windows keeps lists of rights instead of modes: there a folder stops inheriting them, and its owner alone is named.
    """
    if POSIX:
        for one in (path, *path.rglob("*")):
            if not one.is_symlink():
                one.chmod(0o700 if one.is_dir() else 0o600)
        return
    whose = "\\".join(filter(None, (os.environ.get("USERDOMAIN"), getpass.getuser())))  # a name alone may be another's
    rights = f"{whose}:{'(OI)(CI)' if path.is_dir() else ''}F"
    command = ["icacls", str(path), "/inheritance:r", "/grant:r", rights, "/T", "/Q"]
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:
        done = False
    if not done:
        raise OSError(errno.EPERM, "this system did not let it be closed to others")


def is_mine(path: Path) -> bool:
    """Whether a path that is no link belongs to who runs this; Windows gives each user a folder of their own."""
    found = path.lstat()
    return not path.is_symlink() and (not POSIX or found.st_uid == os.getuid())


def fsync(path: Path) -> None:
    """A file, or the names in a folder, are on the disk. Windows writes names by itself and opens no folder."""
    if path.is_dir() and not POSIX:
        return
    with contextlib.suppress(PermissionError):
        handle = os.open(path, (os.O_RDONLY if POSIX else os.O_RDWR) | OURS)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def read_at(handle: int, into: memoryview, at: int) -> int:
    """Fill `into` from a place of a file that other threads read too; returns the bytes read."""
    if POSIX:
        return os.preadv(handle, [into], at)
    with ONE_PLACE:
        os.lseek(handle, at, os.SEEK_SET)
        found = os.read(handle, len(into))
    into[: len(found)] = found
    return len(found)


def write_at(handle: int, block: memoryview, at: int) -> int:
    """Write at a place of a file; returns the bytes written."""
    if POSIX:
        return os.pwrite(handle, block, at)
    with ONE_PLACE:
        os.lseek(handle, at, os.SEEK_SET)
        return os.write(handle, block)


def apart() -> dict[str, Any]:
    """How `Popen` starts a child that can be stopped together with its own children."""
    group = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)
    return {"start_new_session": True} if POSIX else {"creationflags": group}


def remove(path: Path) -> None:
    """A scratch file goes. Windows removes none that is open: there it goes with its folder."""
    with contextlib.suppress(FileNotFoundError, *([] if POSIX else [PermissionError])):
        path.unlink()


def unlock(path: Path, handle: int) -> None:
    """A lock ends and its file goes: first, so that whoever waits sees another file; on Windows, when it is closed."""
    with contextlib.suppress(OSError):
        path.unlink()
    os.close(handle)
    if not POSIX:
        remove(path)


def end_myself() -> None:
    """Ask this process to end, from any of its threads. On Windows `os.kill` would not ask."""
    if POSIX:
        os.kill(os.getpid(), signal.SIGTERM)
    else:
        signal.raise_signal(signal.SIGTERM)


def stop(process: subprocess.Popen[bytes], *, grace_seconds: float) -> None:
    """End a child that was started `apart`, and its children; first by asking, then by force."""
    with contextlib.suppress(OSError):  # it is gone, or has no console that could ask it
        if POSIX:
            os.killpg(process.pid, signal.SIGTERM)
        else:  # `terminate` would end it at once, and leave its children
            process.send_signal(getattr(signal, "CTRL_BREAK_EVENT", signal.SIGTERM))
    try:
        process.wait(grace_seconds)
    except subprocess.TimeoutExpired:
        if POSIX:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(process.pid, signal.SIGKILL)
        else:
            with contextlib.suppress(FileNotFoundError):
                subprocess.run(["taskkill", "/PID", str(process.pid), "/T", "/F"], capture_output=True, check=False)
            process.kill()


@contextmanager
def signals_wait() -> Iterator[None]:
    """Ctrl-C, a hang-up and a request to end wait while names change or a lock is removed; then they are raised."""
    if threading.current_thread() is not threading.main_thread():
        yield  # Python handles signals in its main thread only
        return
    came: list[int] = []
    before = {number: signal.signal(number, lambda which, _frame: came.append(which)) for number in STOPPING}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler if handler is not None else signal.SIG_DFL)
        for which in came[:1]:
            signal.raise_signal(which)
