"""Series of symbols larger than memory: what `read_symbols` would read, as parts of whole people.

The source is read once, in pieces, and its rows are dealt out to files by person. Every file, which fits into memory,
is then read by the functions that read a whole table: a person's symbols never depend on anybody else. Put together in
the order of the source, the parts are equal to what `read_symbols` returns.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from sequester.engines import Engine
from sequester.errors import InputError
from sequester.model import Fact, Parts
from sequester.model.part_files import write_part
from sequester.read.buckets import emptied, parts_for, require_whole_people
from sequester.read.note_counts import added_up, said
from sequester.read.raw_parts import ROW, deal_rows, refuse_options, require_a_format
from sequester.read.streams import stream
from sequester.read.symbol_facts import check_symbolizing, second_facts, symbol_facts
from sequester.read.symbol_rows import (
    NOBODY,
    WHO,
    Asked,
    Rows,
    averaged,
    in_order,
    joined,
    require_codes,
    require_rows,
    rows_of,
    symbolized,
)
from sequester.read.symbols import EACH, read_symbols, resolved
from sequester.read.table import form_of
from sequester.read.unused_options import check_told, of_symbols, refuse_idle

BYTES_PER_ROW = 250
"""Memory that a row takes while its part is made, by estimate, with identifiers of some ten characters."""


class How(NamedTuple):
    """How values become symbols."""

    symbolize: str
    window: int
    alphabet: int
    symbols: tuple[str, ...]
    ddof: int


class Made(NamedTuple):
    """A part that was written, and what making it found, in counts."""

    path: Path | None
    people: int
    series: int
    n_symbols: int
    found: Rows
    """Without its series."""
    notes: list[str]
    names: tuple[str, ...]


def read_symbol_parts(
    source: Any,
    folder: Path,
    *,
    engine: Engine,
    by_file: bool = False,
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
) -> Parts:
    """Read a table of signals or symbols as parts.

    Parameters
    ----------
    source
        A text table, JSON lines or Parquet, or a folder of such files.
    folder
        Where the parts are written; the caller's, as is its removal.
    engine
        How much memory and how many workers there are.
    by_file
        Every file is a part already; refused if a person is in two of them.
    person
        Column that tells whose row it is; it must be told.
    value, time, symbolize, window, alphabet, symbols, from_, to, rate, std, time_format, files, header, encoding
        As `read_symbols` takes them.
    lead, people, table
        Only as they are by default: recordings, databases and maps of people go through memory.
    """
    roles = dict(locals())
    refuse_options(WHO, lead=("1", lead), people=(None, people), table=(None, table))
    check_told(read_symbols, WHO, roles)
    check_symbolizing(symbolize, window, alphabet)
    refuse_idle(read_symbols, WHO, roles, of_symbols(roles, recording=False))
    if person in (None, EACH):
        raise InputError(
            f"{WHO}: with a memory limit rows are dealt out by person, so the column of persons must be told. Pass "
            "‹person=NAME›, or leave ‹memory_limit=› out."
        )
    read = stream(
        source, WHO, encoding=encoding, header=header, files=files, person=person,
        form=form_of(WHO, skip_lines, units_row, decimal, time, clock), memory=engine.memory,
        threads=engine.threads,
    )  # fmt: skip
    head = read.schema.empty_table()
    columns = (value,) if isinstance(value, str) else tuple(value)
    asked = resolved(head, Asked(person, columns, time, symbolize == "none", from_, to, rate, time_format))
    assert asked.person is not None
    require_a_format(head, WHO, [asked.time], time_format)
    width = BYTES_PER_ROW + 60 * (len(asked.value) - 1)
    n = len(read.paths) if by_file else parts_for(read.about_rows * width, engine.memory, engine.workers)
    used = [*([asked.time] if asked.time else []), *asked.value]
    dealt = deal_rows(read, folder / "buckets", n, asked.person, used, by_file)
    if not dealt.n_rows:
        raise InputError(NOBODY)
    how = How(symbolize, window, alphabet, symbols, int(std == "sample"))
    made = engine.map(partial(_part, folder=folder, asked=asked, how=how), dealt.buckets, title="sorting")
    require_rows(_together([m.found for m in made]), asked)
    paths = [m.path for m in made if m.path is not None]
    if by_file:
        require_whole_people(paths, WHO, engine.memory, folder)
    names = made[0].names if symbols or symbolize != "none" else in_order({x for m in made for x in m.names})
    require_codes(names)
    when = next((m.found.when for m in made if m.found.anybody), ())
    facts = symbol_facts(symbolize, window, alphabet, symbols, std) + second_facts(from_, to) + when
    facts += (Fact("samples per second", rate, "declared"),) if rate is not None else ()
    return Parts(
        kind="symbols",
        paths=tuple(paths),
        n_people=sum(m.people for m in made),
        n_records=sum(m.series for m in made),
        n_items=sum(m.n_symbols for m in made),
        facts={
            "alphabet": names or ("1",),
            "people_known": True,
            "names_public": bool(symbols) or symbolize != "none",
            "notes": (*read.notes, *said(added_up([m.notes for m in made]))),
            "reading": facts,
        },
    )


def _together(found: list[Rows]) -> Rows:
    """What all parts found."""
    numeric = tuple((sum(b for b, _ in of), sum(g for _, g in of)) for of in zip(*(f.numeric for f in found)))
    return Rows([], (), numeric, any(f.anybody for f in found))


def _part(bucket: Path, *, folder: Path, asked: Asked, how: How) -> Made:
    """One bucket as a part: its series, people in the order in which they first appear."""
    rows = emptied(bucket)
    notes: list[str] = []
    found = rows_of(rows, asked, notes, np.asarray(rows[ROW].to_numpy()))
    if how.symbolize == "none":
        data, place = joined(found.pieces, how.symbols, notes)
    else:
        data, place = symbolized(found.pieces, how.window, how.alphabet, how.symbolize, how.ddof)
        notes.append(averaged(found.pieces, how.window))
    stated = found._replace(pieces=[])
    if not data.n_records:
        return Made(None, 0, 0, 0, stated, notes, data.alphabet)
    path = write_part(data, folder / f"part-{bucket.stem.removeprefix('bucket-')}.parquet", place)
    return Made(path, data.n_people, data.n_records, len(data.symbols), stated, notes, data.alphabet)
