"""The file behind an account: SQLite, one writer at a time, readable by its owner alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sequester.errors import BundleError
from sequester.platform import signals_wait

FORMAT = 1
WAIT_SECONDS = 60.0
"""How long a second process waits for the first one's few milliseconds."""
TABLES = """
create table about (key text primary key, value text not null) without rowid;
create table releases (
    release integer primary key autoincrement, token text not null unique, state text not null, bundle text not null,
    population text not null, kind text not null, method text not null, level text not null, unit text not null,
    grade text not null, rho real, pure real, delta real, people integer not null, manifest_sha256 text,
    published text, withdrawn integer not null default 0, k integer, compared_by text not null default '',
    everyone integer not null default 0
);
create table people (person blob not null, release integer not null, primary key (person, release)) without rowid;
create table marks (item blob not null, release integer not null, mark blob not null, primary key (item, release))
    without rowid;
create table withdrawn (person blob primary key) without rowid;
"""


class Store:
    """Connections to one account file; each is short-lived."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, identity: str, key_check: str) -> None:
        """An empty account, whole or not at all."""
        unfinished = self.path.with_name(f".{self.path.name}.{identity}.tmp")
        with signals_wait():
            os.close(os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
            try:
                with closing(sqlite3.connect(unfinished)) as made, made:
                    made.executescript(TABLES)
                    made.executemany("insert into about values (?, ?)", [
                        ("format", str(FORMAT)), ("identity", identity), ("key", key_check),
                    ])  # fmt: skip
                try:
                    os.link(unfinished, self.path)  # fails where somebody else was first: then theirs counts
                except (FileExistsError, FileNotFoundError):
                    if not self.path.exists():
                        raise
            finally:
                unfinished.unlink(missing_ok=True)

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that nobody else can write beside."""
        with self._connected() as connection:
            connection.execute("begin immediate")
            try:
                yield connection
            except BaseException:
                connection.rollback()
                raise
            connection.commit()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """A connection that sees one state of the account; it writes nothing."""
        with self._connected() as connection:
            connection.execute("begin")
            try:
                yield connection
            finally:
                connection.rollback()

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        try:
            connection = sqlite3.connect(self.path, timeout=WAIT_SECONDS, isolation_level=None)
        except sqlite3.Error as error:
            raise self._said(error) from error
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("pragma synchronous = full")
            found = connection.execute("select value from about where key = 'format'").fetchone()
            if found is None or found["value"] != str(FORMAT):
                raise BundleError(f"account: '{self.path.name}' was written by another version of sequester.")
            yield connection
        except sqlite3.Error as error:
            raise self._said(error) from error
        finally:
            connection.close()

    def _said(self, error: sqlite3.Error) -> BundleError:
        """A full disk is not a damaged account: the code of an error tells what to do."""
        # Text that is not UTF-8 is found by Python, not by SQLite, and has no code.
        code = getattr(error, "sqlite_errorcode", None)
        why = WHY.get(code & 0xFF) if code is not None else None
        if why is None:
            return BundleError(f"account: '{self.path.name}' cannot be read. Restore it from your backup.")
        return BundleError(f"account: '{self.path.name}' {why}")


WHY = {
    sqlite3.SQLITE_BUSY: "is in use by another process. Try again.",
    sqlite3.SQLITE_LOCKED: "is in use by another process. Try again.",
    sqlite3.SQLITE_FULL: "cannot be written: the disk is full or a quota is used up. It is not damaged; free some "
    "space and try again.",
    sqlite3.SQLITE_IOERR: "cannot be read or written: the system reported an input or output error. Check the disk "
    "before you restore anything.",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened. Check the permissions of the folder and of the file, and that the "
    "disk is not full.",
    sqlite3.SQLITE_PERM: "cannot be opened: permission is denied. Check who owns it.",
    sqlite3.SQLITE_READONLY: "cannot be written: the file or the folder is read-only. Check its permissions.",
}
"""What SQLite reports → what it means for the custodian."""
