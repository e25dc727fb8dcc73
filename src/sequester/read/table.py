"""Any table: CSV, Parquet, JSON lines, a database file, or a table already in memory → Arrow.

Formats without types (CSV, JSON lines, SQLite) come as text, cell by cell: nothing is guessed from a column. Formats
with types (Parquet, DuckDB, data frames) keep them; `sequester.read.cells` turns either into texts, numbers and times.
"""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from sequester.engines import Engine
from sequester.errors import InputError, counted, nearest
from sequester.read.encodings import NO_TEXT, proposed
from sequester.read.headers import looks_headerless, named_usually, safe_names, shown_names
from sequester.read.packed import unpacked

DELIMITED = (".csv", ".tsv", ".txt", ".dat", ".tab", ".psv")
JSON = (".jsonl", ".ndjson", ".json")
PARQUET = (".parquet", ".pq")
DATABASES = (".duckdb", ".db", ".ddb")
SQLITE = (".sqlite", ".sqlite3")
SHEETS = (".xlsx", ".xlsm", ".sav", ".zsav", ".dta", ".sas7bdat", ".xpt", ".rds", ".rdata")
ENDINGS = (*DELIMITED, *JSON, *PARQUET, *DATABASES, *SQLITE, *SHEETS)
"""What a file of a table may be called, also with `.gz` or `.zip` behind it where that makes sense."""
COMMON = (".csv", *sorted(JSON), *PARQUET, ".tsv", ".txt", *DATABASES, *SQLITE)
"""What a message names; workbooks and files of statistics packages need an extra."""
MOST_BYTES = 1 << 35
"""A packed file that unpacks to more is refused before it fills the memory."""


class TableForm(NamedTuple):
    """What was declared about how a table is written."""

    skip_lines: int = 0
    """Lines of a text table before the names of its columns."""
    units_row: bool = False
    """Whether the line below the names holds units."""
    decimal: str = "."
    clock: tuple[str, str] | None = None
    """A column of dates and the column with the time of day that goes with it."""
    begins: str | None = None
    """How times are written, where the lines before a file's table say when it begins and how long an epoch is."""
    inside: tuple[str, ...] = ()
    """Names such as `value.bpm`: what stands inside an object of JSON."""

    @property
    def plain(self) -> bool:
        """Whether a text table begins with its names, and goes on with rows."""
        return not self.skip_lines and not self.units_row


PLAIN = TableForm()


HEADER = "header"
"""What `time` says where the lines before the table tell when it begins."""


def form_of(
    who: str, skip_lines: int, units_row: bool, decimal: str, time: str | None, clock: str | None,
    time_format: str = "auto", named: Iterable[str | None] = (),
) -> TableForm:  # fmt: skip
    """The declared form, or why it cannot be; `named` are the columns that play a role."""
    if skip_lines < 0:
        raise InputError(f"{who}: skip_lines must be a whole number of at least 0, got {skip_lines}.")
    if decimal not in (".", ","):
        raise InputError(f"{who}: ‹decimal=› is '.' or ',', got {decimal!r}.")
    if clock is not None and time is None:
        raise InputError(f"{who}: ‹clock=› goes with a column of dates. Pass ‹time=NAME› too.")
    begins = time_format if time == HEADER and skip_lines else None
    if begins == "auto":
        raise InputError(f"{who}: ‹time='header'› needs to know how the date is written, such as "
                         "‹time_format='%m/%d/%Y %H:%M:%S'›.")  # fmt: skip
    inside = tuple(dict.fromkeys(n for n in (*named, time) if n and "." in n))
    return TableForm(skip_lines, units_row, decimal, None if clock is None else (str(time), clock), begins, inside)


class Loaded(NamedTuple):
    """A table and what had to be settled on the way, in counts."""

    table: pa.Table
    notes: tuple[str, ...] = ()
    alike: bool = True
    """Whether all files it was joined from have the same columns in the same order."""


@dataclass(frozen=True)
class InParts:
    """A source that is read as parts of whole people, because it does not fit into memory."""

    source: Any
    folder: Path
    """Where the parts are written, one file each; the caller's, as is its removal."""
    engine: Engine
    """How much memory and how many workers there are."""
    by_file: bool = False
    """Every file is a part already; refused if a person is in two of them."""


def plain(source: Any) -> Any:
    """What is read, however it is."""
    return source.source if isinstance(source, InParts) else source


def load(
    source: Any,
    who: str,
    *,
    table: str | None = None,
    encoding: str = "utf-8",
    header: bool = True,
    form: TableForm = PLAIN,
) -> Loaded:
    """Read a table from a path or take one from memory (pandas, polars, Arrow, duckdb relation), with notes on it.

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines (each also `.gz`), a duckdb or SQLite file, or an in-memory table.
    who : str
        The caller's name, for messages.
    table : str, optional
        Which table of a database file, or which sheet.
    encoding : str
        Of a CSV file.
    header : bool
        Whether the first line of a CSV file names the columns; without, they are called 1, 2, 3 and so on.
    """
    from sequester.read import databases, delimited, memory, sheets

    check_encoding(encoding, who)
    if not isinstance(source, (str, Path)):
        return memory.load(source, who)
    path = Path(source)
    if not path.exists():
        raise InputError(f"{who}: '{path.name}' does not exist. Check the path.")
    if path.is_dir():
        raise InputError(f"{who}: '{path.name}' is a folder; a table file was expected.")
    known = ending(path)
    if known not in ENDINGS:
        raise InputError(
            f"{who}: cannot tell what '{path.name}' is by its ending; "
            f"known are {', '.join(COMMON)}. Rename or convert it."
        )
    if path.stat().st_size == 0:
        raise InputError(f"{who}: '{path.name}' is empty. A header and at least one row are needed.")
    if path.suffix.lower() == ".zip":
        with unpacked(path, who) as inside:
            return load(inside, who, table=table, encoding=encoding, header=header, form=form)
    if path.suffix.lower() == ".gz":
        refuse_bomb(path, who)
    if known in (*DATABASES, *SQLITE):
        return databases.load(path, who, table)
    if known in SHEETS:
        return sheets.load(path, who, table)
    if known in PARQUET:
        return memory.load_parquet(path, who)
    if known in JSON:
        return delimited.load_json(path, who, form)
    return delimited.load_csv(path, who, encoding=encoding, header=header, form=form)


