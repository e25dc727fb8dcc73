"""From cells to texts, numbers and times: what a cell becomes depends on the cell and on what was declared, only.

No function here looks at a column to decide how to read a cell of it, except where a time format is not declared
(`auto`): then the format that reads most cells is taken, and the fact says `found`, which no differentially private
method accepts.
"""

from __future__ import annotations

import zoneinfo
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError, counted, nearest, verb_for
from sequester.model import Fact
from sequester.read.engine import computed, literal

WALL = "wall"
"""The zone of somebody who wants times as they stand: local clock time, whatever offset is written behind it."""
NAMED = ("iso", "seconds", "milliseconds", "minutes", "hours", "days", "clock", "number")
"""Time formats with a name; others are patterns such as %d.%m.%Y %H:%M. `clock`: hh:mm since a start, or of one day."""
FORMATS = (
    "%m/%d/%y", "%d/%m/%y", "%d.%m.%y", "%m-%d-%y", "%d-%m-%y", "%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y",
    "%m-%d-%Y", "%Y/%m/%d", "%Y.%m.%d", "%d-%b-%Y", "%d-%b-%y", "%d %b %Y", "%d%b%Y", "%b %d %Y", "%b %d, %Y",
    "%d-%B-%Y", "%d %B %Y", "%B %d, %Y", "%Y-%m-%d",
)  # fmt: skip
"""Dates as they are written where not by ISO 8601; years of two digits first, as %Y would take them."""
NATIONAL_CLOCKS = (
    "", " %H:%M", " %H:%M:%S", " %H:%M:%S.%g", " %I:%M %p", " %I:%M:%S %p", ":%H:%M:%S", " %H:%M:%S:%g", "T%H:%M",
    "T%H:%M:%S", ", %H:%M", ", %H:%M:%S",
)  # fmt: skip
NATIONAL = ("%m/%d/%Y", "%d/%m/%Y", "%d.%m.%Y", "%d-%m-%Y", "%Y/%m/%d", "%Y%m%d")
CLOCKS = ("", " %H:%M", " %H:%M:%S", " %I:%M:%S %p", " %I:%M %p")
ISO = r"^\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}(:\d{1,2}(:\d{1,2}(\.\d+)?)?)?)?$"
OFFSET = r"\s*(Z|[+-]\d\d:?\d\d)(\s*\[[A-Za-z_/+-]+\])?$"
"""What may follow a clock: how far it is ahead of Greenwich, and the name of its zone."""
EMPTY = ("", "NA", "NaN", "nan", "NULL", "null")
"""Numbers and times written so are missing, not unreadable; a state may well be called NA."""
FIRST_SECOND, LAST_SECOND = -62135596800, 253402300799
"""The years 1 to 9999."""
PER_UNIT = {"seconds": 1.0, "milliseconds": 1e-3, "minutes": 60.0, "hours": 3600.0, "days": 86400.0, "number": 1.0}
CLOCK = r"^\d{1,4}:\d\d(:\d\d([.,]\d+)?)?$"


class Times(NamedTuple):
    """When, row by row."""

    seconds: np.ndarray
    """Seconds since 1970 in local clock time (or plain numbers); 0 where nothing could be read."""
    known: np.ndarray
    """Whether the cell could be read."""
    unreadable: int
    """Cells that hold something that is no time."""
    clock: bool
    """Whether these are times, not just an order."""
    ahead: np.ndarray
    """Seconds that the clock is ahead of Greenwich, where the cell says so."""
    fact: Fact


def is_text(kind: Any) -> bool:
    """Whether an Arrow type holds text."""
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def texts(column: Any, *, trim: bool = True) -> Any:
    """Every cell as text (an Arrow string array), null where it is empty; a whole number is written without a point.

    A table with types makes 1 out of 1.0 and 1.0 out of 1 as soon as a cell of the column is missing, so that the two
    cannot be kept apart; text keeps its spelling.
    """
    flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(flat, pa.ChunkedArray):
        flat = pa.concat_arrays(flat.chunks) if flat.num_chunks else pa.array([], flat.type)
    if pa.types.is_dictionary(flat.type):
        flat = flat.cast(flat.type.value_type)
    kind = flat.type
    if is_text(kind):
        flat = flat if pa.types.is_string(kind) else flat.cast(pa.string())
    elif pa.types.is_boolean(kind) or pa.types.is_integer(kind):
        flat = flat.cast(pa.string())
    elif pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        flat = _written_numbers(flat)
    elif pa.types.is_timestamp(kind) or pa.types.is_date(kind) or pa.types.is_time(kind):
        flat = pc.strftime(flat.cast(pa.timestamp("s"), safe=False)) if not pa.types.is_time(kind) else flat.cast("str")
    elif pa.types.is_null(kind):
        flat = pa.nulls(len(flat), pa.string())
    else:
        flat = pa.array([cell_text(v) for v in flat.to_pylist()], pa.string())
    if trim:
        flat = pc.utf8_trim_whitespace(flat)
    return pc.if_else(pc.equal(flat, ""), pa.scalar(None, pa.string()), flat)


