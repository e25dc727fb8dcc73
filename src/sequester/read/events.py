"""Event logs from long tables and XES files: one row per event."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sequester.errors import InputError
from sequester.model import EventLog
from sequester.read.table import load_table, pick
from sequester.read.xes import CASE, STATE, TIME, is_xes, load_xes

if TYPE_CHECKING:
    import pyarrow as pa

WHO = "read_events"
MISSING = "missing"
USUAL = {
    "person": ("person", "object", "patient", "case_id", "subject_id", CASE),
    "time": ("time", "timestamp", "date", TIME),
    "state": ("state", "activity", "event", STATE),
}
"""Column names that are taken for a role when none is given and exactly one of them is there."""
SLASHED = ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y%m%d")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M:%S %p", " %I:%M %p")


def read_events(
    source: Any,
    *,
    person: str | None = None,
    time: str | None = None,
    state: str | None = None,
    states: tuple[str, ...] = (),
    attributes: tuple[str, ...] = (),
    time_unit: Literal["auto", "second", "day", "order"] = "auto",
    table: str | None = None,
    encoding: str = "utf-8",
) -> EventLog:
    """Read a log of events, one row each, from a table or an XES file.

    All events of a person become one object, sorted by time; events of equal time stay in the order of their rows.
    An event without a state gets the state `missing`. What was done on the way is counted in the log's `notes`.

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines, a database file, an XES file, or a table in memory.
    person : str
        Column that says whose event it is.
    time : str
        Column that says when; left out, the order of the rows is all that is known.
    state : str
        Column that says what happened.
    states : names
        Several columns that make up the state together, joined by '+'.
    attributes : names
        Columns to keep beside the state.
    time_unit : str
        Precision of the times: second, day or order; auto takes what the column shows.
    table : str
        Which table of a database file.
    encoding : str
        Of a CSV file.
    """
    if state and states:
        raise InputError(f"{WHO}: pass state= for one column or states= for several, not both.")
    xes = is_xes(source)
    rows = (
        load_xes(source, WHO)
        if xes
        else load_table(source, WHO, table=table, as_text=[person, time or "time", state, *states], encoding=encoding)
    )
    names = tuple(rows.column_names)
    person = _role(rows, person, "person")
    if time is None:
        here = [c for c in USUAL["time"] if c in names]
        time = here[0] if len(here) == 1 else None
        if not xes and time is not None and isinstance(source, (str, Path)):
            rows = load_table(source, WHO, table=table, as_text=[person, time, state, *states], encoding=encoding)
    elif time:
        time = pick(rows, time, WHO, "time")
    chosen = [pick(rows, c, WHO, "states") for c in states] if states else [_role(rows, state, "state")]
    kept = [pick(rows, c, WHO, "attributes") for c in attributes]
    if rows.num_rows == 0:
        raise InputError(f"{WHO}: the table has no rows. At least one event is needed.")
    when, unit = _times(rows, time, time_unit)
    return _log(rows, person, chosen, kept, when, unit)


def _role(rows: pa.Table, name: str | None, role: str) -> str:
    if name is not None:
        return pick(rows, name, WHO, role)
    here = [c for c in USUAL[role] if c in rows.column_names]
    if len(here) == 1:
        return here[0]
    found = f"{len(here)} columns could be it ({', '.join(here)})" if here else "no column has a usual name for it"
    raise InputError(f"{WHO}: which column is the {role}? {found}. Pass {role}=NAME.")


def _log(
    rows: pa.Table, person: str, chosen: list[str], kept: list[str], when: np.ndarray | None, unit: str
) -> EventLog:
    import pyarrow as pa
    import pyarrow.compute as pc

    def text(name: str) -> Any:
        column = rows[name].combine_chunks()
        return column if pa.types.is_string(column.type) else pc.cast(column, pa.string())

    who = pc.utf8_trim_whitespace(text(person))
    lacking = np.flatnonzero(pc.or_kleene(pc.is_null(who), pc.equal(who, "")).to_numpy(zero_copy_only=False))
    if len(lacking):
        raise InputError(
            f"{WHO}: {len(lacking)} rows lack a person (first at row {lacking[0] + 1}). "
            "Fill the person column or leave those rows out."
        )
    people = who.dictionary_encode()
    owner = people.indices.to_numpy().astype(np.int64)
    parts = [pc.utf8_trim_whitespace(text(c)) for c in chosen]
    empty = [pc.or_kleene(pc.is_null(p), pc.equal(p, "")) for p in parts]
    filled = [pc.if_else(e, MISSING, p) for e, p in zip(empty, parts)]
    joined = filled[0] if len(filled) == 1 else pc.binary_join_element_wise(*filled, "+")
    n_missing = int(np.all([e.to_numpy(zero_copy_only=False) for e in empty], axis=0).sum())
    if len(filled) > 1:  # only a state nothing is known about is missing
        nothing = np.all([e.to_numpy(zero_copy_only=False) for e in empty], axis=0)
        joined = pc.if_else(pa.array(nothing), MISSING, joined)
    names, codes = np.unique(joined.to_numpy(zero_copy_only=False).astype(str), return_inverse=True)

    place = np.arange(len(owner))
    order = np.lexsort((place, when if when is not None else place, owner))
    times = (when if when is not None else place)[order]
    moved = 0
    if when is not None:
        same = owner[np.lexsort((place, owner))]
        raw = when[np.lexsort((place, owner))]
        moved = int(((np.diff(raw) < 0) & (same[1:] == same[:-1])).sum())
    inside = owner[order][1:] == owner[order][:-1]
    ties = int((inside & (np.diff(times) == 0)).sum()) if when is not None else 0
    sizes = np.bincount(owner)
    if unit == "order":
        times = np.arange(len(order)) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    notes = [
        f"{moved} rows were earlier than the row before them and were sorted" if moved else "",
        f"{ties} events share their time with the event before them and keep the order of their rows" if ties else "",
        f"{n_missing} events without a state have the state '{MISSING}'" if n_missing else "",
        f"{int((sizes == 1).sum())} objects have a single event" if (sizes == 1).any() else "",
    ]
    return EventLog(
        names_public=False,
        offsets=np.r_[0, np.cumsum(sizes)],
        states=codes[order],
        state_names=tuple(names.tolist()),
        times=times,
        time_unit=unit,
        persons=people.dictionary.to_pylist(),
        attributes={c: _values(rows[c])[order] for c in kept},
        notes=tuple(n for n in notes if n),
    )


def _values(column: Any) -> np.ndarray:
    out = np.empty(len(column), dtype=object)
    out[:] = column.to_pylist()
    return out


def _times(rows: pa.Table, name: str | None, asked: str) -> tuple[np.ndarray | None, str]:
    """Seconds (or ranks) of every row and their precision; None when only the order of rows is known."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if name is None:
        if asked in ("second", "day"):
            raise InputError(f"{WHO}: time_unit='{asked}' needs a time column. Pass time=NAME.")
        return None, "order"
    column = rows[name].combine_chunks()
    if pa.types.is_timestamp(column.type) and column.type.tz:
        column = pc.local_timestamp(column)  # the hour on the wall is what ward routines follow
    if pa.types.is_timestamp(column.type) or pa.types.is_date(column.type):
        seconds = pc.cast(pc.cast(column, pa.timestamp("s"), safe=False), pa.int64())
        return _checked(seconds, name, asked, clock=True)
    if pa.types.is_integer(column.type) or pa.types.is_floating(column.type):
        return _checked(column, name, asked, clock=asked in ("second", "day"))
    text = pc.cast(column, pa.string())
    seconds, clock = _parsed(text, name)
    return _checked(seconds, name, asked, clock=clock or asked in ("second", "day"))


