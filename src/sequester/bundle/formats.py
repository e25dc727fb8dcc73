"""Writing one table in the shape its reader expects, and reading it back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import csv

from sequester.errors import BundleError

FORMATS = ("parquet", "jsonl", "csv", "txt", "folder")


def write_table(table: pa.Table, stem: Path, form: str) -> list[tuple[Path, int]]:
    """Write `table` as `stem` with the ending of `form`; returns the files and their rows."""
    if form == "parquet":
        path = stem.with_name(stem.name + ".parquet")
        # Groups of some 16 MB: long lists would otherwise all land in one group, which is read on one thread.
        rows = max(1, min(1 << 20, (table.num_rows << 24) // max(table.nbytes, 1)))
        pq.write_table(table, path, compression="zstd", store_schema=False, row_group_size=rows)
        return [(path, table.num_rows)]
    if form == "csv":
        path = stem.with_name(stem.name + ".csv")
        csv.write_csv(_flat(table), path)
        return [(path, table.num_rows)]
    if form == "jsonl":
        path = stem.with_name(stem.name + ".jsonl")
        with path.open("w", encoding="utf-8", newline="\n") as file:
            for row in _rows(table):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        return [(path, table.num_rows)]
    if form in ("txt", "folder"):
        return list(_write_texts(table, stem, form))
    raise BundleError(f"publish: no format '{form}'; there are {', '.join(FORMATS)}.")


def read_table(paths: list[Path], form: str, columns: Mapping[str, str]) -> pa.Table:
    """Read back what `write_table` wrote; `columns` are the names and types of the manifest."""
    if form == "parquet":
        return pq.read_table(paths[0])
    schema = pa.schema([(name, _type(told)) for name, told in columns.items()])
    if form == "csv":
        options = csv.ConvertOptions(column_types=schema, strings_can_be_null=True, quoted_strings_can_be_null=False)
        return csv.read_csv(paths[0], convert_options=options, parse_options=csv.ParseOptions(newlines_in_values=True))
    if form == "jsonl":
        with paths[0].open(encoding="utf-8", newline="\n") as file:
            return pa.Table.from_pylist([json.loads(line) for line in file], schema=schema)
    rows = [_read_text(path) for path in paths]
    if form == "txt":
        rows[0]["document"] = "1"
    return pa.Table.from_pylist([{k: v for k, v in row.items() if k in schema.names} for row in rows], schema=schema)


def column_types(table: pa.Table) -> dict[str, str]:
    """Names and types, as they stand in the manifest."""
    return {field.name: str(field.type) for field in table.schema}


def sha256(path: Path) -> str:
    """Checksum of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _type(told: str) -> pa.DataType:
    plain = {"string": pa.string(), "double": pa.float64(), "bool": pa.bool_(), "int64": pa.int64()}
    return plain[told] if told in plain else pa.type_for_alias(told)


def _flat(table: pa.Table) -> pa.Table:
    """Lists become text, items joined by a space: CSV knows no lists."""
    for i, field in enumerate(table.schema):
        if pa.types.is_list(field.type) or pa.types.is_fixed_size_list(field.type):
            joined = [None if v is None else " ".join(map(str, v)) for v in table.column(i).to_pylist()]
            table = table.set_column(i, field.name, pa.array(joined, pa.string()))
    return table


def _rows(table: pa.Table) -> Iterator[dict[str, Any]]:
    for batch in table.to_batches(max_chunksize=10_000):
        yield from batch.to_pylist()


def _write_texts(table: pa.Table, stem: Path, form: str) -> Iterator[tuple[Path, int]]:
    """One file per document, exactly its text: no newline is added or translated."""
    extra = set(table.column_names) - {"document", "text"}
    if extra:
        raise BundleError(f"publish: text files cannot carry the columns {', '.join(sorted(extra))}; use jsonl.")
    if form == "txt" and table.num_rows != 1:
        raise BundleError(f"publish: one text file was asked for, the release has {table.num_rows} documents.")
    if form == "folder":
        stem.mkdir()
    for row in _rows(table):
        path = stem / f"{row['document']}.txt" if form == "folder" else stem.with_name(stem.name + ".txt")
        path.write_bytes(row["text"].encode("utf-8"))
        yield path, 1


def _read_text(path: Path) -> dict[str, Any]:
    return {"document": path.stem, "text": path.read_bytes().decode("utf-8")}
