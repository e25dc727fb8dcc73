"""The same files described once more as a Frictionless Data Package, for readers who know that format."""

from __future__ import annotations

import re
from typing import Any

from sequester.errors import BundleError

MEDIA = {
    "parquet": "application/vnd.apache.parquet",
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "txt": "text/plain",
    "folder": "text/plain",
    "xes": "application/xml",
}
TYPES = (
    (r"u?int\d+", "integer"),
    (r"float|double|halffloat", "number"),
    (r"bool", "boolean"),
    (r"timestamp.*", "datetime"),
    (r"date32.*|date64.*", "date"),
    (r"(fixed_size_|large_)?list<.*", "array"),
    (r".*", "string"),
)


def datapackage(manifest: dict[str, Any], name: str) -> dict[str, Any]:
    """A data package descriptor of the files in `manifest`."""
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "release"
    return {
        "profile": "data-package",
        "name": slug,
        "title": f"{name}: released with {manifest['method']['id']}",
        "description": manifest["guarantee"]["statement"],
        "resources": [_resource(file) for file in manifest["files"]],
    }


def _resource(file: dict[str, Any]) -> dict[str, Any]:
    out = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", file["path"].removeprefix("data/").lower()).strip("-"),
        "path": file["path"],
        "format": {"folder": "txt", "jsonl": "ndjson"}.get(file["format"], file["format"]),
        "mediatype": MEDIA[file["format"]],
        "encoding": "utf-8",
        "bytes": file["bytes"],
        "hash": "sha256:" + file["sha256"],
    }
    if file["format"] in ("parquet", "csv", "jsonl"):
        fields = [{"name": n, "type": "string" if _is_text(file, t) else _type(t)} for n, t in file["schema"].items()]
        out |= {"profile": "data-resource", "schema": {"fields": fields}}
    return out


def _is_text(file: dict[str, Any], told: str) -> bool:
    return file["format"] == "csv" and "list<" in told  # lists are written as text there


def _type(told: str) -> str:
    for pattern, name in TYPES:
        if re.fullmatch(pattern, told):
            return name
    raise BundleError(f"publish: no data package type for '{told}'.")
