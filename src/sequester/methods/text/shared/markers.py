"""Typed markers: `[DATE]` instead of a date, written before anything is counted, so that they are counted too."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.methods.text.shared.first_pass import Span, merged, per_byte
from sequester.model import Corpus

LITERAL = re.compile(r"\[[A-Z][A-Z_]*\]")
"""What a marker looks like; where a document itself says so, it is hidden, so that no text passes for a marker."""


class Typed(NamedTuple):
    """The documents with markers in them."""

    data: Corpus
    hidden: np.ndarray | None
    """1 per byte (of the documents with markers) that must be hidden."""
    replaced: list[Span]
    """What the markers stand for, in characters of the original."""


def name_of(kind: str) -> str:
    """A kind as a marker: `[ES_NIF]`; anything but capital letters becomes a low line."""
    return f"[{re.sub('[^A-Z]+', '_', kind.upper()).strip('_') or 'PRIVATE'}]"


def write(data: Corpus, spans: list[Span]) -> Typed:
    """Put a marker in place of every span."""
    by_document: dict[int, list[Span]] = {}
    for span in spans:
        by_document.setdefault(span.document, []).append(span)
    texts: list[str] = []
    literal: list[Span] = []
    for i, text in enumerate(data.texts):
        parts, at, size = [], 0, 0
        for span in [*by_document.get(i, ()), Span(i, len(text), len(text), "")]:
            between = text[at : span.start]
            literal += [Span(i, size + m.start(), size + m.end(), "") for m in LITERAL.finditer(between)]
            marker = name_of(span.kind) if span.end > span.start else ""
            parts += [between, marker]
            size += len(between) + len(marker)
            at = span.end
        texts.append("".join(parts))
    fresh = Corpus.from_texts(texts)
    changed = replace(data, utf8=fresh.utf8, offsets=fresh.offsets)
    return Typed(changed, per_byte(changed, merged(literal)), spans)


def table_of(data: Corpus, typed: Typed) -> pa.Table:
    """What every marker stands for, for the custodian: the original document, its characters, and the marker."""
    return pa.table(
        {
            "original": pa.array([str(data.documents[s.document]) for s in typed.replaced], pa.string()),
            "start": pa.array([s.start for s in typed.replaced], pa.int64()),
            "end": pa.array([s.end for s in typed.replaced], pa.int64()),
            "marker": pa.array([name_of(s.kind) for s in typed.replaced], pa.string()),
        }
    )


def kept_of_original(data: Corpus, typed: Typed, keep: np.ndarray) -> np.ndarray:
    """1 per byte of the original that the release shows: what a marker stands for is hidden."""
    out = np.zeros(len(data.utf8), dtype=np.uint8)
    covered = per_byte(data, typed.replaced)
    inside = np.zeros(len(data.utf8), dtype=np.uint8) if covered is None else covered
    marked = _markers_in(data, typed)
    out[inside == 0] = keep[marked == 0]
    return out


def _markers_in(data: Corpus, typed: Typed) -> np.ndarray:
    """1 per byte of the documents with markers that belongs to a marker."""
    spans = []
    at, document, shift = 0, -1, 0
    for span in typed.replaced:
        if span.document != document:
            document, shift = span.document, 0
        size = len(name_of(span.kind))
        at = span.start + shift
        spans.append(Span(document, at, at + size, ""))
        shift += size - (span.end - span.start)
    marked = per_byte(typed.data, spans)
    return np.zeros(len(typed.data.utf8), dtype=np.uint8) if marked is None else marked