def _written_numbers(flat: Any) -> Any:
    return computed(
        {"x": flat},
        {
            "t": "case when isnan(x::double) then null when x::double = floor(x::double) and abs(x::double) < 1e15 "
            "then (x::double)::bigint::varchar else x::varchar end"
        },
    )["t"].cast(pa.string()).combine_chunks()  # fmt: skip


def cell_text(value: Any) -> str | None:
    """One cell of a table without types, as text; None where there is nothing that can be written."""
    if value is None or value != value:
        return None
    if isinstance(value, str):
        return value if _is_unicode(value) else None
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        return str(int(value)) if float(value).is_integer() and abs(float(value)) < 1e15 else repr(float(value))
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if isinstance(value, (bytes, bytearray, memoryview, np.ndarray, list, tuple, dict, set)):
        return None
    return str(value)


def _is_unicode(value: str) -> bool:
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def numbers(column: Any) -> tuple[np.ndarray, int]:
    """Every cell as a number, NaN where there is none, and how many cells hold something that is no number."""
    kind = column.type
    if pa.types.is_floating(kind) or pa.types.is_integer(kind):
        flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        values = flat.cast(pa.float64(), safe=False).to_numpy(zero_copy_only=False)
        known = int(np.isfinite(values).sum())
        return (values if known == len(values) else np.where(np.isfinite(values), values, np.nan)), int(
            np.isinf(values).sum()
        )
    written = texts(column)
    values = computed({"t": written}, {"x": "try_cast(t as double)"})["x"]
    out = values.to_numpy()
    out = np.array(out, dtype=np.float64)
    out[~np.isfinite(out)] = np.nan
    lacking = np.isnan(out)
    return out, _not_empty(written, lacking) if lacking.any() else 0


def number_columns(table: Any, names: list[str]) -> dict[str, tuple[np.ndarray, int]]:
    """Several columns as `numbers` reads each, the text among them in one go."""
    written = {n: texts(table[n]) for n in names if is_text(table.schema.field(n).type)}
    out: dict[str, tuple[np.ndarray, int]] = {}
    if written:
        # Spaces around a number do not matter, and the cast bears them.
        named = {f"c{i}": column for i, column in enumerate(written.values())}
        read = computed(named, {name: f"try_cast({name} as double)" for name in named})
        for at, (name, column) in zip(named, written.items()):
            values = np.array(read[at].to_numpy(), dtype=np.float64)
            values[~np.isfinite(values)] = np.nan
            lacking = np.isnan(values)
            out[name] = (values, _not_empty(column, lacking) if lacking.any() else 0)
    return {n: out[n] if n in out else numbers(table[n]) for n in names}


def _not_empty(written: Any, lacking: np.ndarray) -> int:
    """How many of the cells that gave nothing hold something."""
    said = pc.and_(pc.is_valid(written), pc.invert(pc.fill_null(pc.is_in(written, pa.array(EMPTY)), False)))
    return int((said.to_numpy(zero_copy_only=False) & lacking).sum())


def check_zone(zone: str, who: str) -> None:
    """Refuse a zone nobody knows."""
    try:
        if zone != WALL:
            zoneinfo.ZoneInfo(zone)
    except (zoneinfo.ZoneInfoNotFoundError, ValueError, OSError):
        raise InputError(
            f"{who}: no time zone '{zone}'. Pass ‹zone='wall'› for times as they are written, or a name such as "
            "Europe/Berlin."
        ) from None