def _checked(column: Any, name: str, asked: str, *, clock: bool) -> tuple[np.ndarray, str]:
    lacking = np.flatnonzero(column.is_null(nan_is_null=True).to_numpy(zero_copy_only=False))
    if len(lacking):
        raise InputError(
            f"{WHO}: {len(lacking)} rows lack a time that can be read in column '{name}' (first at row "
            f"{lacking[0] + 1}). Write times as YYYY-MM-DD HH:MM:SS, or leave those rows out."
        )
    values = column.to_numpy(zero_copy_only=False)
    if not clock or asked == "order":
        return np.unique(values, return_inverse=True)[1].astype(np.int64), "order"
    seconds = np.floor(values).astype(np.int64)
    unit = asked if asked != "auto" else ("day" if not np.any(seconds % 86400) else "second")
    return (seconds // 86400 * 86400 if unit == "day" else seconds), unit


def _parsed(text: Any, name: str) -> tuple[Any, bool]:
    """Times written as text: ISO first, then the usual national orders; plain numbers are an order."""
    import duckdb
    import pyarrow as pa
    import pyarrow.compute as pc

    trimmed = pc.utf8_trim_whitespace(text)
    trimmed = pc.if_else(pc.equal(trimmed, ""), None, trimmed)
    known = len(trimmed) - trimmed.null_count
    handed = pa.table({"t": trimmed})
    connection = duckdb.connect()
    try:
        connection.register("handed", handed)

        def column(expression: str) -> Any:
            return connection.sql(f"select {expression} as x from handed").to_arrow_table()["x"].combine_chunks()

        numbers = column("try_cast(t as double)")
        if known and len(numbers) - numbers.null_count == known and not _eight_digits(trimmed):
            return numbers, False
        # An offset at the end is dropped: the hour on the wall is what ward routines follow.
        iso = column(r"try_cast(regexp_replace(t, '\s*(Z|[+-]\d\d:?\d\d)$', '') as timestamp)")
        fits = [iso] if len(iso) - iso.null_count == known else []
        if not fits:
            for date in SLASHED:
                found = column(f"coalesce({', '.join(_attempt(date + clock) for clock in CLOCKS)})")
                if len(found) - found.null_count == known:
                    fits.append(found)
        if len(fits) > 1 and not fits[0].equals(fits[1]):
            raise InputError(
                f"{WHO}: column '{name}' can be read with the day or the month first. Write dates as YYYY-MM-DD."
            )
        best = fits[0] if fits else iso
        return pc.cast(pc.cast(best, pa.timestamp("s"), safe=False), pa.int64()), True
    finally:
        connection.close()


def _attempt(form: str) -> str:
    return f"try_strptime(t, '{form}')"


def _eight_digits(column: Any) -> bool:
    import pyarrow.compute as pc

    return bool(pc.all(pc.match_substring_regex(column, r"^(19|20)\d{6}$")).as_py())
