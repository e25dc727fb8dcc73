"""Series of symbols: from signals (tables, number columns, WFDB, EDF) or from symbols as they are."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from sequester.errors import InputError, counted, left_out
from sequester.model import Fact, SymbolSeries
from sequester.read.cells import Times, numbers, texts, times
from sequester.read.gather import FILE, FOLDER, gather, with_people
from sequester.read.gram_table import is_gram_table, strings_of_table
from sequester.read.idle import of_symbols, refuse_idle
from sequester.read.plain_lines import is_plain_text, lines_of, number_columns
from sequester.read.roles import owners
from sequester.read.signals import is_recording, read_recordings, span
from sequester.read.symbol_facts import rate_fact, symbol_facts
from sequester.read.table import Loaded, check_encoding, pick

WHO = "read_symbols"
EACH = "each"
"""Said for a person's column when every series is a person of its own."""
Piece = tuple[str, np.ndarray]
"""Person and the values of one series: numbers, or symbols as text with None where one is missing."""


def read_symbols(
    source: Any,
    *,
    person: str | None = None,
    value: tuple[str, ...] = (),
    time: str | None = None,
    symbolize: Literal["sax", "equal-width", "quantile", "none"] = "sax",
    window: int = 10,
    alphabet: int = 4,
    symbols: tuple[str, ...] = (),
    from_: float | None = None,
    to: float | None = None,
    rate: float | None = None,
    lead: str = "1",
    std: Literal["population", "sample"] = "population",
    time_format: str = "auto",
    people: str | None = None,
    files: str | None = None,
    header: bool = True,
    table: str | None = None,
    encoding: str = "utf-8",
) -> SymbolSeries:
    """Read signals and turn each into symbols of its own, or read symbols as they are.

    Every signal is symbolized by itself: what one person's symbols are never depends on another person. A stretch
    without any value ends a series and begins a new one of the same person.

    Parameters
    ----------
    source
        A CSV, Parquet, JSON or database table, or a folder of them; a text file of number columns without a header; a
        WFDB record (`106` or `106.hea`), an EDF file, or a folder of them; with symbolize=none also a text file with
        one series of symbols per line, or a table of grams (columns `gram` and `count`). Or a table in memory.
    person
        Column that tells whose row it is, or `each` when every recording, line or value column is a person of its own;
        of recordings and folders also `file` or `folder`. Without it nobody knows, and only occurrences can be counted.
    value
        Column or columns that hold the signal or the symbols, by name, or by number from 1 in a text file. Symbols:
        one per row; without --time a cell of several symbols, separated by spaces, is a series of its own.
    time
        Column to sort a person's rows by; with --from and --to it is read as seconds.
    symbolize
        How values become symbols: sax (Gaussian break points), equal-width, quantile, or none: they are symbols.
    window
        Samples averaged into one symbol.
    alphabet
        Number of symbols, named 1, 2, 3 and so on from low to high.
    symbols
        With symbolize=none: all symbols there can be, in order. Without it the symbols found are the alphabet.
    from_
        Second at which to begin.
    to
        Second at which to end.
    rate
        Samples per second of a table or text file, for --from and --to. Recordings know their own; told here, it is
        held against theirs, as differential privacy demands.
    lead
        Lead of a recording: its name, or its number from 1. Recordings of a folder that lack it are left out.
    std
        Standard deviation that sax divides by: population (n) or sample (n - 1).
    time_format
        How times are written: number, seconds, iso or a pattern such as %d.%m.%Y %H:%M; auto takes what reads most
        cells, which no differentially private method accepts.
    people
        A table of two columns, recording and person, where --person tells recordings (or each).
    files
        Of a folder of tables, only the files that fit this pattern, such as '*.csv'.
    header
        Without, the first line of a CSV file is a row and columns are called 1, 2, 3 and so on.
    table
        Table of a database file.
    encoding
        Of a CSV or text file.
    """
    told = dict(locals())
    check_encoding(encoding, WHO)
    if symbolize != "none" and (window < 1 or not 2 <= alphabet <= 65535):
        raise InputError(
            f"{WHO}: window must be at least 1 and alphabet in 2..65535, got window={window}, alphabet={alphabet}."
        )
    path = Path(source) if isinstance(source, (str, Path)) else None
    recording = path is not None and is_recording(path)
    refuse_idle(read_symbols, WHO, told, of_symbols(told, recording=recording))
    notes: list[str] = []
    facts = symbol_facts(symbolize, window, alphabet, symbols, std)
    facts += tuple(Fact(n, s, "declared") for n, s in (("from second", from_), ("to second", to)) if s is not None)
    if path is not None and recording:
        if person not in (None, EACH, FILE, FOLDER):
            raise InputError(
                f"{WHO}: a recording has no columns; pass ‹person={EACH}› if each is a person of its own, or ‹people=› "
                "with a map from recordings to people."
            )
        if symbolize == "none":
            raise InputError(f"{WHO}: a recording holds numbers; pass ‹symbolize=sax›, equal-width or quantile.")
        found = read_recordings(path, lead=lead, start=from_, end=to, notes=notes)
        facts += (Fact("lead", lead, "default" if lead == "1" else "declared"), rate_fact(found, rate))
        pieces = [(path.name if person == FOLDER and path.is_dir() else s.name, s.values) for s in found]
        if people is not None:
            person = person or FILE
            pieces = _mapped(pieces, people, encoding, notes)
    else:
        asked = _Asked(person, value, time, symbolize == "none", from_, to, rate, table, encoding, time_format, people,
                       files, header)  # fmt: skip
        pieces, more = _pieces(source, path, asked, notes)
        facts += more
        if rate is not None:
            facts += (Fact("samples per second", rate, "declared"),)
    if symbolize == "none":
        data = _joined(pieces, symbols, notes)
        return replace(
            data, people_known=person is not None, names_public=bool(symbols), reading=facts, notes=tuple(notes)
        )
    data = _symbolized(pieces, window, alphabet, symbolize, ddof=int(std == "sample"))
    # The symbols are numbers up to the told alphabet, whatever the data holds.
    return replace(data, people_known=person is not None, names_public=True, reading=facts, notes=tuple(notes))


