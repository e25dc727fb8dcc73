"""Database files: DuckDB and SQLite, opened for reading, closed to every other file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa

from sequester.errors import InputError
from sequester.read.cells import cell_text
from sequester.read.engine import own_engine, quoted
from sequester.read.table import Loaded

STEPS_AT_ONCE, MOST_STEPS = 1_000_000, 20_000
"""A view may compute without end: after so many million steps of the database's machine it is stopped."""


def load(path: Path, who: str, table: str | None, *, rows: int | None = None) -> Loaded:
    """One table or view of a database file, or its first rows."""
    limit = "" if rows is None else f" limit {rows}"
    import duckdb

    with path.open("rb") as file:
        is_sqlite = file.read(15) == b"SQLite format 3"
    if is_sqlite:
        return _from_sqlite(path, who, table, limit)
    try:
        connection = own_engine(str(path), read_only=True, sealed=True)
    except Exception as error:
        raise InputError(f"{who}: '{path.name}' is not a database that can be opened.") from error
    try:
        names = [row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()]
        names += [
            row[0] for row in connection.execute("select view_name from duckdb_views() where not internal").fetchall()
        ]
        chosen = _choose(names, table, path, who)
        return Loaded(connection.sql(f"select * from {quoted(chosen)}{limit}").to_arrow_table())
    except (duckdb.Error, UnicodeError, OverflowError, RuntimeError) as error:
        raise _unreadable(path, who) from error
    finally:
        connection.close()


def outline(path: Path) -> dict[str, list[str]]:
    """The tables and views of a database file and their columns, without reading a row; empty if it is not one."""
    import sqlite3

    import duckdb

    try:
        with path.open("rb") as file:
            is_sqlite = file.read(15) == b"SQLite format 3"
        if is_sqlite:
            found: Any = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
            ask = (
                "select m.name, c.name from sqlite_master m, pragma_table_info(m.name) c "
                "where m.type in ('table', 'view') and m.name not like 'sqlite_%' order by m.name, c.cid"
            )
            found.set_authorizer(_allowed)
        else:
            found = own_engine(str(path), read_only=True, sealed=True)
            ask = (
                "select table_name, column_name from duckdb_columns() where not internal "
                "order by table_name, column_index"
            )
        try:
            rows = found.execute(ask).fetchall()
        finally:
            found.close()
    except (OSError, sqlite3.Error, duckdb.Error, InputError, UnicodeError):
        return {}
    out: dict[str, list[str]] = {}
    for table, column in rows:
        out.setdefault(str(table), []).append(str(column))
    return out


def _unreadable(path: Path, who: str) -> InputError:
    return InputError(
        f"{who}: the table of '{path.name}' cannot be read: the file is damaged, or a view in it reads other files, "
        "which is not followed. Copy the rows into a table of their own."
    )


def _from_sqlite(path: Path, who: str, table: str | None, limit: str) -> Loaded:
    import sqlite3

    steps = 0

    def enough() -> int:
        nonlocal steps
        steps += 1
        return int(steps > MOST_STEPS)

    try:
        connection = sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro&immutable=1", uri=True)
    except sqlite3.Error as error:
        raise _unreadable(path, who) from error
    try:
        connection.text_factory = _text
        connection.execute("pragma trusted_schema = off")
        connection.set_authorizer(_allowed)
        connection.set_progress_handler(enough, STEPS_AT_ONCE)
        rows = connection.execute("select name from sqlite_master where type in ('table', 'view')").fetchall()
        chosen = _choose([str(name) for (name,) in rows if not str(name).startswith("sqlite_")], table, path, who)
        cursor = connection.execute(f"select * from {quoted(chosen)}{limit}")
        names = [c[0] for c in cursor.description]
        columns: list[Any] = list(zip(*cursor.fetchall(), strict=True)) or [()] * len(names)
        if len(set(names)) < len(names):
            raise InputError(f"{who}: '{path.name}' has a column name more than once. Rename the columns.")
        # SQLite has types per cell, not per column: every cell is read by itself.
        return Loaded(pa.table({n: pa.array([cell_text(v) for v in c], pa.string()) for n, c in zip(names, columns)}))
    except (sqlite3.Error, pa.ArrowException, UnicodeError, OverflowError, ValueError, TypeError) as error:
        raise _unreadable(path, who) from error
    finally:
        connection.close()


def _allowed(action: int, first: str | None, second: str | None, *_: Any) -> int:
    """Views may compute; they may not open other files nor load code."""
    import sqlite3

    loads = action == sqlite3.SQLITE_FUNCTION and second in ("load_extension", "readfile", "fts3_tokenizer")
    return sqlite3.SQLITE_DENY if loads or action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK


def _text(raw: bytes) -> str | None:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return None


def _choose(names: list[str], table: str | None, path: Path, who: str) -> str:
    if table in names:
        return str(table)
    if table is None and len(names) == 1:
        return names[0]
    asked = f"table '{table}' not found" if table else "which table?"
    raise InputError(f"{who}: '{path.name}': {asked}; it has {', '.join(sorted(names)) or 'none'}. Pass ‹table=NAME›.")
