"""Names of columns, and first lines that are rather a row: what stands in a cell is never shown as a name."""

from __future__ import annotations

import codecs
import csv
import gzip
import re
import zlib
from collections.abc import Sequence
from datetime import datetime, timedelta
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from sequester.errors import InputError, counted, verb_for

MOST, LONGEST = 8, 60
"""Names in a message, and letters of the longest."""
USUAL = frozenset((
    "person", "patient", "subject", "participant", "user", "student", "id", "case", "visit", "object", "record",
    "row", "number", "time", "date", "timestamp", "day", "hour", "minute", "start", "end", "begin", "stop", "from",
    "to", "state", "activity", "event", "concept", "code", "value", "count", "steps", "text", "note", "report",
    "document", "name", "sex", "gender", "age", "group", "ward", "label", "symbol", "signal", "lead", "series",
    "sensor", "x", "y", "z", "t", "v", "index", "file", "folder", "outcome", "diagnosis", "type", "kind", "status",
    "unit",
))  # fmt: skip
"""Words that headers are made of."""


LOOKED_AT = 1 << 18
MOST_ROWS = 200
"""Bytes and rows that are compared with the header."""
LONG_NUMBER = re.compile(r"\d{9}")
"""In a name it is rather somebody's number, joined to the header by a line end that is missing."""


def named_usually(name: str) -> bool:
    """Whether a name is made like a name of a column: a usual word is in it, or it is numbered or joined by `_`."""
    words = [w for w in re.split(r"[^a-z]+", name.lower()) if w]
    return any(w in USUAL for w in words) or "_" in name or bool(re.fullmatch(r"[A-Za-z]{1,3}\d+", name))


def looks_headerless(names: list[str]) -> bool:
    """Whether a header is rather a row of values: a number or a date among the names, unless the names are numbered."""
    if names == [str(i + 1) for i in range(len(names))]:
        return False
    odd = [n for n in names if _like_a_cell(n)]
    return len(odd) > 0 and 4 * len(odd) >= len(names) and not counts_up(odd)


def counts_up(names: list[str]) -> bool:
    """Columns named by numbers that rise, or by dates that do, are times, not values."""
    if not all(reads_as_number(n) for n in names):
        if len(names) < 2 or not all(_looks_like_date(n) for n in names):  # a date beside a number is a row
            return False
        ways = zip(*map(_dates, names), strict=True)
        return any(all(a < b for a, b in pairwise(dates)) for dates in ways)
    values = [float(n) for n in names]
    return len(values) > 1 and all(a < b for a, b in pairwise(values))


DATE = re.compile(r"\d{4}[-/.]\d\d.|\d{1,2}([-/.])\d{1,2}\1\d{4}")


def _looks_like_date(name: str) -> bool:
    return len(name) >= 8 and DATE.match(name) is not None


def _dates(name: str) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """What a name that looks like a date may be, to be compared: with the day, and with the month before the other."""
    a, b, c, *clock = (*map(int, re.findall(r"\d+", name)), 0)
    return ((a, b, c, *clock),) * 2 if a > 999 else ((c, b, a, *clock), (c, a, b, *clock))


def reads_as_number(text: str) -> bool:
    """Whether a cell that was kept as text could be a number."""
    try:
        float(text)
    except ValueError:
        return False
    return True


def _like_a_cell(name: str) -> bool:
    """A number, a date, or letters with somebody's number behind them."""
    return reads_as_number(name) or _looks_like_date(name) or bool(LONG_NUMBER.search(name))


def safe_names(names: list[str]) -> list[str]:
    """The names that may be shown: where some look like cells, a line end is missing and only usual words are safe."""
    like_cells = [n for n in names if _like_a_cell(n)]
    if not like_cells or counts_up(like_cells):
        return names
    return [n for n in names if named_usually(n) and n not in like_cells]


def shown_names(names: list[str]) -> str:
    """Names for a message: `'person', 'time' and 3 more`."""
    safe = safe_names(names)[:MOST]
    if not safe:
        return counted(len(names), "column")
    shown = ", ".join(f"'{_short(n)}'" for n in safe)
    return f"{shown} and {len(names) - len(safe)} more" if len(names) > len(safe) else shown


def _short(name: str) -> str:
    plain = " ".join(name.split())
    return plain if len(plain) <= LONGEST else plain[:LONGEST] + "…"