def check_format(form: str, who: str) -> None:
    """Refuse a time format nobody can read."""
    import duckdb

    if form == "auto" or form in NAMED:
        return
    close = nearest(form, NAMED) if "%" not in form else None
    hint = f" Did you mean '{close}'?" if close else ""
    try:
        if "%" in form:
            computed({"t": ["x"]}, {"x": f"try_strptime(t, {literal(_bare(form))})"})
            return
    except duckdb.Error:
        pass
    raise InputError(
        f"{who}: no time format '{form}'. Pass one of {', '.join(NAMED)}, or a pattern such as '%d.%m.%Y %H:%M'.{hint}"
    )


def times(
    column: Any, name: str, who: str, *, form: str = "auto", zone: str = WALL, numbers_are: str = "number"
) -> Times:
    """When, cell by cell, in a declared format; `auto` takes the format that reads most cells.

    Parameters
    ----------
    column
        Timestamps, dates, numbers or text.
    name, who
        For messages.
    form
        `iso`, `seconds`, `milliseconds`, `days` (since 1970), `number` (an order), a pattern, or `auto`.
    zone
        `wall`, or the zone in which local clock time is read; times without an offset are taken as they stand.
    numbers_are
        What plain numbers are if nothing is declared.
    """
    check_format(form, who)
    check_zone(zone, who)
    flat = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(flat, pa.ChunkedArray):
        flat = pa.concat_arrays(flat.chunks) if flat.num_chunks else pa.array([], flat.type)
    kind = flat.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        known = flat.is_valid().to_numpy(zero_copy_only=False)
        moment = flat
        if pa.types.is_timestamp(kind) and kind.tz:
            moment = pc.local_timestamp(flat if zone == WALL else flat.cast(pa.timestamp(kind.unit, zone)))
        there = _whole(flat) if pa.types.is_timestamp(kind) and kind.tz else _whole(moment)
        here = _whole(moment)
        fact = Fact("time format", "timestamp", "default")
        return Times(np.where(known, here, 0), known, 0, True, np.where(known, here - there, 0), fact)
    typed = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    if typed and (form == "auto" or form in PER_UNIT):
        values, bad = numbers(flat)
        return _counted(
            values, bad, form if form != "auto" else numbers_are, "declared" if form != "auto" else "default"
        )
    written = texts(flat)
    if form != "auto":
        return _in_format(written, form, zone, "declared")
    return _found(written, name, who, zone, numbers_are)


def _whole(column: Any) -> np.ndarray:
    if pa.types.is_date(column.type):
        column = column.cast(pa.timestamp("s"))
    micro = column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())
    return micro.fill_null(0).to_numpy(zero_copy_only=False) // 1_000_000


def _counted(values: np.ndarray, bad: int, form: str, how: str) -> Times:
    scaled = values * PER_UNIT[form]
    known = ~np.isnan(scaled) & (scaled >= FIRST_SECOND) & (scaled <= LAST_SECOND)
    if form == "number":
        known = ~np.isnan(scaled)
        whole: np.ndarray = np.where(known, scaled, 0.0)
    else:
        whole = np.floor(np.where(known, scaled, 0.0)).astype(np.int64)
    outside = int((~np.isnan(scaled) & ~known).sum())
    none = np.zeros(len(known), dtype=np.int64)
    return Times(whole, known, bad + outside, form != "number", none, Fact("time format", form, how))


def _bare(form: str) -> str:
    """A pattern without the offset at its end: that is read apart."""
    return form.removesuffix("%z").rstrip() if form.endswith("%z") else form