class _Asked(NamedTuple):
    """What the custodian said about a table of signals or symbols."""

    person: str | None
    value: tuple[str, ...]
    time: str | None
    as_text: bool
    start: float | None
    end: float | None
    rate: float | None
    table: str | None
    encoding: str
    time_format: str
    people: str | None
    files: str | None
    header: bool


def _mapped(pieces: list[Piece], people: str, encoding: str, notes: list[str]) -> list[Piece]:
    """Recordings under the names of their people."""
    import pyarrow as pa

    rows = Loaded(pa.table({FILE: [name for name, _ in pieces], "at": list(range(len(pieces)))}))
    known = with_people(rows, people, FILE, WHO, encoding)
    if known.table.num_rows < len(pieces):
        notes.append(left_out(len(pieces) - known.table.num_rows, "recording", "that the map does not name"))
    if not known.table.num_rows:
        raise InputError(
            f"{WHO}: the map '{Path(people).name}' names none of the {counted(len(pieces), 'recording')}. Check both."
        )
    names = known.table[FILE].to_pylist()
    return [(name, pieces[at][1]) for name, at in zip(names, known.table["at"].to_pylist())]


def _pieces(source: Any, path: Path | None, asked: _Asked, notes: list[str]) -> tuple[list[Piece], tuple[Fact, ...]]:
    person, time, as_text = asked.person, asked.time, asked.as_text
    value = (asked.value,) if isinstance(asked.value, str) else asked.value
    named = person not in (None, EACH) or time or (as_text and value)
    if path is not None and path.is_file() and not named and is_plain_text(path, as_text, asked.encoding):
        _refuse_table_options(asked)
        lines = lines_of(path, asked.encoding)
        if as_text:
            return [(str(i + 1), np.array(line.split(), dtype=object)) for i, line in enumerate(lines)], ()
        found = number_columns(path, value, asked.encoding, notes)
        return [(name, _cut(x, asked.start, asked.end, asked.rate, name)) for name, x in found], ()
    read = gather(
        source, WHO, table=asked.table, encoding=asked.encoding, header=asked.header, files=asked.files,
        people=asked.people, person=None if person == EACH else person,
    )  # fmt: skip
    loaded = read.table
    notes += read.notes
    if as_text and person is None and time is None and not value and is_gram_table(loaded.column_names):
        strings = strings_of_table(loaded, WHO)
        notes.append(
            f"a table of grams was read as {counted(len(strings), 'string')} with the same counts of its longest grams"
        )
        source_fact = Fact("source", "a table of grams", "declared")
        return [(str(i + 1), np.array(x, dtype=object)) for i, x in enumerate(strings)], (source_fact,)
    if person == EACH and EACH not in loaded.column_names:
        person = None
    person = pick(loaded, person, WHO, "person") if person else None
    time = pick(loaded, time, WHO, "time") if time else None
    columns = [pick(loaded, v, WHO, "value") for v in value] or _only_column(loaded, {person, time, FILE, FOLDER})
    when = times(loaded[time], time, WHO, form=asked.time_format) if time else None
    groups = _groups(loaded, person, when, notes)
    out: list[Piece] = []
    for column in columns:
        values = _texts(loaded, column) if as_text else _numbers(loaded, column, notes)
        for owner, rows in groups:
            mine = values[rows]
            if when is not None and (asked.start is not None or asked.end is not None):
                at = when.seconds[rows]
                mine = mine[(at >= (asked.start or 0.0)) & (at < (np.inf if asked.end is None else asked.end))]
            else:
                mine = _cut(mine, asked.start, asked.end, asked.rate, column)
            name = owner if owner is not None else (column if len(columns) > 1 else "1")
            if as_text:
                out += [(name, part) for part in (_cells(mine) if time is None else [_one_word(mine)])]
            else:
                out.append((name, mine))
    return out, (when.fact,) if when is not None else ()


