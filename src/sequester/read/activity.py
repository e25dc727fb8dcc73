"""Activity data from tables: one row per person, one row per observation, or one row per span."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sequester.errors import InputError, SequesterWarning
from sequester.model import Activities
from sequester.read.activity_matrix import (
    Codes,
    Observations,
    contradictions,
    from_lists,
    from_observations,
    from_spans,
    from_wide,
    seconds,
)
from sequester.read.table import load_table, pick, reads_as_number

if TYPE_CHECKING:
    import pyarrow as pa

WHO = "read_activities"
PERSON_NAMES = ("person", "person_id", "participant", "subject", "patient", "user", "student", "id")
MONDAY = "2000-01-03T00:00:00"


def read_activities(
    source: Any,
    *,
    person: str | None = None,
    time: str | None = None,
    state: str | None = None,
    start: str | None = None,
    end: str | None = None,
    interval: int = 60,
    first: str | None = None,
    states: tuple[str, ...] = (),
    unknown: tuple[str, ...] = (),
    covariates: tuple[str, ...] = (),
    table: str | None = None,
    encoding: str = "utf-8",
) -> Activities:
    """Read what people did over time into a person x interval matrix of states.

    Four shapes are told apart by the roles given. With `start` and `end` every row is a span of one state. With `time`
    every row is one observation (a minute, or an inference every few seconds): an interval takes its dominant state,
    ties the one named first. Without either, every row is a person: `state` names a list column, or all columns that
    have no other role are the intervals in order. Time nobody observed becomes the state `missing`. Spans
    of a person that contradict each other are noted.

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines or a database file, or a pandas, polars or Arrow table.
    person : str, optional
        Column that tells people apart; by default a column named person, participant, id or the like.
    time : str, optional
        Column with the time of an observation: a timestamp, text in ISO form, or seconds since 1970. Of a time with a
        zone the clock on the wall counts.
    state : str, optional
        Column with the state (with `time`, or `start` and `end`), or with a list of states per person.
    start : str, optional
        Column with the time at which a span begins.
    end : str, optional
        Column with the time at which a span ends.
    interval : int
        Length of an interval in seconds.
    first : str, optional
        When the first interval begins, such as 2024-03-04T00:00; by default the midnight before the first
        observation, or a Monday for data without times.
    states : names, optional
        All states, in the order of their codes; by default those found. Needed to name states stored as numbers.
    unknown : names, optional
        Values that mean nothing was observed, beside empty cells.
    covariates : names, optional
        Columns per person that travel beside the data (a grade, a score).
    table : str, optional
        Which table of a database file.
    encoding : str
        Encoding of a CSV file.
    """
    if not isinstance(interval, int) or not 1 <= interval <= 86400:
        raise InputError(f"{WHO}: interval must be 1 to 86400 seconds, got {interval!r}.")
    loaded = _load(source, table, (person, time, start, end), encoding)
    if not loaded.num_rows:
        raise InputError(f"{WHO}: the table has no rows. At least one person is needed.")
    who = _person_column(loaded, person)
    beside = tuple(pick(loaded, c, WHO, "covariates") for c in covariates)
    codes = Codes(states, unknown, WHO)
    if (start is None) != (end is None):
        raise InputError(f"{WHO}: spans need both start and end, got only one. Pass start= and end=.")
    if start is not None or time is not None:
        roles = [pick(loaded, c, WHO, role) for c, role in ((start, "start"), (end, "end"), (time, "time")) if c]
        what = pick(loaded, state or "state", WHO, "state")
        found = _from_rows(loaded, who, roles, what, beside, codes, interval, first)
    else:
        found = _from_people(loaded, who, state, beside, codes, interval, first)
    if found.missing is not None and not any((row != found.missing).any() for row in found.states):
        raise InputError(f"{WHO}: nothing was observed: no row tells a state. Check the column of states.")
    numbers = sum(reads_as_number(name) for name in found.state_names)
    if not states and numbers > MANY_NUMBERS:
        raise InputError(
            f"{WHO}: {numbers} different numbers would become states. If these are measurements, use a method for "
            "series such as kapra; if they are states, name them with states."
        )
    return replace(found, names_public=bool(states))


MANY_NUMBERS = 32
"""More different numbers than this are measurements, not states."""


def _load(source: Any, table: str | None, as_written: tuple[str | None, ...], encoding: str) -> pa.Table:
    """Parquet goes straight to Arrow: millions of list elements and thousands of columns need no query engine."""
    if (
        isinstance(source, (str, Path))
        and Path(source).suffix.lower() in (".parquet", ".pq")
        and Path(source).is_file()
    ):
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            return pq.read_table(source)
        except (pa.ArrowException, OSError) as error:
            raise InputError(f"{WHO}: '{Path(source).name}' cannot be read as Parquet. Check the file.") from error
    return load_table(source, WHO, table=table, as_text=(*as_written, *PERSON_NAMES), encoding=encoding)


def _person_column(table: pa.Table, person: str | None) -> str:
    if person is not None:
        return pick(table, person, WHO, "person")
    known = [c for c in table.column_names if c.lower() in PERSON_NAMES]
    if len(known) == 1:
        return known[0]
    return pick(table, "person", WHO, "person")


def _first_interval(told: str | None, earliest: int | None) -> np.datetime64:
    if told is not None:
        try:
            return np.datetime64(told.replace(" ", "T"), "s")
        except ValueError as error:
            raise InputError(f"{WHO}: first must look like 2024-03-04T00:00, got {told!r}.") from error
    if earliest is None:
        return np.datetime64(MONDAY, "s")
    return np.datetime64(earliest - earliest % 86400, "s")


def _from_people(
    table: pa.Table,
    who: str,
    state: str | None,
    beside: tuple[str, ...],
    codes: Codes,
    interval: int,
    first: str | None,
) -> Activities:
    import pyarrow as pa

    def is_list(name: str) -> bool:
        kind = table.schema.field(name).type
        return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)

    others = [c for c in table.column_names if c != who and c not in beside]
    lists = [pick(table, state, WHO, "state")] if state else [c for c in others if is_list(c)]
    if len(lists) == 1 and is_list(lists[0]):
        matrix = from_lists(table[lists[0]], codes)
    elif lists and not state:
        raise InputError(f"{WHO}: {len(lists)} columns hold lists: {', '.join(lists[:6])}. Pass state= one of them.")
    elif state:
        raise InputError(f"{WHO}: column '{state}' holds one state per row, so rows need times. Pass time= or start=.")
    elif not others:
        raise InputError(f"{WHO}: no column is left for the states beside '{who}'. Check the roles.")
    else:
        matrix = from_wide(table, others, codes)
    persons = table[who].to_pylist()
    _refuse_twice(persons)
    return _built(matrix, codes, interval, _first_interval(first, None), persons, _columns(table, beside))


def _refuse_twice(persons: list[Any]) -> None:
    twice = len(persons) - len(set(persons))
    if twice:
        raise InputError(
            f"{WHO}: {twice} people have more than one row. If a row is one observation, pass time= and state=."
        )


def _from_rows(
    table: pa.Table,
    who: str,
    roles: list[str],
    state: str,
    beside: tuple[str, ...],
    codes: Codes,
    interval: int,
    first: str | None,
) -> Activities:
    read = [seconds(table[c], c, WHO) for c in roles]
    times = [at for at, _ in read]
    if len(read) == 2:
        # A span lasts as long as it lasted, also where the clock was changed meanwhile.
        times[1] = times[1] + (read[0][1] - read[1][1])
    begins = _first_interval(first, int(times[0].min()))
    zero = int(begins.astype("datetime64[s]").astype(np.int64))
    _sensible_range(times, zero, interval)
    if int(times[0].min()) < zero:
        early = int((times[0] < zero).sum())
        raise InputError(f"{WHO}: {early} rows lie before first={first}. Choose an earlier beginning.")
    people = table[who].combine_chunks().dictionary_encode()
    lacking = people.null_count
    if lacking:
        raise InputError(f"{WHO}: {lacking} rows lack a person. Fill column '{who}' or leave those rows out.")
    persons = people.dictionary.to_pylist()
    rows = Observations(
        person=people.indices.to_numpy().astype(np.int64),
        n_people=len(persons),
        state=codes.encode(table[state]),
        interval=interval,
    )
    if len(roles) == 1:
        matrix = from_observations(rows, times[0] - zero, codes)
    else:
        backwards = int((times[1] < times[0]).sum())
        if backwards:
            at = int(np.flatnonzero(times[1] < times[0])[0]) + 1
            raise InputError(f"{WHO}: {backwards} spans end before they start (first at row {at}).")
        _note_contradictions(rows, times[0] - zero, times[1] - zero)
        matrix = from_spans(rows, times[0] - zero, times[1] - zero, codes)
    return _built(matrix, codes, interval, begins, persons, _constant_columns(table, rows.person, len(persons), beside))


def _note_contradictions(rows: Observations, begins: np.ndarray, ends: np.ndarray) -> None:
    """Nobody can do two things at once: say how often the table claims so, and what becomes of it."""
    at = contradictions(rows.person, begins, ends, rows.state)
    if len(at):
        warnings.warn(
            f"{WHO}: {len(at)} of {len(begins)} spans, of {len(np.unique(rows.person[at]))} people, overlap an earlier "
            f"span in another state (first at row {at[0] + 1}); an interval takes the state that covers most of it.",
            SequesterWarning,
            stacklevel=4,
        )


def _sensible_range(times: list[np.ndarray], zero: int, interval: int) -> None:
    """Refuse a range that one mistyped date has blown up: hardly a day in a hundred would hold an observation."""
    last = int(max(t.max() for t in times))
    days = (last - zero) // 86400 + 1
    seen = len(np.unique(np.concatenate([(t - zero) // 86400 for t in times])))
    if days > 400 and days > 100 * seen:
        raise InputError(
            f"{WHO}: the times span {days} days, but only {seen} of them hold an observation. Correct the dates, or "
            "leave the rows out that lie far from the others."
        )


def _columns(table: pa.Table, names: tuple[str, ...]) -> dict[str, Any]:
    return {name: table[name].to_pylist() for name in names}


def _constant_columns(table: pa.Table, person: np.ndarray, n_people: int, names: tuple[str, ...]) -> dict[str, Any]:
    """One value per person from rows that repeat it."""
    out: dict[str, Any] = {}
    firsts = np.full(n_people, -1, dtype=np.int64)
    order = np.arange(len(person))[::-1]
    firsts[person[order]] = order
    for name in names:
        codes = table[name].combine_chunks().dictionary_encode("encode").indices.to_numpy()
        varies = int(np.unique(person[codes != codes[firsts[person]]]).size)
        if varies:
            raise InputError(f"{WHO}: covariate '{name}' changes within {varies} people; it must be one per person.")
        out[name] = table[name].take(firsts).to_pylist()
    return out


def _built(
    matrix: np.ndarray, codes: Codes, interval: int, begins: np.datetime64, persons: list[Any], beside: dict[str, Any]
) -> Activities:
    matrix.flags.writeable = False
    return Activities(
        states=matrix,
        state_names=codes.names,
        interval_seconds=interval,
        start=begins,
        persons=persons,  # type: ignore[arg-type]
        covariates=beside,
    )
