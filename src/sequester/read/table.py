"""Any table: CSV, Parquet, JSON lines, a database file, or a table already in memory → Arrow."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sequester.errors import InputError, nearest

if TYPE_CHECKING:
    import pyarrow as pa

SCANNERS = {
    ".csv": "read_csv",
    ".tsv": "read_csv",
    ".txt": "read_csv",
    ".parquet": "read_parquet",
    ".pq": "read_parquet",
    ".jsonl": "read_json",
    ".ndjson": "read_json",
    ".json": "read_json",
}
DATABASES = (".duckdb", ".db", ".ddb")
SQLITE = (".sqlite", ".sqlite3")


def load_table(
    source: Any,
    who: str,
    *,
    table: str | None = None,
    as_text: Iterable[str | None] = (),
    encoding: str = "utf-8",
) -> pa.Table:
    """Read a table from a path or take one from memory (pandas, polars, Arrow, duckdb relation).

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines (each also `.gz`), a duckdb or SQLite file, or an in-memory table.
    who : str
        The caller's name, for messages.
    table : str, optional
        Which table of a database file.
    as_text : names
        Columns kept as written (`007` stays `007`): identifiers and text.
    encoding : str
        Of a CSV file.
    """
    check_encoding(encoding, who)
    if not isinstance(source, (str, Path)):
        return _from_memory(source, who)
    path = Path(source)
    if not path.exists():
        raise InputError(f"{who}: '{path.name}' does not exist. Check the path.")
    if path.is_dir():
        raise InputError(f"{who}: '{path.name}' is a folder; a table file was expected.")
    ending = _ending(path)
    if ending in SQLITE or ending in DATABASES:
        return _from_database(path, who, table)
    if ending not in SCANNERS:
        raise InputError(
            f"{who}: cannot tell what '{path.name}' is by its ending; "
            f"known are {', '.join(sorted(SCANNERS))}, {', '.join(DATABASES + SQLITE)}. Rename or convert it."
        )
    if path.stat().st_size == 0:
        raise InputError(f"{who}: '{path.name}' is empty. A header and at least one row are needed.")
    if SCANNERS[ending] == "read_csv" and codecs.lookup(encoding).name != "utf-8":
        return _from_encoded_csv(path, who, encoding, as_text)
    return _scan(path, ending, who, {name for name in as_text if name})


def check_encoding(encoding: str, who: str) -> None:
    """Refuse an encoding nobody knows."""
    try:
        codecs.lookup(encoding)
    except LookupError:
        raise InputError(
            f"{who}: no encoding '{encoding}'. Known are utf-8, latin-1, cp1252, shift_jis and more."
        ) from None


def pick(table: pa.Table, name: str, who: str, role: str) -> str:
    """The column of that name, or an error that names the nearest one and the flag to pass."""
    if name in table.column_names:
        return name
    close = nearest(name, table.column_names)
    hint = f" Pass {role}='{close}'?" if close else f" Pass {role}= one of them."
    shown = ", ".join(f"'{c}'" for c in table.column_names[:8])
    more = f" and {len(table.column_names) - 8} more" if len(table.column_names) > 8 else ""
    raise InputError(f"{who}: column '{name}' not found; the table has {shown}{more}.{hint}")


def reads_as_number(text: str) -> bool:
    """Whether a cell that was kept as text could be a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _ending(path: Path) -> str:
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def _connect(database: str = ":memory:", read_only: bool = False) -> Any:
    import duckdb

    # Nothing is fetched from anywhere: an extension that is not there is an error, not a download.
    settings: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    return duckdb.connect(database, read_only=read_only, config=settings)


def _from_memory(source: Any, who: str) -> pa.Table:
    import duckdb
    import pyarrow as pa

    if isinstance(source, pa.Table):
        return source
    connection = _connect()
    try:
        connection.register("handed_in", source)
        return connection.sql("select * from handed_in").to_arrow_table()
    except (duckdb.Error, TypeError) as error:
        raise InputError(
            f"{who}: cannot read a table from a {type(source).__name__}; "
            "pass a path, or a pandas, polars or Arrow table."
        ) from error
    finally:
        connection.close()


def _from_database(path: Path, who: str, table: str | None) -> pa.Table:
    import duckdb

    with path.open("rb") as file:
        is_sqlite = file.read(15) == b"SQLite format 3"
    if is_sqlite:
        return _from_sqlite(path, who, table)
    try:
        connection = _connect(str(path), read_only=True)
    except duckdb.Error as error:
        raise InputError(f"{who}: '{path.name}' is not a database that can be opened.") from error
    try:
        names = [row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()]
        names += [
            row[0] for row in connection.execute("select view_name from duckdb_views() where not internal").fetchall()
        ]
        chosen = _choose(names, table, path, who)
        return connection.sql(f"select * from {_quoted(chosen)}").to_arrow_table()
    finally:
        connection.close()


def _from_sqlite(path: Path, who: str, table: str | None) -> pa.Table:
    import sqlite3

    import pyarrow as pa

    connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)
    try:
        rows = connection.execute("select name from sqlite_master where type in ('table', 'view')").fetchall()
        chosen = _choose([name for (name,) in rows], table, path, who)
        cursor = connection.execute(f"select * from {_quoted(chosen)}")
        names = [c[0] for c in cursor.description]
        columns = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(names)
        return pa.table({n: pa.array(list(c)) for n, c in zip(names, columns, strict=True)})
    except pa.ArrowInvalid as error:
        raise InputError(f"{who}: a column of '{path.name}' mixes numbers and text. Cast it in a view.") from error
    finally:
        connection.close()


