"""Text tables: CSV and its relatives, and JSON lines. Every cell comes as text; nothing is guessed from a column."""

from __future__ import annotations

import codecs
import csv
import gzip
import io
import tempfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError, counted, left_out, no_room, verb_for
from sequester.read.engine import connect, exact_path, literal, quoted
from sequester.read.headers import first_rows, holds_rows, refuse_wider, unique_names
from sequester.read.stray_quotes import Swallowed
from sequester.read.table import PLAIN, Loaded, TableForm, ending, first_bad_byte, holds_zeros, not_gzip, not_utf8

MOST_HEADER = 1 << 26
"""Bytes of the longest first line that is looked at."""
LARGEST_LINE = 1 << 28
MOST_NAMES = 20_000
"""Columns of JSON lines: a single line could have any number of names."""
FILENAME = "\x01where a row came from\x01"
"""A column that no file has."""
BLANKS = "blanks"
"""Cells set apart by one or more blanks, as in many scientific files."""


def load_csv(path: Path, who: str, *, encoding: str, header: bool, form: TableForm = PLAIN) -> Loaded:
    """A table of cells set apart by commas, semicolons, tabs, bars or blanks; the first line decides which."""
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        return _recoded(path, who, encoding, header, form)
    first = first_line(path, who, form.skip_lines)
    return _scan(path, who, first, header, path, form)


def _recoded(path: Path, who: str, encoding: str, header: bool, form: TableForm) -> Loaded:
    """A file in another encoding, written anew as UTF-8 for the time of reading."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            raw = file.read()
        text = raw.decode(encoding)
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, path.name) from error
    except UnicodeError as error:
        raise InputError(f"{who}: '{path.name}' cannot be read as a table in {encoding}. Check both.") from error
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "table.csv"
        try:
            plain.write_text(text.removeprefix("\ufeff"), "utf-8", newline="", errors="replace")
        except OSError as error:
            raise InputError(no_room(who, path.name)) from error
        first = first_line(plain, who, form.skip_lines)
        return _scan(plain, who, first, header, path, form)


def first_line(path: Path, who: str, skip_lines: int = 0) -> str:
    """The header of a text table, behind the lines that are skipped."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            for _ in range(skip_lines):
                file.readline(MOST_HEADER)
            raw = file.readline(MOST_HEADER)
            while raw.count(b'"') % 2 and len(raw) < MOST_HEADER:  # a name with a line break in it
                more = file.readline(MOST_HEADER)
                if not more:
                    break
                raw += more
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, path.name) from error
    try:
        line = raw.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise not_utf8(who, path, first_bad_byte(path) or 0) from None
    if "\0" in line:
        raise holds_zeros(who, path, raw)
    return line.split("\r")[0] if line.count("\r") > 1 and "\n" not in line else line.rstrip("\r\n")


def delimiter_of(first: str, ending_: str) -> str:
    """What sets cells apart, by the first line alone: no row of anybody can change it."""
    if ending_ in (".tsv", ".tab"):
        return "\t"
    outside = "".join(first.split('"')[::2])  # what stands inside quotes sets nothing apart
    counts = {d: outside.count(d) for d in ",;\t|"}
    best = max(counts, key=lambda d: counts[d])
    if counts[best]:
        return best
    return BLANKS if len(outside.split()) > 1 and not outside.startswith("#") else ","


def load_csv_files(paths: list[Path], who: str, *, header: bool, form: TableForm = PLAIN) -> Loaded:
    """Many UTF-8 files with the same first line in one go, with a column `filename`."""
    first = first_line(paths[0], who, form.skip_lines)
    return _scan(paths[0], who, first, header, paths[0], form, paths)


