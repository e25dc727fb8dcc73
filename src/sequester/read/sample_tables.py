"""The first rows of a table in any format, and rows from places all over it; never the whole of it."""

from __future__ import annotations

import gzip
import json
import re
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError
from sequester.read import databases, sheets
from sequester.read.cells import texts
from sequester.read.column_facts import Column
from sequester.read.headers import Begun, begun
from sequester.read.packed import LARGEST_BOOK, unpacked
from sequester.read.sniff import Written, decoded, table_of
from sequester.read.table import DATABASES, JSON, PARQUET, SHEETS, SQLITE, ending, no_text
from sequester.read.whole_text import whole
from sequester.read.word_files import WORD_FILES

WHO = "inspect"
ROWS = 6000
"""Rows of a table that are looked at."""
CELLS = 300_000
"""Cells that are looked at: of a narrow table more rows."""
STRETCHES = 8
"""Places of a large file from which rows are taken: its first rows are often one person's."""
MOST_COLUMNS = 400
PROSE = (".txt", ".text", ".md")


@dataclass
class Table:
    """Rows of one table, and how it is written if it is text."""

    path: Path | None
    columns: list[Column]
    n: int
    written: Written | None = None
    cut: bool = False
    """Whether the source has more rows."""
    total: int = 0
    """Rows of the source, by estimate where not all of it was read."""
    n_columns: int = 0
    begun: list[Begun | None] = field(default_factory=list)
    """Per file, what the lines before the table say about its times."""
    position: np.ndarray | None = None
    """Number of each row within its file, where not all rows of it are here."""
    paths: list[Path] = field(default_factory=list)
    """Files whose rows are here, where there are several."""

    def column(self, name: str | None) -> Column | None:
        """The column of that name."""
        return next((c for c in self.columns if c.name == name), None)

    def in_memory(self) -> pa.Table:
        """The rows that are looked at."""
        return pa.table({c.name: pa.array([cell or None for cell in c.cells], pa.string()) for c in self.columns})


def reads_like_prose(found: Written) -> bool:
    cells = [c for row in found.rows[:50] for c in row if c]
    long = sum(len(c.split()) > 5 for c in cells)
    numeric = sum(any(ch.isdigit() for ch in c) and len(c.split()) < 3 for c in cells)
    if found.delimiter in "|\t;" and found.header and len(found.names) > 2 < len(found.rows) and not found.odd_rows:
        return False  # sentences have no such signs, and as many in every line
    short = len(found.rows) < 3 and long > 0
    return bool(cells) and (short or (long > 0.15 * len(cells) and numeric < 0.6 * len(cells)))


def text_of_bytes(raw: bytes, encoding: str | None) -> tuple[str, str] | None:
    if encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        return decoded(raw)
    return raw.decode(encoding, "replace").removeprefix("\ufeff"), encoding


def first_bytes(path: Path, n: int) -> bytes:
    if path.suffix.lower() == ".zip":
        with unpacked(path, WHO, n) as inside:
            return first_bytes(inside, n)
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return file.read(n)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{WHO}: '{path.name}' is not a whole file. Unpack it, or check how it was made.") from None


