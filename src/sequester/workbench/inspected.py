"""What a source looks like, for its page: what `inspect` proposes, and what its reader makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import sequester as sq
from sequester import _shell
from sequester.workbench.forms import named, reader_fields, ready, refusal

PREVIEW_BYTES, PROFILE_BYTES = 20_000, 1_000_000
"""How much of a table is looked at: for its first rows, and to describe its columns."""
MOST_READ_TWICE = 20_000_000
BARS = "▁▂▃▄▅▆▇█"
DATABASES = (".duckdb", ".ddb", ".db", ".sqlite", ".sqlite3")


def inspected(path: Path, kind: str | None, roles: dict[str, Any]) -> dict[str, Any]:
    """A summary as plain JSON: kind, why, roles, lines, what to decide, columns; `trouble` if it cannot be read.

    Without roles, `inspect` proposes them; with roles, the source is read with them.
    """
    tables = _shell.outline(path) if path.suffix.lower() in DATABASES and path.is_file() else {}
    fields: dict[str, Any] = {"lines": [], "choose": [], "alternatives": {}, "trouble": "", "tables": list(tables)}
    table = roles.get("table") or (next(iter(tables)) if len(tables) == 1 else None)
    if tables and table not in tables:
        which = f"This database has {len(tables)} tables. Say below which one holds the data."
        return fields | {"columns": [], "kind": kind, "roles": {}, "why": "", "trouble": which}
    fields["profile"] = profile(first_rows(path, roles | {"table": table}, most=PROFILE_BYTES))
    fields["columns"] = [c["name"] for c in fields["profile"]]
    if not set(roles) - {"table"}:
        found = sq.inspect(path, kind=kind, **({"table": table} if tables else {}))
        fields |= {"why": found.why, "choose": [_shell.as_sentence(line) for line in found.asked(_shell.as_field)]}
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
        said = refusal(error)
        known = {f.name for f in reader_fields(kind)}
        beside = next((name for name in named(error) if name in known), "")
        return fields | {"trouble": said, "wrong": {beside: said} if beside else {}}
    fields |= {"lines": lines_of(data, roles), "people": data.n_people, "records": data.n_records}
    return fields | {"shares": shares(data), "pictures": recorded(_as_recorded(path, kind, roles, data))}


def _as_recorded(path: Path, kind: str, roles: dict[str, Any], data: Any) -> Any:
    """The data at the times when they were recorded, where they were laid upon each other; None of a large source."""
    if kind != "activity" or roles.get("align", "date") == "date":
        return data
    if not path.is_file() or path.stat().st_size > MOST_READ_TWICE:
        return None
    apart = {name: value for name, value in roles.items() if name not in ("align", "days")}
    try:
        return sq.reader(kind)(str(path), **ready(reader_fields(kind), apart))
    except sq.SequesterError:
        return None


def recorded(data: Any) -> str:
    """Who was recorded when, as a picture; empty where everybody has the same times, or they are not known."""
    if data is None:
        return ""
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


def profile(table: Any) -> list[dict[str, Any]]:
    """Each column of a table in a few figures: type, missing, distinct, range, unit and histogram."""
    out = []
    for c in table.columns if table else ():
        one: dict[str, Any] = {
            "name": c.name, "sort": "text", "rows": table.n, "missing": table.n - len(c.full), "distinct": c.distinct,
            "range": "", "bars": "", "unit": c.unit, "like": shape(next(iter(c.full), "")),
        }  # fmt: skip
        if c.form and not np.isnan(c.seconds).all():  # written as the source writes them
            first, last = c.cells[np.nanargmin(c.seconds)], c.cells[np.nanargmax(c.seconds)]
            one |= {"sort": "time", "range": f"{first} to {last}"}
        elif c.is_number:
            counts = np.histogram(c.numbers, len(BARS))[0] if np.ptp(c.numbers) else np.array([c.numbers.size])
            bars = "".join(BARS[round((len(BARS) - 1) * n / counts.max())] for n in counts.tolist())
            one |= {"sort": "number", "range": f"{c.numbers.min():.10g} to {c.numbers.max():.10g}", "bars": bars}
        out.append(one)
    return out


def lines_of(data: Any, roles: dict[str, Any]) -> list[str]:
    """How the source was understood, a sentence a line; never a value or an identifier of a person."""
    return [row["line"].rstrip(".") + "." for row in sq.summary(data, roles).rows["lines"]]


def shape(cell: str) -> str:
    """What a value looks like without the value: digits as 9, letters as a, cut short."""
    masked = "".join("9" if c.isdigit() else "a" if c.isalpha() else c if c in "-:./ +" else "•" for c in cell[:16])
    return masked + ("…" if len(cell) > 16 else "")


def first_rows(path: Path, roles: dict[str, Any], *, most: int = PREVIEW_BYTES) -> Any:
    """The first rows of a table, understood as `inspect` does; None of what is not a table."""
    try:
        return _shell.read_table(path, roles.get("table"), roles.get("encoding"), most) if path.is_file() else None
    except (sq.SequesterError, OSError):
        return None
