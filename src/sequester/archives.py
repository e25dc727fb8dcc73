"""What Python's archive modules raise, told apart: a damaged archive is not a full disk."""

from __future__ import annotations

import errno
import lzma
import zipfile
import zlib

DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError, OSError,
    OverflowError,
)  # fmt: skip
"""What a damaged or encrypted archive raises; a place beyond the file or below zero is an OSError."""
NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def disk_is_full(error: BaseException) -> bool:
    """Whether the system had no room for what was unpacked."""
    return isinstance(error, OSError) and error.errno in NO_ROOM


def no_room(who: str, name: str) -> str:
    """The sentence for a full disk, which is not the archive's fault."""
    return (
        f"{who}: there is no room to unpack '{name}' in the folder for temporary files. Make room, or set TMPDIR to a "
        "folder on another disk."
    )