def stretches(path: Path, n: int) -> tuple[bytes, bool]:
    """The first bytes of a file and whole lines from places all over it; and whether that is all."""
    size = path.stat().st_size
    if path.suffix.lower() == ".gz" or size <= n:
        raw = first_bytes(path, n + 1)
        return raw[:n], len(raw) <= n
    share = n // STRETCHES
    with path.open("rb") as file:
        raw = file.read(share)
        if raw[:2] in (b"\xff\xfe", b"\xfe\xff"):  # letters of two bytes: a line end cannot be found so easily
            return raw + file.read(n - share), False
        out = [raw[: raw.rfind(b"\n") + 1] or raw]
        for i in range(1, STRETCHES):
            file.seek(max(share, i * (size - share) // (STRETCHES - 1)))
            piece = file.read(share)
            out.append(piece[piece.find(b"\n") + 1 : piece.rfind(b"\n") + 1])
    return b"".join(out), False


def read_table(path: Path, table: str | None, encoding: str | None, n_bytes: int) -> Table | None:
    """The first rows of a table file; None where it holds none, but words."""
    kind = ending(path)
    if path.suffix.lower() == ".zip":
        with unpacked(path, WHO, n_bytes + 1) as inside:
            return read_table(inside, table, encoding, n_bytes)
    if kind in PARQUET:
        try:
            with path.open("rb") as file:
                book = pq.ParquetFile(file)
                batches = book.iter_batches(batch_size=ROWS, columns=book.schema_arrow.names[:MOST_COLUMNS])
                rows = (
                    pa.Table.from_batches([next(batches)])
                    if book.metadata.num_rows
                    else book.schema_arrow.empty_table()
                )
                return from_arrow(rows, path, cut=book.metadata.num_rows > ROWS)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(f"{WHO}: '{path.name}' cannot be read as Parquet. Check the file.") from error
    if kind in (*DATABASES, *SQLITE):
        return from_arrow(databases.load(path, WHO, table, rows=ROWS).table, path, cut=True)
    if kind in SHEETS:
        if path.stat().st_size > LARGEST_BOOK:
            raise InputError(
                f"{WHO}: '{path.name}' has {path.stat().st_size >> 20} MB and cannot be read from the front. "
                "Save it as CSV or Parquet."
            )
        return from_arrow(sheets.load(path, WHO, table, rows=ROWS + 2).table, path)
    if kind in WORD_FILES:
        return None
    raw, whole = stretches(path, n_bytes)
    if kind in JSON:
        rows = json_rows(raw, ROWS)
        if not rows:
            raise InputError(f"{WHO}: '{path.name}' holds no JSON objects. One object per line was expected.")
        rows = [_unfolded(row) for row in rows]
        names = list(dict.fromkeys(k for row in rows for k in row))[:MOST_COLUMNS]
        columns = [Column(n, [_json_cell(row.get(n)) for row in rows]) for n in names]
        return Table(path, columns, len(rows), cut=not whole or len(rows) == ROWS, n_columns=len(names))
    text = text_of_bytes(raw, encoding)
    if text is None:
        raise no_text(WHO, path)
    found = table_of(text[0], text[1], rows=CELLS // 2, whole=whole)
    if found is None or (kind in PROSE and reads_like_prose(found)):
        return None
    most = max(ROWS, CELLS // len(found.names))
    rows_ = found.rows
    if len(rows_) > most:
        rows_ = [row for i in range(STRETCHES) for row in _piece(found.rows, i, most // STRETCHES)]
    columns = [
        Column(n, [row[i] for row in rows_], unit=found.units[i] if found.units else "", comma=found.decimal_comma)
        for i, n in enumerate(found.names[:MOST_COLUMNS])
    ]
    total = len(found.rows) if whole else len(found.rows) * path.stat().st_size // max(1, len(raw))
    return Table(
        path, columns, len(rows_), found, not whole or total > len(rows_), total, len(found.names),
        [begun(found.before)],
    )  # fmt: skip


def _piece(rows: list[list[str]], i: int, share: int) -> list[list[str]]:
    at = i * (len(rows) - share) // (STRETCHES - 1)
    return rows[at : at + share]


def json_rows(raw: bytes, most: int) -> list[dict[str, Any]]:
    """Objects of JSON lines, or of one array, as far as they go."""
    text = raw.decode("utf-8", "ignore").removeprefix("\ufeff").lstrip()
    out: list[dict[str, Any]] = []
    if text[:1] != "[":
        for line in text.split("\n"):
            try:
                row = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(row, dict):
                out.append(row)
            if len(out) >= most:
                break
        return out
    reader, at = json.JSONDecoder(), 1
    while len(out) < most:
        at = re.compile(r"[\s,]*").match(text, at).end()  # type: ignore[union-attr]
        try:
            row, at = reader.raw_decode(text, at)
        except (ValueError, RecursionError):
            break
        if isinstance(row, dict):
            out.append(row)
    return out


def _unfolded(row: dict[str, Any]) -> dict[str, Any]:
    """An object whose objects are laid open: `value.bpm` beside the others, as a role may name it."""
    out: dict[str, Any] = {}
    for key, value in row.items():
        if isinstance(value, dict) and value:
            out |= {f"{key}.{k}": v for k, v in value.items()}
        else:
            out[key] = value
    return out


def _json_cell(value: Any) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value)


def from_arrow(rows: pa.Table, path: Path | None, *, cut: bool = False) -> Table:
    some, _ = whole(rows.slice(0, ROWS))
    names = some.column_names[:MOST_COLUMNS]
    columns = [Column(n, [_cell(c) for c in _cells(some[n])]) for n in names]
    return Table(path, columns, some.num_rows, cut=cut or rows.num_rows > ROWS, n_columns=rows.num_columns)


def _cells(column: Any) -> list[Any]:
    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [None if v is None else json.dumps([str(x) for x in v[:50]]) for v in column.to_pylist()]
    return texts(column).to_pylist()


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()
