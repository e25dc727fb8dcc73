"""From rows to data, in memory or in parts: every part is made by the same function, of rows of whole people.

A source in memory is one piece and becomes one part. Under a memory limit pieces are dealt out to files by the hash of
their person, with the number of the row in the source; every file, which fits into memory, is then one part. What a
person's rows become never depends on anybody else, so the parts put together are what the whole table becomes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.engines.local import usable
from sequester.errors import InputError, counted
from sequester.model import Data, Parts
from sequester.model.part_files import write_part
from sequester.platform import remove
from sequester.read.cells import NAMED, is_text, texts
from sequester.read.engine import computed, exact_path, own_engine
from sequester.read.note_counts import added_up, said
from sequester.read.streams import Stream, Whole

LEAST_MEMORY = 200 << 20
"""A limit below this is refused: the programs themselves need as much."""
MOST_PARTS = 1000
"""Files that are open at once."""
BYTES_PER_ROW, BYTES_PER_COLUMN = 400, 60
"""Memory that a row takes while its part is made, with identifiers of some ten characters, and each of its columns."""
ROW = "row of the source"
"""Column of a file of dealt rows: the number of the row, which tells the order of people over all parts."""

Make = Callable[[Any, np.ndarray, list[str]], tuple[Data, np.ndarray, Any]]
"""Rows, their numbers in the source, notes to add to → a model, the place of every record, and what else was found."""


class NoRows(InputError):
    """Nobody is left; of a part, that says nothing about the others."""

    def __init__(self, words: str, found: Any = None, *, rank: int = 0) -> None:
        super().__init__(words)
        self.found, self.rank = found, rank

    def __reduce__(self) -> Any:
        return partial(NoRows, rank=self.rank), (self.args[0], self.found)


class Made(NamedTuple):
    """A part: in memory, or written; and what making it found."""

    data: Any
    """The model, the path of a file, or None where nobody is left."""
    sizes: tuple[int, int, int]
    """People, records and items."""
    names: tuple[str, ...]
    """What its codes mean."""
    notes: list[str]
    found: Any
    nobody: NoRows | None = None


class Dealt(NamedTuple):
    """Rows of whole people: all of them in memory, or files of them."""

    rows: Stream | Whole
    buckets: list[Path]
    n_rows: int

    def made(self, make: Make, names: str = "") -> list[Made]:
        """What `make` makes of every part; `names` is the field of the model that says what codes mean."""
        if isinstance(self.rows, Whole) or not self.buckets:
            table = self.rows.table if isinstance(self.rows, Whole) else self.rows.head
            return _require_anybody([_made(partial(make, table), np.arange(self.n_rows), names)])
        into = self.rows.into
        made = into.engine.map(partial(_stored, make, names, into.folder), self.buckets, title="sorting")
        if into.by_file:
            paths = [m.data for m in made if m.data is not None]
            _require_whole_people(paths, self.rows.who, into.engine.memory, into.folder)
        return _require_anybody(made)


def deal(
    rows: Stream | Whole, person: str | None, columns: list[str], ready: Callable[[Any], Any] | None = None
) -> Dealt:
    """Every row to the file of its person (rows without one to any), with its number in the source.

    Parameters
    ----------
    rows
        The source; what is in memory stays there.
    person, columns
        Whose rows they are, and what else is read of them.
    ready
        What becomes of every piece on the way; `columns` are then those it has.
    """
    if isinstance(rows, Whole):
        made = rows if ready is None or not rows.table.num_rows else replace(rows, table=ready(rows.table))
        return Dealt(made, [], made.table.num_rows)
    assert person is not None
    into, at, wanted = rows.into, 0, list(dict.fromkeys((person, *columns)))
    n_bytes = rows.about_rows * (BYTES_PER_ROW + BYTES_PER_COLUMN * max(0, len(columns) - 2))
    n = len(rows.paths) if into.by_file else parts_for(n_bytes, into.engine.memory, into.engine.workers)
    with Buckets(into.folder / "buckets", n) as buckets:
        for file, piece in rows.pieces():
            piece = piece if ready is None else ready(piece)
            kept = {c: piece[c].combine_chunks() for c in wanted}
            numbers = pa.array(np.arange(at, at + len(piece)))
            buckets.deal(texts(piece[person]).fill_null(""), {ROW: numbers, **kept}, file if into.by_file else None)
            at += len(piece)
        return Dealt(rows, buckets.filled, at)


def together(rows: Stream | Whole, kind: str, made: list[Made], facts: Mapping[str, Any]) -> Any:
    """The data: the one part in memory, or the files; `facts` are the fields of the model that all parts share."""
    stated = {**facts, "notes": (*rows.notes, *said([*added_up([m.notes for m in made]), *facts.get("notes", ())]))}
    if isinstance(rows, Whole):
        return replace(made[0].data, **stated)
    some = [m for m in made if m.data is not None]
    people, records, items = (sum(sizes) for sizes in zip(*(m.sizes for m in some)))
    paths = tuple(m.data for m in some)
    return Parts(kind=kind, paths=paths, n_people=people, n_records=records, n_items=items, facts=stated)


def _require_anybody(made: list[Made]) -> list[Made]:
    """Refuse a source in which nobody is left."""
    if all(m.data is None for m in made):
        errors = [m.nobody for m in made if m.nobody is not None]
        raise max(errors, key=lambda e: e.rank)
    return made


def _made(make: Callable[..., Any], number: np.ndarray, names: str, path: Path | None = None) -> Made:
    notes: list[str] = []
    try:
        data, place, found = make(number, notes)
    except NoRows as nobody:
        return Made(None, (0, 0, 0), (), notes, nobody.found, nobody)
    sizes = (data.n_people, data.n_records, data.n_items)
    own = tuple(getattr(data, names)) if names else ()
    return Made(data if path is None else write_part(data, path, place), sizes, own, notes, found)


def _stored(make: Make, names: str, folder: Path, bucket: Path) -> Made:
    """A task: one file of dealt rows as a part."""
    rows = emptied(bucket)
    number = np.asarray(rows[ROW].to_numpy())
    path = folder / f"part-{bucket.stem.removeprefix('bucket-')}.parquet"
    return _made(partial(make, rows.drop_columns([ROW])), number, names, path)


class Buckets:
    """Open files, one per part; a row goes to the file of its person's hash, or to the file it came from."""

    def __init__(self, folder: Path, n: int) -> None:
        self.folder, self.n = folder, n
        folder.mkdir(mode=0o700, exist_ok=True)
        self._open = ExitStack()
        self._writers: dict[int, Any] = {}

    def __enter__(self) -> Buckets:
        return self

    def __exit__(self, *error: Any) -> None:
        self._open.close()

    def path(self, i: int) -> Path:
        """Where bucket *i* lies."""
        return self.folder / f"bucket-{i:05d}.arrow"

    @property
    def filled(self) -> list[Path]:
        """Buckets that hold anything."""
        return [self.path(i) for i in sorted(self._writers)]

    def deal(self, who: Any, columns: dict[str, Any], to: int | None = None) -> None:
        """Append rows: by the hash of `who`, or all of them to one bucket. Rows keep their order."""
        rows = pa.table(columns)
        if to is not None or self.n == 1:
            self._append(to or 0, rows)
            return
        part = computed({"p": who}, {"h": f"(hash(p) % {self.n})::usmallint"})["h"].to_numpy()
        order = np.argsort(part, kind="stable")  # a radix sort: the numbers are small
        dealt = rows.take(pa.array(order))
        cuts = np.searchsorted(part[order], np.arange(self.n + 1))
        for i in np.flatnonzero(np.diff(cuts)).tolist():
            self._append(i, dealt.slice(cuts[i], cuts[i + 1] - cuts[i]))

    def _append(self, i: int, rows: Any) -> None:
        if i not in self._writers:
            file = self._open.enter_context(pa.OSFile(str(self.path(i)), "wb"))
            self._writers[i] = self._open.enter_context(pa.ipc.new_stream(file, rows.schema))
        for batch in rows.combine_chunks().to_batches():
            self._writers[i].write_batch(batch)


