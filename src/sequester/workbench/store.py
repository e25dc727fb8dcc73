"""What the workbench remembers between starts: sources, jobs, settings and results, in one SQLite file.

The file lies in the project folder (`.sequester-workbench`, readable by its owner alone) and holds private figures.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sequester.platform import close_to_others

FOLDER = ".sequester-workbench"
TABLES = """
create table if not exists sources (
    source integer primary key, path text not null, kind text not null, roles text not null, found text not null,
    made text not null default (datetime('now'))
);
create table if not exists jobs (
    job integer primary key, source integer, what text not null, settings text not null, state text not null,
    said text not null default '', done real not null default 0, result text, pid integer,
    made text not null default (datetime('now')), ended text
);
create table if not exists pictures (job integer primary key, html text not null);
"""
MOST = 2**63 - 1
"""The largest number SQLite has."""
WAITING, RUNNING, DONE, FAILED, STOPPED, UNFINISHED = "waiting", "running", "done", "failed", "stopped", "unfinished"


def numbered(words: str | None) -> int | None:
    """The number of a job or source that an address names; None where it is none."""
    return int(words) if words and re.fullmatch("[0-9]{1,19}", words) and int(words) <= MOST else None


class Store:
    """Rows in, dictionaries out; one connection, one lock."""

    def __init__(self, project: Path) -> None:
        self.folder = project / FOLDER
        self.folder.mkdir(mode=0o700, exist_ok=True)
        close_to_others(self.folder)
        path = self.folder / "workbench.sqlite"
        if not path.exists():
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        self._connection = sqlite3.connect(path, check_same_thread=False, isolation_level=None)
        self._connection.row_factory = sqlite3.Row
        self._lock = threading.Lock()
        with self._use() as c:
            c.executescript(TABLES)
            # what was running when the last start ended did not finish
            c.execute("update jobs set state = ?, said = ? where state in (?, ?)",
                      (UNFINISHED, "The workbench was closed before this was done.", RUNNING, WAITING))  # fmt: skip

    @contextmanager
    def _use(self) -> Iterator[sqlite3.Connection]:
        with self._lock:
            yield self._connection

    def add_source(self, path: str, kind: str, roles: Mapping[str, Any], found: Mapping[str, Any]) -> int:
        """Remember a source and how it is read."""
        with self._use() as c:
            row = c.execute(
                "insert into sources (path, kind, roles, found) values (?, ?, ?, ?)",
                (path, kind, json.dumps(roles), json.dumps(found)),
            )
            return int(row.lastrowid or 0)

    def change_source(self, source: int, *, kind: str, roles: Mapping[str, Any], found: Mapping[str, Any]) -> None:
        """Read it another way."""
        with self._use() as c:
            c.execute(
                "update sources set kind = ?, roles = ?, found = ? where source = ?",
                (kind, json.dumps(roles), json.dumps(found), source),
            )

    def source_at(self, path: str) -> int | None:
        """The newest source at that path."""
        with self._use() as c:
            row = c.execute("select source from sources where path = ? order by source desc", (path,)).fetchone()
        return int(row["source"]) if row else None

    def forget_source(self, source: int) -> None:
        """Take a source and what was tried on it off the list; files are not touched."""
        with self._use() as c:
            c.execute("delete from pictures where job in (select job from jobs where source = ?)", (source,))
            for table in ("jobs", "sources"):
                c.execute(f"delete from {table} where source = ?", (source,))

    def close(self) -> None:
        """Close the file."""
        with self._use() as c:
            c.close()

    def source(self, source: int) -> dict[str, Any] | None:
        """One source."""
        return next(iter(self._sources("where source = ?", source)), None) if source <= MOST else None

    def sources(self) -> list[dict[str, Any]]:
        """All sources, newest first."""
        return self._sources("order by source desc")

    def _sources(self, where: str, *values: Any) -> list[dict[str, Any]]:
        with self._use() as c:
            rows = c.execute(f"select * from sources {where}", values).fetchall()
        return [dict(r) | {"roles": json.loads(r["roles"]), "found": json.loads(r["found"])} for r in rows]

    def add_job(self, source: int | None, what: str, settings: Mapping[str, Any]) -> int:
        """A job at the end of the queue."""
        with self._use() as c:
            row = c.execute(
                "insert into jobs (source, what, settings, state) values (?, ?, ?, ?)",
                (source, what, json.dumps(settings), WAITING),
            )
            return int(row.lastrowid or 0)

    def change_job(self, job: int, **values: Any) -> None:
        """New state, progress or result of a job."""
        known = ("state", "said", "done", "result", "pid", "ended")
        assert set(values) <= set(known)
        fields = {k: json.dumps(v) if k == "result" and v is not None else v for k, v in values.items()}
        with self._use() as c:
            c.execute(f"update jobs set {', '.join(f'{k} = ?' for k in fields)} where job = ?",
                      (*fields.values(), job))  # fmt: skip

    def job(self, job: int) -> dict[str, Any] | None:
        """One job."""
        return next(iter(self._jobs("where job = ?", job)), None) if job <= MOST else None

    def jobs(self, source: int | None = None, what: str | None = None) -> list[dict[str, Any]]:
        """Jobs, oldest first."""
        tests = [(t, v) for t, v in (("source = ?", source), ("what = ?", what)) if v is not None]
        where = f"where {' and '.join(t for t, _ in tests)}" if tests else ""
        return self._jobs(f"{where} order by job", *(v for _, v in tests))

    def _jobs(self, where: str, *values: Any) -> list[dict[str, Any]]:
        with self._use() as c:
            rows = c.execute(f"select * from jobs {where}", values).fetchall()
        return [
            dict(r)
            | {"settings": json.loads(r["settings"]), "result": json.loads(r["result"]) if r["result"] else None}
            for r in rows
        ]

    def keep_pictures(self, job: int, html: str) -> None:
        """The drawings of a job, made by the library's own pages."""
        with self._use() as c:
            c.execute("insert or replace into pictures values (?, ?)", (job, html))

    def pictures(self, job: int) -> str:
        """The drawings of a job; empty if it has none."""
        with self._use() as c:
            row = c.execute("select html from pictures where job = ?", (job,)).fetchone()
        return str(row["html"]) if row else ""
