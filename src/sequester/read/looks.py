"""Guessing the kind of a source and the roles of its columns, from names and from what the cells look like."""

from __future__ import annotations

import csv
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from sequester.errors import InputError, counted
from sequester.read.cells import texts, times
from sequester.read.column_looks import ROWS, Column, profile
from sequester.read.delimited import BLANKS, delimiter_of, first_line
from sequester.read.gather import FILE, FOLDER, gather, walked
from sequester.read.headers import looks_headerless, reads_as_number, safe_names
from sequester.read.roles import PERHAPS, PERSON, UNSURE
from sequester.read.signals import is_recording, leads_of
from sequester.read.standards import standard_of
from sequester.read.table import DELIMITED, Loaded, ending
from sequester.read.time_together import days_each
from sequester.read.word_files import WORD_FILES
from sequester.read.xes import is_xes, load_xes

BINS, NAMES = "1,200,1000", "still,light,moderate,vigorous"
LONG_TEXT = 25
"""Mean length of cells that are sentences."""


@dataclass
class Look:
    """What a source looks like."""

    kind: str | None = None
    why: str = ""
    roles: dict[str, str] = field(default_factory=dict)
    alternatives: dict[str, tuple[str, ...]] = field(default_factory=dict)
    lines: tuple[str, ...] = ()
    choose: tuple[str, ...] = ()


def looks(source: Any, who: str, *, kind: str | None, files: str | None, table: str | None, encoding: str) -> Look:
    """The kind and the roles of a source."""
    path = Path(source) if isinstance(source, (str, Path)) else None
    if path is not None and path.exists():
        if is_recording(path) and kind in (None, "symbols"):
            return _recordings(path)
        standard = _standard(path)
        if standard and kind in (None, "events"):
            return _as_standard(standard)
        if path.is_dir() and kind in (None, "text") and _text_files(path):
            return _folder_of_text(path)
        plain = path.is_file() and path.name.lower().endswith((".txt", ".txt.gz", ".md"))
        if path.is_file() and path.suffix.lower() in WORD_FILES and kind in (None, "text"):
            return Look(
                "text", "A word-processor file: one document.", choose=("one document is one person's at most",)
            )
        if plain and kind in (None, "text") and not _first_cells_are_numbers(path, encoding):
            return Look("text", "A file of words: one document.", choose=("one document is one person's at most",))
    if is_xes(source):
        rows = Loaded(load_xes(source, who))
        return _table(rows, kind or "events", {})
    headed = path is None or path.is_dir() or not _headerless(path, encoding)
    more = {} if headed else {"no-header": ""}
    loaded = gather(source, who, table=table, encoding=encoding, header=headed, files=files, person=None)
    if path is not None and path.is_dir() and not headed:
        more = {}
    return _table(loaded, kind, more)


def _standard(path: Path) -> str | None:
    return standard_of(path)


def _as_standard(name: str) -> Look:
    said = {
        "omop": "Tables of the OMOP common data model.",
        "meds": "Columns of MEDS: subject_id, time, code.",
        "fhir": "A FHIR bulk export: a resource per line.",
    }[name]
    roles = {"layout": name, "time-unit": "second", "time-format": "iso"}
    return Look("events", said, roles, choose=("a person is the standard's person, subject or patient",))


def _recordings(path: Path) -> Look:
    names = leads_of(path)
    inside = f"It has {counted(len(names), 'lead')}: {', '.join(names)}." if len(names) > 1 else ""
    roles = {"person": "each", "lead": names[0] if names else "1", "window": "10", "alphabet": "4"}
    return Look(
        "symbols",
        f"Recorded signals. {inside}".strip(),
        roles,
        {"lead": tuple(names[1:])},
        choose=(
            "‹person='each'› says that every recording is another person; if not, pass ‹people='MAP.csv'› with the "
            "columns recording and person",
        ),
    )


