"""Tables larger than memory: a Parquet file that is read in batches, with as much of a table's face as readers need.

A release may hold one in place of a table in memory. It is written while it is drawn, to a file without a name, so that
nothing of it stays however the work ends; publishing copies the file. Whoever checks a large bundle reads it the same
way. `to_batches`, `select`, `slice`, `schema` and `num_rows` mean what they mean of a table in memory, so that code
which uses nothing else serves both. A column by its name, and all else that a table in memory can do, is answered from
what is then read into memory.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import chain, zip_longest
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sequester.errors import BundleError, InputError, counted
from sequester.platform import read_at

ROWS, GROUP_BYTES = 1 << 20, 1 << 24
"""Rows of a group of a Parquet file at most, and its bytes: a group is read on one thread, and held by its reader."""
SIZED = 1 << 17
"""First rows of a table that tell how many fit into a group."""
FEW, LONG_ROW = 256, 1 << 10
"""The same of a table whose first so many rows have more than so many bytes each."""
AT_ONCE, BATCH_BYTES = 1 << 16, 1 << 24
"""Rows of a batch at most, and its bytes."""
LONG_LIST = 1 << 10
"""Values of a cell that make it a long list."""
VALUES_AT_ONCE = 1 << 21
"""Values of long lists that are read together."""
LABEL = b"sequester"
"""The one key of a footer: what a file of a bundle says of itself."""


class StoredTable:
    """A table in a Parquet file."""

    def __init__(
        self,
        source: Callable[[], Any],
        *,
        schema: pa.Schema | None = None,
        columns: list[str] | None = None,
        complaint: str = "open: a table cannot be read. Get an intact copy.",
        path: Path | None = None,
    ) -> None:
        """Open a file.

        Parameters
        ----------
        source
            Opens it anew for every reader.
        schema
            Types as they were before Parquet, which has no seconds, wrote them.
        columns
            Those to read; all without it.
        complaint
            What to say where the file is damaged.
        path
            The file, if it has a name.
        """
        self._source, self._schema, self._columns, self._complaint = source, schema, columns, complaint
        self.path = path
        with self._file() as file:
            self.num_rows: int = file.metadata.num_rows
            self.row_bytes: int = _row_bytes(file)
            """Of a row in memory, by estimate: a week of minutes is a list of ten thousand codes."""
            found = file.schema_arrow if schema is None else schema
        self.schema: Any = found if columns is None else _picked(found, columns)

    @classmethod
    def at(cls, path: Path, complaint: str) -> StoredTable:
        """The table in a file of a bundle."""
        return cls(lambda: path.open("rb"), complaint=complaint, path=path)

    @property
    def column_names(self) -> list[str]:
        return list(self.schema.names)

    @property
    def num_columns(self) -> int:
        return len(self.schema)

    def select(self, columns: list[str]) -> StoredTable:
        """The same rows with fewer columns."""
        return StoredTable(
            self._source, schema=self._schema, columns=list(columns), complaint=self._complaint, path=self.path
        )

    def __getitem__(self, name: str | int) -> Any:
        return self.select([name if isinstance(name, str) else self.column_names[name]]).read().column(0)

    def column(self, name: str | int) -> Any:
        return self[name]

    def __len__(self) -> int:
        return self.num_rows

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or not hasattr(pa.Table, name):
            raise AttributeError(name)
        return getattr(self.read(), name)

    def to_batches(self, max_chunksize: int = AT_ONCE) -> Iterator[pa.RecordBatch]:
        """All rows, some at a time: fewer where they are long."""
        with self._file() as file:
            rows = min(max_chunksize, rows_at_once(self))
            batches = file.iter_batches(batch_size=rows, columns=self._columns)
            while True:
                try:
                    batch = next(batches, None)
                except (pa.ArrowException, OSError, ValueError) as error:
                    raise BundleError(self._complaint) from error
                if batch is None:
                    return
                yield batch if batch.schema.equals(self.schema) else batch.cast(self.schema)

    def slice(self, offset: int = 0, length: int | None = None) -> pa.Table:
        """Some rows, in memory; only those before them and they are read."""
        end = self.num_rows if length is None else min(self.num_rows, offset + length)
        found, at = [], 0
        for batch in self.to_batches():
            if at >= end:
                break
            if at + len(batch) > offset:
                found.append(batch.slice(max(0, offset - at), end - max(at, offset)))
            at += len(batch)
        return pa.Table.from_batches(found, schema=self.schema)

    def read(self) -> pa.Table:
        """All of it, in memory."""
        return self.slice()

    @contextmanager
    def _file(self) -> Iterator[Any]:
        try:
            source = self._source()
        except OSError as error:
            raise BundleError(self._complaint) from error
        with source:
            try:
                file = pq.ParquetFile(pa.PythonFile(source, mode="r"))
            except (pa.ArrowException, OSError, ValueError) as error:
                raise BundleError(self._complaint) from error
            yield file

    def __repr__(self) -> str:
        return f"<table on disk: {counted(self.num_rows, 'row')}, {', '.join(self.column_names)}>"


Table = Any
"""A table in memory (`pyarrow.Table`) or on disk."""


def stored_names(tables: Mapping[str, Table]) -> list[str]:
    """Which of them are on disk."""
    return [name for name, table in tables.items() if isinstance(table, StoredTable)]


def pieces_of(table: Table) -> Iterator[pa.Table]:
    """A table in pieces, at least one; what is in memory is one."""
    n = 0
    for batch in table.to_batches() if isinstance(table, StoredTable) else ():
        n += 1
        yield pa.Table.from_batches([batch])
    if not n:
        yield table if not isinstance(table, StoredTable) else table.schema.empty_table()


def labelled(table: Table, label: str) -> Iterator[pa.Table]:
    """A table in pieces that say what they are: `write_parquet` puts it into the footer of their file."""
    return (piece.replace_schema_metadata({LABEL: label}) for piece in pieces_of(table))


def scanned(table: Table) -> Any:
    """A table as a query engine reads it: a file stays where it is."""
    if not isinstance(table, StoredTable) or table.path is None:
        return table
    from pyarrow import dataset  # only questions about large bundles need it

    return dataset.dataset(table.path, format="parquet")


MANY_ROWS, MANY_BYTES = 1 << 22, 1 << 28
"""A table of a bundle with more stays in its file."""
SMALL_FILE = 1 << 16
"""Bytes of a file that is not looked into."""


def is_large(path: Path, rows: int) -> bool:
    """Whether a Parquet file would take much memory; one that cannot be read is refused later."""
    if rows > MANY_ROWS:
        return True
    try:
        if path.stat().st_size < SMALL_FILE and rows < AT_ONCE:
            return False
        return StoredTable.at(path, "").row_bytes * rows > MANY_BYTES
    except (BundleError, OSError, ValueError, pa.ArrowException):
        return False


def gathered(pieces: Iterable[pa.Table], *, folder: Path | None, in_files: bool) -> Table:
    """The pieces of a table as one, at least one of them; `in_files`: on disk, in `folder`."""
    if not in_files:
        return pa.concat_tables(pieces)
    rest = iter(pieces)
    first = next(rest)
    try:
        nameless = _Nameless(folder)
        with nameless.writing() as file:
            write_parquet(chain([first], rest), file)
    except OSError as error:
        where = folder.name if folder is not None else tempfile.gettempdir()
        raise InputError(
            f"scratch: '{where}' cannot be written ({error.strerror}). Pass ‹scratch=› with a folder on a disk that "
            "has room."
        ) from error
    return StoredTable(lambda: _Reader(nameless), schema=first.schema)


def write_parquet(pieces: Iterable[pa.Table], where: Path | IO[bytes]) -> int:
    """Write a table that comes in pieces, in groups of some 16 MB; returns its rows.

    The file is the same however the table was cut, and whether it was ever in memory as a whole. Of what the first
    piece says about itself, the file keeps the label alone.
    """
    rest, begun, n, enough = iter(pieces), [], 0, SIZED
    while n < enough and (piece := next(rest, None)) is not None:
        begun.append(piece)
        n += piece.num_rows
        if n >= FEW > n - piece.num_rows:  # looked at once; of long rows, few tell their size
            few = pa.concat_tables(begun).slice(0, FEW)
            enough = FEW if _plain_bytes(few.columns) > FEW * LONG_ROW else SIZED
    head = pa.concat_tables(begun)
    sized = head.slice(0, enough)
    rows = max(1, min(ROWS, (sized.num_rows * GROUP_BYTES) // max(_plain_bytes(sized.columns), 1)))
    schema, label = head.schema.remove_metadata(), (head.schema.metadata or {}).get(LABEL)
    n = 0
    with pq.ParquetWriter(where, schema, compression="zstd", store_schema=False) as writer:
        for group in in_pieces_of(chain([head], rest), rows):
            writer.write_table(group.replace_schema_metadata(None).combine_chunks(), row_group_size=rows)
            n += group.num_rows
        if label is not None:
            writer.add_key_value_metadata({LABEL: label})
    return n


def _plain_bytes(columns: Iterable[pa.ChunkedArray]) -> int:
    """What cells take whichever way they came: columns that were read have masks of gaps, or words beside them."""
    total = 0
    for cells in columns:
        kind = cells.type
        if pa.types.is_dictionary(kind):
            total += _plain_bytes([cells.cast(kind.value_type)])
        elif pa.types.is_list(kind):
            total += 4 * len(cells) + _plain_bytes([pc.list_flatten(cells)])
        elif pa.types.is_string(kind):
            total += 4 * len(cells) + (pc.sum(pc.binary_length(cells)).as_py() or 0)
        else:
            total += len(cells) * kind.bit_width // 8 if pa.types.is_primitive(kind) else cells.nbytes
    return total


def in_pieces_of(tables: Iterable[pa.Table], rows: int) -> Iterator[pa.Table]:
    """The same rows in pieces of `rows`, the last one shorter; at least one piece, if there was a table."""
    waiting: list[Any] = []
    n, given = 0, False
    for table in tables:
        waiting.append(table)
        n += table.num_rows
        if n < rows:
            continue
        whole = pa.concat_tables(waiting)
        for at in range(0, n - n % rows, rows):
            yield whole.slice(at, rows)
        given = True
        n %= rows
        waiting = [whole.slice(whole.num_rows - n)] if n else []
    if n or (waiting and not given):
        yield pa.concat_tables(waiting)


def read_whole(file: Any) -> pa.Table:
    """All rows of an open Parquet file. Long lists come some at a time: where every value belongs takes the memory of
    four small ones, and to get that memory takes longer than to read."""
    about = file.metadata
    groups = range(about.num_row_groups) if 0 < about.num_columns < FEW else ()
    values = sum(about.row_group(i).column(j).num_values for i in groups for j in range(about.num_columns))
    if values <= LONG_LIST * about.num_columns * about.num_rows:
        return file.read()
    batches = file.iter_batches(max(1, VALUES_AT_ONCE * about.num_rows // values))
    return pa.Table.from_batches(batches, file.schema_arrow).unify_dictionaries()


def rows_at_once(table: Any) -> int:
    """Rows of a table that are looked at together."""
    width = table.row_bytes if isinstance(table, StoredTable) else table.nbytes // max(1, table.num_rows)
    return max(1, min(AT_ONCE, BATCH_BYTES // max(1, width)))


def _row_bytes(file: Any) -> int:
    """What a row takes in memory: of text sixteen bytes are assumed, for a footer does not tell."""
    about, schema = file.metadata, file.schema
    width = {"BOOLEAN": 1, "INT32": 4, "INT64": 8, "INT96": 8, "FLOAT": 4, "DOUBLE": 8}
    total = 0
    for j in range(about.num_columns):
        leaf = schema.column(j)
        each = 1 if "bitWidth=8" in str(leaf.logical_type) else width.get(leaf.physical_type, 16)
        total += each * sum(about.row_group(i).column(j).num_values for i in range(about.num_row_groups))
    return int(total // max(1, about.num_rows))


def side_by_side(a: Iterable[Any], b: Iterable[Any], rows: int = AT_ONCE) -> Iterator[tuple[Any, Any]]:
    """Batches of two tables, cut alike; None beside a piece of the longer one, where the other has ended."""

    def tables(batches: Iterable[Any]) -> Iterator[Any]:
        return (pa.Table.from_batches([batch]) for batch in batches)

    return zip_longest(in_pieces_of(tables(a), rows), in_pieces_of(tables(b), rows))


def _picked(schema: Any, columns: list[str]) -> Any:
    return pa.schema([schema.field(name) for name in columns])


class _Nameless:
    """A file that no folder lists: it is gone with whoever holds it last, also after a kill."""

    def __init__(self, folder: Path | None) -> None:
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 (closed with its last reader)
        self.handle = self._file.fileno()

    def writing(self) -> IO[bytes]:
        return os.fdopen(os.dup(self.handle), "wb")

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file.close()


class _Reader(io.RawIOBase):
    """A place of its own in a file that others read as well."""

    def __init__(self, file: _Nameless) -> None:
        self._file, self._at = file, 0  # held, so that the file stays as long as somebody reads it

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        size = os.fstat(self._file.handle).st_size
        self._at = offset + {os.SEEK_SET: 0, os.SEEK_CUR: self._at, os.SEEK_END: size}[whence]
        return self._at

    def tell(self) -> int:
        return self._at

    def readinto(self, buffer: Any) -> int:
        found = read_at(self._file.handle, memoryview(buffer), self._at)
        self._at += found
        return found
