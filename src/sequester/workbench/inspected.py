"""What a source looks like, for its page: by `inspect` where there is one, or else by what its reader says."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import sequester as sq
from sequester.workbench.forms import reader_fields, ready

PREVIEW_ROWS = 6
PREVIEW_CHARACTERS = 60
TEXT_FOR_DELIMITER = 20_000
SYNONYMS = {
    "person": ("person", "patient", "subject", "id", "pid", "case", "person_id", "patient_id", "subject_id"),
    "time": ("time", "timestamp", "date", "datetime", "when"),
    "state": ("state", "activity", "event", "status", "action"),
    "start": ("start", "begin", "from", "start_time"),
    "end": ("end", "stop", "until", "end_time"),
    "text": ("text", "note", "body"),
    "value": ("symbol", "value"),
    "document": ("document", "note_id", "doc"),
}


def inspected(path: Path, kind: str | None, roles: dict[str, Any]) -> dict[str, Any]:
    """A summary as plain JSON: kind, why, roles, lines, what to decide, columns; `trouble` if it cannot be read."""
    columns = columns_of(path)
    told: dict[str, Any] = {"columns": columns, "lines": [], "choose": [], "alternatives": {}, "trouble": "", "why": ""}
    look = getattr(sq, "inspect", None)
    if look is not None and not roles:
        found = look(path, kind=kind)
        told |= {"why": found.why, "choose": list(found.choose)}
        told["alternatives"] = {k: list(v) for k, v in found.alternatives.items()}
        if found.kind is None:
            return told | {"kind": None, "roles": {}, "trouble": found.why}
        kind, roles = found.kind, dict(found.options)
    elif kind is None:
        kind, told["why"] = guessed_kind(path, columns)
    if kind is None:
        return told | {"kind": None, "roles": {}, "trouble": "The kind of data does not show. Choose it."}
    if not roles:
        roles = guessed_roles(kind, columns)
    told |= {"kind": kind, "roles": {n: list(v) if isinstance(v, tuple) else v for n, v in roles.items()}}
    try:
        data = sq.reader(kind)(str(path), **ready(reader_fields(kind), roles))
    except sq.SequesterError as error:
        return told | {"trouble": str(error)}
    return told | {"lines": lines_of(data), "people": data.n_people, "records": data.n_records}


def lines_of(data: Any) -> list[list[str]]:
    """Figures as pairs of words; never a value or an identifier."""
    out = [["People", f"{data.n_people:,}"], ["Records", f"{data.n_records:,}"], ["In short", data.describe()]]
    period = getattr(data, "period", None)
    if period:
        out.append(["Period", " to ".join(map(str, period))])
    out += [["Note", str(note)] for note in getattr(data, "notes", ())]
    for fact in data.reading:
        value = ", ".join(map(str, fact.value)) if isinstance(fact.value, (list, tuple)) else str(fact.value)
        out.append([f"Reading: {fact.name}", f"{value} ({fact.how})"])
    return out


def guessed_kind(path: Path, columns: list[str]) -> tuple[str | None, str]:
    """The kind that a name or the columns give away, and why."""
    if path.is_dir():
        inside = (p for p in path.rglob("*") if p.is_file() and not p.name.startswith("."))
        kinds = {k.name for p in inside if (k := sq.kind_by_ending(p))}
        return (kinds.pop(), "the endings of its files tell") if len(kinds) == 1 else (None, "")
    found = sq.kind_by_ending(path)
    if found:
        return found.name, "its ending tells"
    found = sq.kind_by_columns([c.lower() for c in columns])
    if found:
        return found.name, "the names of its columns tell"
    return ("series", "one column per time") if len(columns) > 3 else (None, "")


def guessed_roles(kind: str, columns: list[str]) -> dict[str, Any]:
    """Columns whose names say what they are."""
    names = {c.lower(): c for c in columns}
    out: dict[str, Any] = {}
    for field in reader_fields(kind):
        for word in SYNONYMS.get(field.name, ()):
            if word in names and not (kind == "series" and field.name in ("time", "value")):
                out[field.name] = field.read(names[word])
                break
    if kind == "activity" and "start" in out:
        out.pop("time", None)
    if kind == "symbols" and names.get("symbol"):
        out["symbolize"] = "none"
    if kind == "text" and not columns:
        out["person"] = "folder"
    return {n: v for n, v in out.items() if n != "text" or v != ("text",)}


def columns_of(path: Path) -> list[str]:
    """The header of a table."""
    rows = preview(path, 0)
    return rows[0] if rows else []


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
                told = [json.loads(line) for line, _ in zip(file, range(max(1, rows)), strict=False)]
            found = [list(told[0])] if told else []
            found += [[str(row.get(c, "")) for c in found[0]] for row in told[:rows]]
        else:
            return []
    except (OSError, ValueError, csv.Error, StopIteration, AttributeError):
        return []
    return [[cell if len(cell) <= PREVIEW_CHARACTERS else cell[:PREVIEW_CHARACTERS] + "…" for cell in r] for r in found]
