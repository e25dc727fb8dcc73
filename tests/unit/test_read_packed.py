"""Zip archives that are damaged, encrypted or do not fit on the disk are refused in a sentence."""

import errno
import struct
import zipfile
from pathlib import Path

import pytest

import sequester as sq

ROWS = "person,time,state\n" + "".join(f"p{i},2024-01-{1 + i % 28:02d},x\n" for i in range(400))
UNOPENED = "read_events: 't.zip' is not a zip archive that can be opened. Unpack it yourself."


@pytest.fixture
def archive(tmp_path):
    return _packed(tmp_path / "t.zip", zipfile.ZIP_DEFLATED)


def _packed(path, how):
    with zipfile.ZipFile(path, "w", how) as out:
        out.writestr("table.csv", ROWS)
    return path


def refused(path):
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(path, person="person")
    return str(caught.value)


def _with(path, spoil):
    raw = bytearray(path.read_bytes())
    at = raw.index(b"PK\x01\x02")  # what the directory says about the only file
    end = raw.index(b"PK\x05\x06")
    spoil(raw, at, end)
    path.write_bytes(raw)
    return path


SPOILT = {
    "a place below zero": lambda raw, at, end: struct.pack_into("<I", raw, end + 16, at + 1),
    "a place beyond the file": lambda raw, at, end: struct.pack_into("<I", raw, at + 42, 1 << 30),
    "an unknown packing": lambda raw, at, end: struct.pack_into("<H", raw, at + 10, 77),
    "a password": lambda raw, at, end: (struct.pack_into("<H", raw, at + 8, 1), struct.pack_into("<H", raw, 6, 1)),
    "another checksum": lambda raw, at, end: struct.pack_into("<I", raw, at + 16, 1),
    "a spoilt stream": lambda raw, at, end: struct.pack_into("<Q", raw, 60, 0xFFFFFFFFFFFFFFFF),
}


@pytest.mark.parametrize("how", SPOILT)
def test_a_damaged_archive_is_refused(how, archive):
    assert refused(_with(archive, SPOILT[how])) == UNOPENED


@pytest.mark.parametrize("packing", [zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2])
def test_so_is_one_packed_in_another_way(packing, tmp_path):
    path = _packed(tmp_path / "t.zip", packing)
    assert len(sq.read_events(path, person="person").states) == 400
    raw = bytearray(path.read_bytes())
    raw[60:70] = b"\xff" * 10
    path.write_bytes(raw)
    assert refused(path) == UNOPENED


class Full:
    """A file on a full disk."""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    def tell(self):
        return 0

    def write(self, _):
        raise OSError(errno.ENOSPC, "No space left on device")


def test_a_full_disk_is_not_blamed_on_the_archive(archive, monkeypatch):
    real = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, mode="r", *a, **k: Full() if "w" in mode else real(self, mode, *a, **k)
    )
    assert refused(archive) == (
        "read_events: there is no room to unpack 't.zip' in the folder for temporary files. Make room, or set TMPDIR "
        "to a folder on another disk."
    )


def test_nor_on_a_table_that_is_written_anew_in_utf8(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text(ROWS, "utf-16")
    real = Path.open
    monkeypatch.setattr(
        Path, "open", lambda self, mode="r", *a, **k: Full() if "w" in mode else real(self, mode, *a, **k)
    )
    with pytest.raises(sq.InputError, match=r"there is no room to unpack 't.csv'"):
        sq.read_events(tmp_path / "t.csv", person="person", encoding="utf-16")
