"""A source as a stream of rows: one piece in memory, or pieces of so many rows, in the same order.

Only formats that can be read from the front are taken in pieces: text tables in UTF-8, JSON lines and Parquet, alone or
in a folder. What else there is goes through memory, and is refused here in words.
"""

from __future__ import annotations

import codecs
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError, counted
from sequester.read import delimited
from sequester.read.engine import own_engine
from sequester.read.gather import FILE, FOLDER, Recordings, Summaries, beside, gather, members, with_clock, with_times
from sequester.read.stray_quotes import Swallowed
from sequester.read.table import (
    DELIMITED,
    HEADER,
    JSON,
    PARQUET,
    PLAIN,
    InParts,
    Loaded,
    TableForm,
    check_encoding,
    ending,
)
from sequester.read.unused_options import refuse_idle_on_files
from sequester.read.whole_text import note_of, whole

ROWS_AT_ONCE, CELLS_AT_ONCE = 1 << 18, 1 << 21
"""Rows of a piece at most, and its cells."""
LARGEST_LINE, BUFFER = 1 << 24, 1 << 25
"""Bytes of the longest row of a text table, and of what its scanner reads at a time."""
BYTES_PER_CELL = 12
"""Of a text table, by estimate; decides how many parts there are, nothing else."""


@dataclass
class Stream:
    """Pieces of a source; `notes` are complete when the pieces have run out."""

    paths: list[Path]
    root: Path
    who: str
    header: bool = True
    form: TableForm = PLAIN
    with_names: bool = False
    """Whether the columns `file` and `folder` are added, as for every folder."""
    memory: int | None = None
    threads: int = 1
    notes: list[str] = field(default_factory=list)
    people: Recordings | None = None
    rows: Summaries = field(default_factory=lambda: Summaries(None))
    into: Any = None
    """The `InParts` it was opened for."""
    _of_json: dict[Path, tuple[list[str], str]] = field(default_factory=dict)

    @cached_property
    def schema(self) -> Any:
        """Names and types of the columns over all files."""
        try:
            found = pa.unify_schemas([self._schema(p) for p in self.paths], promote_options="permissive")
        except pa.ArrowException as error:
            raise InputError(
                f"{self.who}: the files of '{self.root.name}' have columns of one name and other types. Convert them."
            ) from error
        more = (FILE, FOLDER) if self.with_names else ()
        for name in (*more, HEADER) if self.form.begins else more:
            found = found if name in found.names else found.append(pa.field(name, pa.string()))
        return found

    @property
    def in_parts(self) -> bool:
        """It comes in pieces."""
        return True

    @cached_property
    def head(self) -> Any:
        """The columns, without rows."""
        return self._finished(self.schema.empty_table())

    @property
    def alike(self) -> bool:
        """Whether all files have the same columns in the same order."""
        return len({tuple(self._schema(p).names) for p in self.paths}) < 2

    @property
    def about_rows(self) -> int:
        """How many rows there are, by estimate."""
        return sum(self._about_rows(p) for p in self.paths)

    def pieces(self) -> Iterator[tuple[int, Any]]:
        """Tables of at most so many rows, all with the columns of `schema`, each with the number of its file."""
        schema = self.schema
        for number, path in enumerate(self.paths):
            done = 0
            for batch in self._batches(path):
                piece = pa.Table.from_batches([batch]) if isinstance(batch, pa.RecordBatch) else batch
                if not len(piece):
                    continue
                piece = with_times(piece, path, self.who, self.form, done=done)
                done += len(piece)
                if self.with_names:
                    piece = beside(Loaded(piece), path, self.root).table
                yield number, self._finished(_fitted(piece, schema))
        self.notes += [*(self.people.notes if self.people is not None else ()), *self.rows.notes]

    def _finished(self, piece: Any) -> Any:
        timed = self.rows.without(with_clock(piece, self.form, self.who))
        return timed if self.people is None else self.people.applied(timed)

    def _schema(self, path: Path) -> Any:
        kind = ending(path)
        if kind in PARQUET:
            try:
                with path.open("rb") as file:
                    return pq.ParquetFile(file).schema_arrow.remove_metadata()
            except (pa.ArrowException, OSError, ValueError) as error:
                raise _no_parquet(self.who, path) from error
        names = self._csv(path)[0] if kind in DELIMITED else self._json(path)[0]
        return pa.schema([(n, pa.string()) for n in names])

    def _about_rows(self, path: Path) -> int:
        if ending(path) in PARQUET:
            with path.open("rb") as file:
                return int(pq.ParquetFile(file).metadata.num_rows)
        size = path.stat().st_size * (8 if path.suffix.lower() == ".gz" else 1)
        return size // (BYTES_PER_CELL * max(1, len(self._schema(path).names))) + 1

    def _csv(self, path: Path) -> tuple[list[str], str]:
        first = delimited.first_line(path, self.who, self.form.skip_lines)
        if delimited.delimiter_of(first, ending(path)) == delimited.BLANKS:
            raise not_in_pieces(self.who, f"'{path.name}' separates its cells by spaces")
        return delimited.csv_query(
            path, self.who, first, self.header, path, form=self.form, largest_line=LARGEST_LINE, buffer=BUFFER
        )

    def _json(self, path: Path) -> tuple[list[str], str]:
        if path not in self._of_json:  # the names of all keys take a look at every row
            self._of_json[path] = delimited.json_query(path, self.who, self._connect, LARGEST_LINE, self.form.inside)
        return self._of_json[path]

    def _connect(self) -> Any:
        settings = {"threads": str(self.threads)}
        if self.memory is not None:
            settings["memory_limit"] = f"{max(self.memory // 4, 200 << 20)}B"
        return own_engine(settings=settings)

    @property
    def _at_once(self) -> int:
        return max(1, min(ROWS_AT_ONCE, CELLS_AT_ONCE // max(1, len(self.schema))))

    def _batches(self, path: Path) -> Iterator[Any]:
        kind = ending(path)
        return self._of_parquet(path) if kind in PARQUET else self._of_text(path, kind in DELIMITED)

    def _of_parquet(self, path: Path) -> Iterator[Any]:
        n_bad = 0
        try:
            with path.open("rb") as file:
                for batch in pq.ParquetFile(file).iter_batches(batch_size=self._at_once):
                    plain, bad = whole(pa.Table.from_batches([batch]))
                    n_bad += bad
                    yield plain
        except (pa.ArrowException, OSError, ValueError, UnicodeError) as error:
            raise _no_parquet(self.who, path) from error
        self.notes += note_of(n_bad)

    def _of_text(self, path: Path, is_csv: bool) -> Iterator[Any]:
        import duckdb

        names, query = self._csv(path) if is_csv else self._json(path)
        connection = self._connect()
        n_rows = 0
        first = delimited.first_line(path, self.who, self.form.skip_lines) if is_csv else ""
        by = delimited.delimiter_of(first, ending(path)) if is_csv else ""
        swallowed = Swallowed(names, by)
        again = delimited.Repeated(first, by or ",", self.header and is_csv)
        try:
            for batch in _reader(connection.sql(query), self._at_once):
                n_rows += batch.num_rows
                if is_csv:
                    swallowed.look(batch)
                yield again.without(batch)
            rejects = delimited.rejected(connection, swallowed) if is_csv else []
        except (duckdb.Error, UnicodeError, OverflowError, RuntimeError) as error:
            raise delimited.explained([path], self.who, path) from error
        finally:
            connection.close()
        note = delimited.about_rejected(rejects, n_rows, len(names), self.who, self.header, path, [path])
        self.notes += [n for n in (note, swallowed.note, again.note) if n]


@dataclass
class Whole:
    """A source in memory: one piece."""

    table: Any
    who: str
    notes: tuple[str, ...] = ()
    alike: bool = True

    @property
    def in_parts(self) -> bool:
        """It is one piece."""
        return False

    @property
    def head(self) -> Any:
        """The columns, without rows."""
        return self.table.slice(0, 0)


def rows_of_source(source: Any, who: str, *, table: str | None = None, **options: Any) -> Stream | Whole:
    """The rows of a source, in pieces if it is `InParts`; options as `gather` takes them."""
    if isinstance(source, InParts):
        if table is not None:
            raise not_in_pieces(who, "a table of a database or a workbook is read whole")
        return stream(source.source, who, into=source, **options)
    loaded = gather(source, who, table=table, **options)
    return Whole(loaded.table, who, loaded.notes, loaded.alike)


def stream(
    source: Any,
    who: str,
    *,
    encoding: str = "utf-8",
    header: bool = True,
    files: str | None = None,
    people: str | None = None,
    person: str | None = None,
    form: TableForm = PLAIN,
    into: InParts | None = None,
) -> Stream:
    """Open a path or a folder for reading in pieces; options as `gather` takes them."""
    check_encoding(encoding, who)
    if not isinstance(source, (str, Path)):
        raise not_in_pieces(who, "the source is a table in memory")
    if codecs.lookup(encoding).name not in ("utf-8", "utf-8-sig"):
        raise not_in_pieces(who, f"the source is written in {encoding}")
    root = Path(source)
    if not root.exists():
        raise InputError(f"{who}: '{root.name}' does not exist. Check the path.")
    if root.is_dir():
        paths = members(root, who, files)
        notes = [f"{counted(len(paths), 'file was', 'files were')} joined"]
    else:
        if files is not None:
            raise InputError(f"{who}: files= chooses files of a folder, and the source is none. Leave it out.")
        paths, notes = [root.absolute()], []
    for path in paths:
        if ending(path) not in (*DELIMITED, *JSON, *PARQUET) or path.suffix.lower() == ".zip":
            raise not_in_pieces(who, f"'{path.name}' cannot be read from the front")
        if path.stat().st_size == 0:
            raise InputError(f"{who}: '{path.name}' is empty. A header and at least one row are needed.")
    refuse_idle_on_files(paths, who, table=None, encoding=encoding, header=header, form=form)
    return Stream(
        paths,
        root if root.is_dir() else root.absolute().parent,
        who,
        header,
        form,
        root.is_dir() or person in (FILE, FOLDER),
        into.engine.memory if into else None,
        into.engine.threads if into else 1,
        notes,
        Recordings(people, person, who, encoding) if people is not None else None,
        Summaries(person),
        into,
    )


def _fitted(piece: Any, schema: Any) -> Any:
    """A piece with all columns, in the types that hold over all files."""
    columns = []
    for f in schema:
        if f.name not in piece.column_names:
            columns.append(pa.nulls(len(piece), f.type))
        else:
            column = piece[f.name]
            columns.append(column if column.type == f.type else column.cast(f.type))
    return pa.table(columns, names=schema.names)


def _reader(relation: Any, rows: int) -> Any:
    open_ = getattr(relation, "to_arrow_reader", None) or relation.fetch_record_batch
    return open_(rows)


def _no_parquet(who: str, path: Path) -> InputError:
    return InputError(f"{who}: '{path.name}' cannot be read as Parquet. Check the file.")


def not_in_pieces(who: str, why: str) -> InputError:
    """The error for a source that goes through memory only."""
    return InputError(
        f"{who}: with a memory limit a source is read in pieces, and {why}. Convert it to Parquet or to CSV in UTF-8, "
        "or leave ‹memory_limit=› out."
    )
