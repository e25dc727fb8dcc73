"""Labelled documents: what the tagger learns from, and how well it would have found what it was not shown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, counted, verb_for
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.search import Search
from sequester.methods.text.k_words.tagger import Learnt
from sequester.methods.text.shared.first_pass import Span
from sequester.model import Corpus
from sequester.primitives.intervals import percent
from sequester.primitives.labels import Labels, label_texts, read_labels, under_names

FOLDS = 5
DRAWS = 1000
"""Documents are drawn again so often for an interval."""


class Labelled(NamedTuple):
    """Labels of documents of the source, and of others whose text came with the labels."""

    to_learn: Sequence[Learnt]
    spans: list[Span]
    """Of documents of the source: they are hidden as they are."""
    kinds: list[list[str]]
    """What each span of each document to learn from is."""


def read_labelled(path: str, data: Corpus, pages: Sequence[Page]) -> Labelled:
    """The labels of a file or folder, laid on the documents of the source."""
    place = {str(name): i for i, name in enumerate(data.documents)}
    labels, texts = under_names(read_labels(path, "k-words"), place), label_texts(path)
    unknown = sum(name not in place and name not in texts for name in labels)
    if unknown:
        raise InputError(
            f"k-words: {unknown} of {counted(len(labels), 'labelled document')} {verb_for(unknown, 'is', 'are')} not "
            "in the source. Name documents as in the source, or add their text: JSON lines with `text`."
        )
    if not any(labels.values()):
        raise InputError("k-words: the labels mark nothing, so no tagger can learn from them. Mark private text.")
    labels, texts = apart(labels, texts, {name: data.text(place[name]) for name in texts if name in place})
    return laid_on(labels, texts, place, pages)


def apart(labels: Labels, texts: Mapping[str, str], now: Mapping[str, str]) -> tuple[Labels, dict[str, str]]:
    """Labels of an earlier quarter belong to their own text, even where a note of today has the same name."""
    name_of = {name: f"{name} (earlier)" if now.get(name, text) != text else name for name, text in texts.items()}
    return (
        {name_of.get(name, name): spans for name, spans in labels.items()},
        {name_of[name]: text for name, text in texts.items()},
    )


def laid_on(labels: Labels, texts: Mapping[str, str], place: Mapping[str, int], pages: Sequence[Page]) -> Labelled:
    """Labels with the pages they belong to: documents of the source by their place, others by their text."""
    to_learn, spans, kinds = [], [], []
    for number, (name, found) in enumerate(labels.items(), start=1):
        page = pages[place[name]] if name in place else Page(texts[name], pages[0].cut)
        if any(not 0 <= start <= end <= len(page.text) for start, end, _ in found):
            raise InputError(
                f"k-words: a span of labelled document {number} lies outside its "
                f"{counted(len(page.text), 'character')}. Places are counted in characters from 0."
            )
        to_learn.append((page, [(start, end) for start, end, _ in found]))
        kinds.append([kind for _, _, kind in found])
        if name in place:
            spans += [Span(place[name], *span) for span in found]
    return Labelled(to_learn, spans, kinds)


class Recall(NamedTuple):
    """How much of the labelled private text was hidden in documents the tagger had not seen."""

    table: pa.Table
    """By kind, and `all`: spans, characters, share hidden with its 95 % interval, spans left whole."""
    says: str


def measured_recall(search: Search, known: Labelled) -> Recall:
    """Train on four fifths of the labelled documents, look at the rest, five times.

    Rules and tagger alone: what k hides besides is not counted, so the release hides at least as much.
    """
    n = len(known.to_learn)
    rows: list[tuple[int, str, int, int]] = []  # document, kind, characters, hidden
    for fold in range(min(FOLDS, n)):
        learnt = [row for i, row in enumerate(known.to_learn) if i % FOLDS != fold]
        tagger = search.train(learnt) if any(spans for _, spans in learnt) else None
        for i in range(fold, n, FOLDS):
            page, spans = known.to_learn[i]
            hidden = np.frombuffer(bytes(page.hidden), dtype=np.uint8).copy()
            for start, end, _ in tagger.found(page, tagger.probabilities(page)) if tagger else ():
                hidden[start:end] = 1
            for (start, end), kind in zip(spans, known.kinds[i], strict=True):
                ink = np.array([c.isalnum() for c in page.text[start:end]], dtype=bool)
                rows.append((i, kind, int(ink.sum()), int(hidden[start:end][ink].sum())))
    rows = [row for row in rows if row[2]]
    lines = [_share(rows, kind) for kind in ("all", *sorted({row[1] for row in rows}))]
    whole = lines[0]
    says = (
        f"On {counted(n, 'labelled document')}, each left out of training once, rules and tagger hid "
        f"{percent(whole['hidden'])} of the private characters (95 % interval {percent(whole['low'])} to "
        f"{percent(whole['high'])}) and left {whole['left whole']} of {counted(whole['spans'], 'span')} whole. This "
        "is a measurement on these documents, not a promise."
    )
    by_label = [
        f"{row['kind']} {percent(row['hidden'])} ({percent(row['low'])} to {percent(row['high'])}; {row['left whole']} "
        f"of {row['spans']} whole)"
        for row in lines[1:]
    ]
    return Recall(
        pa.Table.from_pylist(lines), says if len(by_label) < 2 else f"{says} By label: {', '.join(by_label)}."
    )


def _share(rows: Sequence[tuple[int, str, int, int]], kind: str) -> dict[str, Any]:
    mine = [row for row in rows if kind in ("all", row[1])]
    documents = sorted({row[0] for row in mine})
    size = np.array([sum(n for i, _, n, _ in mine if i == d) for d in documents])
    hidden = np.array([sum(n for i, _, _, n in mine if i == d) for d in documents])
    one, span = size.mean(), size.sum() / len(mine)
    share = hidden.sum() / size.sum() * one
    low = _drawn_again(size, hidden, min(share, max(one - span, 0)), 0.025)
    high = _drawn_again(size, hidden, max(share, span), 0.975)
    return {
        "kind": kind,
        "spans": len(mine),
        "characters": int(size.sum()),
        "hidden": float(hidden.sum() / size.sum()),
        "low": low,
        "high": high,
        "left whole": sum(row[3] == 0 for row in mine),
    }


def _drawn_again(size: np.ndarray, hidden: np.ndarray, of_one_more: float, quantile: float) -> float:
    """A quantile over documents drawn again, with one more of mean size.

    One span of that document is missed (or found), for documents without a miss would else be called certain.
    """
    size, hidden = np.append(size, size.mean()), np.append(hidden, of_one_more)
    drawn = np.random.default_rng(0).integers(0, len(size), (DRAWS, len(size)))
    return float(np.quantile(hidden[drawn].sum(axis=1) / size[drawn].sum(axis=1), quantile))