def emptied(path: Path) -> Any:
    """The rows of a bucket as one table; the file is gone afterwards, so that scratch holds the data once."""
    with pa.OSFile(str(path), "rb") as file, pa.ipc.open_stream(file) as reader:
        rows = reader.read_all()
    remove(path)
    return rows.combine_chunks()


def parts_for(n_bytes: int, memory: int | None, workers: int) -> int:
    """How many parts let all workers hold one each in half of what a limit leaves for data.

    A few more than workers in any case.
    """
    wanted = 2 * workers
    if memory is not None:
        wanted = max(wanted, -(-n_bytes * workers * 2 // max(usable(memory), 1)))
    return int(min(MOST_PARTS, max(1, wanted)))


def require_a_format(rows: Stream | Whole, columns: list[str | None], form: str) -> None:
    """Which format reads most cells is known when all cells were read: of pieces, that is too late."""
    for name in columns:
        if rows.in_parts and name is not None and form == "auto" and is_text(rows.head.schema.field(name).type):
            raise InputError(
                f"{rows.who}: with a memory limit the file is read in pieces, so the format of column '{name}' must be "
                f"told. Pass ‹time_format=›: {', '.join(NAMED)}, or a pattern such as "
                "'%d.%m.%Y %H:%M'."
            )


def _require_whole_people(paths: list[Path], who: str, memory: int | None, scratch: Path) -> None:
    """Refuse parts of which two hold the same person: what is clipped per person would be counted twice."""
    settings = {"temp_directory": str(scratch)}
    if memory is not None:
        settings["memory_limit"] = f"{max(memory // 2, LEAST_MEMORY)}B"
    connection = own_engine(settings=settings)
    try:
        listed = "[" + ", ".join(exact_path(p) for p in paths) + "]"
        twice = connection.sql(
            f"select count(*) from (select person from (select distinct person, filename from read_parquet({listed}, "
            "filename=true)) group by person having count(*) > 1)"
        ).fetchall()
    finally:
        connection.close()
    n_twice = int(twice[0][0])
    if n_twice:
        raise InputError(
            f"{who}: {counted(n_twice, 'person is', 'people are')} in more than one part. A part must hold whole "
            "people: put all rows of a "
            "person into one file, or leave ‹by_file=True› out and let the rows be dealt out."
        )