def _refuse_table_options(asked: _Asked) -> None:
    """Lines of a text file have no table, no header and no map."""
    told = {name: getattr(asked, name) for name in ("table", "header", "files", "people")}
    refuse_idle(read_symbols, WHO, told, dict.fromkeys(told, "tables; this is a text file of lines"))


def _only_column(table: Any, taken: set[str | None]) -> list[str]:
    left = [c for c in table.column_names if c not in taken]
    if len(left) == 1:
        return left
    raise InputError(
        f"{WHO}: which column holds the series? There are {', '.join(repr(c) for c in left[:8]) or 'none left'}"
        f"{f' and {len(left) - 8} more' if len(left) > 8 else ''}. Pass ‹value=› one of them."
    )


def _groups(
    table: Any, person: str | None, when: Times | None, notes: list[str]
) -> list[tuple[str | None, np.ndarray]]:
    """Rows of every person, in order of time or of appearance; rows that lack either are left out."""
    rows = np.arange(table.num_rows)
    if when is not None:
        lacking = int((~when.known).sum())
        if lacking:
            notes.append(left_out(lacking, "row", "without a time that can be read"))
        rows = np.argsort(when.seconds, kind="stable")  # equal times keep their order
        rows = rows[when.known[rows]]
    if not person:
        return [(None, rows)]
    who = owners(table, person, WHO)
    notes += who.notes
    rows = rows[who.known[rows]]
    if not len(rows):
        raise InputError(f"{WHO}: no row has a person and a time that can be read. Check the roles.")
    by_owner = rows[np.argsort(who.code[rows], kind="stable")]
    ends = np.cumsum(np.bincount(who.code[rows], minlength=len(who.names)))
    return [(name, part) for name, part in zip(who.names, np.split(by_owner, ends[:-1])) if len(part)]


