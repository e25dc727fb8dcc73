"""The manifest: what a bundle says about itself. Keys are never removed and never change their meaning."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sequester.bundle.formats import sha256
from sequester.release import Evidence, Guarantee, Release

FORMAT = "sequester/1"


def manifest(release: Release, verdict: Evidence, files: list[dict[str, Any]], version: str) -> dict[str, Any]:
    """The manifest of a release; of the verdict only what the release itself shows."""
    told = told_promise(release.guarantee, teaching_only=release.teaching_only)
    return {
        "format": FORMAT,
        "created_with": f"sequester {version}",
        "kind": release.method.accepts.kind,
        "layout": release.layout,
        "method": {"id": release.method.id, "parameters": dict(release.parameters), "paper": release.method.paper},
        "guarantee": told,
        "ledger": release.ledger.to_json() if release.ledger else None,
        "files": files,
        "verification": verification(verdict),
        "teaching_only": release.teaching_only,
    }


def told_promise(guarantee: Guarantee, *, teaching_only: bool) -> dict[str, Any]:
    """The promise as a manifest states it once the judge has confirmed it."""
    told = guarantee.confirmed().to_json()
    if teaching_only:
        told |= {
            "status": "as-published",
            "statement": "TEACHING ONLY, no protection: the noise was drawn with a known seed. " + guarantee.statement,
        }
    return told


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
