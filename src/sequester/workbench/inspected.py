"""What a source looks like, for its page: what `inspect` proposes, and what its reader makes of it."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path
from typing import Any

import sequester as sq
from sequester import _shell
from sequester.workbench.forms import named, reader_fields, ready

PREVIEW_ROWS = 6
PREVIEW_CHARACTERS = 60
PREVIEW_TEXT = 20_000
PROFILE_ROWS, PROFILE_TEXT = 5_000, 1_000_000
"""Rows and characters of a table from which its columns are described."""
MISSING = ("", "na", "nan", "null", "none", "n/a", "-", "?")
BARS = "▁▂▃▄▅▆▇█"
DATED = re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[./]\d{1,2}[./]\d{2,4}")
DATABASES = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")


def inspected(path: Path, kind: str | None, roles: dict[str, Any]) -> dict[str, Any]:
    """A summary as plain JSON: kind, why, roles, lines, what to decide, columns; `trouble` if it cannot be read.

    Without roles, `inspect` proposes them; with roles, the source is read with them.
    """
    tables = _shell.outline(path) if path.suffix.lower() in DATABASES and path.is_file() else {}
    fields: dict[str, Any] = {"columns": columns_of(path), "lines": [], "choose": [], "alternatives": {}, "trouble": ""}
    fields["tables"] = list(tables)
    fields["profile"] = profile(path, units=bool(roles.get("units_row")))
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
        fields["profile"] = profile(path, units=bool(found.options.get("units_row")))
        chosen = {"table": table} if len(tables) > 1 else {}
        if found.kind is None:
            return fields | {"kind": None, "roles": chosen, "trouble": found.why}
        kind, roles = found.kind, {**chosen, **found.options}
    assert kind is not None
    fields |= {"kind": kind, "roles": {n: list(v) if isinstance(v, tuple) else v for n, v in roles.items()}}
    try:
        data = sq.reader(kind)(str(path), **ready(reader_fields(kind), roles))
    except sq.SequesterError as error:
        said = _shell.spelled(error, _shell.as_field)
        known = {f.name for f in reader_fields(kind)}
        beside = next((name for name in named(error) if name in known), "")
        return fields | {"trouble": said, "wrong": {beside: said} if beside else {}}
    fields |= {"lines": lines_of(data, roles), "people": data.n_people, "records": data.n_records}
    return fields | {"shares": shares(data), "pictures": recorded(data)}


def recorded(data: Any) -> str:
    """Who was recorded when, as a picture; empty where everybody has the same times."""
    if data.kind == "events" and data.time_unit != "order":
        scale = 86400 if data.time_unit == "day" else 1
        return str(_shell.timeline(scale * data.times[data.offsets[:-1]], scale * data.times[data.offsets[1:] - 1]))
    if data.kind == "activity" and data.missing is not None:
        seen = data.states != data.missing
        some = seen.any(axis=1)
        begin = int(data.start.astype("datetime64[s]").astype("int64"))
        first, last = seen[some].argmax(axis=1), seen.shape[1] - 1 - seen[some][:, ::-1].argmax(axis=1)
        return str(_shell.timeline(begin + data.interval_seconds * first, begin + data.interval_seconds * last))
    return ""


def shares(data: Any) -> list[list[Any]]:
    """Of activity: each state and the share of the time that is spent in it, so that bins can be judged."""
    if data.kind != "activity":
        return []
    return [[name, float((data.states == code).mean())] for code, name in enumerate(data.state_names)]


def profile(path: Path, *, units: bool = False) -> list[dict[str, Any]]:
    """Each column of a table in a few figures, from its first rows: sort, missing, distinct, range and histogram.

    With `units` the second line says in which unit each column is.
    """
    rows = preview(path, PROFILE_ROWS)
    unit = rows.pop(1) if units and len(rows) > 1 else []
    if len(rows) < 2:
        return []
    header = [name.strip() or f"column {j + 1}" for j, name in enumerate(rows[0])]
    out = []
    for j, name in enumerate(header):
        cells = [row[j].strip() for row in rows[1:] if j < len(row)]
        held = [c for c in cells if c.lower() not in MISSING]
        numbers = [n for n in map(_number, held) if n is not None]
        one: dict[str, Any] = {"name": name, "sort": "text", "rows": len(cells), "missing": len(cells) - len(held),
                               "distinct": len(set(held)), "range": "", "bars": "",
                               "unit": unit[j].strip() if j < len(unit) else ""}  # fmt: skip
        if held and len(numbers) >= 0.95 * len(held):
            low, high = min(numbers), max(numbers)
            counts = [0] * len(BARS)
            for n in numbers:
                counts[min(len(BARS) - 1, int(len(BARS) * (n - low) / (high - low))) if high > low else 0] += 1
            bars = "".join(BARS[round((len(BARS) - 1) * c / max(counts))] for c in counts)
            one |= {"sort": "number", "range": f"{low:g} to {high:g}", "bars": bars}
        elif held and sum(bool(DATED.match(c)) for c in held) >= 0.95 * len(held):
            one |= {"sort": "time", "range": f"{min(held)} to {max(held)}"}
        out.append(one)
    return out


def _number(cell: str) -> float | None:
    try:
        found = float(cell.replace(",", "."))
    except ValueError:
        return None
    return found if found - found == 0 else None


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
                text = file.read(PREVIEW_TEXT if rows <= PREVIEW_ROWS else PROFILE_TEXT).splitlines()[: rows + 1]
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
