"""Regular time series from a wide or a long table."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.model import Series
from sequester.read.table import load_table, pick, reads_as_number

WHO = "read_series"
EACH = "each"
"""Said for the person's column when every row is a person of its own."""
PERSON_NAMES = ("person", "person_id", "patient", "patient_id", "participant", "subject", "id")
"""Columns taken as the person when none is named, in this order, in any case."""


def read_series(
    source: Any,
    *,
    person: str | None = None,
    time: str | None = None,
    value: str | None = None,
    sensitive: tuple[str, ...] = (),
    quasi: tuple[str, ...] = (),
    letters: str | None = None,
    table: str | None = None,
    encoding: str = "utf-8",
) -> Series:
    """Read one series per person: a wide table (a column per time) or a long one (a row per person and time).

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines, a database file, or a pandas, polars or Arrow table.
    person : str, optional
        Column that tells whose record a row is (default: a column named person, patient, participant, subject or id),
        or `each` when every row of a wide table is a person of its own.
    time : str, optional
        Long tables: column with the time of a value. Times are sorted; every person must have each time once.
    value : str, optional
        Long tables: column with the value.
    sensitive : columns, optional
        Columns to release as they are (or diversified), never used to group people.
    quasi : columns, optional
        Wide tables: the time columns, in order (default: all other numeric columns). Long tables: the times to keep.
    letters : str, optional
        Alphabetical sequences: the letters in order, such as abcdefgh; each value must be one of them.
    table : str, optional
        Table of a database file.
    encoding : str
        Of a CSV file.
    """
    sensitive, quasi = _names(sensitive), _names(quasi)
    owners = [person, *(way(name) for name in PERSON_NAMES for way in (str.lower, str.capitalize, str.upper))]
    owners = [name for name in owners if name not in (*quasi, time, value)]
    asked = owners if not letters else [*owners, *sensitive, value, *quasi]
    read = load_table(source, WHO, table=table, as_text=asked, encoding=encoding)
    alone = person == EACH and EACH not in read.column_names
    if alone:
        person = None
    elif person is not None:
        pick(read, person, WHO, "person")
    else:
        person = _person_column(read, {*quasi, time, value})
    for name in sensitive:
        pick(read, name, WHO, "sensitive")
        if name == person:
            raise InputError(
                f"{WHO}: the sensitive column '{name}' is the person column, and sensitive columns are released as "
                "they are. Leave it out of sensitive, or name another column as the person."
            )
    if (time is None) != (value is None):
        raise InputError(f"{WHO}: a long table needs both time and value; got only {'time' if time else 'value'}.")
    if time is not None:
        data = _long(read, person, time, str(value), sensitive, quasi, letters)
    else:
        data = replace(_wide(read, person, sensitive, quasi, letters), people_known=alone or person is not None)
    _refuse_identifiers(data)
    return data


def _refuse_decimal_commas(read: Any, names: list[str]) -> None:
    """Numbers with commas are read as text; say so instead of missing them."""
    import pyarrow.compute as pc

    texts = [c for c in names if str(read.schema.field(c).type) in ("string", "large_string")]
    commas = [
        c for c in texts if pc.all(pc.match_substring_regex(read[c].drop_null(), r"^\s*[-+]?\d+,\d+\s*$")).as_py()
    ]
    if commas:
        raise InputError(
            f"{WHO}: {len(commas)} columns hold numbers with a decimal comma (first: '{commas[0]}'). Write them with a "
            "decimal point."
        )


def _refuse_identifiers(data: Series) -> None:
    """Text that differs in every record is a name or a number of somebody, whatever it is called."""
    for name, column in data.sensitive.items():
        known = [v for v in column.tolist() if v is not None] if column.dtype == object else []
        if len(known) > 1 and len(set(known)) == len(known):
            raise InputError(
                f"{WHO}: the sensitive column '{name}' holds text that is different in all {len(known)} records that "
                "have any, as an identifier is, and would be released as it is. Leave it out, or group its values."
            )


def _person_column(read: Any, taken: set[str | None]) -> str | None:
    """The column that by its name tells the person, unless it was given another role."""
    free = [c for c in read.column_names if c not in taken]
    return next((c for name in PERSON_NAMES for c in free if c.lower() == name), None)


def _names(given: Any) -> tuple[str, ...]:
    return (given,) if isinstance(given, str) else tuple(given)


def _wide(
    read: Any, person: str | None, sensitive: tuple[str, ...], quasi: tuple[str, ...], letters: str | None
) -> Series:
    taken = {person, *sensitive}
    if quasi:
        times = tuple(pick(read, name, WHO, "quasi") for name in quasi)
    elif letters:
        times = tuple(c for c in read.column_names if c not in taken)
    else:
        others = [c for c in read.column_names if c not in taken]
        times = tuple(c for c in others if _is_number(read.schema.field(c).type))
        _refuse_nearly_numbers(read, [c for c in others if c not in times])
    both = sorted(set(times) & taken - {None})
    if both:
        raise InputError(f"{WHO}: column '{both[0]}' is named both as a time and as person or sensitive. Choose one.")
    if not read.num_rows:
        raise InputError(f"{WHO}: the table has a header and no rows. At least one record is needed.")
    if not times:
        _refuse_decimal_commas(read, [c for c in read.column_names if c not in taken])
        raise InputError(f"{WHO}: no numeric column is left for the times. Name them with quasi=.")
    values = (
        np.column_stack([_column(read, name, letters) for name in times])
        if read.num_rows
        else np.zeros((0, len(times)))
    )
    return Series(
        values=values,
        times=times,
        persons=read.column(person).to_pylist() if person else None,  # type: ignore[arg-type]
        sensitive={name: read.column(name).to_pylist() for name in sensitive},
        letters=tuple(letters or ""),
    )


