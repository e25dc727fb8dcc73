"""Before and after, side by side: the hidden words of a few documents. Private by nature; a sample."""

from __future__ import annotations

from typing import Any

from sequester.layouts.documents import Documents
from sequester.model import Corpus
from sequester.release import Claim, Evidence

HIDDEN = "★"
"""Stands for a hidden character in the custodian's excerpts."""
DOCUMENTS, CHARACTERS = 3, 1200


def portrait(original: Corpus, claim: Claim) -> list[Evidence]:
    """The original text of a few documents, cut into what the release shows and what it hides."""
    told = Documents.read(claim)
    if told is None or told.original is None or not (told.per_character or told.hidden is not None):
        return []
    original_of = {new: old for old, new in told.original.items()}
    place = {str(name): i for i, name in enumerate(original.documents)}
    rows: list[dict[str, Any]] = []
    for name, text in list(zip(told.names, told.texts, strict=True))[:DOCUMENTS]:
        i = place.get(str(original_of.get(name)))
        if i is None:
            continue
        before = original.text(i)
        shown = [True] * len(before)
        if told.per_character:
            if len(text) != len(before):
                continue
            shown = [c != told.mark for c in text]
        else:
            for s, e in (told.hidden or {}).get(name, ()):
                shown[s:e] = [False] * (e - s)
        after = "".join(c if kept else HIDDEN for c, kept in zip(before, shown, strict=True))
        rows.append({"document": name, "before": before[:CHARACTERS], "after": after[:CHARACTERS]})
    return [Evidence(about="portrait", saw_original=True, rows={"excerpts": rows})] if rows else []
