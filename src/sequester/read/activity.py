"""Activity data from tables: a row per person, per observation, per count or per span; each person by itself."""

from __future__ import annotations

from typing import Any, Literal

from sequester.errors import InputError
from sequester.model import Activities, Fact
from sequester.read.activity_calendar import Calendar, calendar_of
from sequester.read.activity_counts import NOT_WORN, RULES, Bins, bins_of, nonwear_of, span_of
from sequester.read.activity_matrix import Codes
from sequester.read.activity_rows import Making, Ready, Rowed, require_one_row
from sequester.read.activity_timed import Clash, Timed, warn_of
from sequester.read.cells import WALL
from sequester.read.dealing import deal, require_a_format, together
from sequester.read.headers import reads_as_number
from sequester.read.note_counts import Counted, Words
from sequester.read.quantity import declared_facts, is_level
from sequester.read.roles import person_column
from sequester.read.streams import Whole, rows_of_source
from sequester.read.table import form_of, pick
from sequester.read.unused_options import check_told, explained, of_activity, refuse_idle

WHO = "read_activities"
MANY_NUMBERS = 32
"""More different numbers than this are measurements, not states."""


@explained
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
    quasi: tuple[str, ...] = (),
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
        date: the same dates for everybody; monday: days from a Monday on, so that weekdays stay weekdays; start: any
        days in a row. The last two need days, take from everybody those that hold most of their records, and publish
        no dates.
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
    quasi : columns, optional
        Rows of people: the columns of intervals, in order (default: all columns that have no other role).
    covariates : names, optional
        Columns per person that travel beside the data (a grade, a score).
    """
    roles = dict(locals())
    check_told(read_activities, WHO, roles)
    check_roles(interval, value, bins, names, state, start, end, time, states, least_observed)
    refuse_idle(read_activities, WHO, roles, of_activity(roles))
    plan = calendar_of(align=align, dates=dates, first=first, days=days, interval=interval)
    stated = bins_of(bins, names, interval, mean=is_level(quantity)) if bins else None
    rows = rows_of_source(
        source, WHO, table=table, encoding=encoding, header=header, files=files, people=people, person=person,
        form=form_of(WHO, skip_lines, units_row, decimal, time, clock, time_format, (person, value, state, start, end)),
    )  # fmt: skip
    head = rows.head
    if isinstance(rows, Whole) and not rows.table.num_rows:
        raise InputError(NOTHING)
    whose = person_column(head, person, WHO)
    beside = tuple(pick(head, c, WHO, "covariates") for c in covariates)
    empty = Codes(stated.names if stated else states, unknown, WHO)
    rule = nonwear_of(nonwear, interval)
    if stated and rule:
        empty.code(NOT_WORN, may_add=True)  # in the code book whether or not anybody ever took the device off
    asked: Timed | Rowed
    if start is not None or time is not None:
        asked = timed_columns(
            head, start=start, end=end, time=time, state=state, value=value, time_format=time_format, zone=zone,
            plan=plan, bins=stated, valid=span_of(valid), nonwear=rule, valid_day=valid_day, valid_days=valid_days,
        )  # fmt: skip
        require_a_format(rows, [asked.start, asked.end, asked.time], time_format)
        if rows.in_parts:
            _require_days(plan)
    else:
        if state is None and not quasi and not rows.alike:
            # The order of one file's columns would be everybody's order of time.
            raise InputError(
                f"{WHO}: the files have different columns, or the same in another order, and columns are intervals "
                "here. Give all files one header, or pass ‹files=› to choose."
            )
        asked = Rowed.of(head, whose, state, beside, quasi, plan)
    ready = Ready(asked, empty.copy(), whose, beside)
    dealt = deal(rows, whose, ready.columns, ready)
    if not dealt.n_rows:
        raise InputError(NOTHING)
    if isinstance(asked, Rowed):
        ready.require_rows_of_people(dealt)
    numeric = {c: ready.numeric.get(c, False) for c in beside}
    recoded, longest = ready.codes.settled(empty), ready.longest
    making = Making(
        asked=asked, person=whose, codes=ready.codes, recoded=recoded, beside=numeric, longest=longest
    )  # fmt: skip
    made = dealt.made(making, "state_names")
    some = [m.found for m in made if m.data is not None]
    all_names = max((m.names for m in made), key=len)
    declared = bool(states or stated)
    facts = reading_facts(interval, least_observed) + list(declared_facts(quantity, unit_of, WHO))
    if isinstance(asked, Timed):
        warn_of(_clash([f.clash for f in some if f.clash is not None]))
        facts += time_facts(some[0].time, zone)
        facts += count_facts(stated, valid, nonwear, valid_day, valid_days)
    else:
        require_one_row(sum(f.twice for f in some), dealt.n_rows)
    check_names(all_names, any(f.observed for f in some), declared)
    fields = {
        "state_names": all_names,
        "interval_seconds": interval,
        "start": some[0].begins,
        "names_public": declared,
        "notes": [Counted(ready.codes.strange, STRANGE)],
        "reading": (*facts, *some[0].facts, names_fact(declared)),
    }
    return together(rows, "activity", made, fields)


def _require_days(plan: Calendar) -> None:
    if plan.n is None or (plan.align == "date" and plan.first is None):
        raise InputError(
            f"{WHO}: with a memory limit the file is read in pieces, so the days to keep must be told. Pass "
            "‹dates=FROM..TO›, or ‹align='monday'› and ‹days=›."
        )


def _clash(found: list[Clash]) -> Clash | None:
    """Contradictions of all parts."""
    if not any(c.n for c in found):
        return None
    first = min(c.first for c in found if c.n)
    return Clash(sum(c.n for c in found), sum(c.spans for c in found), sum(c.people for c in found), first)


NOTHING = f"{WHO}: the table has no rows. At least one person is needed."
STRANGE = Words(
    "cell holds a state that was not told and counts as missing",
    "cells hold a state that was not told and count as missing",
)


def check_names(names: tuple[str, ...], observed: bool, declared: bool) -> None:
    """Refuse measurements as states, and a table that tells no state at all."""
    if declared:
        return
    n_numbers = sum(map(reads_as_number, names))
    if n_numbers > MANY_NUMBERS:
        raise InputError(
            f"{WHO}: {n_numbers} different numbers would become states. If they are counts, "
            "name their column with ‹value=› and pass ‹bins=›; if they are measurements, use a method for series such "
            "as "
            "kapra; if they are states, name them with states."
        )
    if not observed:
        raise InputError(f"{WHO}: nothing was observed: no row tells a state. Check the column of states.")


def names_fact(declared: bool) -> Fact:
    """How the names of the states came about."""
    return Fact("states", "as declared" if declared else "the names found", "declared" if declared else "found")


def reading_facts(interval: int, least_observed: float) -> list[Fact]:
    """What holds for every shape of table."""
    return [
        Fact("interval seconds", interval, "default" if interval == 60 else "declared"),
        Fact("least observed", least_observed, "default" if least_observed == 0.5 else "declared"),
    ]


def time_facts(time: Fact | None, zone: str) -> list[Fact]:
    """How times were read."""
    assert time is not None
    return [time, Fact("time zone", zone, "default" if zone == WALL else "declared")]


def timed_columns(table: Any, *, state: str | None, value: str | None, **declared: Any) -> Timed:
    """What was told about rows with times, with the columns of the table."""
    for role in ("start", "end", "time"):
        declared[role] = pick(table, declared[role], WHO, role) if declared[role] else None
    if declared["bins"] is not None:
        return Timed(state=None, value=pick(table, str(value), WHO, "value"), **declared)
    return Timed(state=pick(table, state or "state", WHO, "state"), value=None, **declared)


def check_roles(
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


def count_facts(bins: Bins | None, valid: str, nonwear: str, valid_day: int, valid_days: int) -> list[Fact]:
    """How counts became states."""
    if bins is None:
        return []
    return [
        Fact("bins", {"ends": bins.ends.tolist(), "names": list(bins.names), "source": bins.source}, "declared"),
        Fact("valid values", valid, "default" if valid == "0..100000" else "declared"),
        Fact(
            "not worn",
            f"{nonwear}: {RULES[nonwear].source}" if nonwear in RULES else nonwear,
            "default" if nonwear == "none" else "declared",
        ),
        Fact("valid days", {"minutes": valid_day, "days": valid_days}, "default" if not valid_days else "declared"),
    ]
