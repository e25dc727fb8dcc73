"""Writing a bundle's files into an empty folder: the tables first, then the pages, the manifest last and once."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sequester.bundle.contents import as_copied
from sequester.bundle.formats import column_types, sha256, write_table
from sequester.bundle.manifest import file_entry
from sequester.bundle.schema import TABLE
from sequester.bundle.standards import STANDARDS, read_mapping, write_standard
from sequester.bundle.xes import is_log
from sequester.errors import BundleError
from sequester.layouts import LAYOUTS
from sequester.layouts.states import is_short
from sequester.release import Release, to_json_text


def write_tables(
    release: Release, folder: Path, label: str, *, also: tuple[str, ...] = (), mapping: Path | None = None
) -> list[dict[str, Any]]:
    """Write the tables of a release, whose files say `label` of themselves; returns the lines of `files`.

    `also` names further formats: each table is written as `csv` (sequences of activity one row per interval) or
    `jsonl`, an event log as `xes`, `omop`, `fhir` or `meds`, documents as a `folder` of plain text. Sequences that are
    not too long are always written once more with a row per interval and states by name, for people.
    """
    if not release.tables:
        raise BundleError("publish: the release has no tables.")
    standards = [form for form in also if form in ("xes", *STANDARDS)]
    if standards and not any(is_log(t) for t in release.tables.values()):
        raise BundleError(
            f"publish: {standards[0]} holds event logs, and the release has none. Leave ‹format='{standards[0]}'› out."
        )
    others = [form for form in also if form not in (*LAYOUTS[release.layout].copies, "xes", *STANDARDS)]
    if others:
        can = ", ".join(LAYOUTS[release.layout].copies)
        raise BundleError(
            f"publish: tables of {release.method.id} can be copied as {can}, not as {others[0]}. "
            f"Leave ‹format='{others[0]}'› out."
        )
    concepts = read_mapping(mapping) if mapping is not None else {}
    data = folder / "data"
    data.mkdir()
    files: list[dict[str, Any]] = []
    for table_name, table in release.tables.items():
        if TABLE.fullmatch(table_name) is None:
            raise BundleError("publish: a table's name must be made of letters, digits, '_', '-' and '.'.")
        shape = release.formats.get(table_name, "parquet")
        people = ("long",) if table_name == "sequences" and is_short(release.tables) else ()
        for form in dict.fromkeys((shape, *people, *also)):
            fits = is_log(table) if form in standards else form != "folder" or "text" in table.column_names
            if not fits and form != shape:
                continue
            laid = as_copied(release.tables, table_name, form) if form != shape else table
            if form in STANDARDS:
                written, types = write_standard(form, laid, data / form, concepts, label), {}
            else:
                written, types = write_table(laid, data / table_name, form, label), column_types(laid)
            for path, rows in written:
                entry = file_entry(path, folder, rows, types, table_name, form)
                files.append(entry | ({} if form == shape else {"copy": True}))
    return files


def write_page(folder: Path, name: str, text: str) -> dict[str, Any]:
    """Write a page; returns its line of `pages`."""
    (folder / name).write_bytes(text.encode("utf-8"))
    return {"path": name, "sha256": sha256(folder / name)}


def write_manifest(folder: Path, manifest: Mapping[str, Any]) -> str:
    """Write the manifest; returns its checksum."""
    raw = to_json_text(manifest).encode("utf-8")
    (folder / "manifest.json").write_bytes(raw)
    return hashlib.sha256(raw).hexdigest()
