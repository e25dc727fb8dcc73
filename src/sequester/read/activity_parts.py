"""Activity larger than memory: what `read_activities` would read from rows with times, as parts of whole people.

The source is read once, in pieces, and its rows are dealt out to files by person; on the way the names of the states
are found, so that all parts share one code book. Every file, which fits into memory, is then read by the functions that
read a whole table: a person's row never depends on anybody else. Put together in the order of the source, the parts are
equal to what `read_activities` returns.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.engines import Engine
from sequester.errors import InputError
from sequester.model import MISSING, Activities, Fact, Parts
from sequester.model.part_files import write_part
from sequester.read.activity import (
    STRANGE,
    check_names,
    check_roles,
    count_facts,
    names_fact,
    observed_in,
    read_activities,
    reading_facts,
    time_facts,
    timed_columns,
)
from sequester.read.activity_calendar import Calendar, calendar_of
from sequester.read.activity_counts import NOT_WORN, bins_of, nonwear_of, span_of
from sequester.read.activity_matrix import Codes
from sequester.read.activity_timed import Clash, NoDays, NoRows, Timed, from_timed, warn_of
from sequester.read.buckets import emptied, parts_for, require_whole_people
from sequester.read.cells import WALL, texts
from sequester.read.note_counts import Counted, added_up, rows_left_out, said
from sequester.read.quantity import declared_facts, is_level
from sequester.read.raw_parts import ROW, deal_rows, refuse_options, require_a_format
from sequester.read.roles import owners, person_column
from sequester.read.streams import stream
from sequester.read.table import form_of
from sequester.read.unused_options import check_told, of_activity, refuse_idle

WHO = "read_activities"
MOST_WORDS = 4096
"""Different cells of a column of states: spellings of blanks and values that mean nothing stand beside 256 states."""
BYTES_PER_ROW = 250
"""Memory that a row takes while its part is made, by estimate, with identifiers of some ten characters."""


class Made(NamedTuple):
    """A part that was written, and what making it found, in counts."""

    path: Path | None
    people: int
    gap: bool
    """Whether `missing` had to be added to the names."""
    observed: bool
    begins: np.datetime64 | None
    facts: tuple[Fact, ...]
    time: Fact | None
    clash: Clash | None
    notes: list[str]
    strange: int
    """Cells that hold a state that was not told."""
    nobody: InputError | None = None
    """Why nobody is left, if so."""


def read_activity_parts(
    source: Any,
    folder: Path,
    *,
    engine: Engine,
    by_file: bool = False,
    person: str | None = None,
    time: str | None = None,
    state: str | None = None,
    value: str | None = None,
    bins: tuple[str, ...] = (),
    names: tuple[str, ...] = (),
    start: str | None = None,
    end: str | None = None,
    interval: int = 60,
    time_format: str = "auto",
    zone: str = WALL,
    align: Literal["date", "monday", "start"] = "date",
    dates: str | None = None,
    first: str | None = None,
    days: int | None = None,
    valid: str = "0..100000",
    nonwear: str = "none",
    valid_day: int = 600,
    valid_days: int = 0,
    least_observed: float = 0.5,
    states: tuple[str, ...] = (),
    unknown: tuple[str, ...] = (),
    covariates: tuple[str, ...] = (),
    quantity: str | None = None,
    unit_of: str | None = None,
    clock: str | None = None,
    skip_lines: int = 0,
    units_row: bool = False,
    decimal: str = ".",
    people: str | None = None,
    files: str | None = None,
    header: bool = True,
    table: str | None = None,
    encoding: str = "utf-8",
) -> Parts:
    """Read rows with times as parts of a person x interval matrix.

    Parameters
    ----------
    source
        A text table, JSON lines or Parquet, or a folder of such files.
    folder
        Where the parts are written; the caller's, as is its removal.
    engine
        How much memory and how many workers there are.
    by_file
        Every file is a part already; refused if a person is in two of them.
    align, dates, first, days
        As `read_activities` takes them; the days must be told.
    covariates, people, table
        Only as they are by default: what stands beside people, and maps of people, go through memory.
    **others
        As `read_activities` takes them.
    """
    roles = dict(locals())
    check_told(read_activities, WHO, roles)
    refuse_options(WHO, covariates=((), tuple(covariates)), people=(None, people), table=(None, table))
    check_roles(interval, value, bins, names, state, start, end, time, states, least_observed)
    refuse_idle(read_activities, WHO, roles, of_activity(roles))
    plan = calendar_of(align=align, dates=dates, first=first, days=days, interval=interval)
    stated = bins_of(bins, names, interval, mean=is_level(quantity)) if bins else None
    _require_told(plan, timed=start is not None or time is not None)
    read = stream(
        source, WHO, encoding=encoding, header=header, files=files, person=person,
        form=form_of(WHO, skip_lines, units_row, decimal, time, clock), memory=engine.memory,
        threads=engine.threads,
    )  # fmt: skip
    head = read.schema.empty_table()
    who = person_column(head, person, WHO)
    codes = Codes(stated.names if stated else states, unknown, WHO)
    rule = nonwear_of(nonwear, interval)
    if stated and rule:
        codes.code(NOT_WORN, may_add=True)
    asked = timed_columns(
        head, start=start, end=end, time=time, state=state, value=value, time_format=time_format, zone=zone,
        plan=plan, bins=stated, valid=span_of(valid), nonwear=rule, valid_day=valid_day, valid_days=valid_days,
    )  # fmt: skip
    require_a_format(head, WHO, [asked.start, asked.end, asked.time], time_format)
    n = len(read.paths) if by_file else parts_for(read.about_rows * BYTES_PER_ROW, engine.memory, engine.workers)
    found = _Words(None if states else asked.state)
    dealt = deal_rows(read, folder / "buckets", n, who, asked.columns, by_file, look=found.look)
    if not dealt.n_rows:
        raise InputError(f"{WHO}: the table has no rows. At least one person is needed.")
    found.into(codes)
    task = partial(_part, folder=folder, person=who, asked=asked, codes=codes, interval=interval)
    made = engine.map(task, dealt.buckets, title="sorting")
    _require_anybody(made)
    some = [m for m in made if m.path is not None]
    if by_file:
        require_whole_people([m.path for m in some if m.path is not None], WHO, engine.memory, folder)
    warn_of(_clash(made))
    all_names = (*codes.names, MISSING) if any(m.gap for m in made) else codes.names
    declared = bool(states or stated)
    check_names(all_names, any(m.observed for m in made), declared)
    n_people = sum(m.people for m in made)
    strange = Counted(sum(m.strange for m in made), STRANGE)
    facts = reading_facts(interval, least_observed) + list(declared_facts(quantity, unit_of, WHO))
    facts += time_facts(some[0].time, zone)
    facts += count_facts(stated, valid, nonwear, valid_day, valid_days)
    assert plan.n is not None
    return Parts(
        kind="activity",
        paths=tuple(m.path for m in some if m.path is not None),
        n_people=n_people,
        n_records=n_people,
        n_items=n_people * plan.n,
        facts={
            "state_names": all_names,
            "interval_seconds": interval,
            "start": some[0].begins,
            "names_public": declared,
            "notes": (*read.notes, *said([*added_up([m.notes for m in made]), strange])),
            "reading": (*facts, *some[0].facts, names_fact(declared)),
        },
    )


def _require_told(plan: Calendar, *, timed: bool) -> None:
    if not timed:
        raise InputError(
            f"{WHO}: with a memory limit rows need times: pass ‹time=›, or ‹start=› and ‹end=›. A table with a row per "
            "person is read whole; leave ‹memory_limit=› out."
        )
    if plan.n is None or (plan.align == "date" and plan.first is None):
        raise InputError(
            f"{WHO}: with a memory limit the file is read in pieces, so the days to keep must be told. Pass "
            "‹dates=FROM..TO›, or ‹align='monday'› and ‹days=›."
        )


class _Words:
    """The different cells of the column of states, over all pieces."""

    def __init__(self, column: str | None) -> None:
        self.column = column
        self.pieces: list[Any] = []
        self.plain = True

    def look(self, piece: Any) -> None:
        """Take note of a piece."""
        if self.column is None:
            return
        column = piece[self.column]
        self.plain &= pa.types.is_integer(column.type) and not column.null_count
        seen = [*self.pieces, column.unique()]
        self.pieces = [pa.concat_arrays(seen).unique()]  # a handful, whatever the number of pieces
        if len(self.pieces[0]) > MOST_WORDS:
            raise InputError(f"{WHO}: more than 256 states were found. Check the state column.")

    def into(self, codes: Codes) -> None:
        """Give every state its code, as one look at the whole column would."""
        for column in self.pieces:
            codes.encode(column if self.plain else texts(column))
        codes.strange = 0


def _require_anybody(made: list[Made]) -> None:
    """Refuse a table in which nobody is left, in the words of a table that was read whole."""
    if all(m.path is None for m in made):
        errors = [m.nobody for m in made if m.nobody is not None]
        raise next((e for e in errors if isinstance(e, NoDays)), errors[0])


def _clash(made: list[Made]) -> Clash | None:
    """Contradictions of all parts."""
    found = [m.clash for m in made if m.clash is not None]
    if not any(c.n for c in found):
        return None
    first = min(c.first for c in found if c.n)
    return Clash(sum(c.n for c in found), sum(c.spans for c in found), sum(c.people for c in found), first)


def _part(bucket: Path, *, folder: Path, person: str, asked: Timed, codes: Codes, interval: int) -> Made:
    """One bucket as a part: people in the order in which they first appear."""
    rows = emptied(bucket)
    number = np.asarray(rows[ROW].to_numpy())
    who = owners(rows, person, WHO)
    notes: list[str] = [Counted(int((~who.known).sum()), rows_left_out("without a person"))]
    mine = codes.copy()
    try:
        found = from_timed(rows, who, asked, mine, notes)
    except NoRows as nobody:
        return Made(None, 0, False, False, None, (), None, None, notes, mine.strange, nobody)
    data = Activities(
        states=found.matrix,
        state_names=mine.names,
        interval_seconds=interval,
        start=found.begins,
        persons=np.array(found.persons, dtype=object),
    )
    at = np.flatnonzero(who.known)
    appears = dict(zip(who.names, number[who.first_of(who.code[at], at, len(who.names))].tolist()))
    place = np.array([appears[name] for name in found.persons])
    path = write_part(data, folder / f"part-{bucket.stem.removeprefix('bucket-')}.parquet", place)
    clash = found.clash
    return Made(
        path, data.n_records, len(mine.names) > len(codes.names), observed_in(found.matrix, mine.names), found.begins,
        found.facts, found.time, clash and clash._replace(first=int(number[clash.first])), notes,
        mine.strange,
    )  # fmt: skip
