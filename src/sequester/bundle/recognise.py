"""What sequester wrote, known by its format: nothing else is ever replaced, finished or cleaned."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from sequester.bundle.schema import FORMAT

PRIVATE_FORMAT = "sequester-private/1"
MARKER = "sequester-stage.json"
MARKED = '{"format": "sequester-stage/1"}\n'


def is_bundle(folder: Path) -> bool:
    """Whether a folder has a manifest in our format."""
    return folder.is_dir() and json_in(folder / "manifest.json").get("format") == FORMAT


def is_private(folder: Path) -> bool:
    """Whether a folder is a custodian's folder of ours."""
    found = json_in(folder / "custodian.json") if folder.is_dir() else {}
    return found.get("format") == PRIVATE_FORMAT and "manifest_sha256" in found


def is_stage(folder: Path) -> bool:
    """Whether a folder is a stage: it carries our mark, or what a kill left of it, or nothing at all."""
    if folder.is_symlink() or not folder.is_dir():
        return False
    marker = folder / MARKER
    if not marker.is_symlink() and marker.is_file():
        with marker.open("rb") as file:
            return MARKED.encode().startswith(file.read(len(MARKED) + 1))
    return not any(folder.iterdir())


def manifest_digest(folder: Path) -> str | None:
    """Checksum of a bundle's manifest; None where there is none."""
    try:
        return hashlib.sha256((folder / "manifest.json").read_bytes()).hexdigest()
    except OSError:
        return None


def belongs_to(folder: Path) -> str | None:
    """Checksum of the manifest that a custodian's folder was written with; None where there is none."""
    manifest = json_in(folder / "custodian.json").get("manifest_sha256")
    return manifest if isinstance(manifest, str) else None


def json_in(path: Path) -> dict[str, Any]:
    """The object in a JSON file; empty where there is none."""
    try:
        stored = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return stored if isinstance(stored, dict) else {}
