"""The custodian's folder beside a bundle: everything that was computed on the original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sequester.release import Evidence, to_json_text


def private_folder(bundle: Path) -> Path:
    """`NAME.bundle` → `NAME.private`."""
    stem = bundle.name.removesuffix(".bundle")
    return bundle.with_name(stem + ".private")


def write_private(
    folder: Path,
    *,
    manifest_sha256: str,
    tables: Mapping[str, pa.Table],
    evidence: Iterable[Evidence],
    roles: Mapping[str, Any],
) -> None:
    """Fill an empty folder with maps, evidence, and how the source was read."""
    told = {"manifest_sha256": manifest_sha256, "roles": dict(roles)}
    (folder / "custodian.json").write_text(to_json_text(told), "utf-8")
    for name, table in tables.items():
        pq.write_table(table, folder / f"{name}.parquet", compression="zstd")
    for item in evidence:
        (folder / f"{item.about}.json").write_text(to_json_text(item.to_json()), "utf-8")
