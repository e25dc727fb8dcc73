"""A bounded sample of a source: at most a dozen files, some thousand rows, a few megabytes. Nothing else is opened.

The files of a folder are grouped by their columns. The largest group is the data; what is left over is named, never
read as one more recording.
"""

from __future__ import annotations

import fnmatch
import gzip
import json
import os
import re
import shutil
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError
from sequester.read import databases, memory, sheets
from sequester.read.cells import texts
from sequester.read.column_facts import Column
from sequester.read.gather import walked
from sequester.read.packed import unpacked
from sequester.read.sniff import Written, decoded, table_of
from sequester.read.table import DATABASES, DELIMITED, ENDINGS, JSON, PARQUET, SHEETS, SQLITE, ending
from sequester.read.word_files import WORD_FILES

WHO = "inspect"
FILES, ROWS, BYTES = 12, 6000, 8 << 20
"""Files that are parsed, rows of each, and bytes of all of them."""
GROUPED, FIRST_BYTES = 300, 1 << 14
"""Files whose first bytes are looked at to group them, and how many bytes."""
STRETCHES = 8
"""Places of a large file from which rows are taken: its first rows are often one person's."""
MOST_COLUMNS = 400
LARGEST_BOOK = 64 << 20
"""Bytes of a workbook or a file of a statistics package, which cannot be read from the front."""
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
    n_columns: int = 0

    def column(self, name: str | None) -> Column | None:
        """The column of that name."""
        return next((c for c in self.columns if c.name == name), None)


@dataclass
class Sample:
    """What a source shows at a first look."""

    source: Any
    path: Path | None
    files: list[Path] = field(default_factory=list)
    """All files of a folder that may hold data."""
    main: list[Path] = field(default_factory=list)
    """Those with the columns of most of them."""
    others: list[list[Path]] = field(default_factory=list)
    """Groups of other columns, or of no table at all."""
    table: Table | None = None
    prose: bool = False
    """Whether the files are documents, not tables."""
    encodings: tuple[str, ...] = ()
    pattern: str = ""
    """`--files` that takes the main files and no other; nothing where all are taken, None where no pattern can."""

    @cached_property
    def n_files(self) -> int:
        """Files of the data."""
        return len(self.main) if self.path is not None and self.path.is_dir() else 1

    @property
    def folders(self) -> list[str]:
        """First folders below the source in which the data lies."""
        assert self.path is not None
        inside = (p.relative_to(self.path).parts for p in self.main)
        return sorted({parts[0] for parts in inside if len(parts) > 1})


def sample_of(
    source: Any, *, files: str | None = None, table: str | None = None, encoding: str | None = None
) -> Sample:
    """Take a sample of a path, a folder or a table in memory."""
    if not isinstance(source, (str, Path)):
        return Sample(source, None, table=_from_arrow(memory.load(source, WHO).table, None))
    path = Path(source)
    if not path.exists():
        raise InputError(f"{WHO}: '{path.name}' does not exist. Check the path.")
    if path.is_dir():
        return _folder(path, files, table, encoding)
    if files is not None:
        raise InputError(f"{WHO}: files= chooses files of a folder, and the source is none. Leave it out.")
    if path.stat().st_size == 0:
        raise InputError(f"{WHO}: '{path.name}' is empty. A header and at least one row are needed.")
    found = read_table(path, table, encoding, BYTES)
    return Sample(path, path, [path], [path], table=found, prose=found is None, encodings=_encodings([path], encoding))


