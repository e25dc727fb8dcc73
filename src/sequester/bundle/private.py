"""The custodian's folder beside a bundle: everything that was computed on the original."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from sequester.bundle.atomic import private_folder, private_of
from sequester.bundle.recognise import PRIVATE_FORMAT, manifest_digest
from sequester.errors import BundleError, SequesterWarning, counted, verb_for
from sequester.release import to_json_text
from sequester.stored_tables import StoredTable, pieces_of, write_parquet

ABOUT = re.compile(r"[a-z][a-z0-9_-]*")


def write_private_tables(folder: Path, tables: Mapping[str, Any]) -> None:
    """Who became what, and the logs of the run; a table on disk stays there."""
    for name, table in tables.items():
        write_parquet(pieces_of(table), folder / f"{name}.parquet")


def write_private(
    folder: Path,
    *,
    manifest_sha256: str,
    evidence: Iterable[Mapping[str, Any]],
    roles: Mapping[str, Any],
    made_from: str | None = None,
    account: Mapping[str, Any] | None = None,
) -> None:
    """Add the evidence, how the source was read, and what the release was made from."""
    manifest = {"format": PRIVATE_FORMAT, "manifest_sha256": manifest_sha256, "roles": dict(roles)}
    manifest |= {"made_from": made_from} if made_from else {}
    manifest |= account or {}
    (folder / "custodian.json").write_text(to_json_text(manifest), "utf-8")
    for item in evidence:
        (folder / evidence_file(item["about"])).write_text(evidence_text(item), "utf-8")


def evidence_file(about: str) -> str:
    """Name of the file that holds a piece of evidence; it never leaves the folder."""
    if ABOUT.fullmatch(about) is None or about == "custodian":
        raise BundleError("keep: evidence must be about one word, such as 'measure'.")
    return f"{about}.json"


def evidence_text(item: Mapping[str, Any]) -> str:
    """Evidence as it is kept: on one line, because programs read it and people read the report."""
    return json.dumps(item, sort_keys=True, ensure_ascii=False) + "\n"


def read_evidence(folder: Path) -> list[dict[str, Any]]:
    """All evidence in a custodian's folder, as JSON."""
    files = sorted(p for p in folder.glob("*.json") if p.name != "custodian.json" and not p.name.startswith("."))
    try:
        found = [json.loads(p.read_text("utf-8")) for p in files]
    except (ValueError, RecursionError) as error:
        raise BundleError(f"keep: a file of '{folder.name}' is not JSON. Restore the custodian's folder.") from error
    odd = sum(not isinstance(item, dict) or not isinstance(item.get("about"), str) for item in found)
    if odd:
        raise BundleError(
            f"keep: {counted(odd, 'file')} of '{folder.name}' {verb_for(odd, 'is', 'are')} no evidence. Restore the "
            "custodian's folder."
        )
    return found


def read_private_tables(folder: Path, *, on_disk: Iterable[str] = ()) -> dict[str, Any]:
    """The custodian's tables in a folder; those `on_disk` are not read into memory."""
    out: dict[str, Any] = {}
    for file in sorted(folder.glob("*.parquet")):
        complaint = (
            f"open: '{folder.name}/{file.name}' cannot be read. Restore the custodian's folder, or move it away."
        )
        try:
            stays = file.stem in on_disk
            out[file.stem] = StoredTable.at(file, complaint) if stays else pq.read_table(file, partitioning=None)
        except (pa.ArrowException, OSError) as error:
            raise BundleError(complaint) from error
    return out


def private_tables(bundle: Path) -> dict[str, pa.Table]:
    """The custodian's tables of a bundle, or none if the folder is absent or belongs to another release."""
    return read_private_tables(private_of(bundle)) if custodian(bundle) else {}


def custodian(path: str | Path) -> dict[str, Any]:
    """What the custodian's folder says about a bundle: roles of the source; empty if it is not its own."""
    bundle = Path(path)
    found = remembered(bundle)
    if found is None:
        warnings.warn(
            f"'{private_folder(bundle).name}' does not belong to this '{bundle.name}' (it was written with another "
            "manifest), so its maps and column roles are not used.",
            SequesterWarning,
            stacklevel=2,
        )
    return found or {}


def remembered(bundle: Path) -> dict[str, Any] | None:
    """The contents of `custodian.json`; empty where there is none, None where it speaks of another manifest."""
    try:
        stored = json.loads((private_of(bundle) / "custodian.json").read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (ValueError, RecursionError):
        return None
    known = isinstance(stored, dict) and isinstance(stored.get("roles", {}), dict)
    return stored if known and stored.get("manifest_sha256") == manifest_digest(bundle) is not None else None
