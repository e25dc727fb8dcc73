"""The query engine that reads and casts columns: closed to the network and, where asked, to every other file.

One engine runs per process and use: starting one costs more than reading a small file. Every read has a connection of
its own, so that what it registers, and the rows it rejects, are gone when that is closed. Settings of a running engine
are locked, because they would hold for everybody: a read with settings of its own, and a database file, get an engine
of their own.
"""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa

CLOSED = {"autoinstall_known_extensions": "false", "autoload_known_extensions": "false"}
"""No engine fetches code."""
_running: dict[bool, Any] = {}
"""Sealed or not → the engine that all reads of this process share."""
_starting = threading.Lock()


def connect(*, sealed: bool = False) -> Any:
    """A connection to the engine of this process; a `sealed` one cannot open any file."""
    with _starting:
        if sealed not in _running:
            _running[sealed] = own_engine(sealed=sealed)
            _running[sealed].execute("set global python_enable_replacements=false")
            _running[sealed].execute("set lock_configuration=true")
        return _running[sealed].cursor()


def own_engine(
    database: str = ":memory:", *, read_only: bool = False, sealed: bool = False, settings: dict[str, str] | None = None
) -> Any:
    """A connection to an engine of its own, with settings such as `threads` that hold for this one only.

    A database file that somebody sent may hold views that read other files: `sealed` they are not followed.
    """
    import duckdb

    fields: dict[str, Any] = {**CLOSED, **(settings or {}), **({"enable_external_access": "false"} if sealed else {})}
    return duckdb.connect(database, read_only=read_only, config=fields)


def _before_fork() -> None:
    """A forked child has none of the engine's threads and would wait for them: it must find no engine."""
    _starting.acquire()
    for engine in _running.values():
        engine.close()
    _running.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before_fork, after_in_parent=_starting.release, after_in_child=_starting.release)


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
    handed = pa.table(columns)
    connection = connect(sealed=True)
    try:
        connection.register("handed", handed)
        asked = ", ".join(f"{e} as {quoted(n)}" for n, e in expressions.items())
        return connection.sql(f"select {asked} from handed").to_arrow_table().combine_chunks()
    finally:
        connection.close()