def _in_format(written: Any, form: str, zone: str, how: str) -> Times:
    if form in PER_UNIT:
        values, bad = numbers(written)
        return _counted(values, bad, form, how)
    zoned = form == "iso" or form.endswith("%z")
    # A bare date ends in something like -0401 only by looks: an offset follows a clock.
    bare = f"case when t like '%:%' then regexp_replace(t, '{OFFSET}', '') else t end" if zoned else "t"
    if form == "clock":
        hours = "split_part(t, ':', 1)::bigint * 3600 + left(split_part(t, ':', 2), 2)::bigint * 60"
        since = f"{hours} + case when t like '%:%:%' then left(split_part(t, ':', 3), 2)::bigint else 0 end"
        noon = "coalesce(try_strptime(upper(t), '%I:%M %p'), try_strptime(upper(t), '%I:%M:%S %p'))"
        moment = (
            f"case when regexp_matches(t, '{CLOCK}') then make_timestamp(1000000 * ({since})) else "
            f"make_timestamp(epoch_us({noon}) - epoch_us(date_trunc('day', {noon}))) end"
        )
    elif form == "iso":
        moment = f"case when regexp_matches({bare}, '{ISO}') then try_cast({bare} as timestamp) end"
    else:
        moment = f"try_strptime({bare}, {literal(_bare(form))})"
    asked = {"s": f"epoch_us({moment})"}
    if zoned:
        tail = f"(case when t like '%:%' then regexp_extract(t, '{OFFSET}', 1) else '' end)"
        asked["o"] = (
            f"case when length({tail}) > 1 then (case when {tail}[1] = '-' then -1 else 1 end) * "
            f"({tail}[2:3]::int * 3600 + {tail}[-2:]::int * 60) when {tail} = 'Z' then 0 end"
        )
    read = computed({"t": written}, asked)
    seconds = read["s"].combine_chunks()
    known = seconds.is_valid().to_numpy(zero_copy_only=False)
    whole = seconds.fill_null(0).to_numpy(zero_copy_only=False) // 1_000_000
    known = known & (whole >= FIRST_SECOND) & (whole <= LAST_SECOND)
    ahead = np.zeros(len(whole), dtype=np.int64)
    if zoned:
        offset = read["o"].combine_chunks()
        ahead = offset.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
        if zone != WALL:
            whole, ahead = _in_zone(whole, ahead, offset.is_valid().to_numpy(zero_copy_only=False), zone)
    whole = np.where(known, whole, 0)
    bad = _not_empty(written, ~known) if not known.all() else 0
    return Times(whole, known, bad, True, ahead, Fact("time format", form, how))


def _in_zone(whole: np.ndarray, ahead: np.ndarray, declared: np.ndarray, zone: str) -> tuple[np.ndarray, np.ndarray]:
    """Times with an offset on the wall of a zone."""
    instant = whole - ahead
    local = pc.local_timestamp(pa.array(instant, pa.timestamp("s", zone))).cast(pa.int64()).to_numpy()
    return np.where(declared, local, whole), np.where(declared, local - instant, 0)


def _found(written: Any, name: str, who: str, zone: str, numbers_are: str) -> Times:
    """The format that reads most cells; refused where that is less than half of them or two formats fit alike."""
    n_said = len(written) - written.null_count
    eight = pc.match_substring_regex(written, r"^(19|20)\d{6}$")
    all_dates = n_said and pc.sum(eight).as_py() == n_said
    best: Times | None = None
    for form in ("iso", *(() if all_dates else (numbers_are,))):
        tried = _in_format(written, form, zone, "found")
        if best is None or tried.known.sum() > best.known.sum():
            best = tried
        if best.known.sum() == n_said:
            return best
    assert best is not None
    clocks = {}
    for date in NATIONAL:
        read = computed(
            {"t": written},
            {"s": f"epoch_us(coalesce({', '.join(f'try_strptime(t, {literal(date + c)})' for c in CLOCKS)}))"},
        )["s"].combine_chunks()
        known = read.is_valid().to_numpy(zero_copy_only=False)
        if known.sum() > best.known.sum():
            clocks[date] = (known, np.where(known, read.fill_null(0).to_numpy(zero_copy_only=False) // 1_000_000, 0))
    if clocks:
        most = max(int(k.sum()) for k, _ in clocks.values())
        fits = {d: kw for d, kw in clocks.items() if kw[0].sum() == most}
        first = next(iter(fits))
        if any(not np.array_equal(fits[first][1], other) for _, other in fits.values()):
            raise InputError(
                f"{who}: column '{name}' can be read with the day or the month first. Pass ‹time_format='%d/%m/%Y'› or "
                "whatever it is."
            )
        known, whole = fits[first]
        none = np.zeros(len(whole), dtype=np.int64)
        best = Times(
            whole, known, n_said - most, True, none, Fact("time format", f"{first} with or without a clock", "found")
        )
    if 2 * int(best.known.sum()) < n_said or not best.known.any():
        at = int(np.flatnonzero(~best.known)[0]) + 1
        raise InputError(
            f"{who}: {int((~best.known).sum())} of {counted(len(written), 'row')} "
            f"{verb_for(int((~best.known).sum()), 'lacks', 'lack')} a time that can be read in column '{name}' "
            f"(first at row {at}). Pass ‹time_format=› and say how times are written, such as '%d.%m.%Y %H:%M'."
        )
    return best
