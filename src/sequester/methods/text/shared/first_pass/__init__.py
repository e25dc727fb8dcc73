"""A first pass over documents: search for what looks private, before anything is counted.

It is a search, not a proof: what it finds is hidden, what it misses still has to be shared by k people to stay. The
promise never rests on it, so anything may find spans: our patterns (data, in `patterns.json`), Presidio, a list of
spans, or the values of `label: value` lines.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, counted, verb_for
from sequester.model import Corpus
from sequester.primitives.labels import read_labels, under_names

FINDERS = ("patterns", "presidio", "fields")


class Span(NamedTuple):
    """A stretch of one document, in characters."""

    document: int
    start: int
    end: int
    kind: str


def find(
    data: Corpus, finders: tuple[str, ...], *, owners: np.ndarray | None, k: int, language: str, hide: tuple[str, ...]
) -> list[Span]:
    """Everything the finders and the lists of spans mark, in order, merged where it overlaps."""
    by_finder = found_by(data, finders, owners=owners, k=k, language=language, hide=hide)
    return merged([span for spans in by_finder.values() for span in spans])


def found_by(
    data: Corpus, finders: tuple[str, ...], *, owners: np.ndarray | None, k: int, language: str, hide: tuple[str, ...]
) -> dict[str, list[Span]]:
    """What each finder marks, the lists of spans as `hide`."""
    out: dict[str, list[Span]] = {}
    if "patterns" in finders:
        from sequester.methods.text.shared.first_pass.patterns import by_patterns

        out["patterns"] = by_patterns(data)
    if "presidio" in finders:
        from sequester.methods.text.shared.first_pass.presidio import by_presidio

        out["presidio"] = by_presidio(data, language)
    if "fields" in finders:
        from sequester.methods.text.shared.first_pass.fields import by_fields

        out["fields"] = by_fields(data, owners, k)
    if hide:
        out["hide"] = [span for path in hide for span in _listed(data, path)]
    return out


def table_of(data: Corpus, by_finder: dict[str, list[Span]]) -> pa.Table:
    """What each finder marked, for the custodian: so that it can be measured against labels."""
    rows = [(finder, *span) for finder, spans in by_finder.items() for span in spans]
    names = [str(data.documents[row[1]]) for row in rows]
    return pa.table(
        {
            "finder": pa.array([row[0] for row in rows], pa.string()),
            "original": pa.array(names, pa.string()),
            "start": pa.array([row[2] for row in rows], pa.int64()),
            "end": pa.array([row[3] for row in rows], pa.int64()),
            "type": pa.array([row[4] for row in rows], pa.string()),
        }
    )


def merged(spans: list[Span]) -> list[Span]:
    """Spans in order; those that overlap become one, named after the longest of them."""
    out: list[Span] = []
    longest = 0
    for span in sorted(spans, key=lambda s: (s.document, s.start, -s.end)):
        size = span.end - span.start
        if out and out[-1].document == span.document and span.start < out[-1].end:
            kind = span.kind if size > longest else out[-1].kind
            longest = max(longest, size)
            out[-1] = Span(span.document, out[-1].start, max(out[-1].end, span.end), kind)
        elif size > 0:
            out.append(span)
            longest = size
    return out


def _listed(data: Corpus, path: str) -> list[Span]:
    place = {str(name): i for i, name in enumerate(data.documents)}
    labels = under_names(read_labels(path, "k-repeats"), place)
    unknown = sum(name not in place for name in labels)
    if unknown:
        raise InputError(
            f"k-repeats: {unknown} of {counted(len(labels), 'document')} with spans to hide "
            f"{verb_for(unknown, 'is', 'are')} not in the source. "
            "Name documents as in the source."
        )
    out = []
    for name, spans in labels.items():
        i = place[name]
        size = len(data.text(i))
        for start, end, kind in spans:
            if not 0 <= start <= end <= size:
                raise InputError(
                    f"k-repeats: a span to hide in document {i + 1} lies outside its {counted(size, 'character')}."
                )
            out.append(Span(i, start, end, kind))
    return out


def per_byte(data: Corpus, spans: list[Span]) -> np.ndarray | None:
    """1 per byte of the corpus inside a span; None where there is none."""
    if not spans:
        return None
    out = np.zeros(len(data.utf8), dtype=np.uint8)
    where: np.ndarray | None = None  # first byte of every character of the document at hand, None where they agree
    document = -1
    for span in spans:
        base = int(data.offsets[span.document])
        if span.document != document:
            document = span.document
            lead = (data.utf8[base : data.offsets[document + 1]] & 0xC0) != 0x80
            where = None if lead.all() else np.append(np.flatnonzero(lead), len(lead))
        start, end = (span.start, span.end) if where is None else (int(where[span.start]), int(where[span.end]))
        out[base + start : base + end] = 1
    return out
