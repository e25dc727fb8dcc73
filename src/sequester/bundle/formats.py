"""Writing one table in the shape its reader expects, and reading it back without leaving anything unread."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from pyarrow import csv

from sequester.bundle.schema import ENDINGS
from sequester.bundle.xes import write_xes
from sequester.errors import BundleError, counted
from sequester.stored_tables import (
    AT_ONCE,
    labelled,
    read_whole,
    rows_at_once,
    side_by_side,
    stored_names,
    write_parquet,
)


def write_table(table: pa.Table, stem: Path, form: str, label: str) -> list[tuple[Path, int]]:
    """Write `table` as `stem` with the ending of `form`; returns the files and their rows. Parquet carries `label`."""
    if form in ("txt", "folder"):
        return list(_write_texts(table, stem, form))
    if form not in ENDINGS:
        raise BundleError(f"publish: no format '{form}'; there are {', '.join([*ENDINGS, 'folder'])}.")
    path = stem.with_name(stem.name + ENDINGS[form])
    if form == "csv":
        pieces = (pa.Table.from_batches([batch]) for batch in table.to_batches(max_chunksize=AT_ONCE))
        write_csv(pieces, table.schema, path)
    elif form == "jsonl":
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for row in _rows(table):
                file.write(_line(row))
    elif form == "xes":
        write_xes(table, path, label)
    else:
        write_parquet(labelled(table, label), path)
    return [(path, table.num_rows)]


def write_csv(pieces: Iterable[pa.Table], schema: pa.Schema, where: Path | IO[bytes]) -> None:
    """A table as CSV: text in quotes, nothing in an empty cell, numbers in the shortest form that reads as the same."""
    with csv.CSVWriter(where, flat(schema.empty_table()).schema) as writer:
        for piece in pieces:
            writer.write_table(flat(piece))


def read_table(paths: list[Path], form: str, columns: Mapping[str, str]) -> pa.Table:
    """Read back what `write_table` wrote; `columns` are the names and types of the manifest.

    Raises `ValueError` for anything the writer would not have written: a column, a key or a row more.
    """
    if form in ("parquet", "long"):
        with pq.ParquetFile(paths[0]) as file:  # no data set: a folder's name is no column
            return read_whole(file)
    schema = pa.schema([(name, type_named(found)) for name, found in columns.items()])
    if form == "csv":
        table = csv.read_csv(paths[0], **_csv_options(schema))
        _require_header(table.column_names, schema)
        return table
    if form == "jsonl":
        with paths[0].open(encoding="utf-8", newline="\n") as file:
            return pa.Table.from_pylist([_row(line, schema.names) for line in file], schema=schema)
    rows = [_read_text(path) for path in paths]
    if form == "txt":
        rows[0]["document"] = "1"
    return pa.Table.from_pylist([{k: v for k, v in row.items() if k in schema.names} for row in rows], schema=schema)


def read_csv_batches(path: Path, columns: Mapping[str, str]) -> Iterator[pa.RecordBatch]:
    """The rows of a CSV copy, some at a time; raises as `read_table` does."""
    schema = pa.schema([(name, type_named(found)) for name, found in columns.items()])
    with csv.open_csv(path, **_csv_options(schema)) as reader:
        _require_header(reader.schema.names, schema)
        yield from reader


def _csv_options(schema: pa.Schema) -> dict[str, Any]:
    # Only an empty cell without quotes is missing: "nan" is a number, and "" is text.
    cells = csv.ConvertOptions(
        column_types=schema, null_values=[""], strings_can_be_null=True, quoted_strings_can_be_null=False
    )
    return {"convert_options": cells, "parse_options": csv.ParseOptions(newlines_in_values=True)}


def _require_header(names: list[str], schema: pa.Schema) -> None:
    if sorted(names) != sorted(schema.names):
        raise ValueError("the header is not that of the table")


def column_types(table: pa.Table) -> dict[str, str]:
    """Names and types, as they stand in the manifest."""
    return {field.name: str(field.type) for field in table.schema}


def same_cells(a: pa.Table, b: pa.Table) -> bool:
    """Whether two tables have the same columns, types and cells; missing equals missing, and NaN equals NaN."""
    if sorted(a.column_names) != sorted(b.column_names) or a.num_rows != b.num_rows:
        return False
    if stored_names({"a": a, "b": b}):
        rows = min(rows_at_once(a), rows_at_once(b))
        return same_batches(a.to_batches(max_chunksize=rows), b.to_batches(max_chunksize=rows), rows)
    return all(_same(a[name], b[name]) for name in a.column_names)


def same_batches(a: Iterable[pa.RecordBatch], b: Iterable[pa.RecordBatch], rows: int = AT_ONCE) -> bool:
    """The same of two tables that come in batches, however each is cut; `rows` are held at a time."""
    pairs = side_by_side(a, b, rows)
    return all(one is not None and other is not None and same_cells(one, other) for one, other in pairs)


def flat(table: pa.Table) -> pa.Table:
    """Lists become text, items joined by a space: CSV knows no lists."""
    for i, field in enumerate(table.schema):
        if is_list(str(field.type)):
            joined = [None if v is None else " ".join(map(str, v)) for v in table.column(i).to_pylist()]
            table = table.set_column(i, field.name, pa.array(joined, pa.string()))
    return table


def is_list(words: str) -> bool:
    """Whether a type, as the manifest tells it, is a list."""
    return "list<" in words


def sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def type_named(words: str) -> pa.DataType:
    """The type behind its name in the manifest."""
    plain = {"string": pa.string(), "double": pa.float64(), "bool": pa.bool_(), "int64": pa.int64()}
    return plain[words] if words in plain else pa.type_for_alias(words)


def _same(a: pa.ChunkedArray, b: pa.ChunkedArray) -> bool:
    # What Parquet does not tell apart (the name of a list's items) is not told apart here either.
    if pa.types.is_list(a.type) and pa.types.is_list(b.type) and a.type.value_type == b.type.value_type:
        b = b.cast(a.type)
    if pa.types.is_timestamp(a.type) and pa.types.is_timestamp(b.type) and a.type.tz == b.type.tz:
        a, b = a.cast(pa.timestamp("us", a.type.tz)), b.cast(pa.timestamp("us", b.type.tz))  # Parquet has no seconds
    if a.type != b.type:
        return False
    if a.equals(b):
        return True
    if not pa.types.is_floating(a.type):
        return False
    same = pc.or_kleene(pc.equal(a, b), pc.and_(pc.is_nan(a), pc.is_nan(b)))
    return a.is_null().equals(b.is_null()) and pc.all(same).as_py() is not False


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _line(row: dict[str, Any]) -> str:
    return json.dumps(row, ensure_ascii=False) + "\n"


def _row(line: str, names: list[str]) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(line)
    # A line says what it says and nothing else: no key twice, no key more, no other spelling.
    if not isinstance(row, dict) or sorted(row) != sorted(names) or _line(row) != line:
        raise ValueError("a line is not as it was written")
    return row


def _write_texts(table: pa.Table, stem: Path, form: str) -> Iterator[tuple[Path, int]]:
    """One file per document, exactly its text: no newline is added or translated."""
    extra = set(table.column_names) - {"document", "text"}
    if extra:
        raise BundleError(f"publish: text files cannot carry the columns {', '.join(sorted(extra))}; use jsonl.")
    if form == "txt" and table.num_rows != 1:
        raise BundleError(
            f"publish: one text file was asked for, the release has {counted(table.num_rows, 'document')}."
        )
    if form == "folder":
        stem.mkdir()
    for row in _rows(table):
        name = f"{row.get('document')}.txt"
        if form == "folder" and (Path(name).name != name or name.startswith(".")):
            raise BundleError("publish: a document's name cannot be the name of a file; use jsonl.")
        path = stem / name if form == "folder" else stem.with_name(stem.name + ".txt")
        path.write_bytes(row["text"].encode("utf-8"))
        yield path, 1


def _read_text(path: Path) -> dict[str, Any]:
    return {"document": path.name.removesuffix(".txt"), "text": path.read_bytes().decode("utf-8")}