def _numbers(table: Any, column: str, notes: list[str]) -> np.ndarray:
    values, bad = numbers(table[column])
    if bad and not (~np.isnan(values)).any():
        raise InputError(f"{WHO}: column '{column}' is not numeric. If it holds symbols, pass ‹symbolize=none›.")
    if bad:
        notes.append(f"{counted(bad, 'cell')} of column '{column}' are not numbers and count as gaps")
    return values


def _texts(table: Any, column: str) -> np.ndarray:
    return np.array(texts(table[column]).to_pylist(), dtype=object)


def _cells(values: np.ndarray) -> list[np.ndarray]:
    """One series of single symbols, or one series per cell where cells hold several symbols apart by white space."""
    if any(v is not None and len(v.split()) > 1 for v in values):
        return [np.array(v.split() if v else [], dtype=object) for v in values]
    return [values]


def _one_word(values: np.ndarray) -> np.ndarray:
    """One symbol per row; blanks inside a symbol's name become underscores, because grams are joined by blanks."""
    return np.array([None if v is None else "_".join(v.split()) for v in values], dtype=object)


def _cut(values: np.ndarray, start: float | None, end: float | None, rate: float | None, name: str) -> np.ndarray:
    if start is None and end is None:
        return values
    if rate is None or not rate > 0:
        asked = "‹from_=› and ‹to=› count seconds; pass ‹rate=› samples per second, or ‹time=› a column."
        raise InputError(f"{WHO}: {asked}")
    low, high = span(len(values), rate, start, end, name)
    return values[low:high]


def _symbolized(pieces: list[Piece], window: int, alphabet: int, way: str, ddof: int) -> SymbolSeries:
    from sequester.primitives.symbolize import GAP, symbolize

    series, persons = [], []
    for person, values in pieces:
        codes = symbolize(values, window=window, n_symbols=alphabet, way=way, ddof=ddof)
        for part in _unbroken(codes, codes == GAP):
            series.append(part)
            persons.append(person)
    return _series(series, persons, tuple(str(i + 1) for i in range(alphabet)))


def _joined(pieces: list[Piece], given: tuple[str, ...], notes: list[str]) -> SymbolSeries:
    found = {x for _, values in pieces for x in values if x is not None}
    if given:
        told = set(given)
        strange = sum(x is not None and x not in told for _, values in pieces for x in values)
        if strange:
            notes.append(
                f"{counted(strange, 'cell holds', 'cells hold')} a symbol that was not told; they end a series "
                "as a gap does"
            )
            pieces = [(p, np.array([x if x in told else None for x in v], dtype=object)) for p, v in pieces]
    whole = all(x.lstrip("-").isdecimal() and x.isascii() for x in found)
    names = given or tuple(sorted(found, key=(lambda x: (int(x), x)) if whole else str))
    if len(names) > 65535:
        raise InputError(f"{WHO}: {len(names)} distinct symbols; at most 65535 fit. Is this really a symbol column?")
    codes = {x: i for i, x in enumerate(names)}
    series, persons = [], []
    for person, values in pieces:
        numbers = np.array([-1 if x is None else codes[x] for x in values], dtype=np.int64)
        for part in _unbroken(numbers, numbers < 0):
            series.append(part)
            persons.append(person)
    return _series(series, persons, names)


def _unbroken(codes: np.ndarray, gap: np.ndarray) -> list[np.ndarray]:
    """Stretches between gaps; an empty series stays one, so that its person is not lost."""
    if not gap.any():
        return [codes]
    edges = np.flatnonzero(np.diff(np.concatenate(([True], gap, [True])).astype(np.int8)))
    return [codes[a:b] for a, b in zip(edges[::2], edges[1::2])] or [codes[:0]]


def _series(series: list[np.ndarray], persons: list[str], alphabet: tuple[str, ...]) -> SymbolSeries:
    return SymbolSeries(
        symbols=np.concatenate(series) if series else np.empty(0, dtype=np.uint16),
        offsets=np.concatenate(([0], np.cumsum([len(s) for s in series]))),
        alphabet=alphabet or ("1",),
        persons=np.array(persons, dtype=object),
    )