def check_encoding(encoding: str, who: str) -> None:
    """Refuse an encoding nobody knows."""
    try:
        known = codecs.lookup(encoding)
        b"".decode(encoding)
    except (LookupError, ValueError):
        known = None
    if known is None:
        raise InputError(f"{who}: no encoding '{encoding}'. Examples: utf-8, latin-1, cp1252, shift_jis.") from None


def pick(table: pa.Table, name: str, who: str, role: str) -> str:
    """The column of that name, or an error that names the nearest one and the flag to pass."""
    names = table.column_names
    if name in names:
        return name
    if looks_headerless(names):
        # The names may be the first person's values: they are not shown.
        raise InputError(
            f"{who}: column '{name}' not found; the first line of the file looks like a row, not like a header of "
            f"{counted(len(names), 'name')}. Add a header, or pass ‹header=False› and name columns by number."
        )
    close = nearest(name, safe_names(names))
    if not close and not any(named_usually(n) for n in names):
        # Words that name no column we have ever met may be the first person's cells: they are not shown either.
        raise InputError(
            f"{who}: column '{name}' not found among the {counted(len(names), 'column')}. If the first line of the "
            "file is a row "
            f"and no header, pass ‹header=False› and name columns by number; else pass ‹{role}=› the name in your file."
        )
    hint = f" Pass ‹{role}='{close}'›?" if close else f" Pass ‹{role}=› one of them."
    raise InputError(f"{who}: column '{name}' not found; the table has {shown_names(names)}.{hint}")


def ending(path: Path) -> str:
    """The ending that tells the format, below `.gz` and `.zip`."""
    packed = path.suffix.lower() in (".gz", ".zip")
    inner = Path(path.stem).suffix.lower() if packed else path.suffix.lower()
    return inner or (".csv" if path.suffix.lower() == ".zip" else inner)


def not_utf8(who: str, path: Path, offset: int, name: str | None = None) -> InputError:
    """The error for text in another encoding; `name` is shown for a copy."""
    found, other = f"{who}: '{name or path.name}' is not UTF-8 at byte {offset}", proposed(path, offset)
    if other == NO_TEXT:
        return no_text(who, path, name)
    if other is None:
        return InputError(f"{found}, though it is elsewhere. Correct that place.")
    return InputError(
        f"{found}. Pass ‹encoding=› with the encoding it was written in, for example ‹encoding='{other}'›."
    )


def no_text(who: str, path: Path, name: str | None = None) -> InputError:
    """The error for a file that is no text in any encoding."""
    head = path.with_suffix(".hea")
    hint = (
        f"It is the signal of a recording: name '{head.name}' instead."
        if head.is_file() and head != path
        else "Save the data as a table, or give the file the ending of its format."
    )
    return InputError(f"{who}: '{name or path.name}' is not text, in whatever encoding. {hint}")


def holds_zeros(who: str, path: Path, line: bytes) -> InputError:
    """The error for a table whose first line has zero bytes: letters of two bytes each, or no text at all."""
    at = [i for i, byte in enumerate(line[:4096]) if not byte]
    if 3 * len(at) < min(len(line), 4096):
        return no_text(who, path)
    other = "utf-16-le" if at[0] % 2 else "utf-16-be"
    return InputError(
        f"{who}: '{path.name}' is not UTF-8: every other byte is zero. Pass ‹encoding=› with the encoding it was "
        f"written in, for example ‹encoding='{other}'›."
    )


def first_bad_byte(path: Path) -> int | None:
    """Offset of the first byte that is not UTF-8, or None; Parquet is binary and has none."""
    if ending(path) in PARQUET:
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            while block := file.read(1 << 20):
                pending = len(decoder.getstate()[0])
                try:
                    decoder.decode(block)
                except UnicodeDecodeError as error:
                    return done - pending + error.start
                done += len(block)
    except (OSError, EOFError, zlib.error):  # a damaged packing: nobody knows which byte was meant
        return None
    return done - len(decoder.getstate()[0]) if decoder.getstate()[0] else None


def not_gzip(who: str, name: str) -> InputError:
    """The error for a file that only pretends to be packed, or was cut off."""
    return InputError(f"{who}: '{name}' is not a whole gzip file. Unpack it, or check how it was made.")


def refuse_bomb(path: Path, who: str) -> None:
    """A small file may unpack to more than any memory holds; only files that could are looked at."""
    if path.stat().st_size * 1032 <= MOST_BYTES:  # no packing of this kind is denser
        return
    total = 0
    try:
        with gzip.open(path) as file:
            while block := file.read(1 << 22):
                total += len(block)
                if total > MOST_BYTES:
                    raise InputError(f"{who}: '{path.name}' unpacks to more than {MOST_BYTES >> 30} GB. Split it.")
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, path.name) from error


def unpacked_gzip(path: Path, who: str) -> bytes:
    """The content of a packed file; one that is damaged, cut off or out of all proportion is refused."""
    refuse_bomb(path, who)
    try:
        with gzip.open(path) as file:
            return file.read()
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, path.name) from error
