"""Questions to a bundle of text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

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
        table = self.tables["documents"]
        owners: dict[str, int] = {}
        if "owners" in self.tables:
            told = self.tables["owners"]
            owners = dict(zip(told.column("document").to_pylist(), told.column("owner").to_pylist(), strict=True))
        for batch in table.to_batches():
            for row in batch.to_pylist():
                yield Document(row["document"], row["text"], owners.get(row["document"]))

    def runs(self) -> Iterator[tuple[str, str]]:
        """Every visible run with the number of its document."""
        for document in self.documents():
            for run in document.text.split(self.mark):
                if run:
                    yield document.number, run

    def count(self, phrase: str) -> int:
        """In how many released documents a phrase is visible."""
        return sum(phrase in document.text for document in self.documents())
