"""A bundle is a closed set of files: what lies in the folder is what the manifest lists, and nothing else.

Each function gives a `Check`; together they say that every byte handed out is either a released table, a copy equal to
one cell by cell, or a page that follows from the manifest.
"""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, Any, cast

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from sequester.bundle.companions import protected_by
from sequester.bundle.formats import (
    column_types,
    flat,
    is_list,
    read_csv_batches,
    read_table,
    same_batches,
    same_cells,
    sha256,
    write_csv,
)
from sequester.bundle.standards import STANDARDS, concepts_in, concepts_of, files_of
from sequester.bundle.xes import is_log, is_xes_of
from sequester.errors import BundleError, InputError, counted, verb_for
from sequester.layouts.states import long_table
from sequester.release import Check
from sequester.stored_tables import LABEL, labelled, pieces_of, rows_at_once, write_parquet

WRITERS = "parquet-cpp-arrow version "
WRITER = f"{WRITERS}{pa.cpp_version}"
ENCODINGS = {"PLAIN", "RLE", "RLE_DICTIONARY", "PLAIN_DICTIONARY", "BIT_PACKED"}
FAILING = (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EMFILE, errno.ENOMEM)
UNREADABLE = (OSError, ValueError, KeyError, IndexError, pa.ArrowException, BundleError)
"""What reading a damaged or forged table raises."""


SIGNATURE, ATTESTATION = "manifest.json.sig", "attestation.json"
SEAL = (SIGNATURE, ATTESTATION)
"""What signing adds beside what the manifest lists; whether it fits is a check of its own."""


