"""Zip archives with one table inside."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sequester.errors import DAMAGED, InputError, counted, disk_is_full, no_room
from sequester.read.refuse_bundles import our_own

LARGEST_BOOK = 64 << 20
"""Bytes of a workbook or a file of a statistics package, which cannot be read from the front."""


@contextmanager
def unpacked(path: Path, who: str, most: int | None = None) -> Iterator[Path]:
    """The one file of a zip archive, unpacked beside nothing of yours; gone afterwards. Of a text `most` bytes."""
    with tempfile.TemporaryDirectory() as folder:
        # Only unpacking is guarded: what goes wrong with the table itself is not the archive's fault.
        yield _written(path, Path(folder), who, most)


def _written(path: Path, folder: Path, who: str, most: int | None) -> Path:
    from sequester.read.table import DELIMITED, ENDINGS, JSON, MOST_BYTES

    try:
        with zipfile.ZipFile(path) as archive:
            inside = [i for i in archive.infolist() if not i.is_dir() and not _ours(i.filename)]
            if {"manifest.json", "datapackage.json"} <= {Path(i.filename).name for i in inside}:
                raise our_own(path.name, "a bundle, a release", who)
            tables = [i for i in inside if Path(i.filename).suffix.lower() in ENDINGS]
            if len(tables) != 1:
                raise InputError(
                    f"{who}: '{path.name}' holds {counted(len(tables), 'table')}; one was expected. Unpack it and "
                    "name the file, or the folder."
                )
            out = folder / f"table{Path(tables[0].filename).suffix.lower()}"
            limit = MOST_BYTES if most is None else most if out.suffix in (*DELIMITED, *JSON) else LARGEST_BOOK
            if limit != most and tables[0].file_size > limit:
                raise InputError(f"{who}: '{path.name}' unpacks to more than {limit >> 20:,} MB. Split it.")
            with archive.open(tables[0]) as packed, out.open("wb") as plain:
                while plain.tell() < limit and (block := packed.read(min(1 << 20, limit - plain.tell()))):
                    plain.write(block)
                if limit != most and packed.read(1):
                    raise InputError(f"{who}: '{path.name}' unpacks to more than {limit >> 20:,} MB. Split it.")
            return out
    except DAMAGED as error:
        if disk_is_full(error):
            raise InputError(no_room(who, path.name)) from error
        raise InputError(
            f"{who}: '{path.name}' is not a zip archive that can be opened. Unpack it yourself."
        ) from error


def _ours(name: str) -> bool:
    """What the makers of archives add, and what is hidden."""
    parts = Path(name).parts
    return "__MACOSX" in parts or any(p.startswith(".") for p in parts)
