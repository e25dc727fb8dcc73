"""Every interpreter that has this folder on its path runs as on a system without POSIX (`make test-portable`).

Taken away: fcntl, resource, SIGHUP, SIGALRM, killpg, fork, reading and writing at a place, O_NOFOLLOW, sysconf and
renameat2. What Windows has instead is there: `msvcrt.locking`, SIGBREAK, and the programs `icacls` and `taskkill`
beside this file. As there, a file that this process has open or mapped is neither removed nor renamed, nor is a
folder above it, and nothing is renamed onto what exists. Not simulated: files that other programs have open, how
Windows writes paths, and names that differ in case alone (a test looks at the names we write).
"""

import contextlib
import ctypes
import errno
import fcntl as _fcntl
import os
import signal
import subprocess  # noqa: F401 (what the standard library needs it has taken before anything is hidden)
import sys
import tempfile  # noqa: F401
import types
from pathlib import Path

_library = ctypes.CDLL


def _locking(handle: int, _mode: int, _n_bytes: int) -> None:
    try:
        _fcntl.flock(handle, _fcntl.LOCK_EX | _fcntl.LOCK_NB)
    except OSError as error:
        raise PermissionError(errno.EACCES, "locked by another") from error


class _WithoutExchange(_library):
    def __getattr__(self, name: str) -> object:
        if name == "renameat2":
            raise AttributeError(name)
        return super().__getattr__(name)


def _in_use(path: object) -> bool:
    real, handles = os.path.realpath(os.fspath(path)), []
    for number in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # that of the listing
            handles.append(str(number.readlink()))
    maps = Path("/proc/self/maps").read_text("utf-8").splitlines()
    handles += [line.split(None, 5)[5] for line in maps if " /" in line]
    return any(name == real or name.startswith(f"{real}/") for name in handles)


def _remove(path, *, dir_fd=None, _real=os.unlink):
    if dir_fd is None and not Path(path).is_symlink() and _in_use(path):
        raise PermissionError(errno.EACCES, "in use", str(path))
    if dir_fd is None and str(path).endswith(".lock") and os.path.lexists(path):  # nor one that another process holds
        handle = os.open(path, os.O_RDWR)
        try:
            _locking(handle, 0, 1)
            return _real(path)
        finally:
            os.close(handle)
    return _real(path, dir_fd=dir_fd)


def _rename(source, goal, *, src_dir_fd=None, dst_dir_fd=None, _real=os.rename):
    if os.path.lexists(goal) and os.path.realpath(source) != os.path.realpath(goal):
        raise FileExistsError(errno.EEXIST, "exists", str(source), None, str(goal))
    return _replace(source, goal, _real=_real)


def _replace(source, goal, *, src_dir_fd=None, dst_dir_fd=None, _real=os.replace):
    if Path(goal).is_dir() or _in_use(source) or _in_use(goal):
        raise PermissionError(errno.EACCES, "in use", str(source), None, str(goal))
    return _real(source, goal)


os.unlink = os.remove = _remove
os.rename, os.replace = _rename, _replace
sys.modules["fcntl"] = sys.modules["resource"] = None
sys.modules["msvcrt"] = types.ModuleType("msvcrt")
sys.modules["msvcrt"].LK_NBLCK, sys.modules["msvcrt"].locking = 2, _locking
ctypes.CDLL = _WithoutExchange
signal.SIGBREAK = signal.SIGHUP  # a number that Linux knows, by the name that Windows has
del signal.SIGHUP, signal.SIGALRM, signal.setitimer
for name in ("killpg", "fork", "pread", "pwrite", "preadv", "pwritev", "O_NOFOLLOW", "sysconf", "fchmod"):
    delattr(os, name)
