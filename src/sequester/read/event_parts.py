"""Event logs larger than memory: the rows that `read_events` would read, as parts of whole people.

Two steps. The source is read once, in pieces; every piece is parsed by the very functions that parse a whole table, and
its rows are dealt out to files by the hash of their person, with the number of the row in the source. Then every file,
which fits into memory, is sorted and written as a part. Put together in the order of the source, the parts are equal to
what `read_events` returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.engines import Engine
from sequester.errors import InputError
from sequester.model import EventLog, Fact, Parts
from sequester.model.part_files import write_part
from sequester.read.buckets import Buckets, emptied, parts_for, require_whole_people
from sequester.read.event_rows import NOTHING_USABLE, WHO, Clock, Roles, in_order, parsed, told, values
from sequester.read.events import read_events, roles_of
from sequester.read.raw_parts import refuse_options, require_a_format
from sequester.read.streams import Stream, stream
from sequester.read.table import form_of
from sequester.read.unused_options import check_told

ROW, OWNER, AT, STATE, BESIDE = "row", "who", "at", "state", "beside: "
BYTES_PER_EVENT = 400
"""Memory that sorting takes, per event, with identifiers of some ten characters."""
COUNTS = ("nothing", "without_person", "without_time", "moved", "ties", "single", "cut")


class Made(NamedTuple):
    """A part that was written, and what sorting found, in counts."""

    path: Path
    people: int
    events: int
    counts: dict[str, int]


@dataclass
class _Dealt:
    """What is known when the last row has been dealt out."""

    names: dict[str, int] = field(default_factory=dict)
    """States in the order in which they come up."""
    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(COUNTS, 0))
    n_rows: int = 0
    n_usable: int = 0
    whole_days: bool = True
    when: Any = None
    buckets: list[Path] = field(default_factory=list)


def read_event_parts(
    source: Any,
    folder: Path,
    *,
    engine: Engine,
    by_file: bool = False,
    person: str | None = None,
    time: str | None = None,
    state: str | None = None,
    states: tuple[str, ...] = (),
    attributes: tuple[str, ...] = (),
    time_unit: str = "auto",
    time_format: str = "auto",
    zone: str = "wall",
    layout: str = "table",
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
    """Read a log of events as parts.

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
    person, time, state, states, attributes, time_unit, time_format, zone, files, header, encoding
        As `read_events` takes them.
    layout, people, table
        Only as they are by default: other layouts and maps of people go through memory.
    """
    check_told(read_events, WHO, locals())
    refuse_options(WHO, layout=("table", layout), people=(None, people), table=(None, table))
    read = stream(
        source, WHO, encoding=encoding, header=header, files=files, person=person,
        form=form_of(WHO, skip_lines, units_row, decimal, time, clock), memory=engine.memory,
        threads=engine.threads,
    )  # fmt: skip
    head = read.schema.empty_table()
    roles = roles_of(head, person=person, time=time, state=state, states=states, attributes=attributes)
    watch = Clock(unit=time_unit, form=time_format, zone=zone)
    require_a_format(head, WHO, [roles.time], time_format)
    if by_file:
        n = len(read.paths)
    else:
        width = BYTES_PER_EVENT + 60 * len(roles.attributes)
        n = parts_for(read.about_rows * width, engine.memory, engine.workers)
    dealt = _deal(read, folder / "buckets", n, roles, watch, by_file)
    if not dealt.n_rows:
        raise InputError(f"{WHO}: the table has no rows. At least one event is needed.")
    if not dealt.n_usable:
        raise InputError(NOTHING_USABLE)
    unit, facts = watch.settled(dealt.when, dealt.whole_days)
    names = tuple(sorted(dealt.names))
    rank = {name: i for i, name in enumerate(names)}
    codes = np.array([rank[name] for name in dealt.names], np.int32)
    task = partial(_sorted_part, folder=folder, names=names, codes=codes, unit=unit)
    made = engine.map(task, dealt.buckets, title="sorting")
    if by_file:
        require_whole_people([m.path for m in made], WHO, engine.memory, folder)
    counts = {name: dealt.counts[name] + sum(m.counts.get(name, 0) for m in made) for name in COUNTS}
    n_people = sum(m.people for m in made)
    return Parts(
        kind="events",
        paths=tuple(m.path for m in made),
        n_people=n_people,
        n_records=n_people,
        n_items=sum(m.events for m in made),
        facts={
            "state_names": names,
            "time_unit": unit,
            "names_public": False,
            "notes": (*read.notes, *told(**counts, n=sum(m.events for m in made))),
            "reading": (*facts, Fact("states", "the names found in the log", "found")),
        },
    )


def _deal(read: Stream, folder: Path, n: int, roles: Roles, clock: Clock, by_file: bool) -> _Dealt:
    out = _Dealt()
    with Buckets(folder, n) as buckets:
        for file, piece in read.pieces():
            when = clock.read(piece, roles.time)
            rows = parsed(piece, roles, when)
            if when is not None:
                out.when = when._replace(seconds=when.seconds[:0], known=when.known[:0], ahead=when.ahead[:0])
                if when.clock and out.whole_days:
                    out.whole_days = not np.any(when.seconds[when.known] % 86400)
            for name in ("nothing", "without_person", "without_time"):
                out.counts[name] += getattr(rows, name)
            columns = {
                ROW: pa.array(out.n_rows + rows.place),
                OWNER: rows.who,
                STATE: pa.array(_numbered(rows.state, out.names)),
                **{BESIDE + c: piece[c].take(pa.array(rows.place)).combine_chunks() for c in roles.attributes},
            }
            if rows.at is not None:
                columns[AT] = pa.array(rows.at)
            out.n_rows += len(piece)
            out.n_usable += len(rows.place)
            if len(rows.place):
                buckets.deal(rows.who, columns, file if by_file else None)
        out.buckets = buckets.filled
    return out


def _numbered(column: Any, names: dict[str, int]) -> np.ndarray:
    """Codes into names that grow as new ones come up."""
    encoded = column.dictionary_encode()
    of = [names.setdefault(name, len(names)) for name in encoded.dictionary.to_pylist()]
    return np.array(of or [0], np.int32)[encoded.indices.to_numpy()]


def _sorted_part(bucket: Path, *, folder: Path, names: tuple[str, ...], codes: np.ndarray, unit: str) -> Made:
    """One bucket as a part: its rows by person and time, people in the order in which they first appear."""
    rows = emptied(bucket)
    people = rows[OWNER].combine_chunks().dictionary_encode()
    owner = people.indices.to_numpy().astype(np.int64)
    done = in_order(owner, rows[AT].to_numpy() if AT in rows.column_names else None, unit)
    first = np.zeros(len(people.dictionary), np.int64)
    place = rows[ROW].to_numpy()
    first[owner[::-1]] = place[::-1]
    beside: Mapping[str, np.ndarray] = {
        n.removeprefix(BESIDE): values(rows[n])[done.order] for n in rows.column_names if n.startswith(BESIDE)
    }
    log = EventLog(
        offsets=done.offsets,
        states=codes[rows[STATE].to_numpy()][done.order],
        state_names=names,
        times=done.times,
        time_unit=unit,
        persons=people.dictionary.to_pylist(),
        attributes=beside,
    )
    path = write_part(log, folder / f"part-{bucket.stem.removeprefix('bucket-')}.parquet", first)
    return Made(path, log.n_records, log.n_events, {n: getattr(done, n) for n in ("moved", "ties", "single", "cut")})
