"""Labelled documents: what the tagger learns from, and how well it would have found what it was not shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from sequester.errors import InputError, agreed, counted
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.shared.first_pass import Span
from sequester.model import Corpus
from sequester.primitives.labels import label_texts, read_labels

Learnt = tuple[Page, Sequence[tuple[int, int]]]
"""A document and its private spans."""


class Labelled(NamedTuple):
    """Labels of documents of the source, and of others whose text came with the labels."""

    to_learn: list[Learnt]
    spans: list[Span]
    """Of documents of the source: they are hidden as they are."""


def read_labelled(path: str, data: Corpus, pages: Sequence[Page]) -> Labelled:
    """The labels of a file or folder, laid on the documents of the source."""
    place = {str(name): i for i, name in enumerate(data.documents)}
    labels, texts = read_labels(path, "k-words"), label_texts(path)
    unknown = sum(name not in place and name not in texts for name in labels)
    if unknown:
        raise InputError(
            f"k-words: {unknown} of {counted(len(labels), 'labelled document')} {agreed(unknown, 'is', 'are')} not in "
            "the source, and the labels do not hold their text. Name documents as in the source."
        )
    if not any(labels.values()):
        raise InputError("k-words: the labels mark nothing, so no tagger can learn from them. Mark private text.")
    to_learn, spans = [], []
    for number, (name, found) in enumerate(labels.items(), start=1):
        page = pages[place[name]] if name in place else Page(texts[name], pages[0].cut)
        if any(not 0 <= start <= end <= len(page.text) for start, end, _ in found):
            raise InputError(
                f"k-words: a span of labelled document {number} lies outside its "
                f"{counted(len(page.text), 'character')}. Places are counted in characters from 0."
            )
        to_learn.append((page, [(start, end) for start, end, _ in found]))
        if name in place:
            spans += [Span(place[name], *span) for span in found]
    return Labelled(to_learn, spans)
