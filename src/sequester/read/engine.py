"""The query engine that reads and casts columns: closed to the network and, where asked, to every other file."""

from __future__ import annotations

from pathlib import Path
from typing import Any


def connect(database: str = ":memory:", *, read_only: bool = False, sealed: bool = False) -> Any:
    """A connection that fetches nothing; a `sealed` one cannot open any other file either.

    A database file that somebody sent may hold views that read other files: those must not be followed.
    """
    import duckdb

    settings: dict[str, Any] = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
    if sealed:
        settings["enable_external_access"] = "false"
    return duckdb.connect(database, read_only=read_only, config=settings)


def quoted(name: str) -> str:
    """A name as SQL writes it."""
    return '"' + name.replace('"', '""') + '"'


def literal(text: str) -> str:
    """A string as SQL writes it."""
    return "'" + text.replace("'", "''") + "'"


def exact_path(path: Path) -> str:
    """A path as the scanners take it: `export[1].csv` names one file and is no pattern."""
    return literal("".join({"[": "[[]", "*": "[*]", "?": "[?]"}.get(c, c) for c in str(path)))


def computed(columns: dict[str, Any], expressions: dict[str, str]) -> Any:
    """Expressions over Arrow columns of equal length, as an Arrow table."""
    import pyarrow as pa

    handed = pa.table(columns)
    connection = connect()
    try:
        connection.register("handed", handed)
        asked = ", ".join(f"{e} as {quoted(n)}" for n, e in expressions.items())
        return connection.sql(f"select {asked} from handed").to_arrow_table().combine_chunks()
    finally:
        connection.close()