def _text_files(path: Path) -> bool:
    found = [p for p in walked(path, "inspect") if p.suffix.lower() == ".txt"]
    return bool(found) and not _first_cells_are_numbers(found[0], "utf-8")


def _folder_of_text(path: Path) -> Look:
    inside = any(p.parent != path for p in walked(path, "inspect") if p.suffix.lower() == ".txt")
    roles = {"person": FOLDER} if inside else {}
    return Look(
        "text",
        "A folder of text files.",
        roles,
        choose=() if inside else ("nobody knows whose files these are: put each person's into a folder",),
    )


def _first_line(path: Path, encoding: str) -> str:
    try:
        return first_line(path, "inspect")
    except (InputError, OSError):
        return ""


def _first_cells_are_numbers(path: Path, encoding: str) -> bool:
    cells = _first_line(path, encoding).replace(",", " ").replace(";", " ").split()
    return bool(cells) and sum(map(reads_as_number, cells)) > len(cells) / 2


def _headerless(path: Path, encoding: str) -> bool:
    """Whether the first line of a text table is a row already."""
    if ending(path) not in DELIMITED or path.suffix.lower() == ".zip":
        return False
    line = _first_line(path, encoding)
    by = delimiter_of(line, ending(path))
    try:
        cells = line.split() if by == BLANKS else next(csv.reader([line], delimiter=by), [])
    except csv.Error:  # the reader of tables says what is wrong with it
        return False
    return looks_headerless([c.strip() for c in cells])


def _table(loaded: Loaded, kind: str | None, more: dict[str, str]) -> Look:
    table = loaded.table
    if not table.num_rows:
        return Look(None, "It has no rows.")
    shown = table.column_names[:200]
    columns = {n: profile(table, n) for n in shown if n not in (FILE, FOLDER)}
    n_files = len(set(texts(table[FILE]).to_pylist())) if FILE in table.column_names else 1
    person, others = _person(table, columns, n_files)
    free = {n: c for n, c in columns.items() if n != person}
    notes = tuple(loaded.notes)
    look = _by_shape(table, free, person, kind, n_files)
    if look.kind is None:
        return look
    headerless = "no-header" in more
    if look.kind == "text" and headerless:
        asked_for = (
            "its first line looks like a note, not like names of columns: add a line such as document,person,text"
        )
        return Look("text", look.why, choose=(asked_for,))
    who = {"person": person} if person else {"person": "each"} if look.kind == "series" and headerless else {}
    roles = {**who, **look.roles, **more}
    asked = list(look.choose)
    if person in columns and columns[str(person)].distinct == 1:
        asked.append(f"'{person}' tells one person only, who cannot be hidden among others")
    if person and (others or person.lower() in UNSURE):
        asked.append(f"is '{person}' a person, or only a visit, a case or a row? ‹person=› names people")
    if not person and look.kind != "text":
        asked.insert(
            0,
            "whose row is it? Name the column with ‹person=COLUMN›"
            + ("; ‹person='each'› says that every row is another person" if look.kind == "series" else ""),
        )
    safe = safe_names(table.column_names)
    if len(safe) < table.num_columns and not headerless:
        asked.append(
            f"{counted(table.num_columns - len(safe), 'name')} of columns could be cells: is a line end missing behind "
            "the names?"
        )
    alternatives = {
        role: tuple(n for n in names if n in safe)
        for role, names in {"person": tuple(others), **look.alternatives}.items()
    }
    return Look(look.kind, look.why, roles, alternatives, (*look.lines, *notes), tuple(asked))


