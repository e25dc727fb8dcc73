"""The same files described once more for readers who know a format: a Frictionless Data Package, CSV on the Web."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from sequester.layouts import dictionary, layout_of
from sequester.layouts.states import LONG

MEDIA = {
    "parquet": "application/vnd.apache.parquet",
    "csv": "text/csv",
    "jsonl": "application/x-ndjson",
    "txt": "text/plain",
    "folder": "text/plain",
    "xes": "application/xml",
    "long": "application/vnd.apache.parquet",
}
CSVW = "data/csv-metadata.json"
"""Where readers of CSV on the Web look for what belongs to a CSV file."""
PARQUET = ("parquet", "long")
TYPES = (
    (r"u?int\d+", "integer"),
    (r"float|double|halffloat", "number"),
    (r"bool", "boolean"),
    (r"timestamp.*", "datetime"),
    (r"date32.*|date64.*", "date"),
    (r"(fixed_size_|large_)?list<.*", "array"),
    (r".*", "string"),
)


def datapackage(manifest: Mapping[str, Any], name: str, columns: Mapping[str, list[str]]) -> dict[str, Any]:
    """A data package descriptor of the files in `manifest`.

    `name` is what the bundle is called; `columns` gives the columns of each table in their order, which the manifest
    does not keep.
    """
    slug = re.sub(r"[^a-z0-9._-]+", "-", name.lower()).strip("-._") or "release"
    card = manifest.get("publication", {})
    layout = layout_of(manifest).name
    return {
        "profile": "data-package",
        "name": slug,
        "title": f"{name}: released with {manifest['method']['id']}",
        "description": manifest["guarantee"]["statement"],
        "resources": [
            _resource(manifest, layout, file, columns[file["table"]])
            for file in manifest["files"]
            if file["format"] in MEDIA  # what is laid out as another standard is described by it
        ],
        **_card(card),
    }


def csv_on_the_web(manifest: Mapping[str, Any], label: str, columns: Mapping[str, list[str]]) -> dict[str, Any]:
    """What the CSV files are, and their columns: inside of them there is no place to say it."""
    layout = layout_of(manifest).name
    files = [file for file in manifest["files"] if file["format"] == "csv"]

    def column(file: Mapping[str, Any], name: str) -> dict[str, str]:
        words = dictionary.meaning(manifest, layout, file["table"], name)
        return {"name": name, "titles": name} | ({"dc:description": words} if words else {})

    return {
        "@context": ["http://www.w3.org/ns/csvw", {"@language": "en"}],
        "dc:description": label,
        "tables": [
            {
                "url": file["path"].removeprefix("data/"),
                "tableSchema": {"columns": [column(file, n) for n in _ordered(file, columns[file["table"]])]},
            }
            for file in files
        ],
    }


def _card(card: Mapping[str, Any]) -> dict[str, Any]:
    out: dict[str, Any] = {}
    if card.get("licence"):
        named = re.fullmatch(r"[-a-zA-Z0-9._]+", card["licence"]) is not None
        out["licenses"] = [{"name" if named else "title": card["licence"]}]
    if card.get("contact"):
        out["contributors"] = [{"title": card["contact"], "role": "contact"}]
    if card.get("issued"):
        out["created"] = f"{card['issued']}T00:00:00Z"
    if card.get("expires"):
        out["expires"] = card["expires"]  # no term of the standard; a custom property, as it allows
    return out | ({"version": card["version"]} if card.get("version") else {})


def _resource(manifest: Mapping[str, Any], layout: str, file: Mapping[str, Any], columns: list[str]) -> dict[str, Any]:
    out: dict[str, Any] = {
        "name": re.sub(r"[^a-z0-9._-]+", "-", file["path"].removeprefix("data/").lower()).strip("-"),
        "path": file["path"],
        "format": {"folder": "txt", "jsonl": "ndjson", "long": "parquet"}.get(file["format"], file["format"]),
        "mediatype": MEDIA[file["format"]],
        "encoding": "utf-8",
    }
    if (
        file["format"] not in PARQUET
    ):  # readers of the standard compare these with the text they read, and refuse Parquet
        out |= {"bytes": file["bytes"], "hash": "sha256:" + file["sha256"]}
    if words := dictionary.says(layout, file["table"]):
        out["description"] = words
    if file["format"] in (*PARQUET, "csv", "jsonl"):
        fields = [
            {"name": n, "type": _type(file["format"], t)}
            | ({"description": words} if (words := dictionary.meaning(manifest, layout, file["table"], n)) else {})
            for n, t in ((name, file["schema"][name]) for name in _ordered(file, columns))
        ]
        out |= {"profile": "data-resource", "schema": {"fields": fields}}
    return out


def _ordered(file: Mapping[str, Any], columns: list[str]) -> list[str]:
    """Columns of a file in their order: those of its table, or those of a copy laid out in rows per interval."""
    return columns if set(columns) == set(file["schema"]) else [c for c in LONG if c in file["schema"]]


def _type(form: str, words: str) -> str:
    """As a reader of the standard finds it: lists are text in CSV and of no type of theirs in Parquet, where a whole
    number that may be missing comes as a number."""
    found = next(name for pattern, name in TYPES if re.fullmatch(pattern, words))
    if found == "array":
        return "string" if form == "csv" else "any" if form in PARQUET else "array"
    return "number" if form in PARQUET and found == "integer" else found