def _folder(root: Path, files: str | None, table: str | None, encoding: str | None) -> Sample:
    known = (*ENDINGS, *PROSE, *WORD_FILES)
    found = [p for p in walked(root, WHO) if ending(p) in known and p.stat().st_size]
    if files is not None:
        found = [p for p in found if fits(p, root, files)]
    if not found:
        said = f" that fit '{files}'" if files else ""
        raise InputError(f"{WHO}: the folder '{root.name}' holds no tables and no texts{said}. Check the path.")
    some = found[:: max(1, len(found) // GROUPED)][:GROUPED]
    groups: dict[Any, list[Path]] = defaultdict(list)
    for path in some:
        groups[_key(path, encoding)].append(path)
    main = max(groups.values(), key=lambda g: (len(g), sum(p.stat().st_size for p in g)))
    key = next(k for k, g in groups.items() if g is main)
    if len(found) > len(some) and len(groups) == 1:
        main = found
    elif len(found) > len(some):
        main = [p for p in found if p in set(some) and p in main or p not in set(some) and _key(p, encoding) == key]
    taken = set(main)
    others = [g for g in groups.values() if g[0] not in taken]
    out = Sample(root, root, found, sorted(main), others, encodings=_encodings(main, encoding))
    out.pattern = files or pattern_of(main, [p for p in found if p not in taken], root)
    if key == "prose":
        out.prose = True
        return out
    step = max(1, len(main) // FILES)
    parts = [read_table(p, table, encoding, BYTES // min(len(main), FILES)) for p in main[::step][:FILES]]
    out.table = _below_each_other([p for p in parts if p is not None and p.n])
    return out


def fits(path: Path, root: Path, files: str) -> bool:
    """Whether a file of a folder fits a pattern, by its path inside or by its name."""
    return fnmatch.fnmatchcase(path.relative_to(root).as_posix(), files) or fnmatch.fnmatchcase(path.name, files)


def pattern_of(main: list[Path], others: list[Path], root: Path) -> str:
    """A pattern that fits all main files and none of the others; `?` where there is none."""
    if not others:
        return ""
    names = [p.name for p in main]
    last = "".join(main[0].suffixes[-2:]) if main[0].suffix == ".gz" else main[0].suffix
    prefix = os.path.commonprefix(names)
    suffix = os.path.commonprefix([n[::-1] for n in names])[::-1]
    tried = [names[0], f"{prefix}*{last}", f"{prefix}[0-9]*{last}", f"*{suffix}", f"*{last}", f"*/*{last}"]
    tried += [f"[!{p.name[0]}]*{last}" for p in others[:20]]
    folders = {p.relative_to(root).parts[0] for p in main if p.parent != root}
    tried += [f"{f}/*" for f in sorted(folders)] if len(folders) == 1 else []
    for pattern in tried:
        if all(fits(p, root, pattern) for p in main) and not any(fits(p, root, pattern) for p in others):
            return pattern
    return "?"


def _encodings(paths: list[Path], encoding: str | None) -> tuple[str, ...]:
    if encoding is not None:
        return (encoding,)
    found = {}
    for path in paths[:: max(1, len(paths) // 40)][:40]:
        if ending(path) in (*DELIMITED, *PROSE):
            text = decoded(_first_bytes(path, 1 << 20))
            if text is not None and not text[0].isascii():
                found[text[1]] = True
    return tuple(found) or ("utf-8",)


def _key(path: Path, encoding: str | None) -> Any:
    """What files of one group have in common: their columns, or that they are documents."""
    kind = ending(path)
    if kind in WORD_FILES or kind in PROSE and kind not in DELIMITED:
        return "prose"
    if kind in PARQUET:
        return tuple(pq.read_schema(path).names)
    if kind in (*DATABASES, *SQLITE, *SHEETS):
        return kind
    if kind in JSON:
        rows = _json_rows(_first_bytes(path, FIRST_BYTES * 4), 5)
        return tuple(rows[0]) if rows else path
    text = _text(_first_bytes(path, FIRST_BYTES), encoding)
    if text is None:
        return "binary"
    found = table_of(text[0], text[1], rows=100, whole=path.stat().st_size <= FIRST_BYTES)
    if found is None or kind in PROSE and _reads_like_prose(found):
        return "prose"
    if not found.header:
        return ("numbers", len(found.names))
    return found.names


def _reads_like_prose(found: Written) -> bool:
    cells = [c for row in found.rows[:50] for c in row if c]
    long = sum(len(c.split()) > 5 for c in cells)
    numeric = sum(any(ch.isdigit() for ch in c) and len(c.split()) < 3 for c in cells)
    return bool(cells) and (long > 0.15 * len(cells) and numeric < 0.6 * len(cells) or len(found.rows) < 3 and long > 0)


def _text(raw: bytes, encoding: str | None) -> tuple[str, str] | None:
    if encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        return decoded(raw)
    return raw.decode(encoding, "replace").removeprefix("\ufeff"), encoding


def _first_bytes(path: Path, n: int) -> bytes:
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            return file.read(n)
    except (OSError, EOFError, zlib.error):
        raise InputError(f"{WHO}: '{path.name}' is not a whole file. Unpack it, or check how it was made.") from None


def stretches(path: Path, n: int) -> tuple[bytes, bool]:
    """The first bytes of a file and whole lines from places all over it; and whether that is all."""
    size = path.stat().st_size
    if path.suffix.lower() == ".gz" or size <= n:
        raw = _first_bytes(path, n + 1)
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
        with unpacked(path, WHO) as inside:
            return read_table(inside, table, encoding, n_bytes)
    if kind in PARQUET:
        try:
            with path.open("rb") as file:
                book = pq.ParquetFile(file)
                batches = book.iter_batches(batch_size=ROWS, columns=book.schema_arrow.names[:MOST_COLUMNS])
                rows = pa.Table.from_batches([next(batches)]) if book.metadata.num_rows else book.schema_arrow.empty_table()
                return _from_arrow(rows, path, cut=book.metadata.num_rows > ROWS)
        except (pa.ArrowException, OSError, ValueError) as error:
            raise InputError(f"{WHO}: '{path.name}' cannot be read as Parquet. Check the file.") from error
    if kind in (*DATABASES, *SQLITE):
        return _from_arrow(databases.load(path, WHO, table, rows=ROWS).table, path, cut=True)
    if kind in SHEETS:
        if path.stat().st_size > LARGEST_BOOK:
            raise InputError(
                f"{WHO}: '{path.name}' has {path.stat().st_size >> 20} MB and cannot be read from the front. Save it as "
                "CSV or Parquet."
            )
        return _from_arrow(sheets.load(path, WHO, table).table, path)
    if kind in WORD_FILES:
        return None
    raw, whole = stretches(path, n_bytes)
    if kind in JSON:
        rows = _json_rows(raw, ROWS)
        if not rows:
            raise InputError(f"{WHO}: '{path.name}' holds no JSON objects. One object per line was expected.")
        names = list(dict.fromkeys(k for row in rows for k in row))[:MOST_COLUMNS]
        columns = [Column(n, [_json_cell(row.get(n)) for row in rows]) for n in names]
        return Table(path, columns, len(rows), cut=not whole or len(rows) == ROWS, n_columns=len(names))
    text = _text(raw, encoding)
    if text is None:
        raise no_text(path)
    found = table_of(text[0], text[1], rows=ROWS * 8, whole=whole)
    if found is None or kind in PROSE and _reads_like_prose(found):
        return None
    rows_ = found.rows if len(found.rows) <= ROWS else [
        row for i in range(STRETCHES) for row in _piece(found.rows, i)
    ]  # fmt: skip
    columns = [
        Column(n, [row[i] for row in rows_], unit=found.units[i] if found.units else "", comma=found.decimal_comma)
        for i, n in enumerate(found.names[:MOST_COLUMNS])
    ]
    return Table(path, columns, len(rows_), found, not whole or len(rows_) < len(found.rows), len(found.names))


def _piece(rows: list[list[str]], i: int) -> list[list[str]]:
    share = ROWS // STRETCHES
    at = i * (len(rows) - share) // (STRETCHES - 1)
    return rows[at : at + share]


def no_text(path: Path) -> InputError:
    """The error for a file that is no text in any encoding."""
    head = path.with_suffix(".hea")
    hint = (
        f"It is the signal of a recording: name '{head.name}' instead."
        if head.is_file() and head != path
        else "Save the data as a table, or give the file the ending of its format."
    )
    return InputError(f"{WHO}: '{path.name}' is not text, in whatever encoding. {hint}")


def _json_rows(raw: bytes, most: int) -> list[dict[str, Any]]:
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


def _json_cell(value: Any) -> str:
    if value is None:
        return ""
    return value.strip() if isinstance(value, str) else json.dumps(value)


def _from_arrow(rows: pa.Table, path: Path | None, *, cut: bool = False) -> Table:
    some = rows.slice(0, ROWS)
    names = [n for n in some.column_names][:MOST_COLUMNS]
    columns = [Column(n, [_cell(c) for c in _cells(some[n])]) for n in names]
    return Table(path, columns, some.num_rows, cut=cut or rows.num_rows > ROWS, n_columns=rows.num_columns)


def _cells(column: Any) -> list[Any]:
    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return [None if v is None else json.dumps([str(x) for x in v[:50]]) for v in column.to_pylist()]
    return texts(column).to_pylist()


def _cell(value: Any) -> str:
    return "" if value is None else str(value).strip()


def _below_each_other(parts: list[Table]) -> Table | None:
    """Rows of several files of one group as one table; each cell knows its file."""
    if not parts:
        return None
    first = parts[0]
    names = [c.name for c in first.columns]
    parts = [p for p in parts if [c.name for c in p.columns] == names]
    per_file = max(200, ROWS // len(parts))
    columns = []
    for i, c in enumerate(first.columns):
        cells = [cell for p in parts for cell in p.columns[i].cells[:per_file]]
        columns.append(Column(c.name, cells, unit=c.unit, comma=c.comma))
    owner = np.repeat(np.arange(len(parts)), [min(p.n, per_file) for p in parts])
    for column in columns:
        column.owner = owner
    cut = any(p.cut or p.n > per_file for p in parts)
    return Table(first.path, columns, len(owner), first.written, cut, first.n_columns)


def copied(sample: Sample, folder: Path, *, every_file: bool = False) -> Path:
    """A small copy of a source for a trial: a dozen files of it, each cut to its share, under the names they have."""
    assert sample.path is not None
    root = sample.path
    if root.is_file():
        out = folder / root.name
        _copy(root, out, BYTES)
        return out
    step = 1 if every_file else max(1, len(sample.main) // FILES)
    chosen = sample.files if every_file else sample.main[::step][:FILES]
    for path in chosen:
        out = folder / root.name / path.relative_to(root)
        out.parent.mkdir(parents=True, exist_ok=True)
        _copy(path, out, BYTES // max(1, len(chosen)))
    return folder / root.name


def _copy(path: Path, out: Path, n: int) -> None:
    if path.stat().st_size <= n or ending(path) not in (*DELIMITED, *JSON, *PROSE) or ending(path) == ".json":
        if path.stat().st_size > LARGEST_BOOK:
            raise InputError(f"{WHO}: '{path.name}' is too large for a trial.")
        shutil.copyfile(path, out)
    elif path.suffix.lower() == ".gz":
        raw = _first_bytes(path, n)
        out.write_bytes(gzip.compress(raw[: raw.rfind(b"\n") + 1], 1))
    else:
        out.write_bytes(stretches(path, n)[0])