def _scan(
    path: Path, who: str, first: str, header: bool, shown: Path, form: TableForm, paths: list[Path] | None = None
) -> Loaded:
    import duckdb

    if delimiter_of(first, ending(shown)) == BLANKS:
        return _blanks(path, who, first, header, shown, form)
    names, query = csv_query(path, who, first, header, shown, paths, form=form)
    connection = connect()
    try:
        found = connection.sql(query).to_arrow_table()
        swallowed = Swallowed(names, delimiter_of(first, ending(shown)))
        swallowed.look(found)
        rejects = rejected(connection, swallowed)
        again = Repeated(first, delimiter_of(first, ending(shown)), header)
        found = again.without(found)
    except (duckdb.Error, UnicodeError, OverflowError, RuntimeError) as error:
        raise explained(paths or [path], who, shown) from error
    finally:
        connection.close()
    note = about_rejected(rejects, found.num_rows, len(names), who, header, shown, paths or [path])
    return Loaded(found, tuple(n for n in (note, repeated_names(first, names), swallowed.note, again.note) if n))


class Repeated:
    """Rows that are the header once more, as files put below each other have: they are left out and counted."""

    def __init__(self, first: str, delimiter: str, header: bool) -> None:
        self.cells = next(csv.reader(io.StringIO(first), delimiter=delimiter, strict=False), []) if header else []
        self.n = 0

    def without(self, rows: Any) -> Any:
        """The rows of a table or a batch that are not the header."""
        if not any(self.cells) or not rows.num_rows:
            return rows
        same = None
        for i, cell in enumerate(self.cells):
            column = rows.column(i)
            mine = pc.fill_null(pc.equal(column, cell), False) if cell else pc.is_null(column)
            same = mine if same is None else pc.and_(same, mine)
            if not pc.any(same).as_py():
                return rows
        self.n += int(pc.sum(same).as_py())
        return rows.filter(pc.invert(same))

    @property
    def note(self) -> str:
        """What was left out."""
        said = "that repeats the header" if self.n == 1 else "that repeat the header"
        return left_out(self.n, "row", said) if self.n else ""


def csv_query(
    path: Path,
    who: str,
    first: str,
    header: bool,
    shown: Path,
    paths: list[Path] | None = None,
    *,
    form: TableForm = PLAIN,
    largest_line: int = LARGEST_LINE,
    buffer: int | None = None,
) -> tuple[list[str], str]:
    """Names of the columns, and the query that reads every cell as text; rows that do not fit are rejected."""
    delimiter = delimiter_of(first, ending(shown))
    try:
        cells = next(csv.reader(io.StringIO(first), delimiter=delimiter, strict=False), [])
    except csv.Error:
        cells = []
    if not cells:
        raise InputError(f"{who}: '{shown.name}' has an empty first line. Put the names of the columns there.")
    if header and holds_rows(cells, delimiter):
        raise InputError(
            f"{who}: the first line of '{shown.name}' opens a quotation mark that does not close, so that rows would "
            "be taken for names of columns. Close it."
        )
    names = _names(cells, header)
    names_lines = first.count("\n") + 1 if header else 0
    rows = first_rows(path, form.skip_lines + names_lines + int(form.units_row), delimiter)
    refuse_wider(rows, len(names), who, shown.name, header)
    columns = "{" + ", ".join(f"{literal(n)}: 'VARCHAR'" for n in names) + "}"
    options = [
        "auto_detect=false", "nullstr=''", *_begin(header, first, form), f"delim={literal(delimiter)}", "quote='\"'",
        "escape='\"'", f"columns={columns}", "ignore_errors=true", "store_rejects=true",
        "hive_partitioning=false", f"max_line_size={largest_line}", "strict_mode=false", "rejects_limit=0",
    ]  # fmt: skip
    if buffer is not None or len(names) > 2000:  # a line of a very wide table outgrows the usual buffer
        options.append(f"buffer_size={buffer or largest_line * 2}")
    place = exact_path(path)
    if paths is not None:
        place = "[" + ", ".join(exact_path(p) for p in paths) + "]"
        options.append(f"filename={literal(FILENAME)}")
    return names, f"select {_points(names, form)} from read_csv({place}, {', '.join(options)})"


def _begin(header: bool, first: str, form: TableForm) -> list[str]:
    """Where the rows begin."""
    if form.plain:
        return [f"header={str(header).lower()}"]
    names = first.count("\n") + 1 if header else 0
    return ["header=false", f"skip={form.skip_lines + names + int(form.units_row)}"]


