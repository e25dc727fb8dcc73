"""Zip archives with one table inside."""

from __future__ import annotations

import errno
import lzma
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sequester.errors import InputError, counted
from sequester.read.ours import our_own

NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
DAMAGED = (
    zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, NotImplementedError, RuntimeError, ValueError, OSError,
    OverflowError,
)  # fmt: skip
"""What a damaged or encrypted archive raises; a place beyond the file or below zero is an OSError."""


@contextmanager
def unpacked(path: Path, who: str) -> Iterator[Path]:
    """The one file of a zip archive, unpacked beside nothing of yours; gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        # Only unpacking is guarded: what goes wrong with the table itself is not the archive's fault.
        yield _written(path, Path(folder), who)


def _written(path: Path, folder: Path, who: str) -> Path:
    from sequester.read.table import ENDINGS, MOST_BYTES

    try:
        with zipfile.ZipFile(path) as archive:
            inside = [i for i in archive.infolist() if not i.is_dir() and not _ours(i.filename)]
            if {"manifest.json", "datapackage.json"} <= {Path(i.filename).name for i in inside}:
                raise our_own(path.name, "a bundle, a release", who)
            tables = [i for i in inside if Path(i.filename).suffix.lower() in ENDINGS]
            if len(tables) != 1:
                raise InputError(
                    f"{who}: '{path.name}' holds {counted(len(tables), 'table')}; one was expected. Unpack it and "
                    "name the file."
                )
            if tables[0].file_size > MOST_BYTES:
                raise InputError(f"{who}: '{path.name}' unpacks to more than {MOST_BYTES >> 30} GB. Split it.")
            out = folder / f"table{Path(tables[0].filename).suffix.lower()}"
            total = 0
            with archive.open(tables[0]) as packed, out.open("wb") as plain:
                while block := packed.read(1 << 20):
                    total += len(block)
                    if total > MOST_BYTES:
                        raise InputError(f"{who}: '{path.name}' unpacks to more than {MOST_BYTES >> 30} GB. Split it.")
                    plain.write(block)
            return out
    except DAMAGED as error:
        if isinstance(error, OSError) and error.errno in NO_ROOM:
            raise no_room(path, who) from error
        raise InputError(
            f"{who}: '{path.name}' is not a zip archive that can be opened. Unpack it yourself."
        ) from error


def no_room(path: Path, who: str) -> InputError:
    """The error for a full disk, which is not the archive's fault."""
    return InputError(
        f"{who}: there is no room to unpack '{path.name}' in the folder for temporary files. Make room, or set TMPDIR "
        "to a folder on another disk."
    )


def _ours(name: str) -> bool:
    """What the makers of archives add, and what is hidden."""
    parts = Path(name).parts
    return "__MACOSX" in parts or any(p.startswith(".") for p in parts)