def _long(
    read: Any,
    person: str | None,
    time: str,
    value: str,
    sensitive: tuple[str, ...],
    quasi: tuple[str, ...],
    letters: str | None,
) -> Series:
    if person is None:
        raise InputError(f"{WHO}: a long table needs the column that tells whose value a row is. Pass person=.")
    pick(read, time, WHO, "time")
    pick(read, value, WHO, "value")
    people = read.column(person).to_pylist()
    when = read.column(time).to_pylist()
    lacking = [i for i, t in enumerate(when) if t is None or t != t]
    if lacking:
        raise InputError(
            f"{WHO}: {len(lacking)} rows lack a time (first at row {lacking[0] + 1}). Fill or remove them."
        )
    nameless = [i for i, p in enumerate(people) if p is None]
    if nameless:
        raise InputError(
            f"{WHO}: {len(nameless)} rows lack a person (first at row {nameless[0] + 1}). Fill or remove them."
        )
    numbers = _column(read, value, letters)
    times = sorted(set(when))
    names = [_time_name(t) for t in times]
    if len(set(names)) < len(names):
        raise InputError(f"{WHO}: two values of the time column '{time}' would get the same name. Rename one of them.")
    if quasi:
        unknown = [q for q in quasi if q not in names]
        if unknown:
            raise InputError(f"{WHO}: quasi names '{unknown[0]}', which is no value of the time column '{time}'.")
        names = list(quasi)
    ids = list(dict.fromkeys(people))
    row_of, column_of = (
        {p: i for i, p in enumerate(ids)},
        {t: names.index(_time_name(t)) for t in times if _time_name(t) in names},
    )
    values = np.full((len(ids), len(names)), np.nan)
    filled = np.zeros(values.shape, dtype=bool)
    for at, (p, t) in enumerate(zip(people, when, strict=True)):
        if t not in column_of:
            continue
        i, j = row_of[p], column_of[t]
        if filled[i, j]:
            raise InputError(f"{WHO}: row {at + 1} repeats a person's time. Keep one value per person and time.")
        filled[i, j] = True
        values[i, j] = numbers[at]
    beside: dict[str, Any] = {}
    for name in sensitive:
        column: list[Any] = [None] * len(ids)
        for p, v in zip(people, read.column(name).to_pylist(), strict=True):
            if v is None:
                continue
            if column[row_of[p]] not in (None, v):
                raise InputError(f"{WHO}: the sensitive column '{name}' changes within a person. Give one value each.")
            column[row_of[p]] = v
        beside[name] = column
    whose: Any = ids
    return Series(values=values, times=tuple(names), persons=whose, sensitive=beside, letters=tuple(letters or ""))


def _time_name(time: Any) -> str:
    whole = isinstance(time, float) and time.is_integer()
    text = str(int(time)) if whole else str(time)  # every digit: two times must not share a name
    return text if not text[:1].isdigit() else f"t{text}"


def _refuse_nearly_numbers(read: Any, names: list[str]) -> None:
    """A column of numbers that one cell turned into text would otherwise vanish from the times without a word."""
    for name in names:
        cells = [(i, c) for i, c in enumerate(read.column(name).to_pylist()) if isinstance(c, str) and c.strip()]
        strange = [i for i, c in cells if not reads_as_number(c)]
        if 2 * len(strange) < len(cells):
            odd = f"beside {len(strange)} that are not (first at row {strange[0] + 1})" if strange else "kept as text"
            raise InputError(
                f"{WHO}: column '{name}' holds numbers {odd}, so it is no time. "
                "Correct or empty those cells, or name the times with quasi=."
            )


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)


def _column(read: Any, name: str, letters: str | None) -> np.ndarray:
    column = read.column(name)
    if letters:
        code = {c: float(i) for i, c in enumerate(letters)}
        cells = column.to_pylist()
        strange = [i for i, c in enumerate(cells) if c is not None and str(c) not in code]
        if strange:
            raise InputError(
                f"{WHO}: {len(strange)} values of column '{name}' are not among the {len(code)} letters "
                f"(first at row {strange[0] + 1}). Pass letters= with all of them, in order."
            )
        return np.array([np.nan if c is None else code[str(c)] for c in cells])
    if not _is_number(column.type):
        raise InputError(
            f"{WHO}: column '{name}' is not numeric. Leave it out with quasi=, or pass letters= for letters."
        )
    return np.array([np.nan if v is None else float(v) for v in column.to_pylist()])
