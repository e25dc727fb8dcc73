"""Regular time series from a wide or a long table, cell by cell."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow.compute as pc

from sequester.errors import InputError, counted, left_out, verb_for
from sequester.model import Fact, Series
from sequester.read.cells import number_columns, numbers, texts, times
from sequester.read.gather import gather
from sequester.read.headers import reads_as_number
from sequester.read.memory_needed import require_room
from sequester.read.quantity import declared_facts
from sequester.read.recognise_series import unlike
from sequester.read.roles import PERHAPS, PERSON, owners, per_person, typed, which_person
from sequester.read.table import Loaded, form_of, pick
from sequester.read.unused_options import check_told, explained

WHO = "read_series"
EACH = "each"
"""Said for the person's column when every row is a person of its own."""


@explained
def read_series(
    source: Any,
    *,
    person: str | None = None,
    time: str | None = None,
    value: str | None = None,
    sensitive: tuple[str, ...] = (),
    quasi: tuple[str, ...] = (),
    letters: str | None = None,
    quantity: str | None = None,
    unit_of: str | None = None,
    skip_lines: int = 0,
    units_row: bool = False,
    decimal: str = ".",
    people: str | None = None,
    files: str | None = None,
    header: bool = True,
    table: str | None = None,
    encoding: str = "utf-8",
) -> Series:
    """Read one series per person: a wide table (a column per time) or a long one (a row per person and time).

    A cell that is no number is a missing value; `notes` count them.

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines, a database file or a workbook; a folder of such files; or a table in memory.
    person : str, optional
        Column that tells whose record a row is; a column named `person` is taken, no other. `each` when every row of a
        wide table is a person of its own; of a folder also `file` or `folder`. Without it nobody knows, and only
        records can be protected.
    time : str, optional
        Long tables: column with the time of a value. Times are sorted; every person must have each time once.
    value : str, optional
        Long tables: column with the value.
    sensitive : columns, optional
        Columns to release as they are (or diversified), never used to group people.
    quasi : columns, optional
        Wide tables: the time columns, in order (default: all other columns of numbers). Long tables: the times to keep.
    letters : str, optional
        Alphabetical sequences: the letters in order, such as abcdefgh; each value must be one of them.
    """
    check_told(read_series, WHO, locals())
    sensitive, quasi = _names(sensitive), _names(quasi)
    if (time is None) != (value is None):
        raise InputError(f"{WHO}: a long table needs both time and value; got only {'time' if time else 'value'}.")
    loaded = gather(
        source,
        WHO,
        table=table,
        encoding=encoding,
        header=header,
        files=files,
        people=people,
        person=person,
        form=form_of(WHO, skip_lines, units_row, decimal, None, None),
    )
    read = loaded.table
    alone = person == EACH and EACH not in read.column_names
    if alone:
        person = None
    elif person is not None:
        pick(read, person, WHO, "person")
    elif PERSON in read.column_names and PERSON not in (*quasi, time, value):
        person = PERSON
    elif time is None and not quasi:
        # A number of a patient or a visit left unnamed would be taken for a measurement.
        free = [c for c in read.column_names if c not in sensitive and c.lower() in PERHAPS]
        if free:
            raise which_person(read, WHO)
    for name in sensitive:
        pick(read, name, WHO, "sensitive")
        if name == person:
            raise InputError(
                f"{WHO}: the sensitive column '{name}' is the person column, and sensitive columns are released as "
                "they are. Leave it out of sensitive, or name another column as the person."
            )
    if time is not None:
        data = _long(loaded, person, time, str(value), sensitive, quasi, letters)
    else:
        data = replace(_wide(loaded, person, sensitive, quasi, letters), people_known=alone or person is not None)
    _refuse_identifiers(data)
    return replace(data, reading=(*data.reading, *declared_facts(quantity, unit_of, WHO)))


def _refuse_decimal_commas(columns: dict[str, Any]) -> None:
    """Numbers with commas would all be missing; say so instead."""
    commas = [
        c
        for c, cells in columns.items()
        if len(cells) > cells.null_count
        and pc.all(pc.match_substring_regex(cells.drop_null(), r"^\s*[-+]?\d+,\d+\s*$")).as_py()
    ]
    if commas:
        raise InputError(
            f"{WHO}: {counted(len(commas), 'column holds', 'columns hold')} numbers with a decimal comma "
            f"(first: "
            f"'{commas[0]}'). Write them with a "
            "decimal point."
        )


