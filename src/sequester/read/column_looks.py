"""What a column looks like: how many of its cells are numbers or times, how many differ, how long they are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.read.cells import Times, numbers, texts, times

DECIMAL_COMMA = re.compile(r"[-+]?\d+,\d+")
ROWS = 20_000
"""Rows that are looked at."""


@dataclass
class Column:
    """One column: how many of its cells are numbers or times, how many differ."""

    name: str
    filled: float
    number: float
    time: Times | None
    distinct: int
    length: float
    decimal_comma: bool = False
    """Whether its cells are numbers as they are written in many languages, such as 1,5."""

    @property
    def is_number(self) -> bool:
        """Most cells are numbers."""
        return self.number > 0.5

    @property
    def is_time(self) -> bool:
        """Most cells are dates or times of day on dates."""
        return self.time is not None


def profile(table: Any, name: str) -> Column:
    """Look at the first rows of a column."""
    some = table[name].slice(0, ROWS)
    written = texts(some)
    n = max(1, len(written) - written.null_count)
    values, _ = numbers(some)
    number = float((~np.isnan(values)).sum()) / n
    when: Times | None = None
    if number < 0.5 or _names_a_time(name) or not table.num_rows:
        try:
            tried = times(some, name, "inspect", numbers_are="number")
            when = tried if tried.clock and tried.known.sum() > 0.8 * n else None
        except InputError:
            when = None
    said = [t for t in written.to_pylist()[:2000] if t]
    return Column(
        name=name,
        filled=n / max(1, len(written)),
        number=number,
        time=when,
        distinct=len(written.dictionary_encode().dictionary),
        length=float(np.mean([len(t) for t in said])) if said else 0.0,
        decimal_comma=bool(said) and all(DECIMAL_COMMA.fullmatch(t) for t in said),
    )


def _names_a_time(name: str) -> bool:
    """`time`, `visit_date` or `timestamp`; a number of days or minutes is a measurement, whatever it is called."""
    words = re.split(r"[^a-z]+", name.lower())
    return any(w.startswith(("time", "date")) or w.endswith(("time", "date", "stamp")) for w in words) and not (
        set(words) & {"days", "hours", "minutes", "seconds", "stay", "length", "duration", "since"}
    )