def _person(table: Any, columns: dict[str, Column], n_files: int) -> tuple[str | None, list[str]]:
    """The likeliest column of people, and the other candidates: a name that says so, or the file."""
    named = [n for known in (PERSON, *PERHAPS) for n in columns if n.lower() == known]
    named += [
        n
        for n in columns
        if n not in named and any(w in n.lower() for w in ("patient", "person", "subject", "participant"))
    ]
    sized = [n for n in named if columns[n].distinct > 1]
    if n_files > 1 and not sized:
        folders = len({f for f in texts(table[FOLDER]).to_pylist() if f})
        return (FOLDER, [FILE]) if 1 < folders < n_files else (FILE, [FOLDER] if folders > 1 else [])
    if named and not sized:  # one person's data: no reason to ask whose it is
        return named[0], []
    # Of two candidates the one with fewer values is the person: a person has several visits, never the other way.
    best = min(
        sized, key=lambda n: (columns[n].distinct >= 0.95 * min(table.num_rows, ROWS), named.index(n)), default=None
    )
    return best, [n for n in sized if n != best]


def _by_shape(table: Any, free: dict[str, Column], person: str | None, kind: str | None, n_files: int) -> Look:
    when = [c for c in free.values() if c.is_time]
    words = [c for c in free.values() if not c.is_time and not c.is_number and c.distinct > 0]
    measured = [c for c in free.values() if c.is_number and not c.is_time]
    text = max((c for c in words if c.length >= LONG_TEXT), key=lambda c: c.length, default=None)
    states = [c for c in words if c.distinct <= 256 and c is not text]
    lower = {n.lower(): c for n, c in free.items()}
    begin = next((lower[w] for w in ("start", "begin", "from", "start_time") if w in lower), None)
    stop = next((lower[w] for w in ("end", "stop", "until", "to", "end_time") if w in lower), None)
    if kind in (None, "activity") and begin and stop and begin.is_time and stop.is_time and states:
        state = _named(states, ("activity", "state"))
        return _timed("activity", "Spans of one state: a start, an end and a state.", begin,
                      {"start": begin.name, "end": stop.name, "state": state.name}, states, state)  # fmt: skip
    if (
        kind in (None, "text")
        and text is not None
        and (kind == "text" or not states or text.distinct > 0.5 * min(table.num_rows, ROWS))
    ):
        return Look("text", f"Column '{text.name}' holds sentences.", {"text": text.name})
    if when and kind in (None, "activity", "events", "symbols"):
        step, regular = _step(table, when[0], person)
        dense = step is not None and step <= 3600 and regular > 0.5
        if (
            measured
            and kind in (None, "activity")
            and (dense or kind == "activity")
            and not (states and kind is None and not dense)
        ):
            return _counts(table, when[0], person, measured, step, regular)
        if states and (kind == "activity" or (kind is None and dense and step is not None and step <= 900)):
            state = _named(states, ("activity", "state"))
            return _timed(
                "activity",
                f"A state every {step} seconds.",
                when[0],
                {"time": when[0].name, "state": state.name},
                states,
                state,
            )
        if states and kind in (None, "events"):
            state = _named(states, ("activity", "concept:name", "event", "state"))
            return _timed("events", "Who, when, what: a column of times and one of names.", when[0],
                          {"time": when[0].name, "state": state.name}, states, state)  # fmt: skip
    if kind in (None, "series") and len(measured) >= 3:
        quasi = [c.name for c in measured]
        found = Look(
            "series", f"{counted(len(measured), 'column')} of numbers, a row each: the same times for everyone."
        )
        if any(not reads_as_number(c) for c in quasi) and len(quasi) <= 60:
            found.roles["quasi"] = ",".join(quasi)
        return found
    if kind in (None, "symbols") and len(states) == 1 and not measured and person:
        return Look("symbols", "One symbol per row.", {"value": states[0].name, "symbolize": "none"})
    if kind in (None, "symbols") and len(measured) == 1 and (person or kind):
        return Look("symbols", "One column of numbers: a signal per person.", {"value": measured[0].name})
    if kind in (None, "activity") and len(states) >= 24:
        return Look("activity", f"{counted(len(states), 'column')} of states: a row per person.")
    if text is not None and kind in (None, "text"):
        return Look("text", f"Column '{text.name}' holds sentences.", {"text": text.name})
    said = (
        f"It fits no kind of data: {counted(len(when), 'column')} of times, {len(words)} of words, "
        f"{len(measured)} of numbers."
    )
    n_commas = sum(c.decimal_comma for c in words)
    if n_commas:
        said += f" {counted(n_commas, 'column has', 'columns have')} a decimal comma: write numbers with a point."
    return Look(None, said)


