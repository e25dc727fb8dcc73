"""Writing a bundle's data, manifest and data package into a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from sequester.bundle.datapackage import datapackage
from sequester.bundle.formats import column_types, sha256, write_table
from sequester.bundle.manifest import file_entry, manifest
from sequester.bundle.xes import is_log, write_xes
from sequester.errors import BundleError, PromiseBroken
from sequester.release import Evidence, Release, to_json_text

if TYPE_CHECKING:
    import pyarrow as pa


def write_bundle(
    release: Release, verdict: Evidence, folder: Path, *, name: str, version: str, also: tuple[str, ...] = ()
) -> dict[str, Any]:
    """Fill an empty folder; returns the manifest. Refuses a release whose promise was not confirmed.

    `also` names further formats: each table is written as `csv`, an event log as `xes`.
    """
    if not verdict.holds:
        raise PromiseBroken(f"publish: the promise '{release.guarantee.level}' was not confirmed; nothing is written.")
    if not release.tables:
        raise BundleError("publish: the release has no tables.")
    if "xes" in also and not any(is_log(t) for t in release.tables.values()):
        raise BundleError("publish: XES holds event logs, and the release has none. Leave --format xes out.")
    data = folder / "data"
    data.mkdir()
    files: list[dict[str, Any]] = []
    for table_name, table in release.tables.items():
        shape = release.formats.get(table_name, "parquet")
        for form in dict.fromkeys((shape, *also)):
            if form == "xes" and not is_log(table):
                continue
            for path, rows in _written(table, data / table_name, form):
                entry = file_entry(path, folder, rows, column_types(table), table_name, form)
                files.append(entry | ({} if form == shape else {"copy": True}))
    told = manifest(release, verdict, files, version)
    (folder / "manifest.json").write_text(to_json_text(told), "utf-8")
    (folder / "datapackage.json").write_text(to_json_text(datapackage(told, name)), "utf-8")
    return told


def _written(table: pa.Table, stem: Path, form: str) -> list[tuple[Path, int]]:
    if form != "xes":
        return write_table(table, stem, form)
    path = stem.with_name(stem.name + ".xes")
    return [(path, write_xes(table, path))]


def vouch_for_pages(folder: Path, told: dict[str, Any]) -> None:
    """Write the manifest once more, now with the checksums of the pages that were made from it."""
    told["pages"] = [{"path": name, "sha256": sha256(folder / name)} for name in ("datapackage.json", "report.html")]
    (folder / "manifest.json").write_text(to_json_text(told), "utf-8")
