"""A bundle in a ZIP file opens like the folder: unpacked where only its owner can look, and gone at the end.

An archive that points outside, holds links, names a file twice or grows out of all proportion is refused.
"""

from __future__ import annotations

import atexit
import shutil
import stat
import struct
import tempfile
import zipfile
from functools import lru_cache
from pathlib import Path, PurePosixPath

from sequester.bundle.recognise import is_stage
from sequester.errors import DAMAGED, BundleError, disk_is_full, no_room

GROWTH = 200
"""Times the size of the archive that its files may have together; real tables stay far below."""
ALLOWANCE_BYTES = 50_000_000
"""So much is never too much."""
MOST_FILES = 1_000_000


def folder_of(path: Path) -> Path:
    """The folder of a bundle: itself, or what its ZIP file holds. What lies in a stage is not published."""
    if path.exists() and is_stage(path.absolute().parent):
        raise BundleError(
            f"open: '{path.name}' lies in the stage of a publication that was not finished. Publish it again."
        )
    if path.suffix.lower() != ".zip" or not path.is_file():
        return path
    about = path.stat()
    return _unpacked(path.resolve(), about.st_mtime_ns, about.st_size)


@lru_cache(maxsize=8)
def _unpacked(path: Path, _changed: int, size: int) -> Path:
    try:
        with zipfile.ZipFile(path) as archive:
            members = _checked(archive, path.name, size)
            _require_plain_end(path, len(archive.infolist()))
            unpacked = Path(tempfile.mkdtemp(prefix="sequester-"))
            atexit.register(shutil.rmtree, unpacked, ignore_errors=True)
            try:
                return _written(archive, members, unpacked / path.stem)
            except BaseException:
                shutil.rmtree(unpacked, ignore_errors=True)  # on a full disk others need the space now
                raise
    except DAMAGED as error:
        if disk_is_full(error):
            raise BundleError(no_room("open", path.name)) from error
        raise BundleError(f"open: '{path.name}' cannot be unpacked. Get an intact copy.") from error


def _written(archive: zipfile.ZipFile, members: dict[str, zipfile.ZipInfo], folder: Path) -> Path:
    folder.mkdir()
    for name, member in members.items():
        place = folder / name
        if member.is_dir():
            place.mkdir(parents=True, exist_ok=True)
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(member) as packed, place.open("xb") as file:
            shutil.copyfileobj(packed, file)
    return folder


END = struct.Struct("<4s4H2LH")
"""The last bytes of an archive: a signature, four counts, size and place of the directory, length of the comment."""


def _require_plain_end(path: Path, members: int) -> None:
    """The directory is the last thing in the file and names every member: no word before, behind or below it."""
    with path.open("rb") as file:
        start = file.seek(-END.size, 2)
        mark, _, _, _, told, size, place, comment = END.unpack(file.read(END.size))
    large = told == 0xFFFF or place == 0xFFFFFFFF or size == 0xFFFFFFFF  # the numbers stand elsewhere then
    if mark != b"PK\5\6" or comment or not (large or (told == members and place + size == start)):
        raise zipfile.BadZipFile("its end is not plain")


def _checked(archive: zipfile.ZipFile, name: str, size: int) -> dict[str, zipfile.ZipInfo]:
    """Path inside the bundle → member, folders too; one folder around everything is left away."""
    members = archive.infolist()
    if len(members) > MOST_FILES or sum(m.file_size for m in members) > GROWTH * size + ALLOWANCE_BYTES:
        raise BundleError(f"open: '{name}' would grow out of all proportion; it is not unpacked.")
    for member in members:
        parts = PurePosixPath(member.filename).parts
        kind, right = stat.S_IFMT(member.external_attr >> 16), stat.S_IFDIR if member.is_dir() else stat.S_IFREG
        if member.is_dir() and member.file_size:
            raise zipfile.BadZipFile("a folder holds bytes")
        if not parts or parts[0] == "/" or ".." in parts or "\\" in member.filename or kind not in (0, right):
            raise BundleError(f"open: '{name}' holds a link or points outside; it is not unpacked.")
    paths = [PurePosixPath(m.filename) for m in members]
    files = [p for p, m in zip(paths, members, strict=True) if not m.is_dir()]
    wrapped = all(len(p.parts) > 1 for p in files) and len({p.parts[0] for p in paths}) == 1
    names = [str(PurePosixPath(*p.parts[1:])) if wrapped else str(p) for p in paths]
    if len(set(names)) < len(names):
        raise BundleError(f"open: '{name}' holds a file twice; it is not unpacked.")
    return dict(zip(names, members, strict=True))
