"""Every interpreter that has this folder on its path runs as on a system without POSIX (`make test-portable`).

Taken away: fcntl, SIGHUP, killpg, fork, reading and writing at a place, O_NOFOLLOW, sysconf and renameat2. What
Windows has instead is there: `msvcrt.locking`, and the programs `icacls` and `taskkill` beside this file. Not
simulated: that Windows removes no open file, how it writes paths, and names that differ in case alone (a test looks at
the names we write).
"""

import ctypes
import errno
import fcntl as _fcntl
import os
import signal
import subprocess  # noqa: F401 (what the standard library needs it has taken before anything is hidden)
import sys
import tempfile  # noqa: F401
import types

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


sys.modules["fcntl"] = None
sys.modules["msvcrt"] = types.ModuleType("msvcrt")
sys.modules["msvcrt"].LK_NBLCK, sys.modules["msvcrt"].locking = 2, _locking
ctypes.CDLL = _WithoutExchange
del signal.SIGHUP
for name in ("killpg", "fork", "pread", "pwrite", "preadv", "pwritev", "O_NOFOLLOW", "sysconf", "fchmod"):
    delattr(os, name)
