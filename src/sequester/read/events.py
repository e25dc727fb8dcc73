"""Event logs from long tables and XES files: one row per event, each row read by itself."""

from __future__ import annotations

from collections import Counter
from functools import partial
from typing import Any, Literal

import pyarrow as pa

from sequester.errors import InputError, counted
from sequester.model import EventLog, Fact
from sequester.read.cells import WALL
from sequester.read.dealing import deal, require_a_format, together
from sequester.read.event_rows import WHO, Clock, Roles, log_of, notes_of
from sequester.read.roles import which_person
from sequester.read.standards import load_standard
from sequester.read.streams import Whole, not_in_pieces, rows_of_source
from sequester.read.table import InParts, Loaded, form_of, pick, plain
from sequester.read.unused_options import check_told, explained, of_events, refuse_idle
from sequester.read.xes import STATE, TIME, is_xes, load_xes

USUAL = {
    "person": ("person",),
    "time": ("time", "timestamp", "date", TIME),
    "state": ("state", "activity", "event", STATE),
}
"""Column names that are taken for a role when none is given and exactly one of them is there."""


@explained
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
    clock: str | None = None,
    skip_lines: int = 0,
    units_row: bool = False,
    decimal: str = ".",
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
    """
    fields = dict(locals())
    check_told(read_events, WHO, fields)
    if state and states:
        raise InputError(f"{WHO}: pass ‹state=› for one column or ‹states=› for several, not both.")
    xes = is_xes(plain(source))
    refuse_idle(read_events, WHO, fields, of_events(fields, xes=xes))
    if layout != "table" or xes:
        if isinstance(source, InParts):
            raise not_in_pieces(WHO, "an XES file is read whole" if xes else f"‹layout={layout!r}› is read whole")
        loaded = Loaded(load_xes(source, WHO)) if xes else load_standard(layout, source, WHO)
        rows: Any = Whole(loaded.table, WHO, loaded.notes)
        if not xes:
            person, time, state = person or "person", time or "time", state or ("state" if not states else None)
    else:
        rows = rows_of_source(
            source, WHO, table=table, encoding=encoding, header=header, files=files, people=people, person=person,
            form=form_of(WHO, skip_lines, units_row, decimal, time, clock, named=(person, state, *states)),
        )  # fmt: skip
    chosen = roles_of(rows.head, person=person, time=time, state=state, states=states, attributes=attributes)
    if chosen.time is None:
        goes_with = "a column of times, so with ‹time=NAME›"
        refuse_idle(read_events, WHO, fields, dict.fromkeys(("time_format", "zone"), goes_with))
    require_a_format(rows, [chosen.time], time_format)
    watch = Clock(unit=time_unit, form=time_format, zone=zone)
    dealt = deal(rows, chosen.person, [c for c in (chosen.time, *chosen.states, *chosen.attributes) if c])
    if not dealt.n_rows:
        raise InputError(f"{WHO}: the table has no rows. At least one event is needed.")
    made = dealt.made(partial(log_of, roles=chosen, clock=watch), "state_names")
    counts: Counter[str] = Counter()
    for part in made:
        counts.update(part.found.counts)
    unit, facts = watch.settled(made[0].found.when, all(part.found.whole_days for part in made))
    stated = {
        "time_unit": unit,
        "state_names": tuple(sorted({name for part in made for name in part.names})),
        "names_public": False,
        "notes": notes_of(counts),
        "reading": (*facts, Fact("states", "the names found in the log", "found")),
    }
    return together(rows, "events", made, stated)


def roles_of(
    rows: pa.Table,
    *,
    person: str | None,
    time: str | None,
    state: str | None,
    states: tuple[str, ...],
    attributes: tuple[str, ...],
) -> Roles:
    """The columns that were named, or that have a usual name and no rival."""
    person = _role(rows, person, "person")
    if time is None:
        here = [c for c in USUAL["time"] if c in rows.column_names]
        time = here[0] if len(here) == 1 else None
    elif time:
        time = pick(rows, time, WHO, "time")
    chosen = tuple(pick(rows, c, WHO, "states") for c in states) if states else (_role(rows, state, "state"),)
    return Roles(person, time, chosen, tuple(pick(rows, c, WHO, "attributes") for c in attributes))


def _role(rows: pa.Table, name: str | None, role: str) -> str:
    if name is not None:
        return pick(rows, name, WHO, role)
    here = [c for c in USUAL[role] if c in rows.column_names]
    if len(here) == 1:
        return here[0]
    if role == "person":
        raise which_person(rows, WHO)
    found = (
        f"{counted(len(here), 'column')} could be it ({', '.join(here)})"
        if here
        else "no column has a usual name for it"
    )
    raise InputError(f"{WHO}: which column is the {role}? {found}. Pass ‹{role}=NAME›.")
