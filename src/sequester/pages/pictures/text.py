"""Text: the released words with their suppressions in colour, and how much was kept."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from sequester.layouts.documents import Documents
from sequester.pages.charts import columns, lines
from sequester.pages.page import Section
from sequester.pages.pictures import rows_named
from sequester.pages.words import count
from sequester.query.bundle import Bundle

DOCUMENTS = 3
CHARACTERS = 1200


def public(bundle: Bundle) -> list[Section]:
    """Some released documents, and how much of each is visible."""
    documents = Documents.read(bundle)
    if documents is None or not documents.texts:
        return []
    texts = documents.texts[:5000]
    typed = "|\\[[A-Z][A-Z_]*\\]" if documents.kinds else ""
    gone = re.compile(f"(?:{re.escape(documents.mark)})+{typed}")
    shown = [
        (f"Document {i + 1} of {len(documents.texts):,}", tuple(pieces(text[:CHARACTERS], gone)))
        for i, text in enumerate(texts[:DOCUMENTS])
    ]
    out = [
        Section(
            title="What does the released text look like?",
            says="Suppressed text is marked; everything else stands as it was written.",
            excerpts=tuple(shown),
            after=f"At most {CHARACTERS:,} characters of a document are shown here.",
        )
    ]
    if documents.per_character:
        kept = [1 - sum(len(m.group()) for m in gone.finditer(t)) / len(t) for t in texts if t]
        if kept:
            bins = [0] * 10
            for share in kept:
                bins[min(9, int(share * 10))] += 1
            out.append(
                Section(
                    title="How much of a document is still visible?",
                    says=f"On average {sum(kept) / len(kept):.0%} of a document's characters are visible.",
                    svg=columns(
                        [{"share": 10 * i + 5, "documents": n} for i, n in enumerate(bins)], "share", "documents",
                        x_title="visible characters, %", y_title="documents",
                    ),
                    alt=f"Bar chart of documents by visible share, {min(kept):.0%} to {max(kept):.0%}.",
                )
            )  # fmt: skip
    return out


def board(bundle: Bundle) -> dict[str, str]:
    """Answers for a board, from the release alone."""
    documents = Documents.read(bundle)
    if documents is None:
        return {}
    people = len(set(documents.owners)) if documents.owners is not None else None
    whose = f" of {count(people, 'unnamed person', 'unnamed people')}" if people is not None else ""
    invented = bool(bundle.guarantee.parameters.get("surrogates"))
    return {
        "people": f"{count(len(documents.texts), 'released document')}{whose}.",
        "period": "Not stated; dates in the text are hidden where they are rare.",
        "changed": "Dropped: text that too few people share, replaced by a mark."
        + (f" Invented: values that the table `spans` names.{_invented(bundle, documents)}" if invented else ""),
        "valid": "Frequencies of the words and phrases that are visible. Not: absence of a word (it may be hidden), "
        "and nothing about rare findings.",
    }


def _invented(bundle: Bundle, documents: Documents) -> str:
    """How many hidden stretches hold an invented value."""
    spans = bundle.tables.get("spans")
    n = spans.num_rows if spans is not None else 0
    marks = sum(text.count(documents.mark) for text in documents.texts)
    return f" {n:,} of {n + marks:,} hidden stretches hold one."


def custodian(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    """Covers compared over k, at the text they keep and the private text they leave."""
    out = _hidden(bundle, evidence) + _by_type(evidence) + _by_finder(evidence)
    covers = rows_named(evidence, "curve", has=("k", "cover", "kept"))
    if covers:
        chosen = bundle.parameters.get("k")
        out.append(
            Section(
                title="What does a larger k hide, and what does the cover change?",
                says=(
                    "Published counts are what a release shows by default; the covers are for original counts. At the "
                    "same k the optimal cover shows more text than the greedy one, private text included: compare them "
                    "at equal kept text."
                ),
                svg=lines(
                    covers, "k", "kept", x_title="k", y_title="share of text kept", series="cover", percent=True,
                    rules=[(chosen, f"chosen: {chosen}")] if isinstance(chosen, int) else (),
                ),
                alt="Curves of the share of text kept over k, one per cover.",
            )
        )  # fmt: skip
        if "recall" in covers[0]:
            out.append(
                Section(
                    title="How much private text is hidden at equal kept text?",
                    says="Recall of labelled private text against the share of all text that is kept.",
                    svg=lines(
                        covers, "kept", "recall", x_title="share of text kept", y_title="private text hidden",
                        series="cover", percent=True,
                    ),
                    alt="Curves of recall over the share of text kept, one per cover.",
                )
            )  # fmt: skip
    return out


def _hidden(bundle: Bundle, evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    rows = rows_named(evidence, "excerpts", has=("before", "after"))
    if not rows:
        return []
    shown = []
    for i, row in enumerate(rows):
        cut: list[tuple[str, str]] = []
        for same, run in groupby(zip(row["before"], row["after"], strict=False), key=lambda pair: pair[0] == pair[1]):
            cut.append(("".join(a for a, _ in run), "kept" if same else "gone"))
        shown.append((f"Document {i + 1}, original text", tuple(cut)))
    return [
        Section(
            title="What was hidden?",
            says="The original text of some documents; what the release hides is marked.",
            excerpts=tuple(shown),
        )
    ]


def _by_type(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    rows = rows_named(evidence, "types", has=("type", "characters shown"))
    if not rows:
        return []
    worst = max(rows, key=lambda r: r["characters shown"])
    names = ("spans", "characters shown", "half visible", "whole", "hidden")
    return [
        Section(
            title="Which private text is still visible?",
            says=f"Labelled private text by type, as shares; most is visible of {worst['type']}.",
            columns=("type", *names),
            rows=tuple((r["type"], *(r[n] if n == "spans" else f"{r[n]:.1%}" for n in names)) for r in rows),
            after="A span is half visible when at least half its characters can be read.",
        )
    ]


def pieces(text: str, gone: re.Pattern[str]) -> list[tuple[str, str]]:
    """The text cut into visible and suppressed pieces."""
    out, at = [], 0
    for match in gone.finditer(text):
        if match.start() > at:
            out.append((text[at : match.start()], "kept"))
        out.append((match.group(), "gone"))
        at = match.end()
    if at < len(text):
        out.append((text[at:], "kept"))
    return out


def _by_finder(evidence: Sequence[Mapping[str, Any]]) -> list[Section]:
    rows = rows_named(evidence, "finders", has=("finder", "side", "type"))
    if not rows:
        return []
    names = ("strict", "relaxed", "characters")
    return [
        Section(
            title="What did the first pass find?",
            says="Of what was found: how much is labelled private. Of what is labelled: how much was found.",
            columns=("finder", "of what was", "type", "spans", *names, "lift"),
            rows=tuple(
                (r["finder"], r["side"], r["type"], r["spans"], *("" if r[n] is None else f"{r[n]:.1%}" for n in names),
                 "" if r["lift"] is None else f"{r['lift']:.1f}")
                for r in rows
            ),
            after="Strict: the same first and last character. Relaxed: any overlap. The promise does not rest on this.",
        )
    ]  # fmt: skip
