"""Series of symbols: from signals (tables, number columns, WFDB, EDF) or from symbols as they are."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, counted, left_out
from sequester.model import Fact, SymbolSeries
from sequester.read.dealing import deal, require_a_format, together
from sequester.read.gather import FILE, FOLDER, with_people
from sequester.read.gram_table import is_gram_table, strings_of_table
from sequester.read.headers import reads_as_number, shown_names
from sequester.read.note_counts import said
from sequester.read.quantity import declared_facts
from sequester.read.signals import is_recording, read_recordings
from sequester.read.streams import Whole, not_in_pieces, rows_of_source
from sequester.read.symbol_rows import (
    WHO,
    Asked,
    How,
    Piece,
    check_symbolizing,
    cut,
    in_order,
    rate_fact,
    require_codes,
    require_rows,
    second_facts,
    series_of,
    symbol_facts,
    symbols_of,
)
from sequester.read.table import InParts, Loaded, first_bad_byte, form_of, not_utf8, pick, plain
from sequester.read.unused_options import FILE_OPTIONS, check_told, explained, of_symbols, refuse_idle

EACH = "each"
"""Said for a person's column when every series is a person of its own."""


@explained
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
    """
    fields = dict(locals())
    check_told(read_symbols, WHO, fields)
    check_symbolizing(symbolize, window, alphabet)
    path = Path(plain(source)) if isinstance(plain(source), (str, Path)) else None
    recording = path is not None and is_recording(path)
    refuse_idle(read_symbols, WHO, fields, of_symbols(fields, recording=recording))
    facts = symbol_facts(symbolize, window, alphabet, symbols, std) + second_facts(from_, to)
    facts += declared_facts(quantity, unit_of, WHO)
    how = How(symbolize, window, alphabet, symbols, int(std == "sample"))
    columns = (value,) if isinstance(value, str) else tuple(value)
    asked = Asked(person, columns, time, symbolize == "none", from_, to, rate, time_format)
    if isinstance(source, InParts):
        if recording:
            raise not_in_pieces(WHO, "a recording is read whole")
        if person in (None, EACH):
            raise InputError(
                f"{WHO}: with a memory limit rows are dealt out by person, so the column of persons must be told. Pass "
                "‹person=NAME›, or leave ‹memory_limit=› out."
            )
    if path is not None and recording:
        notes: list[str] = []
        if person not in (None, EACH, FILE, FOLDER):
            raise InputError(
                f"{WHO}: a recording has no columns; pass ‹person={EACH}› if each is a person of its own, or ‹people=› "
                "with a map from recordings to people."
            )
        if symbolize == "none":
            raise InputError(f"{WHO}: a recording holds numbers; pass ‹symbolize=sax›, equal-width or quantile.")
        found = read_recordings(path, lead=lead, start=from_, end=to, notes=notes)
        facts += (Fact("lead", lead, "default" if lead == "1" else "declared"), rate_fact(found, rate))
        pieces = [Piece(path.name if person == FOLDER and path.is_dir() else s.name, s.values) for s in found]
        if people is not None:
            person = person or FILE
            pieces = _mapped(pieces, people, encoding, notes)
        return _of_pieces(pieces, how, notes, facts, person is not None)
    rated = (Fact("samples per second", rate, "declared"),) if rate is not None else ()
    named = person not in (None, EACH) or time or (asked.as_text and columns)
    if path is not None and path.is_file() and not named and _is_plain_text(path, asked.as_text, encoding):
        lined = {n: fields[n] for n in FILE_OPTIONS if n != "encoding"}
        refuse_idle(read_symbols, WHO, lined, dict.fromkeys(lined, "tables; this is a text file of lines"))
        notes = []
        return _of_pieces(_of_lines(path, asked, encoding, notes), how, notes, facts + rated, person is not None)
    rows = rows_of_source(
        source, WHO, table=table, encoding=encoding, header=header, files=files, people=people,
        person=None if person == EACH else person,
        form=form_of(WHO, skip_lines, units_row, decimal, time, clock, named=(person, *value)),
    )  # fmt: skip
    if asked.as_text and person is None and time is None and not columns and is_gram_table(rows.head.column_names):
        assert isinstance(rows, Whole)
        strings, longest = strings_of_table(rows.table, WHO)
        n = counted(len(strings), "string")
        words = f"a table of grams was read as {n} with the same counts of its longest grams"
        facts += (
            Fact("source", "a table of grams", "declared"),
            Fact("longest grams of the source", longest, "declared"),
        )
        pieces = [Piece(str(i + 1), np.array(x, dtype=object)) for i, x in enumerate(strings)]
        return _of_pieces(pieces, how, [*rows.notes, words], facts + rated, False)
    asked = resolved(rows.head, asked)
    require_a_format(rows, [asked.time], time_format)
    dealt = deal(rows, asked.person, [*([asked.time] if asked.time else []), *asked.value])
    made = dealt.made(partial(series_of, asked=asked, how=how), "alphabet")
    require_rows([m.found for m in made], asked)
    names = how.names or in_order({x for m in made for x in m.names})
    require_codes(names)
    when = next((m.found.when for m in made if m.found.anybody), ())
    stated = {
        "alphabet": names or ("1",),
        "people_known": person is not None,
        "names_public": bool(how.names),
        "reading": (*facts, *when, *rated),
    }
    return together(rows, "symbols", made, stated)


def _of_pieces(pieces: list[Piece], how: How, notes: list[str], facts: tuple[Fact, ...], known: bool) -> SymbolSeries:
    """Series that come in no rows."""
    data, _ = symbols_of(pieces, how, notes)
    stated: dict[str, Any] = {"alphabet": data.alphabet or ("1",), "names_public": bool(how.names)}
    return replace(data, people_known=known, reading=facts, notes=said(notes), **stated)


def _mapped(pieces: list[Piece], people: str, encoding: str, notes: list[str]) -> list[Piece]:
    """Recordings under the names of their people."""
    rows = Loaded(pa.table({FILE: [piece.person for piece in pieces], "at": list(range(len(pieces)))}))
    known = with_people(rows, people, FILE, WHO, encoding)
    if known.table.num_rows < len(pieces):
        notes.append(left_out(len(pieces) - known.table.num_rows, "recording", "that the map does not name"))
    if not known.table.num_rows:
        raise InputError(
            f"{WHO}: the map '{Path(people).name}' names none of the {counted(len(pieces), 'recording')}. Check both."
        )
    names = known.table[FILE].to_pylist()
    return [pieces[at]._replace(person=name) for name, at in zip(names, known.table["at"].to_pylist())]


def _of_lines(path: Path, asked: Asked, encoding: str, notes: list[str]) -> list[Piece]:
    """Lines of symbols, or columns of numbers without names."""
    if asked.as_text:
        lines = enumerate(_lines(path, encoding))
        return [Piece(str(i + 1), np.array(line.split(), dtype=object)) for i, line in lines]
    found = _number_columns(path, asked.value, encoding, notes)
    return [piece._replace(values=cut(piece.values, asked, piece.person)) for piece in found]


def resolved(table: Any, asked: Asked) -> Asked:
    """The same with the columns of the table."""
    person = None if asked.person == EACH and EACH not in table.column_names else asked.person
    person = pick(table, person, WHO, "person") if person else None
    time = pick(table, asked.time, WHO, "time") if asked.time else None
    columns = [pick(table, v, WHO, "value") for v in asked.value] or _only_column(table, {person, time, FILE, FOLDER})
    return asked._replace(person=person, time=time, value=tuple(columns))


def _only_column(table: Any, taken: set[str | None]) -> list[str]:
    left = [c for c in table.column_names if c not in taken]
    if len(left) == 1:
        return left
    found = f"There are {shown_names(left)}" if left else "There are none left"
    raise InputError(f"{WHO}: which column holds the series? {found}. Pass ‹value=› one of them.")


def _is_plain_text(path: Path, as_text: bool, encoding: str) -> bool:
    """A `.txt` file without a header: lines of symbols, or lines of numbers."""
    if not path.name.lower().endswith((".txt", ".txt.gz")):
        return False
    if as_text:
        return True
    first = next(iter(_lines(path, encoding)), "")
    return "," not in first and all(reads_as_number(x) for x in first.split())


def _lines(path: Path, encoding: str) -> Iterable[str]:
    """The lines that hold anything."""
    try:
        with gzip.open(path, "rt", encoding=encoding) if path.suffix == ".gz" else path.open(encoding=encoding) as file:
            yield from (line for line in file if line.strip())
    except UnicodeDecodeError as error:
        if codecs.lookup(encoding).name != "utf-8":
            raise InputError(f"{WHO}: '{path.name}' cannot be read in {encoding}. Check both.") from error
        raise not_utf8(WHO, path, first_bad_byte(path) or 0) from error
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{WHO}: '{path.name}' is not a complete gzip file.") from error


def _number_columns(path: Path, value: tuple[str, ...], encoding: str, notes: list[str]) -> list[Piece]:
    """Columns of numbers without names; the first line tells how many, and a cell that is no number is a gap."""
    lines = list(_lines(path, encoding))
    width = len(lines[0].split()) if lines else 0
    wanted, number = value or (("1",) if width == 1 else ()), f"Pass ‹value=› a number in 1..{width}."
    if not wanted:
        raise InputError(f"{WHO}: '{path.name}' has {counted(width, 'column')} without names. {number}")
    bad = [v for v in wanted if not (v.isdecimal() and v.isascii() and 1 <= int(v) <= width)]
    if bad:
        raise InputError(f"{WHO}: '{path.name}' has no column '{bad[0]}'. {number}")
    try:
        table = np.loadtxt(lines, ndmin=2)
        if table.shape[1] != width or not np.isfinite(table).all():
            raise ValueError
    except ValueError:
        rows = [line.split() for line in lines]
        table = np.array([[_number(row[i]) if i < len(row) else np.nan for i in range(width)] for row in rows])
        gaps = int(np.isnan(table).sum())
        if 2 * gaps > table.size:
            raise InputError(
                f"{WHO}: '{path.name}' is not a table of numbers with the same columns in every line. "
                "If it holds symbols, pass ‹symbolize=none›."
            ) from None
        notes.append(
            counted(gaps, "cell is not a number and counts as a gap", "cells are not numbers and count as gaps")
        )
    return [Piece(v, table[:, int(v) - 1]) for v in wanted]


def _number(cell: str) -> float:
    try:
        found = float(cell)
    except ValueError:
        return np.nan
    return found if np.isfinite(found) else np.nan
