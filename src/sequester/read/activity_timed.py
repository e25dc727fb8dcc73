"""Activity from rows with times: observations, spans and counts, each person by itself."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, SequesterWarning, counted
from sequester.model import Fact
from sequester.read.activity_calendar import Calendar
from sequester.read.activity_counts import Bins, Nonwear, rows_of_counts
from sequester.read.activity_matrix import Codes, Observations, contradictions, from_observations, from_spans
from sequester.read.cells import Times, numbers, times
from sequester.read.dealing import NoRows
from sequester.read.note_counts import Counted, Words, rows_left_out
from sequester.read.roles import Owners

WHO = "read_activities"
CODES = "states in codes"
"""Column that takes the place of a column of states, of lists, or of a column per interval."""
NOT_TIMED = rows_left_out("without a time that can be read")
BACKWARDS = Words("span with an end before the start was left out", "spans with an end before the start were left out")
OUTSIDE = Words(
    "rows lies outside the days that are kept and was left out",
    "rows lie outside the days that are kept and were left out",
)
NO_NUMBERS = Words("count is not a number and was left out", "counts are not numbers and were left out")
INVALID = Words(
    "count lies outside the valid values and was left out", "counts lie outside the valid values and were left out"
)


class Timed(NamedTuple):
    """What was told about rows with times; columns by their names."""

    start: str | None
    end: str | None
    time: str | None
    state: str | None
    value: str | None
    time_format: str
    zone: str
    plan: Calendar
    bins: Bins | None
    valid: tuple[float, float]
    nonwear: Nonwear | None
    valid_day: int
    valid_days: int

    @property
    def columns(self) -> list[str]:
        """Every column that is read as it is; states come as `CODES`."""
        return [c for c in (self.start, self.end, self.time, self.value) if c is not None]


class Clash(NamedTuple):
    """Spans that overlap an earlier one of the same person in another state."""

    n: int
    spans: int
    people: int
    first: int
    """Row of the table."""


class States(NamedTuple):
    """People with their rows of states."""

    matrix: np.ndarray
    persons: list[str]
    rows: np.ndarray
    """The first row of every person that counts."""
    begins: np.datetime64
    facts: tuple[Fact, ...]
    clash: Clash | None = None
    time: Fact | None = None


def from_timed(table: pa.Table, who: Owners, asked: Timed, codes: Codes, notes: list[str]) -> States:
    """The rows of states of everybody in some rows of a table; the column of states holds codes."""
    at = [
        times(table[c], c, WHO, form=asked.time_format, zone=asked.zone, numbers_are="seconds")
        for c in (asked.start, asked.end, asked.time)
        if c
    ]
    found = (
        _from_counts(table, who, at[0], asked, notes) if asked.bins else _from_rows(table, who, at, asked, codes, notes)
    )
    return found._replace(time=at[0].fact)


def _kept(who: Owners, known: np.ndarray) -> tuple[np.ndarray, list[str], np.ndarray]:
    try:
        return who.kept(known, WHO)
    except InputError as error:
        raise NoRows(str(error.args[0])) from error


def _from_rows(table: pa.Table, who: Owners, at: list[Times], asked: Timed, codes: Codes, notes: list[str]) -> States:
    known = who.known & np.logical_and.reduce([t.known for t in at])
    begins = at[0].seconds
    ends = None
    n_backwards = 0
    if len(at) == 2:
        # A span lasts as long as it lasted, also where the clock was changed meanwhile.
        ends = at[1].seconds + (at[0].ahead - at[1].ahead)
        backwards = known & (ends < begins)
        n_backwards = int(backwards.sum())
        notes.append(Counted(n_backwards, BACKWARDS))
        known &= ~backwards
    notes.append(Counted(int((who.known & ~known).sum()) - n_backwards, NOT_TIMED))
    encoded = table[CODES].to_numpy()
    person, persons, rows = _kept(who, known)
    encoded, begins = encoded[rows], begins[rows]
    ends = None if ends is None else ends[rows]
    window = asked.plan.window(person, begins, ends, len(persons))
    inside = window.inside(person, begins, ends)
    outside = int((~inside).sum())
    notes.append(Counted(outside, " of ", len(inside), OUTSIDE))
    observed = Observations(
        person=person[inside], n_people=len(persons), state=encoded[inside], interval=asked.plan.interval
    )
    zero = window.zero[person[inside]]
    clash = None
    if ends is None:
        matrix = from_observations(observed, begins[inside] - zero, codes, window.n)
    else:
        first, last = begins[inside] - zero, ends[inside] - zero
        clash = _clash(observed, first, last, rows[inside])
        matrix = from_spans(observed, first, last, codes, window.n)
    return States(matrix, persons, who.first_of(person, rows, len(persons)), window.start, window.facts, clash)


def _from_counts(table: pa.Table, who: Owners, at: Times, asked: Timed, notes: list[str]) -> States:
    assert asked.bins is not None and asked.value is not None
    values, bad = numbers(table[asked.value])
    low, high = asked.valid
    outside = ~np.isnan(values) & ((values < low) | (values > high))
    known = who.known & at.known & ~np.isnan(values) & ~outside
    notes.append(Counted(int((who.known & ~at.known).sum()), NOT_TIMED))
    notes.append(Counted(bad, NO_NUMBERS))
    notes.append(Counted(int(outside.sum()), INVALID))
    person, persons, rows = _kept(who, known)
    window = asked.plan.window(person, at.seconds[rows], None, len(persons))
    rules = {"nonwear": asked.nonwear, "valid_day": asked.valid_day, "valid_days": asked.valid_days}
    matrix, usable = rows_of_counts(
        person, at.seconds[rows], values[rows], len(persons), asked.bins, window, asked.plan.interval, rules, notes
    )
    if not usable.any():
        raise NoRows(
            f"{WHO}: nobody has {asked.valid_days} days of {asked.valid_day} observed minutes. Lower valid_days, "
            "or check align, days and interval.",
            rank=1,
        )
    firsts = who.first_of(person, rows, len(persons))
    kept = np.flatnonzero(usable)
    return States(matrix[kept], [persons[i] for i in kept], firsts[kept], window.start, window.facts)


def _clash(rows: Observations, begins: np.ndarray, ends: np.ndarray, number: np.ndarray) -> Clash:
    at = contradictions(rows.person, begins, ends, rows.state)
    first = int(number[at[0]]) if len(at) else 0
    return Clash(len(at), len(begins), len(np.unique(rows.person[at])), first)


def warn_of(clash: Clash | None) -> None:
    """Nobody can do two things at once: say how often the table claims so, and what becomes of it."""
    if clash is not None and clash.n:
        warnings.warn(
            f"{WHO}: {clash.n} of {clash.spans} spans, of {counted(clash.people, 'person', 'people')}, overlap an "
            f"earlier span in another state (first at row {clash.first + 1}); an interval takes the state that "
            "covers most of it.",
            SequesterWarning,
            stacklevel=3,
        )
