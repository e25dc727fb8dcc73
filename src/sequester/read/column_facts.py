"""Facts about a column of a sample, found once, and what rules it out: a counter is no measurement."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.read.cells import FORMATS, NATIONAL_CLOCKS, times
from sequester.read.engine import computed, literal

UUID = re.compile(r"[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F-]{22}|[0-9a-fA-F]{16,}")
ISO = re.compile(
    r"\d{4}-\d{1,2}-\d{1,2}([T ]\d{1,2}:\d{2}(:\d{2}([.,]\d+)?)?)?\s*(Z|[+-]\d\d:?\d\d)?(\s*\[[\w/+-]+\])?"
)
DATE = re.compile(
    r"\d{1,4}[-/. ]\d{1,2}[-/. ](\d\d|\d{4})(?!\d).*|\d{1,2}[-/ .]?[A-Za-zäé]{3,9}[-/ .]?,?\s?\d{2,4}.*"
    r"|[A-Za-z]{3,9} \d{1,2},? \d{4}.*"
)
AFTER_CLOCK = re.compile(r"\d{1,2}:\d\d(:\d\d)? (\d|[A-Z]).*\d{4}")
"""A clock with the date behind it."""
RARE_CLOCKS = (" %I:%M%p", " %I:%M:%S%p", " %H.%M", " %H.%M.%S", " %H:%M:%S UTC", " %H:%M:%S.%f UTC")
CLOCK = re.compile(r"\d{1,3}:\d\d(:\d\d([.,]\d+)?)?( ?[AaPp]\.?[Mm]\.?)?")
BASIC = re.compile(r"(19|20)\d{6}T\d{4}(\d\d)?")
"""Date and clock in digits, as ISO 8601 allows them too."""
UNSPACED = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff\u0e00-\u0e7f]")
"""Letters of languages that set no blanks between words."""
NOTHING = ("", "NA", "NaN", "nan", "NULL", "null", "None", "N/A", "-", ".")
UNNAMED = re.compile(r"column \d+|unnamed:? ?\d*|\.?row\.?names?|index|x|v1|nr|no\.?|lfd\.? ?nr\.?", re.I)
"""Names of a column that numbers its rows, if it does."""
BORN = re.compile(
    r"birth|\bdob\b|geburt|\bgeb\b|geb[._ -]{0,2}dat|naiss|\bnac\b|nacim|nascit|nascim|geboorte|生年"
    r"|death|\bdod\b|todes|sterbe|décès|deces\b|defunc",
    re.I,
)
NUMBERED = re.compile(r"(nr|no|num|nummer|number|ref|id|key|seq)\.?$", re.I)
"""How names end that number somebody or something."""
SPREAD = 60
"""Cells of which the format of times is found."""


@dataclass
class Column:
    """One column: cells as text and what they have in common."""

    name: str
    cells: list[str]
    """As text, stripped; empty where nothing is said."""
    unit: str = ""
    """As a row of units says."""
    comma: bool = False
    """Whether numbers have a decimal comma."""
    owner: Any = None
    """Number of the file of every cell, for steps from one row to the next."""
    form: str = ""
    """How times are written, as `--time-format` takes it; `clock` for a time of day or since a start; else nothing."""
    other_form: str = ""
    """A second way that fits as well: day and month cannot be told apart."""
    seconds: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Times in seconds, NaN where there is none."""

    def __post_init__(self) -> None:
        self._find_times()

    @cached_property
    def full(self) -> list[str]:
        """Cells that say something."""
        return [c for c in self.cells if c not in NOTHING]

    @cached_property
    def filled(self) -> float:
        """Share of cells that say something."""
        return len(self.full) / max(1, len(self.cells))

    @cached_property
    def values(self) -> np.ndarray:
        """Numbers, NaN where there is none."""
        return np.array([_number(c, self.comma) for c in self.cells], dtype=np.float64)

    @cached_property
    def numbers(self) -> np.ndarray:
        """The numbers alone."""
        return self.values[~np.isnan(self.values)]

    @cached_property
    def number(self) -> float:
        """Share of numbers among the cells that say something."""
        return len(self.numbers) / max(1, len(self.full))

    @cached_property
    def is_number(self) -> bool:
        """Whether it holds numbers and no times; a few words such as Low and High are borne."""
        return self.number > 0.85 and not self.form

    @cached_property
    def whole(self) -> bool:
        """Whether the numbers are whole."""
        return bool(len(self.numbers)) and bool(np.all(self.numbers == np.floor(self.numbers)))

    @cached_property
    def distinct(self) -> int:
        """How many different cells."""
        return len(set(self.full))

    @cached_property
    def length(self) -> float:
        """Mean number of letters."""
        some = self.full[:2000]
        return sum(map(len, some)) / max(1, len(some))

    @cached_property
    def words(self) -> float:
        """Mean number of words."""
        some = self.full[:2000]
        return sum(max(len(c.split()), len(UNSPACED.findall(c)) // 3) for c in some) / max(1, len(some))

    @cached_property
    def counter(self) -> bool:
        """Whether it counts rows: from one row to the next it nearly always takes the same step."""
        if not (self.number > 0.9 and len(self.numbers) > 9):
            return False
        steps = np.round(np.diff(self.numbers), 9)
        steps = steps[steps != 0] if np.mean(steps == 0) < 0.05 else steps
        if not len(steps):
            return False
        values, n = np.unique(steps, return_counts=True)
        usual = float(values[n.argmax()])
        return usual != 0 and bool(n.max() > 0.9 * len(steps))

    @cached_property
    def constant(self) -> bool:
        """Whether it says one thing only."""
        return self.distinct <= 1

    @cached_property
    def identifier(self) -> bool:
        """Whether it is a number or a name of something: nearly all different, or a UUID, or long whole numbers."""
        n = len(self.full)
        if n and sum(UUID.fullmatch(c) is not None for c in self.full[:50]) > 0.8 * min(n, 50):
            return True
        if n <= 20 or self.form or self.words > 4 or self.distinct <= 0.8 * n:
            return False
        if self.number < 0.5:
            return self.length < 60
        return self.whole and (float(np.abs(self.numbers).max(initial=0)) > 3 * n or self.counter)

    @cached_property
    def unnamed(self) -> bool:
        """Whether it has no name of its own, as R and pandas write the numbers of rows."""
        return UNNAMED.fullmatch(self.name.strip()) is not None and (self.counter or self.name.startswith("column "))

    @property
    def ruled_out(self) -> str:
        """Why it is never a measurement, a state or a text; nothing where it may be."""
        if self.unnamed:
            return "it numbers the rows"
        if self.counter:
            return "it counts"
        if self.constant:
            return "it is the same everywhere"
        return "it identifies something" if self.identifier else ""

    @cached_property
    def date_only(self) -> bool:
        """Whether all times are at midnight or one other full hour."""
        known = self.seconds[~np.isnan(self.seconds)]
        clocks = np.unique(known % 86400)
        return bool(self.form) and self.form != "clock" and len(clocks) <= 2 and bool(np.all(clocks % 3600 == 0))

    def _find_times(self) -> None:
        if self.form or not self.cells:
            return
        full = [c for c in self.cells if c not in NOTHING]
        if len(full) < 1:
            return
        some = full[:: max(1, len(full) // SPREAD)][:SPREAD]
        self.form, self.other_form = _form_of(some, self.name)
        if self.form:
            self.seconds = self.seconds_as(self.form)
            if np.isnan(self.seconds).sum() > 0.2 * len(full) + (len(self.cells) - len(full)):
                self.form = self.other_form = ""
                return
        if self.other_form:  # the true one keeps a recording together
            other = self.seconds_as(self.other_form)
            spans = [_jumps(s) for s in (self.seconds, other)]
            if spans[1] < 0.5 * spans[0]:
                self.form, self.other_form, self.seconds = self.other_form, "", other
            elif spans[0] < 0.5 * spans[1]:
                self.other_form = ""

    def seconds_as(self, form: str) -> np.ndarray:
        """The cells as times written in a format."""
        found = times(pa.array([c or None for c in self.cells], pa.string()), self.name, "inspect", form=form)
        return np.where(found.known, found.seconds.astype(np.float64), np.nan)


def holds_lists(column: Column) -> bool:
    """Whether cells are lists."""
    return bool(column.full) and sum(t.startswith("[") for t in column.full) > 0.9 * len(column.full)


def _jumps(seconds: np.ndarray) -> float:
    known = seconds[~np.isnan(seconds)]
    return float(np.median(np.abs(np.diff(known))) + np.abs(np.diff(known)).sum() / 1e3) if len(known) > 1 else 0.0


def _number(cell: str, comma: bool) -> float:
    if comma:
        cell = cell.replace(",", ".") if cell.count(",") == 1 and "." not in cell else cell
    try:
        found = float(cell)
    except ValueError:
        return np.nan
    return found if np.isfinite(found) and "_" not in cell else np.nan


def _form_of(some: list[str], name: str) -> tuple[str, str]:
    """The format of times that reads nine of ten cells, and a second one that does too; nothing where none does."""
    enough = 0.9 * len(some)
    if sum(CLOCK.fullmatch(c) is not None for c in some) >= enough:
        return "clock", ""
    if sum(ISO.fullmatch(c) is not None for c in some) >= enough:
        return "iso", ""
    if all(c.replace(".", "", 1).isdigit() for c in some):
        return _epoch(some, name)
    if sum(BASIC.fullmatch(c) is not None for c in some) >= enough:
        return ("%Y%m%dT%H%M%S" if len(some[0]) == 15 else "%Y%m%dT%H%M"), ""
    if sum(AFTER_CLOCK.fullmatch(c) is not None for c in some) >= enough:
        forms = [f"{clock} {date}" for date in FORMATS for clock in ("%H:%M:%S", "%H:%M")]
    elif sum(DATE.fullmatch(c) is not None for c in some) >= enough:
        forms = [date + clock for date in FORMATS for clock in (*NATIONAL_CLOCKS, *RARE_CLOCKS)]
    else:
        return "", ""
    read = computed({"t": some}, {f"f{i}": f"count(try_strptime(t, {literal(f)}))" for i, f in enumerate(forms)})
    fits = [f for i, f in enumerate(forms) if read[f"f{i}"][0].as_py() >= enough]
    if not fits:
        return "", ""
    return fits[0], _swapped(fits[0]) if _swapped(fits[0]) in fits[1:] else ""


def _swapped(form: str) -> str:
    """A format with the day and the month in each other's place."""
    return form.translate({ord("d"): "m", ord("m"): "d"})


def _epoch(some: list[str], name: str) -> tuple[str, str]:
    """The format of times that are written in digits alone, and a second one that fits as well."""
    whole = [c.partition(".")[0] for c in some]
    timely = re.search(r"time|date|stamp|epoch|unix|\bts\b|datum|zeit|^at$|^t$|start|end|_dt|dttm|^fec|日$", name, re.I)
    year, month, day = r"(19|20)\d\d", r"(0[1-9]|1[0-2])", r"(0[1-9]|[12]\d|3[01])"
    clock = r"([01]\d|2[0-3])[0-5]\d"
    forms = [] if NUMBERED.search(name) else [(r"1\d{12}", "milliseconds")]
    if timely:
        forms += [(r"1[0-9]\d{8}|[6-9]\d{8}", "seconds"), (year + month + day, "%Y%m%d")]
        forms += [(day + month + year, "%d%m%Y"), (month + day + year, "%m%d%Y")]
    forms += [(year + month + day + clock, "%Y%m%d%H%M"), (year + month + day + clock + r"[0-5]\d", "%Y%m%d%H%M%S")]
    cells = {"milliseconds": whole, "seconds": whole}
    fits = [form for written, form in forms if all(re.fullmatch(written, c) for c in cells.get(form, some))]
    return (fits[0], _swapped(fits[0]) if _swapped(fits[0]) in fits[1:] else "") if fits else ("", "")