def _refuse_identifiers(data: Series) -> None:
    """Text that differs in every record is a name or a number of somebody, whatever it is called."""
    for name, column in data.sensitive.items():
        known = [v for v in column.tolist() if v is not None] if column.dtype == object else []
        if len(known) > 1 and len(set(known)) == len(known):
            raise InputError(
                f"{WHO}: the sensitive column '{name}' holds text that is different in all "
                f"{counted(len(known), 'record')} that "
                "have any, as an identifier is, and would be released as it is. Leave it out, or group its values."
            )


def _names(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _wide(
    loaded: Loaded, person: str | None, sensitive: tuple[str, ...], quasi: tuple[str, ...], letters: str | None
) -> Series:

    read, notes = loaded.table, list(loaded.notes)
    taken = {person, *sensitive}
    if not read.num_rows:
        raise InputError(f"{WHO}: the table has a header and no rows. At least one record is needed.")
    whose: list[str] | None = None
    if person is not None:
        said = texts(read[person])
        lacking = said.null_count
        if lacking:
            notes.append(left_out(lacking, "row", "without a person"))
            read = read.filter(said.is_valid())
            said = said.drop_null()
        whose = said.to_pylist()
        if not whose:
            raise InputError(f"{WHO}: no row has a person. Check the column '{person}'.")
    cells: dict[str, tuple[np.ndarray, int]]
    if quasi or letters:
        times_ = tuple(pick(read, n, WHO, "quasi") for n in quasi) or tuple(
            c for c in read.column_names if c not in taken
        )
        cells = {c: _column(read[c], c, letters) for c in times_} if letters else number_columns(read, list(times_))
        how = "declared" if quasi else "default"
    else:
        others = [c for c in read.column_names if c not in taken]
        cells = number_columns(read, others)
        said_n = {c: int((~np.isnan(v)).sum()) + bad for c, (v, bad) in cells.items()}
        # A column is a time if most of its cells are numbers: one odd cell is a missing value, not another table.
        times_ = tuple(c for c in others if said_n[c] and 2 * cells[c][1] < said_n[c])
        how = "found"
        if why := unlike(times_, [cells[c][0][~np.isnan(cells[c][0])] for c in times_]):
            raise InputError(
                f"{WHO}: {counted(len(times_), 'column')} of numbers are no times of one quantity: {why}. Name the "
                "times with ‹quasi=›, and what is to be released beside them with ‹sensitive=›. A table of patients is "
                "not sequential data: use a tool for tables, such as ARX or sdcMicro."
            )
    both = sorted(set(times_) & taken - {None})
    if both:
        raise InputError(f"{WHO}: column '{both[0]}' is named both as a time and as person or sensitive. Choose one.")
    if not times_:
        _refuse_decimal_commas({c: texts(read[c]) for c in read.column_names if c not in taken})
        raise InputError(f"{WHO}: no numeric column is left for the times. Name them with ‹quasi=›.")
    bad = sum(cells[c][1] for c in times_)
    if quasi and not letters and not any((~np.isnan(cells[c][0])).any() for c in times_):
        _refuse_decimal_commas({c: texts(read[c]) for c in times_})
        raise InputError(
            f"{WHO}: column '{times_[0]}' is not numeric. Leave it out with ‹quasi=›, or pass ‹letters=› for letters."
        )
    if bad:
        notes.append(
            counted(bad, "cell is not a letter and counts as missing", "cells are not letters and count as missing")
            if letters
            else counted(
                bad, "cell is not a number and counts as missing", "cells are not numbers and count as missing"
            )
        )
    return Series(
        values=np.column_stack([cells[c][0] for c in times_]),
        times=times_,
        persons=whose,  # type: ignore[arg-type]
        sensitive={name: typed(read[name]) for name in sensitive},
        letters=tuple(letters or ""),
        reading=(Fact("times", "the columns named" if how == "declared" else "the columns of numbers", how),),
        notes=tuple(notes),
    )


def _column(column: Any, name: str, letters: str | None) -> tuple[np.ndarray, int]:
    if not letters:
        return numbers(column)
    code = {c: float(i) for i, c in enumerate(letters)}
    cells = texts(column).to_pylist()
    strange = [i for i, c in enumerate(cells) if c is not None and c not in code]
    if strange:
        raise InputError(
            f"{WHO}: {counted(len(strange), 'value')} of column '{name}' {verb_for(len(strange), 'is', 'are')} not "
            f"among the "
            f"{counted(len(code), 'letter')} "
            f"(first at row {strange[0] + 1}). Pass ‹letters=› with all of them, in order."
        )
    return np.array([np.nan if c is None else code[c] for c in cells]), 0


def _long(
    loaded: Loaded,
    person: str | None,
    time: str,
    value: str,
    sensitive: tuple[str, ...],
    quasi: tuple[str, ...],
    letters: str | None,
) -> Series:
    read, notes = loaded.table, list(loaded.notes)
    if person is None:
        raise InputError(f"{WHO}: a long table needs the column that tells whose value a row is. Pass ‹person=›.")
    who = owners(read, person, WHO)
    notes += who.notes
    written = texts(read[pick(read, time, WHO, "time")])
    values, bad = _column(read[pick(read, value, WHO, "value")], value, letters)
    stated = written.is_valid().to_numpy(zero_copy_only=False)
    if (who.known & ~stated).any():
        notes.append(left_out(int((who.known & ~stated).sum()), "row", "without a time"))
    if bad:
        notes.append(
            counted(bad, "value is not a number and counts as missing", "values are not numbers and count as missing")
        )
    coded = written.dictionary_encode()
    found = coded.dictionary.to_pylist()
    names = {t: _time_name(t) for t in found}
    order = _sorted_times(coded.dictionary, found)
    ordered = [names[found[i]] for i in order]
    if len(set(ordered)) < len(ordered):
        raise InputError(f"{WHO}: two values of the time column '{time}' would get the same name. Rename one of them.")
    if quasi:
        unknown = [q for q in quasi if q not in ordered]
        if unknown:
            raise InputError(f"{WHO}: quasi names '{unknown[0]}', which is not a value of the time column '{time}'.")
        ordered = list(quasi)
    place = {t: i for i, t in enumerate(ordered)}
    column_of = np.array([place.get(names[t], -1) for t in found] + [-1], dtype=np.int64)
    at = column_of[coded.indices.fill_null(len(found)).to_numpy(zero_copy_only=False)]
    person_, persons, rows = who.kept(who.known & (at >= 0), WHO)
    cell = person_ * len(ordered) + at[rows]
    _, first = np.unique(cell, return_index=True)
    if len(first) < len(cell):
        again = np.setdiff1d(np.arange(len(cell)), first)
        raise InputError(
            f"{WHO}: row {int(rows[again[0]]) + 1} repeats a person's time. Keep one value per person and time."
        )
    what = f"{counted(f'{len(persons):,}', 'person', 'people')} x {counted(f'{len(ordered):,}', 'time')}"
    require_room(16 * len(persons) * len(ordered), WHO, what)
    matrix = np.full((len(persons), len(ordered)), np.nan)
    matrix[person_, at[rows]] = values[rows]
    firsts = who.first_of(person_, rows, len(persons))
    beside: dict[str, Any] = {}
    for name in sensitive:
        beside[name] = typed(_one_each(read, name, who, firsts, notes))
    return Series(
        values=matrix,
        times=tuple(ordered),
        persons=persons,  # type: ignore[arg-type]
        sensitive=beside,
        letters=tuple(letters or ""),
        reading=(Fact("times", "the times named" if quasi else "the times found", "declared" if quasi else "found"),),
        notes=tuple(notes),
    )


def _one_each(read: Any, name: str, who: Any, firsts: np.ndarray, notes: list[str]) -> Any:
    """A sensitive value per person; empty cells are filled from the person's other rows."""
    cells = texts(read[name]).to_pylist()
    value: dict[int, int] = {}
    for i, (p, c) in enumerate(zip(who.code.tolist(), cells)):
        if p < 0 or c is None:
            continue
        if p in value and cells[value[p]] != c:
            raise InputError(f"{WHO}: the sensitive column '{name}' changes within a person. Give one value each.")
        value.setdefault(p, i)
    rows = np.array([value.get(int(who.code[r]), int(r)) for r in firsts], dtype=np.int64)
    return per_person(read.select([name]), name, who, rows, [])


def _sorted_times(dictionary: Any, found: list[str]) -> list[int]:
    """Numbers by size, dates by date, anything else by name."""
    if all(reads_as_number(t) for t in found):
        return sorted(range(len(found)), key=lambda i: (float(found[i]), found[i]))
    try:
        when = times(dictionary, "time", WHO)
    except InputError:
        return sorted(range(len(found)), key=lambda i: found[i])
    if not when.known.all():
        return sorted(range(len(found)), key=lambda i: found[i])
    return sorted(range(len(found)), key=lambda i: (when.seconds[i], found[i]))


def _time_name(time: str) -> str:
    """A name for a time: a whole number without its point, and never a digit first."""
    if reads_as_number(time) and float(time).is_integer() and abs(float(time)) < 1e15:
        time = str(int(float(time)))
    return time if not time[:1].isdigit() else f"t{time}"
