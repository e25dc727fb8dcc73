"""The file behind an account: SQLite, one writer at a time, readable by its owner alone."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sequester.errors import BundleError

FORMAT = 1
WAIT_SECONDS = 60.0
"""How long a second process waits for the first one's few milliseconds."""
TABLES = """
create table about (key text primary key, value text not null) without rowid;
create table releases (
    release integer primary key, token text not null unique, state text not null, bundle text not null,
    population text not null, kind text not null, method text not null, level text not null, unit text not null,
    grade text not null, rho real, pure real, delta real, people integer not null, manifest_sha256 text,
    published text, withdrawn integer not null default 0
);
create table people (person blob not null, release integer not null, primary key (person, release)) without rowid;
create table withdrawn (person blob primary key) without rowid;
"""


class Store:
    """Connections to one account file; each is short-lived."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, identity: str) -> None:
        """An empty account, whole or not at all."""
        stage = self.path.with_name(f".{self.path.name}.{identity}.tmp")
        os.close(os.open(stage, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        try:
            with closing(sqlite3.connect(stage)) as made, made:
                made.executescript(TABLES)
                made.execute("insert into about values ('format', ?), ('identity', ?)", (str(FORMAT), identity))
            try:
                os.link(stage, self.path)  # fails where somebody else was first: then theirs counts
            except (FileExistsError, FileNotFoundError):
                if not self.path.exists():
                    raise
                return
        finally:
            stage.unlink(missing_ok=True)

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
            raise self._unreadable() from error
        try:
            connection.row_factory = sqlite3.Row
            connection.execute("pragma synchronous = full")
            found = connection.execute("select value from about where key = 'format'").fetchone()
            if found is None or found["value"] != str(FORMAT):
                raise BundleError(f"account: '{self.path.name}' was written by another version of sequester.")
            yield connection
        except sqlite3.OperationalError as error:
            # Text that is not UTF-8 is found by Python, not by SQLite, and has no code.
            if getattr(error, "sqlite_errorcode", None) in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
                raise BundleError(f"account: '{self.path.name}' is in use by another process. Try again.") from error
            raise self._unreadable() from error
        except sqlite3.DatabaseError as error:
            raise self._unreadable() from error
        finally:
            connection.close()

    def _unreadable(self) -> BundleError:
        return BundleError(f"account: '{self.path.name}' cannot be read. Restore it from your backup.")
