"""Activity data from tables: a row per person, per observation, per count or per span; each person by itself."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from sequester.errors import InputError, SequesterWarning, agreed, counted, left_out
from sequester.model import Activities, Fact
from sequester.read.activity_calendar import Calendar, calendar_of, fitted
from sequester.read.activity_counts import NOT_WORN, Bins, bins_of, nonwear_of, span_of
from sequester.read.activity_matrix import (
    Codes,
    Observations,
    contradictions,
    from_lists,
    from_observations,
    from_spans,
    from_wide,
    listed,
)
from sequester.read.cells import WALL, Times, texts, times
from sequester.read.gather import gather
from sequester.read.idle import of_activity, refuse_idle
from sequester.read.roles import owners, per_person, typed
from sequester.read.table import pick, reads_as_number

if TYPE_CHECKING:
    import pyarrow as pa

WHO = "read_activities"
MANY_NUMBERS = 32
"""More different numbers than this are measurements, not states."""


def read_activities(
    source: Any,
    *,
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
    people: str | None = None,
    files: str | None = None,
    header: bool = True,
    table: str | None = None,
    encoding: str = "utf-8",
) -> Activities:
    """Read what people did over time into a person x interval matrix of states.

    Shapes are told apart by the roles given. With `start` and `end` every row is a span of one state. With `time` and
    `state` every row is one observation (a minute, or an inference every few seconds): an interval takes its dominant
    state, ties the one named first. With `time` and `value` every row is a count: counts of an interval add up, and
    `bins` make them states. Without times, every row is a person: `state` names a list column, or all columns that
    have no other role are the intervals in order. Time nobody observed becomes the state `missing`. A cell that
    cannot be read is missing, or its row is left out; `notes` count both.

    Parameters
    ----------
    source : path or table
        CSV, Parquet, JSON lines, a database file or a workbook; a folder of such files; or a table in memory.
    person : str, optional
        Column that tells people apart; a column named `person` is taken, no other. Of a folder also `file` or `folder`,
        where each is one person.
    time : str, optional
        Column with the time of an observation.
    state : str, optional
        Column with the state (with `time`, or `start` and `end`), or with a list of states per person.
    value : str, optional
        Column with a count, such as steps or accelerometer counts; needs `bins` and `names`.
    bins : numbers, optional
        Where the second state begins, the third, and so on, such as 1,200,1000; or freedson-1998 or troiano-2008,
        which are for minutes of an ActiGraph at the hip of adults.
    names : names, optional
        Names of the states that bins make, the lowest first: one more than bins.
    start : str, optional
        Column with the time at which a span begins.
    end : str, optional
        Column with the time at which a span ends.
    interval : int
        Length of an interval in seconds.
    time_format : str
        How times are written: iso, seconds, milliseconds or days since 1970, or a pattern such as %d.%m.%Y %H:%M; auto
        takes what reads most cells, which no differentially private method accepts.
    zone : str
        wall: times as they are written, whatever offset follows them; or a zone such as Europe/Berlin, to which times
        with an offset are brought. An hour that the clock repeats counts once, one that it skips is missing.
    align : str
        date: the same dates for everybody; monday: everybody's first whole week from a Monday on; start: from
        everybody's first whole day on. The last two need days and publish no dates.
    dates : str, optional
        FROM..TO, such as 2024-03-04..2024-03-17: the days to keep. Told, they may be published by any method.
    first : str, optional
        When the first interval begins, such as 2024-03-04T00:00; by default the midnight before the first
        observation, or a Monday for data without times.
    days : int, optional
        How many days to keep; shorter recordings end in `missing`.
    valid : str
        Counts outside this range are left out.
    nonwear : str
        none; or a number of intervals of zeros that mean the device was not worn, such as 180; or 60/2, which bears two
        intervals of 1 to 100 in a row; or troiano-2008 or choi-2011, which are for minutes of an ActiGraph at the hip.
        Rules for waking hours call sleep not worn.
    valid_day : int
        Minutes that must be observed (and worn) for a day to count.
    valid_days : int
        Leave out people with fewer such days.
    least_observed : float
        Methods of k refuse data of which less than this share was observed.
    states : names, optional
        All states, in the order of their codes; by default those found. `missing` is always one of them.
    unknown : names, optional
        Values that mean nothing was observed, beside empty cells.
    covariates : names, optional
        Columns per person that travel beside the data (a grade, a score).
    people : str, optional
        A table of two columns, recording and person, where `person` tells recordings.
    files : str, optional
        Of a folder, only the files that fit this pattern, such as '*.csv'.
    header : bool
        Without, the first line of a CSV file is a row and columns are called 1, 2, 3 and so on.
    table : str, optional
        Which table of a database file, or sheet of a workbook.
    encoding : str
        Encoding of a CSV file.
    """
    told_all = dict(locals())
    _check(interval, value, bins, names, state, start, end, time, states, least_observed)
    refuse_idle(read_activities, WHO, told_all, of_activity(told_all))
    plan = calendar_of(align=align, dates=dates, first=first, days=days, interval=interval)
    told = bins_of(bins, names, interval) if bins else None
    loaded = gather(
        source, WHO, table=table, encoding=encoding, header=header, files=files, people=people, person=person
    )
    rows = loaded.table
    if not rows.num_rows:
        raise InputError(f"{WHO}: the table has no rows. At least one person is needed.")
    who = owners(rows, person, WHO)
    beside = tuple(pick(rows, c, WHO, "covariates") for c in covariates)
    codes = Codes(told.names if told else states, unknown, WHO)
    rule = nonwear_of(nonwear, interval)
    if told and rule:
        codes.code(NOT_WORN, may_add=True)  # in the code book whether or not anybody ever took the device off
    notes = [*loaded.notes, *who.notes]
    facts = [
        Fact("interval seconds", interval, "default" if interval == 60 else "declared"),
        Fact("least observed", least_observed, "default" if least_observed == 0.5 else "declared"),
    ]
    if start is not None or time is not None:
        at = [
            times(rows[pick(rows, c, WHO, role)], c, WHO, form=time_format, zone=zone, numbers_are="seconds")
            for c, role in ((start, "start"), (end, "end"), (time, "time"))
            if c
        ]
        facts += [at[0].fact, Fact("time zone", zone, "default" if zone == WALL else "declared")]
        if told is not None:
            found = _from_counts(
                rows, who, at[0], str(value), told, plan, notes,
                valid=span_of(valid), nonwear=rule, valid_day=valid_day, valid_days=valid_days,
            )  # fmt: skip
            by_rule = f"{nonwear}: {rule.source}" if rule is not None and rule.source else nonwear
            facts += _count_facts(told, valid, by_rule, valid_day, valid_days)
        else:
            what = pick(rows, state or "state", WHO, "state")
            found = _from_rows(rows, who, at, what, codes, plan, notes)
    else:
        found = _from_people(rows, who, state, beside, codes, plan, notes)
    matrix, persons, kept, begins, calendar = found
    if codes.strange:
        notes.append(
            f"{counted(codes.strange, 'cell holds', 'cells hold')} a state that was not told and "
            f"{agreed(codes.strange, 'counts', 'count')} as missing"
        )
    all_names = codes.names
    if not states and not told and sum(reads_as_number(name) for name in all_names) > MANY_NUMBERS:
        raise InputError(
            f"{WHO}: {sum(map(reads_as_number, all_names))} different numbers would become states. If they are counts, "
            "name their column with ‹value=› and pass ‹bins=›; if they are measurements, use a method for series such "
            "as "
            "kapra; if they are states, name them with states."
        )
    seen = all_names.index("missing") if "missing" in all_names else None
    if not (told or states) and seen is not None and not any((row != seen).any() for row in matrix):
        raise InputError(f"{WHO}: nothing was observed: no row tells a state. Check the column of states.")
    matrix.flags.writeable = False
    named = Fact(
        "states", "as declared" if told or states else "the names found", "declared" if told or states else "found"
    )
    return Activities(
        states=matrix,
        state_names=all_names,
        interval_seconds=interval,
        start=begins,
        persons=persons,
        covariates={c: typed(per_person(rows, c, who, kept, WHO, notes)) for c in beside},
        names_public=bool(states or told),
        reading=(*facts, *calendar, named),
        notes=tuple(n for n in notes if n),
    )


def _check(
    interval: Any,
    value: Any,
    bins: Any,
    names: Any,
    state: Any,
    start: Any,
    end: Any,
    time: Any,
    states: Any,
    least: Any,
) -> None:
    """Everything that can be said before the file is read, at once."""
    if not isinstance(interval, int) or isinstance(interval, bool) or not 1 <= interval <= 86400:
        raise InputError(f"{WHO}: interval must be 1 to 86400 seconds, got {interval!r}.")
    if not isinstance(least, (int, float)) or not 0 <= least <= 1:
        raise InputError(f"{WHO}: least_observed must be a share in 0..1, got {least!r}.")
    if (start is None) != (end is None):
        raise InputError(f"{WHO}: spans need both start and end, got only one. Pass ‹start=› and ‹end=›.")
    if value is None and (bins or names):
        raise InputError(
            f"{WHO}: ‹bins=› and ‹names=› make states of counts; name their column too. Pass ‹value=NAME›."
        )
    if value is not None:
        lacking = [role for role, given in (("time", time), ("bins", bins)) if not given]
        if lacking:
            raise InputError(f"{WHO}: counts in value= need {' and '.join(f'{r}=' for r in lacking)} too.")
        if set(names) & {"missing", NOT_WORN}:
            raise InputError(
                f"{WHO}: the names missing and {NOT_WORN} are taken: time without a record is missing anyway."
            )
        if state or start or states:
            raise InputError(f"{WHO}: ‹value=› holds counts; leave ‹state=›, ‹states=›, ‹start=› and ‹end=› out.")


def _count_facts(bins: Bins, valid: str, nonwear: str, valid_day: int, valid_days: int) -> list[Fact]:
    return [
        Fact("bins", {"ends": bins.ends.tolist(), "names": list(bins.names), "source": bins.source}, "declared"),
        Fact("valid values", valid, "default" if valid == "0..100000" else "declared"),
        Fact("not worn", nonwear, "default" if nonwear == "none" else "declared"),
        Fact("valid days", {"minutes": valid_day, "days": valid_days}, "default" if not valid_days else "declared"),
    ]


def _from_people(
    table: pa.Table,
    who: Any,
    state: str | None,
    beside: tuple[str, ...],
    codes: Codes,
    plan: Calendar,
    notes: list[str],
) -> Any:
    import pyarrow as pa

    def is_list(name: str) -> bool:
        kind = table.schema.field(name).type
        return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)

    others = [c for c in table.column_names if c not in (who.column, *beside)]
    table = listed(table, [state] if state in table.column_names else others)
    lists = [pick(table, state, WHO, "state")] if state else [c for c in others if is_list(c)]
    once = who.first_rows(notes, WHO)
    table = table if once is None else table.take(pa.array(once))
    if len(lists) == 1 and is_list(lists[0]):
        matrix = from_lists(table[lists[0]], codes)
        width_how = "found"
    elif lists and not state:
        raise InputError(
            f"{WHO}: {counted(len(lists), 'column holds', 'columns hold')} lists: {', '.join(lists[:6])}. Pass "
            "‹state=› one of them."
        )
    elif state:
        raise InputError(
            f"{WHO}: column '{state}' holds one state per row, so rows need times. Pass ‹time=› or ‹start=›."
        )
    elif not others:
        raise InputError(f"{WHO}: no column is left for the states beside '{who.column}'. Check the roles.")
    else:
        matrix = from_wide(table, others, codes)
        width_how = "default"  # the columns of the table, not the cells of anybody
    matrix, begins, facts = fitted(matrix, codes, plan, width_how)
    return matrix, who.names, once if once is not None else np.arange(len(who.names)), begins, facts


def _from_rows(
    table: pa.Table, who: Any, at: list[Times], state: str, codes: Codes, plan: Calendar, notes: list[str]
) -> Any:
    known = who.known & np.logical_and.reduce([t.known for t in at])
    begins = at[0].seconds
    ends = None
    if len(at) == 2:
        # A span lasts as long as it lasted, also where the clock was changed meanwhile.
        ends = at[1].seconds + (at[0].ahead - at[1].ahead)
        backwards = known & (ends < begins)
        if backwards.any():
            notes.append(left_out(int(backwards.sum()), "span", "with an end before the start"))
            known &= ~backwards
    _left_out(notes, int((who.known & ~known).sum()) - (int(backwards.sum()) if ends is not None else 0), at)
    person, persons, rows = who.kept(known, WHO)
    encoded = codes.encode(texts(table[state]) if not _plain_numbers(table[state]) else table[state])[rows]
    begins = begins[rows]
    ends = None if ends is None else ends[rows]
    window = plan.window(person, begins, ends, len(persons))
    inside = window.inside(person, begins, ends)
    if not inside.all():
        notes.append(
            f"{int((~inside).sum())} of {counted(len(inside), 'row')} {agreed(int((~inside).sum()), 'lies', 'lie')} "
            f"outside the days that are kept and {agreed(int((~inside).sum()), 'was', 'were')} left out"
        )
    observed = Observations(person=person[inside], n_people=len(persons), state=encoded[inside], interval=plan.interval)
    zero = window.zero[person[inside]]
    if ends is None:
        matrix = from_observations(observed, begins[inside] - zero, codes, window.n)
    else:
        _note_contradictions(observed, begins[inside] - zero, ends[inside] - zero, np.flatnonzero(inside))
        matrix = from_spans(observed, begins[inside] - zero, ends[inside] - zero, codes, window.n)
    return matrix, persons, who.first_of(person, rows, len(persons)), window.start, window.facts


def _plain_numbers(column: Any) -> bool:
    import pyarrow as pa

    return pa.types.is_integer(column.type) and not column.null_count


def _left_out(notes: list[str], n: int, at: list[Times]) -> None:
    if n:
        notes.append(left_out(n, "row", "without a time that can be read"))


def _from_counts(
    table: pa.Table, who: Any, at: Times, value: str, bins: Bins, plan: Calendar, notes: list[str], **rules: Any
) -> Any:
    from sequester.read.activity_rows import rows_of_counts
    from sequester.read.cells import numbers

    values, bad = numbers(table[pick(table, value, WHO, "value")])
    low, high = rules["valid"]
    outside = ~np.isnan(values) & ((values < low) | (values > high))
    known = who.known & at.known & ~np.isnan(values) & ~outside
    _left_out(notes, int((who.known & ~at.known).sum()), [at])
    if bad:
        notes.append(counted(bad, "count is not a number and was left out", "counts are not numbers and were left out"))
    if outside.any():
        notes.append(
            f"{counted(int(outside.sum()), 'count lies', 'counts lie')} outside the valid values and "
            f"{agreed(int(outside.sum()), 'was', 'were')} left out"
        )
    person, persons, rows = who.kept(known, WHO)
    window = plan.window(person, at.seconds[rows], None, len(persons))
    matrix, usable = rows_of_counts(
        person, at.seconds[rows], values[rows], len(persons), bins, window, plan.interval, rules, notes
    )
    if not usable.any():
        raise InputError(
            f"{WHO}: nobody has {counted(rules['valid_days'], 'day')} of {rules['valid_day']} observed minutes. "
            "Lower valid_days, "
            "or check align, days and interval."
        )
    firsts = who.first_of(person, rows, len(persons))
    kept = np.flatnonzero(usable)
    return matrix[kept], [persons[i] for i in kept], firsts[kept], window.start, window.facts


def _note_contradictions(rows: Observations, begins: np.ndarray, ends: np.ndarray, number: np.ndarray) -> None:
    """Nobody can do two things at once: say how often the table claims so, and what becomes of it."""
    at = contradictions(rows.person, begins, ends, rows.state)
    if len(at):
        n = len(np.unique(rows.person[at]))
        warnings.warn(
            f"{WHO}: {len(at)} of {counted(len(begins), 'span')}, of {n} people, overlap an earlier span in another "
            "state (first "
            f"at row {number[at[0]] + 1}); an interval takes the state that covers most of it.",
            SequesterWarning,
            stacklevel=4,
        )