def _points(names: list[str], form: TableForm) -> str:
    """The columns, numbers with a decimal comma written with a point."""
    if form.decimal == ".":
        return "*"
    cells = (
        f"case when regexp_full_match({quoted(n)}, '\\s*[-+]?\\d*,\\d+([eE][-+]?\\d+)?\\s*') "
        f"then replace({quoted(n)}, ',', '.') else {quoted(n)} end as {quoted(n)}"
        for n in names
    )
    return f"* replace ({', '.join(cells)})"


def rejected(connection: Any, swallowed: Swallowed) -> list[tuple[int, int]]:
    """File and line of every row that the scan which has just ended left out; one may have swallowed others."""
    found = connection.sql("select file_id, line from reject_errors").fetchall()
    if found:
        long = "select distinct file_id, line, csv_line from reject_errors where contains(csv_line, chr(10))"
        swallowed.add(text for _, _, text in connection.sql(long).fetchall())
    return sorted({(int(file or 0), int(line)) for file, line in found if line is not None})


def about_rejected(
    lines: list[tuple[int, int]], n_rows: int, width: int, who: str, header: bool, shown: Path, paths: list[Path]
) -> str:
    """The note about rows that do not fit; refused where that is most of them, or where the encoding is another."""
    if not lines:
        return ""
    _refuse_other_encoding(paths, who, shown)
    said = (
        f"{len(lines)} of {counted(n_rows + len(lines), 'row')} {verb_for(len(lines), 'does', 'do')} not have the "
        f"{counted(width, 'cell')} of the "
        f"{'header' if header else 'first line'} (first at row {lines[0][1] - int(header)})"
    )
    if len(lines) > n_rows:
        raise InputError(f"{who}: '{shown.name}' cannot be read as a table: {said}. Correct those rows.")
    return f"{said} and {verb_for(len(lines), 'was', 'were')} left out"


def _names(cells: list[str], header: bool) -> list[str]:
    return list(unique_names(cells)) if header else [str(i + 1) for i in range(len(cells))]


def repeated_names(first: str, names: list[str]) -> str:
    """The note about columns that are called alike."""
    n = sum(name not in first and not name.startswith("column ") and "." in name for name in names)
    n = n if names != [str(i + 1) for i in range(len(names))] and "\n" not in first else 0
    said = "column has the name of an earlier one and is called", "columns have names of earlier ones and are called"
    return f"{counted(n, *said)} by it and a number" if n else ""


def _blanks(path: Path, who: str, first: str, header: bool, shown: Path, form: TableForm) -> Loaded:
    """Cells set apart by runs of blanks: the scanner wants one character, so the lines are split here."""
    names = _names(first.split(), header)
    try:
        with (
            gzip.open(path, "rt", encoding="utf-8-sig")
            if path.suffix.lower() == ".gz"
            else path.open(encoding="utf-8-sig") as file
        ):
            for _ in range(form.skip_lines + int(header) + int(form.units_row)):
                next(file, None)
            rows = [line.split() for line in file if line.strip()]
    except UnicodeDecodeError:
        raise not_utf8(who, path, first_bad_byte(path) or 0, shown.name) from None
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, shown.name) from error
    width = len(names)
    odd = [i for i, row in enumerate(rows) if len(row) > width]
    if 2 * len(odd) > len(rows):
        raise InputError(
            f"{who}: '{shown.name}' cannot be read as a table: {len(odd)} of {counted(len(rows), 'row')} "
            f"{verb_for(len(odd), 'does', 'do')} not have the {width} "
            f"cells of the {'header' if header else 'first line'} (first at row {odd[0] + 1}). Correct those rows."
        )
    kept = [row for row in rows if len(row) <= width] if odd else rows
    columns = {
        n: pa.array([row[i] if i < len(row) else None for row in kept], pa.string()) for i, n in enumerate(names)
    }
    if form.decimal == ",":
        columns = {n: pc.replace_substring(c, ",", ".") for n, c in columns.items()}
    return Loaded(
        pa.table(columns),
        (
            f"{counted(len(odd), 'row has', 'rows have')} more cells than the first line and "
            f"{verb_for(len(odd), 'was', 'were')} left out",
        )
        if odd
        else (),
    )


