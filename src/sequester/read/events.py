"""Event logs from long tables and XES files: one row per event, each row read by itself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sequester.errors import InputError
from sequester.model import EventLog, Fact
from sequester.read.cells import WALL, Times, texts, times
from sequester.read.gather import gather
from sequester.read.roles import which_person
from sequester.read.table import Loaded, pick
from sequester.read.xes import STATE, TIME, is_xes, load_xes

if TYPE_CHECKING:
    import pyarrow as pa

WHO = "read_events"
MISSING = "missing"
USUAL = {
    "person": ("person",),
    "time": ("time", "timestamp", "date", TIME),
    "state": ("state", "activity", "event", STATE),
}
"""Column names that are taken for a role when none is given and exactly one of them is there."""


def read_events(
    source: Any,
    *,
    person: str | None = None,
    time: str | None = None,
    state: str | None = None,
    states: tuple[str, ...] = (),
    attributes: tuple[str, ...] = (),
    time_unit: Literal["auto", "second", "day", "order"] = "auto",
    time_format: str = "auto",
    zone: str = WALL,
    layout: Literal["table", "omop", "meds", "fhir"] = "table",
    people: str | None = None,
    files: str | None = None,
    header: bool = True,
    table: str | None = None,
    encoding: str = "utf-8",
) -> EventLog:
    """Read a log of events, one row each, from a table or an XES file.

    All events of a person become one object, sorted by time; events of equal time stay in the order of their rows.
    An event without a state gets the state `missing`; a row without a person or without a time that can be read is
    left out. What was done on the way is counted in the log's `notes`.

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines, a database file, a workbook, an XES file, a folder of such files, or a table in
        memory.
    person : str
        Column that says whose event it is: a person, not a visit or a case. A column named `person` is taken, no
        other. Of a folder also `file` or `folder`, where each is one person.
    time : str
        Column that says when; left out, the order of the rows is all that is known.
    state : str
        Column that says what happened.
    states : names
        Several columns that make up the state together, joined by '+'.
    attributes : names
        Columns to keep beside the state.
    time_unit : str
        Precision of the times: second, day or order; auto takes what the column shows, which no differentially
        private method accepts.
    time_format : str
        How times are written: iso, seconds, milliseconds or days since 1970, number (an order only), or a pattern such
        as %d.%m.%Y %H:%M; auto takes what reads most cells, which no differentially private method accepts.
    zone : str
        wall: times as they are written, whatever offset follows them; or a zone such as Europe/Berlin, to which times
        with an offset are brought.
    layout : str
        table: the columns named here; omop, meds or fhir: a folder or file as these standards lay it out.
    people : str
        A table of two columns, recording and person, where the column `person` tells recordings.
    files : str
        Of a folder, only the files that fit this pattern, such as '*.csv'.
    header : bool
        Without, the first line of a CSV file is a row and columns are called 1, 2, 3 and so on.
    table : str
        Which table of a database file, or sheet of a workbook.
    encoding : str
        Of a CSV file.
    """
    if state and states:
        raise InputError(f"{WHO}: pass ‹state=› for one column or ‹states=› for several, not both.")
    xes = is_xes(source)
    if layout != "table":
        from sequester.read.standards import load_standard

        loaded = load_standard(layout, source, WHO, table)
        person, time, state = person or "person", time or "time", state or ("state" if not states else None)
    elif xes:
        loaded = Loaded(load_xes(source, WHO))
    else:
        loaded = gather(
            source, WHO, table=table, encoding=encoding, header=header, files=files, people=people, person=person
        )
    rows = loaded.table
    person = _role(rows, person, "person")
    if time is None:
        here = [c for c in USUAL["time"] if c in rows.column_names]
        time = here[0] if len(here) == 1 else None
    elif time:
        time = pick(rows, time, WHO, "time")
    chosen = [pick(rows, c, WHO, "states") for c in states] if states else [_role(rows, state, "state")]
    kept = [pick(rows, c, WHO, "attributes") for c in attributes]
    if rows.num_rows == 0:
        raise InputError(f"{WHO}: the table has no rows. At least one event is needed.")
    when, unit, facts = _times(rows, time, time_unit, time_format, zone)
    return _log(rows, person, chosen, kept, when, unit, facts, loaded.notes)


def _role(rows: pa.Table, name: str | None, role: str) -> str:
    if name is not None:
        return pick(rows, name, WHO, role)
    here = [c for c in USUAL[role] if c in rows.column_names]
    if len(here) == 1:
        return here[0]
    if role == "person":
        raise which_person(rows, WHO)
    found = f"{len(here)} columns could be it ({', '.join(here)})" if here else "no column has a usual name for it"
    raise InputError(f"{WHO}: which column is the {role}? {found}. Pass {role}=NAME.")


def _log(
    rows: pa.Table,
    person: str,
    chosen: list[str],
    kept: list[str],
    when: Times | None,
    unit: str,
    facts: tuple[Fact, ...],
    notes: tuple[str, ...],
) -> EventLog:
    import pyarrow as pa
    import pyarrow.compute as pc

    who = texts(rows[person])
    named = who.is_valid().to_numpy(zero_copy_only=False)
    usable = named if when is None else named & when.known
    place = np.flatnonzero(usable)
    if not len(place):
        raise InputError(
            f"{WHO}: no row has both a person and a time that can be read. Check the roles, and pass ‹time_format=› if "
            "times are written in another way."
        )
    left_out = [
        f"{int((~named).sum())} rows without a person were left out" if not named.all() else "",
        f"{int((named & ~usable).sum())} rows without a time that can be read were left out"
        if when is not None and (named & ~usable).any()
        else "",
    ]
    whole = len(place) == len(usable)
    chosen_rows = None if whole else pa.array(place)

    def cells(name: str) -> Any:
        column = texts(rows[name])
        return column if chosen_rows is None else column.take(chosen_rows)

    people = (who if chosen_rows is None else who.take(chosen_rows)).dictionary_encode()
    owner = people.indices.to_numpy().astype(np.int64)
    parts = [cells(c) for c in chosen]
    empty = [p.is_null().to_numpy(zero_copy_only=False) for p in parts]
    nothing = np.all(empty, axis=0)
    filled = [pc.fill_null(p, MISSING) for p in parts]
    joined = filled[0] if len(filled) == 1 else pc.binary_join_element_wise(*filled, "+")
    if len(filled) > 1:  # only a state nothing is known about is missing
        joined = pc.if_else(pa.array(nothing), MISSING, joined)
    names, codes = _coded(joined)

    at = None if when is None else when.seconds[place]
    row = np.arange(len(owner))
    order = np.lexsort((row, row if at is None else at, owner))
    moved = ties = 0
    if at is not None:
        by_row = np.argsort(owner, kind="stable")
        moved = int(((np.diff(at[by_row]) < 0) & (np.diff(owner[by_row]) == 0)).sum())
        ties = int(((np.diff(at[order]) == 0) & (np.diff(owner[order]) == 0)).sum())
    sizes = np.bincount(owner)
    starts = np.cumsum(sizes) - sizes
    seconds = row - np.repeat(starts, sizes) if unit == "order" or at is None else at[order]
    told = [
        *notes,
        *left_out,
        f"{moved} rows were earlier than the row before them and were sorted" if moved else "",
        f"{ties} events share their time with the event before them and keep the order of their rows" if ties else "",
        f"{int(nothing.sum())} events without a state have the state '{MISSING}'" if nothing.any() else "",
        f"{int((sizes == 1).sum())} objects have a single event" if (sizes == 1).any() else "",
    ]
    return EventLog(
        names_public=False,
        offsets=np.r_[0, np.cumsum(sizes)],
        states=codes[order],
        state_names=names,
        times=np.asarray(seconds, dtype=np.int64),
        time_unit=unit,
        persons=people.dictionary.to_pylist(),
        attributes={c: _values(rows[c])[place][order] for c in kept},
        notes=tuple(n for n in told if n),
        reading=(*facts, Fact("states", "the names found in the log", "found")),
    )


def _coded(column: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Names in sorted order, and the code of every cell."""
    coded = column.dictionary_encode()
    found = coded.dictionary.to_pylist()
    order = sorted(range(len(found)), key=lambda i: found[i])
    rank = np.empty(len(found), dtype=np.int64)
    rank[order] = np.arange(len(found))
    return tuple(found[i] for i in order), rank[coded.indices.to_numpy()]


