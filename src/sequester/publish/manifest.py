"""The manifest: what a bundle says about itself. Keys are never removed and never change their meaning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sequester.release import Evidence, Release
from sequester.table_files import sha256

FORMAT = "sequester/1"


def manifest(release: Release, verdict: Evidence, files: list[dict[str, Any]], version: str) -> dict[str, Any]:
    """The manifest of a release; of the verdict only what the release itself shows."""
    guarantee = release.guarantee.confirmed()
    told = guarantee.to_json()
    if release.teaching_only:
        told |= {
            "status": "as-published",
            "statement": "TEACHING ONLY, no protection: the noise was drawn with a known seed. " + guarantee.statement,
        }
    return {
        "format": FORMAT,
        "created_with": f"sequester {version}",
        "kind": release.method.accepts.kind,  # type: ignore[attr-defined]
        "method": {"id": release.method.id, "parameters": dict(release.parameters), "paper": release.method.paper},
        "guarantee": told,
        "ledger": release.ledger.to_json() if release.ledger else None,
        "files": files,
        "verification": verification(verdict),
        "teaching_only": release.teaching_only,
    }


def verification(verdict: Evidence) -> dict[str, Any]:
    """Check names and results; their details only where the check saw nothing but the release."""
    return {
        "checked": [
            {"name": c.name, "passed": c.passed, "detail": "" if verdict.saw_original else c.detail}
            for c in verdict.checks
        ],
        "result": "confirmed" if verdict.holds else "not confirmed",
        "basis": "release and original" if verdict.saw_original else "release alone",
    }


def file_entry(path: Path, root: Path, rows: int, schema: Mapping[str, str], table: str, form: str) -> dict[str, Any]:
    """One line of `files`."""
    return {
        "path": path.relative_to(root).as_posix(),
        "rows": rows,
        "bytes": path.stat().st_size,
        "sha256": sha256(path),
        "schema": dict(schema),
        "table": table,
        "format": form,
    }
