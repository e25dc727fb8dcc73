"""Before and after, side by side: the hidden words of a few documents. Private by nature; a sample."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sequester.model import Corpus
from sequester.release import Claim, Evidence

Rows = dict[str, list[dict[str, Any]]]

DOCUMENTS, CHARACTERS = 3, 1200


def portrait(original: Corpus, claim: Claim) -> list[Evidence]:
    """The hidden words of a few documents, where one mask stands for one character."""
    rows = _rows(original, claim.tables, claim)
    found = {name: table for name, table in rows.items() if table}
    return [Evidence(about="portrait", saw_original=True, rows=found)] if found else []


def _rows(original: Corpus, tables: Mapping[str, Any], claim: Claim) -> Rows:
    """The hidden words of a few documents, where one mask stands for one character."""
    documents, known = tables.get("documents"), claim.private.get("documents")
    mask = claim.parameters.get("mask")
    if documents is None or known is None or not mask or claim.parameters.get("spans"):
        return {}
    name_of = dict(zip(known["document"].to_pylist(), known["original"].to_pylist(), strict=True))
    place = {str(name): i for i, name in enumerate(original.documents)}
    out = []
    for row in documents.slice(0, DOCUMENTS).to_pylist():
        i = place.get(str(name_of.get(row["document"])))
        if i is None:
            continue
        lo, hi = int(original.offsets[i]), int(original.offsets[i + 1])
        text = original.utf8[lo:hi].tobytes().decode("utf-8")
        if len(text) == len(row["text"]):
            out.append({"document": row["document"], "before": text[:CHARACTERS], "after": row["text"][:CHARACTERS]})
    return {"excerpts": out}