def _choose(names: list[str], table: str | None, path: Path, who: str) -> str:
    if table in names:
        return str(table)
    if table is None and len(names) == 1:
        return names[0]
    asked = f"table '{table}' not found" if table else "which table?"
    raise InputError(f"{who}: '{path.name}': {asked}; it has {', '.join(sorted(names)) or 'none'}. Pass table=NAME.")


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


def _scan(path: Path, ending: str, who: str, as_text: set[str]) -> pa.Table:
    import duckdb

    scanner = SCANNERS[ending]
    connection = _connect()
    try:
        options: list[str] = []
        if scanner == "read_csv":
            options = ["header=true"] + (["delim='\t'"] if ending == ".tsv" else [])
        elif scanner == "read_json":
            options = ["maximum_object_size=1073741824"]
        place = "'" + str(path).replace("'", "''") + "'"
        if as_text and scanner != "read_parquet":
            known = connection.sql(f"select * from {scanner}({', '.join([place, *options])}) limit 0").columns
            kept = [c for c in known if c in as_text]
            if kept and scanner == "read_csv":
                options.append("types={" + ", ".join("'" + c.replace("'", "''") + "': 'VARCHAR'" for c in kept) + "}")
        for more in ([], ["sample_size=-1"]):  # a type that only shows far down costs a second look
            try:
                query = f"select * from {scanner}({', '.join([place, *options, *more])})"
                found = connection.sql(query).to_arrow_table()
                if scanner == "read_csv":
                    _refuse_one_column(found, path, who)
                    _refuse_repeated_names(found, path, who)
                return found
            except duckdb.Error as error:
                if more or scanner == "read_parquet" or "extension" in str(error):
                    raise
        raise AssertionError("unreachable")
    except duckdb.Error as error:
        raise _explained(path, who, error) from error
    finally:
        connection.close()


def _refuse_repeated_names(found: pa.Table, path: Path, who: str) -> None:
    """Two columns of one name: the scanner would rename the second, and a role could mean either."""
    if not any(name.rpartition("_")[2].isdigit() for name in found.column_names):
        return  # nothing was renamed
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        header = file.readline().decode("utf-8-sig").rstrip("\r\n")
    for delimiter in ",;\t|":
        names = next(csv.reader([header], delimiter=delimiter), [])
        if len(names) == found.num_columns:
            repeated = [name for name, n in Counter(names).items() if n > 1]
            if repeated:
                raise InputError(
                    f"{who}: '{path.name}' has {len(repeated)} column name{'s' if len(repeated) > 1 else ''} more than "
                    f"once ('{repeated[0]}'). Rename the columns."
                )


def _refuse_one_column(found: pa.Table, path: Path, who: str) -> None:
    """A table of one column named like a whole header: its rows do not agree on how many cells there are."""
    if found.num_columns > 1:
        return
    header = found.column_names[0]
    delimiter = next((d for d in ",;\t|" if d in header), None)
    if delimiter is None:
        return
    n_names = len(next(csv.reader([header], delimiter=delimiter)))
    cells = [len(row) for row in csv.reader((str(r) for r in found[header].to_pylist()), delimiter=delimiter)]
    odd = [i for i, n in enumerate(cells, start=1) if n != n_names]
    if odd:
        raise InputError(
            f"{who}: '{path.name}' cannot be read as a table: {len(odd)} of {len(cells)} rows do not have the "
            f"{n_names} cells of the header (first at row {odd[0]}). Correct those rows."
        )


def _explained(path: Path, who: str, error: Exception) -> InputError:
    """The scanner's message carries cell values; only its line number may be passed on."""
    try:
        offset = first_bad_byte(path)
    except (OSError, EOFError, zlib.error):
        return InputError(f"{who}: '{path.name}' is not a whole gzip file. Unpack it, or check how it was made.")
    if offset is not None:
        return not_utf8(who, path.name, offset)
    line = re.search(r"[Ll]ine:?\s*(\d+)", str(error))
    where = f" at line {line.group(1)}" if line else ""
    return InputError(f"{who}: '{path.name}' cannot be read as a table{where}. Check its format, quoting and header.")


def not_utf8(who: str, name: str, offset: int) -> InputError:
    """The error for text in another encoding."""
    return InputError(
        f"{who}: '{name}' is not UTF-8 at byte {offset}. "
        "Pass --encoding with the encoding it was written in, for example --encoding latin-1."
    )


def first_bad_byte(path: Path) -> int | None:
    """Offset of the first byte that is not UTF-8, or None; Parquet is binary and has none."""
    if _ending(path) in (".parquet", ".pq"):
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    done = 0
    with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
        while block := file.read(1 << 20):
            pending = len(decoder.getstate()[0])
            try:
                decoder.decode(block)
            except UnicodeDecodeError as error:
                return done - pending + error.start
            done += len(block)
    return done - len(decoder.getstate()[0]) if decoder.getstate()[0] else None


def _from_encoded_csv(path: Path, who: str, encoding: str, as_text: Iterable[str | None]) -> pa.Table:
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    try:
        return arrow_csv.read_csv(
            path,
            read_options=arrow_csv.ReadOptions(encoding=encoding),
            parse_options=arrow_csv.ParseOptions(
                delimiter="\t" if _ending(path) == ".tsv" else ",", newlines_in_values=True
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={name: pa.string() for name in as_text if name}, strings_can_be_null=True
            ),
        )
    except (pa.ArrowInvalid, OSError, UnicodeError) as error:
        raise InputError(f"{who}: '{path.name}' cannot be read as a table in {encoding}. Check both.") from error