def holds_rows(names: list[str], delimiter: str) -> bool:
    """Whether a name goes on over lines that would be rows: a quotation mark in the header does not close."""
    least = max(1, len(names) - 1)
    return any(line.count(delimiter) >= least for name in names for line in name.splitlines()[1:])


def first_rows(path: Path, before: int, delimiter: str) -> list[list[str]]:
    """The cells of the first rows of a UTF-8 table, behind some lines; nothing where they cannot be told."""
    try:
        with gzip.open(path) if path.suffix.lower() == ".gz" else path.open("rb") as file:
            text = codecs.getincrementaldecoder("utf-8-sig")().decode(file.read(LOOKED_AT))
        return [row for row in csv.reader(text.splitlines()[before : before + MOST_ROWS], delimiter=delimiter) if row]
    except (OSError, EOFError, zlib.error, csv.Error, UnicodeDecodeError):
        return []


def refuse_wider(rows: list[list[str]], width: int, who: str, name: str, header: bool) -> None:
    """The scanner reads no further than the header reaches: refused where that would cut most of the first rows."""
    wider = [i for i, row in enumerate(rows, 1) if len(row) > width + 1 or any(map(str.strip, row[width:]))]
    if 2 * len(wider) > len(rows):
        raise InputError(
            f"{who}: {len(wider)} of the first {counted(len(rows), 'row')} of '{name}' "
            f"{verb_for(len(wider), 'has', 'have')} more cells than the {width} of the "
            f"{'header' if header else 'first line'} (first at row {wider[0]}). If lines stand before the names of "
            "the columns, pass ‹skip_lines=1› or how many they are; if a name is missing, write it there."
        )


def unique_names(cells: list[str]) -> tuple[str, ...]:
    """Names of columns; an empty one is called by its number, a repeated one gets its number behind it."""
    out: list[str] = []
    seen: set[str] = set()
    for i, cell in enumerate(cells):
        name = " ".join(cell.lstrip("\ufeff").split()) or f"column {i + 1}"
        again = 2
        plain = name
        while name.lower() in seen:
            name, again = f"{plain}.{again}", again + 1
        seen.add(name.lower())
        out.append(name)
    return tuple(out)


BEGIN = re.compile(
    r"^\W*(?:recording |measurement )?(start|begin|first)\w*[ _-]*(date|time)?\b\W*?(\d.*\d)(?!\d)", re.I
)
EPOCH = re.compile(r"^\W*(?:epoch|sampling|logging)\D*(?:\(hh:mm:ss\)\D*)?(\d+):(\d\d):(\d\d)\W*$", re.I)
SECONDS = re.compile(r"^\W*epoch\b\D*(\d+)\W*(s|sec|secs|seconds?)?\W*$", re.I)


class Begun(NamedTuple):
    """When a recording begins and how long its epochs are, as the lines before a table say."""

    text: str
    """Date and time as they are written, a blank between."""
    seconds: int

    def times(self, form: str, n: int, done: int, who: str) -> list[str]:
        """The times of `n` epochs after the first `done`, written as the beginning is."""
        try:
            first = datetime.fromisoformat(self.text) if form == "iso" else datetime.strptime(self.text, form)
        except ValueError:
            raise InputError(
                f"{who}: the lines before the table tell when it begins, but not as ‹time_format={form!r}› says."
            ) from None
        every = (first + timedelta(seconds=self.seconds * i) for i in range(done, done + n))
        return [str(t) if form == "iso" else t.strftime(form) for t in every]


def begun(lines: Sequence[str]) -> Begun | None:
    """What the lines before a table say about its times: a start (date and clock) and the length of an epoch."""
    said: dict[str, str] = {}
    seconds = 0
    for line in lines:
        plain = " ".join(line.replace('"', " ").split())
        if found := EPOCH.search(plain):
            seconds = 3600 * int(found[1]) + 60 * int(found[2]) + int(found[3])
        elif found := SECONDS.search(plain):
            seconds = int(found[1])
        elif found := BEGIN.search(plain):
            said.setdefault((found[2] or "both").lower(), found[3].strip(" ,;"))
    date, clock = said.get("date", ""), said.get("time", said.get("both", ""))
    text = f"{date} {clock}".strip() if ":" in clock and (date or re.search(r"\d[-/. ]\d", clock)) else ""
    return Begun(text, seconds) if text and seconds else None
