"""Pictures of a release, one module per family of layouts.

Each module has `public(bundle)`, from the released files alone, and `custodian(bundle, evidence)`, where `evidence`
is the JSON of what was computed on the original. A picture answers the question in its title; where the rows it needs
are absent, it is left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from sequester.layouts import LAYOUTS
from sequester.lazy import load
from sequester.pages.page import Section
from sequester.query.bundle import Bundle


def public_pictures(bundle: Bundle) -> list[Section]:
    """What the release looks like, from the bundle alone; both reports show it, and it is drawn once."""
    where, kept = LAYOUTS[bundle.layout].pictures, vars(bundle)
    if "pictures" not in kept:
        kept["pictures"] = load(f"{where}:public")(bundle) if where else []
    return kept["pictures"]


def custodian_pictures(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Before and after: for the custodian alone."""
    where = LAYOUTS[bundle.layout].pictures
    return load(f"{where}:custodian")(bundle, evidence) if where else []


def rows_named(evidence: Iterable[Mapping[str, Any]], name: str, *, has: Iterable[str]) -> list[dict[str, Any]]:
    """The first rows of this name that have the columns in `has`; an empty list if there are none."""
    for item in evidence:
        rows = item.get("rows", {}).get(name) or []
        if rows and all(column in rows[0] for column in has):
            return list(rows)
    return []


def reading_of(claim: Any) -> dict[str, Any]:
    """How the source was read, as far as a bundle or a release tells it: name of a fact → value."""
    manifest = getattr(claim, "manifest", None)
    if manifest is not None:
        return {fact["name"]: fact["value"] for fact in manifest.get("reading", ())}
    return {fact.name: fact.value for fact in getattr(claim, "reading", ())}


def measured(claim: Any) -> str:
    """Quantity and unit for an axis, such as `glucose, mg/dL`: as declared at reading, or by the descriptions."""
    said = dict((getattr(claim, "manifest", None) or {}).get("publication", {}).get("describes", {}))
    read = {**said, **reading_of(claim)}
    return ", ".join(str(read[name]) for name in ("quantity", "unit") if read.get(name))


def bin_words(claim: Any) -> dict[str, str]:
    """State → the values it stands for, where values were made states: `in-range (70 to 181 mg/dL)`."""
    read = reading_of(claim)
    bins = read.get("bins")
    if not isinstance(bins, dict) or len(bins.get("names", ())) != len(bins.get("ends", ())) + 1:
        return {}
    names, ends, unit = bins["names"], [f"{e:g}" for e in bins["ends"]], str(read.get("unit") or "")
    spans = [f"below {ends[0]}", *(f"{a} to {b}" for a, b in pairwise(ends)), f"from {ends[-1]}"]
    return {n: f"{n} ({span}{' ' * bool(unit)}{unit})" for n, span in zip(names, spans, strict=True)}


def has_columns(bundle: Bundle, table: str, *columns: str) -> bool:
    """Whether the released table is there with these columns and at least one row."""
    if table not in bundle.tables:
        return False
    found = bundle.tables[table]
    return found.num_rows > 0 and all(c in found.column_names for c in columns)