def _values(column: Any) -> np.ndarray:
    out = np.empty(len(column), dtype=object)
    out[:] = column.to_pylist()
    return out


def _times(
    rows: pa.Table, name: str | None, unit: str, form: str, zone: str
) -> tuple[Times | None, str, tuple[Fact, ...]]:
    """When every row was, the precision, and the facts about both; None when only the order of rows is known."""
    if name is None:
        if unit in ("second", "day"):
            raise InputError(f"{WHO}: ‹time_unit='{unit}'› needs a time column. Pass ‹time=NAME›.")
        return None, "order", (Fact("time unit", "order", "declared" if unit == "order" else "default"),)
    when = times(
        rows[name], name, WHO, form=form, zone=zone, numbers_are="seconds" if unit in ("second", "day") else "number"
    )
    fact = Fact("time zone", zone, "default" if zone == WALL else "declared")
    if unit == "order" or not when.clock:
        if unit in ("second", "day"):
            raise InputError(f"{WHO}: time_unit='{unit}' does not fit time_format='number', which is an order only.")
        how = "declared" if unit == "order" else when.fact.how
        return when, "order", (when.fact, fact, Fact("time unit", "order", how))
    found = unit
    if unit == "auto":
        found = "day" if not np.any(when.seconds[when.known] % 86400) else "second"
    if found == "day":
        when = when._replace(seconds=when.seconds // 86400 * 86400)
    return when, found, (when.fact, fact, Fact("time unit", found, "found" if unit == "auto" else "declared"))
