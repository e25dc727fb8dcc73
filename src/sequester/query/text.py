"""Questions to a bundle of text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from sequester.layouts.documents import Documents
from sequester.query.bundle import Bundle


class Document(NamedTuple):
    """A released document."""

    number: str
    text: str
    owner: int | None
    """Whose it is, as a new number; None where the release does not say."""


class TextBundle(Bundle):
    """A bundle of documents with suppressed text."""

    @property
    def mark(self) -> str:
        """What stands in place of suppressed text."""
        return self.guarantee.parameters["mark"]

    def documents(self) -> Iterator[Document]:
        """The released documents, one after the other."""
        documents = Documents.read(self)
        if documents is not None:
            owners: Sequence[int | None] = documents.owners or [None] * len(documents.names)
            for number, text, owner in zip(documents.names, documents.texts, owners, strict=True):
                yield Document(number, text, owner)

    def runs(self) -> Iterator[tuple[str, str]]:
        """Every visible run with the number of its document."""
        for document in self.documents():
            for run in document.text.split(self.mark):
                if run:
                    yield document.number, run

    def count(self, phrase: str) -> int:
        """In how many released documents a phrase is visible."""
        return sum(phrase in document.text for document in self.documents())
