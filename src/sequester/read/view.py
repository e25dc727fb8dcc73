"""A sample as the recognisers see it: whose rows, when, at which step; and what a recogniser answers."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from sequester.read.column_facts import BORN, Column
from sequester.read.gather import FILE, FOLDER
from sequester.read.people import Who, means_person, perhaps_person
from sequester.read.sample import Sample
from sequester.read.sample_tables import Table
from sequester.read.table import HEADER

TIMELY = re.compile(
    r"time|date|stamp|datum|zeit|hour|\bdt\b|start|begin|\bvon\b|\bfrom\b|admit|\bfec|when|_dt$|\bdata\b|tijd|日", re.I
)
BEST_TIME = re.compile(r"stamp|\btime\b|datetime|charttime|starttime|\bstart|\bdate\b|time:timestamp", re.I)
OTHER_TIME = re.compile(
    r"birth|dob|death|dod|store|\bend|end_|stop|bis\b|finish|due|planned|out|disch|\bto\b|update|thru|modif|creat"
    r"|generated|import|upload|expire|verif|transmitter|download|register|sync|enter|entlass|sortie|uscita|salida|\balta\b"
    r"|ende\b|einde|\bfin\b|ontslag|退院|終了",
    re.I,
)
ELAPSED = re.compile(
    r"time|\bt\b|sec|min|hour|\bhr\b|day|week|month|visit|wave|elapsed|offset|since|epoch|paxn|iculos|cycle|tick|ms\b"
    r"|ed[ _]?at$|zeit|\bstd\b|stunde|tag\b|heure|hora\b|jour|día|giorno|dag\b|woche|monat|semaine|\bmois\b|semana"
    r"|\bmes\b|besuch|visita",
    re.I,
)
UNITS = {
    "milli": "milliseconds", "ms": "milliseconds", "sec": "seconds", "min": "minutes", "offset": "minutes",
    "paxn": "minutes", "hour": "hours", "iculos": "hours", "stunde": "hours", "heure": "hours", "day": "days",
    "tag": "days", "jour": "days",
}  # fmt: skip
OFFSET = re.compile(r"offset|\bdays? to\b|since|elapsed|\bdt\b|days? from|from admission|relative", re.I)
"""Names of times from a start on, which are times in whatever order they stand."""
TIME_OF_DAY = re.compile(r"['\"\[]*\d{1,3}:\d\d(:\d\d)?([.,]\d+)?\s*(Z|[+-]\d\d:?\d\d)?['\"\]]*")
"""A clock also where no reader takes it for one: between marks, or with its distance from Greenwich."""
HOUR = re.compile(
    r"((the|start|local|activity) )?(hour|hr|hora|heure|stunde|std|uur|ora|timme)s?( of( the)? day)?", re.I
)
"""Names of an hour of the day that stands beside its date."""
BEGINS = re.compile(
    r"start|begin|\bvon\b|\bfrom\b|intime|onset|admit|aufnahme|entrée|ingres|inicio|início|début|opname|入院|開始", re.I
)
ENDS = re.compile(
    r"\bend|end_|stop|\bbis\b|until|\bto\b|outtime|thru|disch|finish|complete|entlass|sortie|uscita|salida|\balta\b"
    r"|ende\b|einde|\bfin\b|ontslag|退院|終了",
    re.I,
)


UNSAID = re.compile(r"offset$", re.I)
"""Names of times from a start on whose unit only the custodian knows; minutes are assumed."""
MOST_BACK = 0.2
"""Share of steps back in time up to which the rows of a person are in order, and the clock began again."""


@dataclass
class Candidate:
    """What a source could be: how sure, why, with which roles, and what only the custodian can say."""

    kind: str
    score: float
    """0 to 1; the largest is proposed."""
    why: str
    roles: dict[str, str] = field(default_factory=dict)
    """Option → value, as the command line takes them."""
    alternatives: dict[str, list[str]] = field(default_factory=dict)
    choose: list[str] = field(default_factory=list)
    """Questions, options between guillemets."""
    lines: list[str] = field(default_factory=list)
    in_the_way: str = ""
    """Why it cannot be published as it is; nothing where it can."""


def clock_like(column: Column) -> bool:
    """Whether a column holds times of day or since a start, readable or not: never what happened."""
    some = column.full[:50]
    return bool(some) and sum(TIME_OF_DAY.fullmatch(c) is not None for c in some) > 0.9 * len(some)


def _plain(column: Column) -> str:
    """The words of a column's name."""
    return re.sub(r"([a-z])([A-Z])", r"\1 \2", column.name).replace("_", " ")