def listed(manifest: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Every file the manifest vouches for: the data, and the pages beside it."""
    return [*manifest["files"], *manifest.get("pages", [])]


def changed_files(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Files that are missing, are links, or differ from their checksum."""
    out = []
    for file in listed(manifest):
        path = folder / file["path"]
        if (
            not _is_plain(path)
            or file.get("bytes", path.stat().st_size) != path.stat().st_size
            or sha256(path) != file["sha256"]
        ):
            out.append(file["path"])
    return out


def _is_plain(path: Path) -> bool:
    """Whether there is a file, and no link to one."""
    try:
        return path.is_file() and not path.is_symlink() and not path.parent.is_symlink()
    except OSError:  # no file can have that name
        return False


def strangers(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """What lies in the folder without standing in the manifest: files, links, folders, anything."""
    files = {file["path"] for file in listed(manifest)} | {"manifest.json", *SEAL}
    folders = {parent.as_posix() for path in files for parent in PurePosixPath(path).parents} | {"data"}
    return sorted(
        name for name, kind in _walk(folder, "") if name not in {"file": files, "folder": folders}.get(kind, ())
    )


def files_check(folder: Path, manifest: Mapping[str, Any]) -> Check:
    """Every file is the one the manifest vouches for, and there is no other."""
    changed, extra = changed_files(folder, manifest), strangers(folder, manifest)
    detail = (
        f"{len(changed)} of {counted(len(listed(manifest)), 'file')} "
        f"{verb_for(len(changed), 'differs', 'differ')} from the manifest, {len(extra)} not listed in it"
    )
    return Check(name="checksums", passed=not changed and not extra, detail=detail)


def tables_check(folder: Path, manifest: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Check:
    """Tables have the rows and columns of the manifest, and their files carry nothing beside them."""
    odd, label = [], protected_by(manifest)
    for name, files in by_table(manifest).items():
        try:
            table, first = tables[name], files[0]
            fits = _alike(_stated_types(table, first["schema"]), first["schema"])
            fits = fits and table.num_rows == sum(f["rows"] for f in files)
            bare = first["format"] != "parquet" or _only_the_table(folder / first["path"], table, label)
        except UNREADABLE as error:
            _refuse_a_failing_disk(error)
            fits = bare = False
        odd += [] if fits and bare else [name]
    n = len(by_table(manifest))
    detail = (
        f"{len(odd)} of {counted(n, 'table')} {verb_for(len(odd), 'carries', 'carry')} more or other than the "
        "manifest says"
        if odd
        else f"{n} as listed"
    )
    return Check(name="tables", passed=not odd, detail=detail)


def copies_check(folder: Path, manifest: Mapping[str, Any], tables: Mapping[str, pa.Table]) -> Check | None:
    """Copies say what their table says, cell by cell; None where there are none."""
    copies = [file for file in manifest["files"] if file.get("copy")]
    if not copies:
        return None
    label, by_value = protected_by(manifest), bool(by_another_library(folder, manifest))
    plain = [file for file in copies if file["format"] not in STANDARDS]
    odd = [file["path"] for file in plain if not _is_copy(folder / file["path"], file, tables, label, by_value)]
    for form in dict.fromkeys(file["format"] for file in copies if file["format"] in STANDARDS):
        odd += [] if _is_standard(folder, form, copies, tables, label) else [form]
    for name in {file["table"] for file in copies if file["format"] == "folder"}:
        n = sum(file["table"] == name and file["format"] == "folder" for file in copies)
        odd += [name] if name in tables and n != tables[name].num_rows else []  # a document is missing
    detail = (
        f"{len(odd)} of {counted(len(copies), 'copy', 'copies')} {verb_for(len(odd), 'differs', 'differ')} "
        "from their table"
    )
    if not odd:
        detail = f"{len(copies)} equal to their table, cell by cell"
    return Check(name="copies", passed=not odd, detail=detail)


def by_another_library(folder: Path, manifest: Mapping[str, Any]) -> list[str]:
    """Parquet files that were written by another version of the library, which this one cannot write again."""
    out = []
    for file in manifest["files"]:
        if file["format"] in ("parquet", "long"):
            try:
                out += [] if pq.read_metadata(folder / file["path"]).created_by == WRITER else [file["path"]]
            except UNREADABLE as error:  # the check of tables says so
                _refuse_a_failing_disk(error)
    return out


def as_copied(tables: Mapping[str, pa.Table], name: str, form: str) -> pa.Table:
    """A table in the shape of its copy: for people, sequences of activity have one row per record and interval."""
    whole = long_table(tables) if form in ("csv", "long") and name == "sequences" else None
    return tables[name] if whole is None else whole


def by_table(manifest: Mapping[str, Any]) -> dict[str, list[dict[str, Any]]]:
    """Table → the files that are the table itself, not a copy."""
    out: dict[str, list[dict[str, Any]]] = {}
    for file in manifest["files"]:
        if not file.get("copy"):
            out.setdefault(file["table"], []).append(file)
    return out


def _walk(folder: Path, above: str) -> Iterator[tuple[str, str]]:
    """Names below a folder, and what each is: a `file`, a `folder` or something else. Links are not followed."""
    with os.scandir(folder) as found:
        for entry in found:
            name, inside = f"{above}{entry.name}", entry.is_dir(follow_symlinks=False)
            yield name, "folder" if inside else "file" if entry.is_file(follow_symlinks=False) else "else"
            if inside:
                yield from _walk(folder / entry.name, name + "/")


def _is_copy(path: Path, file: Mapping[str, Any], tables: Mapping[str, pa.Table], label: str, by_value: bool) -> bool:
    try:
        table = tables[file["table"]]
        if file["format"] == "folder":
            return _is_document(path, file, table)
        table = as_copied(tables, file["table"], file["format"])
        if file["rows"] != table.num_rows or not _alike(_stated_types(table, file["schema"]), file["schema"]):
            return False
        if file["format"] == "xes":
            return is_log(table) and is_xes_of(table, path, label)
        as_text = {n: "string" if is_list(t) and file["format"] == "csv" else t for n, t in file["schema"].items()}
        if file["format"] == "csv" and not by_value:
            pieces = (_in_seconds(piece, file["schema"]) for piece in pieces_of(table))
            with path.open("rb") as there, _Beside(there) as here:
                write_csv(pieces, _in_seconds(table.schema.empty_table(), file["schema"]).schema, cast(IO[bytes], here))
                return here.same and there.read(1) == b""
        if file["format"] == "csv":
            written = (b for piece in pieces_of(table) for b in flat(piece).to_batches())
            return same_batches(written, read_csv_batches(path, as_text), rows_at_once(table))
        same = same_cells(table, read_table([path], file["format"], as_text))
        return same and (file["format"] != "long" or _only_the_table(path, table, label))
    except UNREADABLE as error:
        _refuse_a_failing_disk(error)
        return False


def _is_standard(
    folder: Path, form: str, copies: list[dict[str, Any]], tables: Mapping[str, pa.Table], label: str
) -> bool:
    """Whether the files of a standard are those that its writer makes of the table, with the words they give states."""
    files = [file for file in copies if file["format"] == form]
    try:
        table, place = tables[files[0]["table"]], folder / "data" / form
        wanted = files_of(form, table, concepts_of(table, concepts_in(form, place)), label)
        if not is_log(table) or {f"data/{form}/{name}" for name in wanted} != {file["path"] for file in files}:
            return False
        rows = {file["path"]: file["rows"] for file in files}
        for name, write in wanted.items():
            with (place / name).open("rb") as there, _Beside(there) as here:
                if write(cast(IO[bytes], here)) != rows[f"data/{form}/{name}"] or not here.same or there.read(1):
                    return False
        return all(file["table"] == files[0]["table"] and not file["schema"] for file in files)
    except (*UNREADABLE, InputError, TypeError, AttributeError, RecursionError) as error:
        _refuse_a_failing_disk(error)
        return False


def _refuse_a_failing_disk(error: BaseException) -> None:
    """It says nothing about the promise."""
    for one in (error, error.__cause__):
        if isinstance(one, OSError) and one.errno in FAILING:
            raise BundleError(f"verify: a table cannot be read again ({one.strerror}). Try again.") from error


def _is_document(path: Path, file: Mapping[str, Any], table: pa.Table) -> bool:
    rows = table.filter(pc.equal(table["document"], path.name.removesuffix(".txt")))
    found = read_table([path], "folder", file["schema"])
    return file["rows"] == 1 and same_cells(rows, found)


def _alike(a: Mapping[str, str], b: Mapping[str, str]) -> bool:
    """The same columns and types; Parquet calls the items of a list by another name."""
    return {n: t.replace("element:", "item:") for n, t in a.items()} == {
        n: t.replace("element:", "item:") for n, t in b.items()
    }


def _stated_types(table: pa.Table, manifest: Mapping[str, str]) -> dict[str, str]:
    """Names and types of a table; a fraction of a second raises where the manifest tells seconds."""
    cut = [n for n, kind in manifest.items() if kind == "timestamp[s]" and n in table.column_names]
    for batch in table.select(cut).to_batches() if cut else ():
        _in_seconds(pa.Table.from_batches([batch]), manifest)
    return column_types(_in_seconds(table.schema.empty_table(), manifest))


def _in_seconds(table: pa.Table, manifest: Mapping[str, str]) -> pa.Table:
    """Times in seconds where the manifest says so: Parquet knows milliseconds at best. A fraction raises."""
    for i, field in enumerate(table.schema):
        if manifest.get(field.name) == "timestamp[s]" and str(field.type) == "timestamp[ms]":
            table = table.set_column(i, field.name, table.column(i).cast(pa.timestamp("s")))
    return table


def _only_the_table(path: Path, table: pa.Table, label: str) -> bool:
    """Whether a Parquet file is what our writer makes of its table: nothing can hide in it, not even in its footer."""
    if pq.read_metadata(path).created_by == WRITER:
        with path.open("rb") as there, _Beside(there) as here:
            write_parquet(labelled(table, label), cast(IO[bytes], here))
            return here.same and there.read(1) == b""
    return _plain_parquet(path, label)


class _Beside(io.RawIOBase):
    """A file that is not written: what comes is compared with another file."""

    def __init__(self, other: IO[bytes]) -> None:
        self._other, self._at, self.same = other, 0, True

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._at

    def write(self, raw: Any) -> int:
        raw = bytes(raw)
        self._at += len(raw)
        self.same = self.same and self._other.read(len(raw)) == raw
        return len(raw)


def _plainly(cells: pa.ChunkedArray) -> pa.ChunkedArray:
    return cells.cast(cells.type.value_type) if pa.types.is_dictionary(cells.type) else cells


def _holds_unused_words(cells: pa.ChunkedArray) -> bool:
    """Whether the dictionary of a column holds a word that no cell has."""
    kept = {word for chunk in cells.chunks for word in chunk.dictionary.to_pylist()}
    return not kept <= set(pc.unique(_plainly(cells)).to_pylist())


def _plain_parquet(path: Path, label: str) -> bool:
    """The same of a file that another version of the library wrote: all that is in it is known, and fits."""
    words = [field.name for field in pq.read_schema(path) if pa.types.is_string(field.type)]
    file = pq.ParquetFile(path, read_dictionary=words)
    about = file.metadata
    noted = {key for field in file.schema_arrow for key in (field.metadata or {})} - {b"PARQUET:field_id"}
    if about.metadata != {LABEL: label.encode()} or noted or not about.created_by.startswith(WRITERS):
        return False
    at = 4  # after the letters PAR1
    for i in range(about.num_row_groups):
        group, cells = about.row_group(i), file.read_row_group(i)
        if any(_holds_unused_words(cells[name]) for name in words):
            return False
        for j in range(about.num_columns):
            column = group.column(j)
            pages = [o for o in (column.data_page_offset, column.dictionary_page_offset) if o]  # 0 or None: none
            begin = min(pages, default=at)  # of no rows there may be no page
            if begin != at or column.compression != "ZSTD" or not set(column.encodings) <= ENCODINGS:
                return False
            at += column.total_compressed_size
            stated = column.statistics
            if stated is not None and stated.has_min_max and "." not in column.path_in_schema:
                found = pc.min_max(_plainly(cells[column.path_in_schema]))
                if (stated.min, stated.max) != (found["min"].as_py(), found["max"].as_py()):
                    return False
    kept = io.BytesIO()
    about.write_metadata_file(kept)  # what the library does not know, and what lies behind the footer, is not in this
    raw = kept.getvalue()[4:-8]
    with path.open("rb") as whole:
        whole.seek(at)
        return whole.read() == raw + len(raw).to_bytes(4, "little") + b"PAR1"
