"""What a source looks like, for its page: what `inspect` proposes, and what its reader makes of it."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import sequester as sq
from sequester import _shell
from sequester.workbench.forms import reader_fields, ready

PREVIEW_ROWS = 6
PREVIEW_CHARACTERS = 60
TEXT_FOR_DELIMITER = 20_000
DATABASES = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")


def inspected(path: Path, kind: str | None, roles: dict[str, Any]) -> dict[str, Any]:
    """A summary as plain JSON: kind, why, roles, lines, what to decide, columns; `trouble` if it cannot be read.

    Without roles, `inspect` proposes them; with roles, the source is read as told.
    """
    tables = _shell.outline(path) if path.suffix.lower() in DATABASES and path.is_file() else {}
    fields: dict[str, Any] = {"columns": columns_of(path), "lines": [], "choose": [], "alternatives": {}, "trouble": ""}
    fields["tables"] = list(tables)
    table = roles.get("table") or (next(iter(tables)) if len(tables) == 1 else None)
    if tables:
        fields["columns"] = tables.get(str(table), [])
        if table not in tables:
            which = f"This database has {len(tables)} tables. Say below which one holds the data."
            return fields | {"kind": kind, "roles": {}, "why": "", "trouble": which}
    if not set(roles) - {"table"}:
        found = sq.inspect(path, kind=kind, **({"table": table} if tables else {}))
        fields |= {"why": found.why, "choose": [_capital(line) for line in found.asked(_shell.as_field)]}
        fields["alternatives"] = {k: list(v) for k, v in found.alternatives.items()}
        chosen = {"table": table} if len(tables) > 1 else {}
        if found.kind is None:
            return fields | {"kind": None, "roles": chosen, "trouble": found.why}
        kind, roles = found.kind, {**chosen, **found.options}
    assert kind is not None
    fields |= {"kind": kind, "roles": {n: list(v) if isinstance(v, tuple) else v for n, v in roles.items()}}
    try:
        data = sq.reader(kind)(str(path), **ready(reader_fields(kind), roles))
    except sq.SequesterError as error:
        return fields | {"trouble": _shell.spelled(error, _shell.as_field)}
    return fields | {"lines": lines_of(data, roles), "people": data.n_people, "records": data.n_records}


def lines_of(data: Any, roles: dict[str, Any]) -> list[str]:
    """How the source was understood, a sentence a line; never a value or an identifier of a person."""
    return [row["line"].rstrip(".") + "." for row in sq.summary(data, roles).rows["lines"]]


def _capital(line: str) -> str:
    return line[:1].upper() + line[1:] + ("" if line.endswith((".", "?")) else ".")


def columns_of(path: Path) -> list[str]:
    """The header of a table."""
    rows = preview(path, 0)
    return rows[0] if rows else []


def shape(cell: str) -> str:
    """What a value looks like without the value: digits as 9, letters as a, cut short."""
    masked = "".join("9" if c.isdigit() else "a" if c.isalpha() else c if c in "-:./ +" else "•" for c in cell[:16])
    return masked + ("…" if len(cell) > 16 else "")


def preview(path: Path, rows: int = PREVIEW_ROWS) -> list[list[str]]:
    """The header and the first rows of a table, cells cut short; nothing of what is not a table."""
    ending = path.suffix.lower()
    try:
        if ending in (".csv", ".tsv") and path.is_file():
            with path.open(encoding="utf-8-sig", newline="", errors="replace") as file:
                text = file.read(TEXT_FOR_DELIMITER).splitlines()[: rows + 1]
            first = text[0] if text else ""
            delimiter = "\t" if ending == ".tsv" else max(",;\t|", key=first.count)
            found = list(csv.reader(text, delimiter=delimiter))
        elif ending == ".parquet" and path.is_file():
            import pyarrow.parquet as pq

            file = pq.ParquetFile(path)
            found = [list(file.schema_arrow.names)]
            if rows:
                batch = next(file.iter_batches(batch_size=rows))
                found += [[str(v) for v in row.values()] for row in batch.to_pylist()]
        elif ending in (".jsonl", ".ndjson") and path.is_file():
            with path.open(encoding="utf-8") as file:
                stored = [json.loads(line) for line, _ in zip(file, range(max(1, rows)), strict=False)]
            found = [list(stored[0])] if stored else []
            found += [[str(row.get(c, "")) for c in found[0]] for row in stored[:rows]]
        else:
            return []
    except (OSError, ValueError, csv.Error, StopIteration, AttributeError):
        return []
    return [[cell if len(cell) <= PREVIEW_CHARACTERS else cell[:PREVIEW_CHARACTERS] + "…" for cell in r] for r in found]