def is_elapsed(column: Column) -> bool:
    """Whether a column is called like a time since a start, or like a number of visits, and holds no births."""
    return ELAPSED.search(_plain(column)) is not None and BORN.search(_plain(column)) is None


@dataclass
class View:
    """The sample with what all recognisers ask of it."""

    sample: Sample
    table: Table
    who: Who
    unsafe: int = 0
    """Columns whose names could be cells; they are not among the columns."""

    @cached_property
    def free(self) -> list[Column]:
        """Columns that say neither who nor when."""
        taken = {self.who.role, *(c.name for c in self.whens), self.elapsed.name if self.elapsed else ""}
        return [c for c in self.table.columns if c.name not in taken]

    @cached_property
    def owner(self) -> np.ndarray:
        """A number per row: whose it is, as far as known."""
        column = self.who.column
        files = self.table.columns[0].owner if self.table.columns else None
        code = np.zeros(self.table.n, dtype=np.int64) if files is None else files.astype(np.int64)
        if self.who.role == FOLDER and files is not None and self.sample.path is not None:
            inside = [p.relative_to(self.sample.path).parts[0] for p in self.table.paths]
            return np.unique(inside, return_inverse=True)[1][files]
        if column is None or self.who.role in (FILE, FOLDER):
            return code
        return np.unique(np.array(column.cells), return_inverse=True)[1]

    @cached_property
    def whens(self) -> list[Column]:
        """Columns of times, likeliest first; births are none, and what never changes for a person comes last."""
        found = [c for c in self.table.columns if c.form and c.filled > 0.3 and not BORN.search(c.name)]
        found = [c for c in found if c is not self.who.column]
        place = {c.name: i for i, c in enumerate(self.table.columns)}
        dated = any(c.form != "clock" and not self._of_person(c) for c in found)  # else all dates are of a visit each
        return sorted(found, key=lambda c: (
            c.constant, dated and self._of_person(c), c.form == "clock", bool(OTHER_TIME.search(c.name)),
            c.filled < 0.8, not TIMELY.search(c.name), not BEST_TIME.search(c.name), place[c.name],
        ))  # fmt: skip

    def _of_person(self, column: Column) -> bool:
        """Whether a column says one thing about each person, however many rows they have: a birth, not an event."""
        people = len(np.unique(self.owner))
        if self.table.n < 1.5 * people:
            return False
        said = np.unique(np.array(column.cells), return_inverse=True)[1]
        return len(np.unique(self.owner * (said.max() + 1) + said)) <= 1.05 * people

    @cached_property
    def when(self) -> Column | None:
        """The column of times; a date that is the same everywhere is one only where clocks stand beside it."""
        first = self.whens[0] if self.whens else None
        if first is not None and first.constant and self.table.n > 1 and not any(c.form == "clock" for c in self.whens):
            return None
        return first

    @cached_property
    def clock(self) -> Column | None:
        """The time of day beside a date."""
        when = self.when
        if when is None or when.form == "clock" or not when.date_only:
            return None
        clocks = [c for c in self.whens if c.form == "clock" and c.filled > 0.8 and c.distinct > 2]
        hour = hour_of(self)
        if not clocks and hour is not None and all(c.isdigit() for c in hour.full):
            return Column(hour.name, hour.cells, form="clock", seconds=hour.values * 3600)
        close = {c.name: i for i, c in enumerate(self.table.columns)}
        return min(clocks, key=lambda c: abs(close[c.name] - close[when.name]), default=None)

    @cached_property
    def elapsed(self) -> Column | None:
        """A number that rises within everybody's rows and is called like a time, where no column holds times."""
        if any(c.form != "clock" and not c.constant for c in self.whens):
            return None
        for c in self.table.columns:
            offset = OFFSET.search(_plain(c)) is not None and not c.counter and c.distinct > 9
            if c.number < 0.9 or c.constant or len(c.numbers) != self.table.n or BORN.search(_plain(c)):
                continue
            if (is_elapsed(c) and self.rises(c)) or (offset and self.changes(c) > 0.5):
                return c
        return None

    def rises(self, column: Column) -> bool:
        """Whether a column of numbers rises within everybody's rows, as time does."""
        step = np.diff(column.values)[np.diff(self.owner) == 0]
        return len(step) > 9 and bool(np.mean(step >= 0) > 0.97 and np.mean(step > 0) > 0.2)

    @cached_property
    def elapsed_form(self) -> str:
        """The format of the elapsed time, by its name; an order where the name says no unit."""
        assert self.elapsed is not None
        name = self.elapsed.name.lower()
        if re.match(r"\d+ ?(min|sec|hour|day)", name):
            return "number"  # it counts intervals of several
        short = re.search(r"(?:^|[_ (\[.])(ms|s|sec|min|h|hr|hrs|d)[)\]]?$", name)
        if short:
            return {"ms": "milliseconds", "s": "seconds", "sec": "seconds", "min": "minutes", "d": "days"}.get(
                short[1], "hours"
            )
        return next((form for word, form in UNITS.items() if word in name), "number")

    @cached_property
    def begun(self) -> Column | None:
        """Per file, when it begins by the lines before its table, where no column holds times."""
        said = self.table.begun
        if not said or None in said or self.elapsed is not None or any(c.form != "clock" for c in self.whens):
            return None
        found = Column(HEADER, [b.text for b in said if b is not None])
        before = self.table.written.before if self.table.written is not None else ()
        first = next((m[1] for line in before if (m := re.search(r"date format ([dM])", line))), None)
        if first and found.other_form and found.form[1] != first.lower():
            found = Column(HEADER, found.cells, form=found.other_form, seconds=found.seconds_as(found.other_form))
        return found if found.form and found.form != "clock" else None

    @cached_property
    def at(self) -> np.ndarray | None:
        """Seconds per row, NaN where unknown; a date and its clock together."""
        if self.begun is not None:
            files = self.table.columns[0].owner
            file = np.zeros(self.table.n, dtype=np.int64) if files is None else files
            step = np.array([b.seconds for b in self.table.begun if b is not None])
            place = np.arange(self.table.n) if self.table.position is None else self.table.position
            return self.begun.seconds[file] + place * step[file]
        if self.when is not None and not (self.elapsed is not None and self.when.form == "clock"):
            return self.when.seconds + (self.clock.seconds if self.clock is not None else 0.0)
        if self.elapsed is not None:
            per = {"milliseconds": 1e-3, "minutes": 60.0, "hours": 3600.0, "days": 86400.0}
            return self.elapsed.values * per.get(self.elapsed_form, 1.0)
        return None

    @cached_property
    def time_roles(self) -> dict[str, str]:
        """`time`, `clock` and `time-format`."""
        if self.begun is not None:
            return {"time": HEADER, "time-format": self.begun.form}
        if self.when is not None and not (self.elapsed is not None and self.when.form == "clock"):
            if self.clock is None:
                return {"time": self.when.name, "time-format": self.when.form}
            minute = max((c.count(":") for c in self.clock.full[:200]), default=1)
            half = any(c[-1:] in "mM" for c in self.clock.full[:50])
            form = (
                ("%I:%M:%S %p" if minute > 1 else "%I:%M %p") if half else ("%H", "%H:%M", "%H:%M:%S")[min(minute, 2)]
            )
            date = "%Y-%m-%d" if self.when.form == "iso" else re.split(r"[T, ]*%[HI]", self.when.form)[0]
            whole = "iso" if self.when.form == "iso" and not half and minute else f"{date} {form}"
            return {"time": self.when.name, "clock": self.clock.name, "time-format": whole}
        if self.elapsed is not None:
            return {"time": self.elapsed.name, "time-format": self.elapsed_form}
        return {}

    @cached_property
    def signal_time(self) -> dict[str, str]:
        """The roles of a time that orders the samples of a signal: no time of day, and no number of rows."""
        roles = self.time_roles
        ordered = "clock" not in roles and roles.get("time-format") not in ("clock", "number")
        return roles if ordered else {}

    @cached_property
    def asked_about_times(self) -> list[str]:
        """The question whether the day or the month comes first, where both fit."""
        when = self.begun or self.when
        if (
            self.elapsed is not None
            and self.time_roles.get("time") == self.elapsed.name
            and UNSAID.search(self.elapsed.name)
        ):
            return [
                f"does '{self.elapsed.name}' count {self.elapsed_form}? "
                "Else ‹time_format=› takes seconds, hours or days"
            ]
        if when is None or not when.other_form or self.time_roles.get("time") != when.name:
            return []
        return [
            f"does '{when.name}' have the day or the month first? Both fit: ‹time_format='{when.form}'› or "
            f"‹time_format='{when.other_form}'›"
        ]

    @cached_property
    def step(self) -> tuple[float | None, float]:
        """The usual seconds between neighbouring rows of a person, and the share of steps that are about so long."""
        if self.at is None:
            return None, 0.0
        gaps = np.diff(self.at)[np.diff(self.owner) == 0]
        gaps = gaps[~np.isnan(gaps) & (gaps > 0)]
        if len(gaps) < 10:
            return None, 0.0
        usual = float(np.median(gaps))
        values, n = np.unique(np.round(gaps, 0 if usual > 1 else 6), return_counts=True)
        if n.max() > 0.4 * len(gaps):
            usual = float(values[n.argmax()])
        return usual, float(np.mean(np.abs(gaps - usual) <= 0.2 * usual + 1e-9))

    @cached_property
    def spans(self) -> np.ndarray:
        """First and last second of everybody in the sample."""
        if self.at is None:
            return np.zeros((0, 2))
        out = []
        for p in np.unique(self.owner):
            mine = self.at[(self.owner == p) & ~np.isnan(self.at)]
            if len(mine):
                out.append((mine.min(), mine.max()))
        return np.array(out).reshape(-1, 2)

    @cached_property
    def own_days(self) -> float:
        """Days from the first to the last row of a person, in the middle of all; by estimate if need be."""
        own = float(np.median(self.spans[:, 1] - self.spans[:, 0])) if len(self.spans) else 0.0
        step = self.step[0] or 0.0
        if self.table.cut and self.table.total and self.who.column is not None:
            own = max(own, step * (self.table.total / max(1, self.who.column.distinct) - 1))
        return (own + step) / 86400

    @property
    def rows_each(self) -> float:
        """Rows per person in the sample."""
        return self.table.n / max(1, len(np.unique(self.owner)))

    def counts(self, column: Column) -> bool:
        """Whether a column of numbers takes the same step from row to row of everybody: it numbers them."""
        step = np.diff(column.values)[np.diff(self.owner) == 0]
        values, n = np.unique(step[~np.isnan(step)], return_counts=True)
        return len(values) > 0 and values[n.argmax()] != 0 and bool(n.max() > 0.9 * len(step) > 9)

    def changes(self, column: Column) -> float:
        """Share of people, of those with several rows, within whom a column changes: 0 for what a person has once."""
        cells = np.array(column.cells)
        several = changing = 0
        order = np.argsort(self.owner, kind="stable")
        cuts = np.flatnonzero(np.diff(self.owner[order])) + 1
        for mine in np.split(order, cuts):
            said = {c for c in cells[mine] if c}
            several += len(mine) > 1
            changing += len(mine) > 1 and len(said) > 1
        return changing / several if several else 1.0

    def once_each(self) -> bool:
        """Whether every row is another person's."""
        return self.who.column is not None and self.who.column.distinct > 0.9 * self.table.n