def load_json(path: Path, who: str, form: TableForm = PLAIN) -> Loaded:
    """JSON lines, or one array of objects: every value as text, lists and objects as JSON text."""
    import duckdb

    _, query = json_query(path, who, connect, inside=form.inside)
    connection = connect()
    try:
        return Loaded(connection.sql(query).to_arrow_table())
    except (duckdb.Error, UnicodeError, OverflowError, RuntimeError) as error:
        raise explained([path], who, path) from error
    finally:
        connection.close()


def json_query(
    path: Path,
    who: str,
    connecting: Callable[[], Any],
    largest_line: int = LARGEST_LINE,
    inside: tuple[str, ...] = (),
) -> tuple[list[str], str]:
    """Names of all keys in the order in which they come up, and the query that reads every value as text.

    `inside` are declared names such as `value.bpm`, of what stands in the objects of `value`.
    """
    import duckdb

    shape = _json_shape(path, who)
    options = f"format='{shape}', ignore_errors=true, maximum_object_size={largest_line}"
    options = options if shape == "newline_delimited" else options.replace("ignore_errors=true, ", "")
    connection = connecting()
    try:
        place = exact_path(path)
        rows = connection.sql(
            "select k, min(i) as first, count(*) from (select unnest(json_keys(json)) as k, row_number() over () as i "
            f"from read_json_objects({place}, {options}) where json_type(json) = 'OBJECT') group by k order by first, k"
        ).fetchall()
    except (duckdb.Error, UnicodeError, OverflowError, RuntimeError) as error:
        raise explained([path], who, path) from error
    finally:
        connection.close()
    names = _usable([(str(k), int(n)) for k, _, n in rows])
    if not names:
        raise InputError(f"{who}: '{path.name}' holds no JSON objects. One object per line was expected.")
    columns = "{" + ", ".join(f"{literal(n)}: 'VARCHAR'" for n in names) + "}"
    deep = {n: n.partition(".") for n in inside if n not in names and n.partition(".")[0] in names}
    found = [f"{quoted(a)}->>{literal('$.' + b)} as {quoted(n)}" for n, (a, _, b) in deep.items()]
    return [*names, *deep], (
        f"select {', '.join([*map(quoted, names), *found])} from read_json({place}, {options}, records=true, "
        f"columns={columns}, hive_partitioning=false)"
    )


def _usable(counts: list[tuple[str, int]]) -> list[str]:
    """Names that can be columns, by how many lines have each: one person's line must not take them from others.

    The scanner does not tell names apart that differ in case alone: the one that more lines have is the column.
    """
    most: dict[str, tuple[str, int]] = {}
    for name, n in counts:
        if name and "\0" not in name and n > most.get(name.lower(), ("", 0))[1]:
            most[name.lower()] = (name, n)
    kept = {name for name, _ in sorted(most.values(), key=lambda declared: -declared[1])[:MOST_NAMES]}
    return [name for name, _ in counts if name in kept]


def _json_shape(path: Path, who: str) -> str:
    """Lines or one array: by the ending where it says so, so that nobody's line can decide it."""
    if ending(path) in (".jsonl", ".ndjson") and path.stat().st_size:
        return "newline_delimited"
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            while block := file.read(4096):
                begun = block.removeprefix(b"\xef\xbb\xbf").lstrip()
                if begun:
                    return "array" if begun[:1] == b"[" else "newline_delimited"
    except (OSError, EOFError, zlib.error) as error:
        raise not_gzip(who, path.name) from error
    raise InputError(f"{who}: '{path.name}' is empty. At least one line is needed.")


def _refuse_other_encoding(paths: list[Path], who: str, shown: Path) -> None:
    for path in paths:
        offset = first_bad_byte(path)
        if offset is not None:
            raise not_utf8(who, path, offset, shown.name if len(paths) == 1 else None)


def explained(paths: list[Path], who: str, shown: Path) -> InputError:
    """The scanner's own message carries cell values; nothing of it is passed on."""
    _refuse_other_encoding(paths, who, shown)
    return InputError(f"{who}: '{shown.name}' cannot be read as a table. Check its format, quoting and header.")
