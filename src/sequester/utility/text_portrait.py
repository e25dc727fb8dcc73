"""Before and after, side by side: the hidden words of a few documents. Private by nature; a sample."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from sequester.layouts.documents import Documents
from sequester.model import Corpus
from sequester.release import Claim, Evidence

HIDDEN = "★"
"""Stands for a hidden character in the custodian's excerpts."""
DOCUMENTS, CHARACTERS = 3, 1200


def portrait(original: Corpus, claim: Claim) -> list[Evidence]:
    """The original text of a few documents, cut into what the release shows and what it hides."""
    documents = Documents.read(claim)
    if documents is None:
        return []
    found: dict[str, list[dict[str, Any]]] = {"changed": _changed(original, documents)}
    rows = _excerpts(original, documents)
    return [Evidence(about="portrait", saw_original=True, rows=found | ({"excerpts": rows} if rows else {}))]


def _changed(original: Corpus, declared: Documents) -> list[dict[str, Any]]:
    """Documents, characters and words: original beside what can be read in the release."""
    texts = [original.text(i) for i in range(len(original.documents))]
    gone = re.compile(f"(?:{re.escape(declared.mark)})+" + ("|\\[[A-Z][A-Z_]*\\]" if declared.kinds else ""))
    shown = [gone.sub("\0", text) for text in declared.texts]
    words = [[w for w in text.split() if "\0" not in w] for text in shown]
    before = [len(text.split()) for text in texts]
    rows: list[dict[str, Any]] = [
        {"what": "documents", "original": len(texts), "release": len(declared.texts)},
        {"what": "characters that can be read", "original": sum(map(len, texts)),
         "release": sum(len(text) - text.count("\0") for text in shown)},
        {"what": "whole words that can be read", "original": sum(before), "release": sum(map(len, words))},
        {"what": "different words", "original": len({w for text in texts for w in text.split()}),
         "release": len({w for ws in words for w in ws})},
    ]  # fmt: skip
    if texts and shown:
        rows.append({"what": "words of a document, median", "original": float(np.median(before)),
                     "release": float(np.median([len(ws) for ws in words]))})  # fmt: skip
    return rows


def _excerpts(original: Corpus, declared: Documents) -> list[dict[str, Any]]:
    if declared.original is None or not (declared.per_character or declared.hidden is not None):
        return []
    original_of = {new: old for old, new in declared.original.items()}
    place = {str(name): i for i, name in enumerate(original.documents)}
    rows: list[dict[str, Any]] = []
    for name, text in list(zip(declared.names, declared.texts, strict=True))[:DOCUMENTS]:
        i = place.get(str(original_of.get(name)))
        if i is None:
            continue
        before = original.text(i)
        shown = [True] * len(before)
        if declared.per_character:
            if len(text) != len(before):
                continue
            shown = [c != declared.mark for c in text]
        else:
            for s, e in (declared.hidden or {}).get(name, ()):
                shown[s:e] = [False] * (e - s)
        after = "".join(c if kept else HIDDEN for c, kept in zip(before, shown, strict=True))
        rows.append({"document": name, "before": before[:CHARACTERS], "after": after[:CHARACTERS]})
    return rows