def said_once(view: View) -> list[str]:
    """Columns of one value per person, such as a sex or a group: a covariate or sensitive, and no identifier."""
    people = len(np.unique(view.owner))
    if view.rows_each < 2 or people < 2:
        return []
    found = [c for c in view.free if c.distinct > 1 and c.filled > 0.5 and not (c.ruled_out or c.form or c.words > 4)]
    found = [c for c in found if not means_person(c.name) and perhaps_person(c.name) is None and not view.changes(c)]
    large = 10 * people  # a number of somebody, not an age or a score
    return [
        c.name for c in found
        if c.distinct <= 0.5 * people or (c.is_number and not (c.whole and np.abs(c.numbers).max() > max(999, large)))
    ]  # fmt: skip


def hour_of(view: View) -> Column | None:
    """The hour of the day as a number of its own beside a date."""
    if view.when is None or not view.when.date_only:
        return None
    for c in view.table.columns:
        if HOUR.fullmatch(_plain(c).strip()) and c.whole and c.number > 0.95 and c.distinct > 2:
            return c if c.numbers.min() >= 0 and c.numbers.max() < 24 else None
    return None


def without_day(view: View) -> str:
    """Why the times tell no day, or no hour, although the rows go on over several; nothing where they do."""
    when, hour = view.when, hour_of(view)
    if when is not None and hour is not None and view.clock is None:
        return (
            f"the hour of '{when.name}' stands in '{hour.name}', as no clock is written: write date and hour into one "
            "column"
        )
    if when is None or when.form != "clock" or view.elapsed is not None or view.at is None:
        return ""
    step = np.diff(view.at)[np.diff(view.owner) == 0]
    back = float(np.mean(step < 0)) if len(step) else 0.0
    if not 0 < back < MOST_BACK or np.nanmax(view.at) >= 86400:
        return ""
    return (
        f"'{when.name}' holds times of day, which begin again every day, and no date stands beside them: write day and "
        "time of day into one column"
    )