def _named(columns: list[Column], usual: tuple[str, ...]) -> Column:
    """The column with a usual name for the role; else the one with most different values."""
    for name in usual:
        for c in columns:
            if c.name.lower() == name:
                return c
    return max(columns, key=lambda c: (c.filled > 0.5, c.distinct))


def _timed(kind: str, why: str, at: Column, roles: dict[str, str], states: list[Column], state: Column) -> Look:
    assert at.time is not None
    form = str(at.time.fact.value)
    roles = {**roles, **({"time-format": form} if form == "iso" or ("%" in form and "with" not in form) else {})}
    if kind == "events":
        roles["time-unit"] = "day" if not np.any(at.time.seconds[at.time.known] % 86400) else "second"
    return Look(kind, why, roles, {"state": tuple(c.name for c in states if c is not state)})


def _step(table: Any, when: Column, person: str | None) -> tuple[int | None, float]:
    """The usual number of seconds between a person's neighbouring rows, and the share of steps that have it."""
    assert when.time is not None
    at, known = when.time.seconds, when.time.known
    if person is None or person not in table.column_names:
        owner = np.zeros(len(at), dtype=np.int64)
    else:
        owner = (
            texts(table[person].slice(0, ROWS)).dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False)
        )
    gaps = np.diff(at)[(np.diff(owner) == 0) & known[1:] & known[:-1]]
    gaps = gaps[gaps > 0]
    if len(gaps) < 10:
        return None, 0.0
    values, counts = np.unique(gaps, return_counts=True)
    return int(values[counts.argmax()]), float(counts.max() / len(gaps))


def _counts(
    table: Any, at: Column, person: str | None, measured: list[Column], step: int | None, regular: float
) -> Look:
    value = _named(measured, ("counts", "count", "activity", "steps", "value", "vm", "axis1"))
    interval = step if step and step >= 60 else 60
    found = _timed("activity", f"A count every {step} seconds ({regular:.0%} of the steps).", at,
                   {"time": at.name, "value": value.name}, [], value)  # fmt: skip
    found.roles |= {"bins": BINS, "names": NAMES, "interval": str(interval)}
    assert at.time is not None
    whole, first = table, 0
    seen = times(whole[at.name], at.name, "inspect", form=str(found.roles.get("time-format", "auto")))
    first, last = int(seen.seconds[seen.known].min()), int(seen.seconds[seen.known].max())
    days = days_each(whole, seen, person)
    period = [str(np.datetime64(t, "s").astype("datetime64[D]")) for t in (first, last)]
    if (last - first) / 86400 > 2 * days:  # people were recorded at different times
        # A week from a Monday on takes up to two weeks of recording.
        week = days >= 14
        found.roles |= {"align": "monday" if week else "start", "days": str(7 if week else max(1, min(7, days - 1)))}
    else:
        found.roles["dates"] = "..".join(period)
    found.lines = (f"recorded from {period[0]} to {period[1]}, about {counted(days, 'day')} a person",)
    found.alternatives = {"value": tuple(c.name for c in measured if c is not value)}
    row = [c.name for c in measured if c.name.rstrip("0123456789") == value.name.rstrip("0123456789")]
    many = (
        f"{counted(len(row), 'column')}, {row[0]} to {row[-1]}, look like steps within a row; one of them "
        "alone would be read"
    )
    found.choose = (
        *((f"{many}. Put them below each other first, a row per step and person",) if len(row) > 9 else ()),
        "‹bins=› are an example: say where each of your states begins (or freedson-1998, troiano-2008)",
    )
    return found
