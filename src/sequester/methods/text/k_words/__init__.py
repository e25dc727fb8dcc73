"""k-words: text people want to read. Public words stay, other words stay where k people share them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import InputError, counted
from sequester.guarantees.public_words import MARK, public_words
from sequester.method import Method
from sequester.methods.text.k_words.floor import Page, hide_rare
from sequester.methods.text.k_words.labelled import measured_recall, read_labelled
from sequester.methods.text.k_words.replacements import with_replacements
from sequester.methods.text.k_words.search import Search
from sequester.methods.text.shared import first_pass
from sequester.methods.text.shared.markers import LITERAL
from sequester.methods.text.shared.suppression import check_utf8, masked_release, owners_of
from sequester.methods.text.shared.words import per_byte
from sequester.model import Corpus
from sequester.model.kind import Fact
from sequester.options import option
from sequester.release import Guarantee, Note, Release

PER_BYTE = 100
"""Memory per byte of text (`words_speed`)."""


@dataclass(frozen=True, kw_only=True)
class KWords(Method):
    """Show words of a public list, and other words that k people share; hide what looks private.

    *Guarantee*: every visible stretch of words that are not public stands in released documents of k people, and
    nothing visible has the form of a date, code or address. Combinations of common words are not covered.

    *Reference*: none; `docs/results/text_words.md` measures it beside `k-repeats`.

    >>> KWords(k=4, language="en").guarantee.level
    'public words, other words shared by 4 people'
    """

    k: int = option(low=2)
    """How many must share a stretch of words that are not public, at least 2."""
    language: Literal["de", "en", "es", "fr", "ja"]
    """Language of the documents: which word list, names, places, units and endings."""
    unit: Literal["person", "document"] = option("person", level="everyday")
    """Who is counted: people, or documents."""
    labels: str | None = option(None, path=True, level="everyday")
    """Labelled documents (JSON lines, brat, i2b2, Presidio, XMI): they train a tagger that hides more."""
    nouns: Literal["auto", "on", "off"] = option("auto", level="everyday", needs={"language": ("de",)})
    """German nouns as public words: `auto` shows them where labels train a tagger, else hides them."""
    markers: Literal["plain", "typed", "invented"] = option("plain", level="everyday")
    """What stands for hidden text: `[…]`, its kind where known (`[DATE]`), or an invented value of its kind."""
    tell_recall: bool = option(False, level="paper")
    """Publish the recall measured on your labels in the manifest; otherwise only your own notes have it."""
    keep: tuple[str, ...] = option((), level="everyday")
    """Columns of the source to publish beside the text as they are; you declare that they are public."""

    id, accepts, paper = "k-words", Corpus, "none"
    layout = "documents"
    example = {"k": 4, "language": "en"}  # noqa: RUF012

    def __post_init__(self) -> None:
        super().__post_init__()
        if isinstance(self.keep, str) or {"document", "text"} & set(self.keep):
            raise self.refuse(f"keep must be a tuple of columns beside the text, got keep={self.keep!r}.")
        if self.tell_recall and self.labels is None:
            raise self.refuse("tell_recall tells what was measured on labels. Pass ‹labels=› with it.")

    @property
    def shows_nouns(self) -> bool:
        """Whether German nouns of the list are public."""
        return self.language == "de" and (self.nouns == "on" or (self.nouns == "auto" and self.labels is not None))

    @property
    def guarantee(self) -> Guarantee:
        """Public words and shared stretches, in the words of these parameters."""
        return public_words(
            k=self.k,
            unit=self.unit,
            language=self.language,
            nouns=self.shows_nouns,
            labelled=self.labels is not None,
            kept=self.keep,
            typed=self.markers == "typed",
            surrogates=self.markers == "invented",
        )

    def apply(self, data: Corpus, *, rng: Randomness, engine: Engine) -> Release:
        """Search, let k decide about the rest, suppress."""
        owners = owners_of(data, self.unit, self.k)
        assert owners is not None
        check_utf8(data)
        self._require_room(data.utf8.size, engine)
        data.columns_named(self.keep)
        with engine.progress("Searching for what looks private", None):
            search = Search(data, self.language, nouns=self.shows_nouns, soft=self.labels is not None)
        for page in search.pages if self.markers == "typed" else ():
            page.hide_literally(LITERAL)
        pages, notes = search.pages, _in_small_letters(search.pages, self)
        private: dict[str, pa.Table] = {}
        reading: tuple[Fact, ...] = ()
        if self.labels is not None:
            with engine.progress("Training on the labels", None):
                known = read_labelled(self.labels, data, pages)
                recall = measured_recall(search, known)
                search.hide_tagged(search.train(known.to_learn), known.spans)
            private["recall"] = recall.table
            notes += (Note("recall", recall.says),)
            reading = (Fact("measured recall", recall.says, "found"),) if self.tell_recall else ()
        with engine.progress("Counting who shares what is left", None):
            hide_rare(pages, owners.tolist(), self.k)
        shown = [per_byte(page.text, 1 - np.frombuffer(bytes(page.hidden), dtype=np.uint8)) for page in pages]
        keep = np.concatenate([*shown, np.zeros(0, np.uint8)])
        private["found"] = first_pass.table_of(data, search.found)
        release = masked_release(
            self, data, keep, rng=rng, owners=owners, mark=MARK, per_character=False, private=private,
            columns=self.keep,
        )  # fmt: skip
        if self.markers != "plain":
            spans = [span for some in search.found.values() for span in some]
            made = with_replacements(
                release, data, spans, search.lists, surrogates=self.markers == "invented", rng=rng.secret,
                owners=owners.tolist(), k=self.k,
            )  # fmt: skip
            release = made.release
            if self.markers == "invented":
                notes += (Note("invented", made.says),)
                reading += (Fact("invented", made.says, "found"),)
        return replace(release, notes=(*release.notes, *notes), reading=(*data.reading, *reading))

    def _require_room(self, n_bytes: int, engine: Engine) -> None:
        needed = n_bytes * PER_BYTE
        if engine.memory is not None and needed > engine.memory:
            raise InputError(
                f"k-words: {n_bytes / 1e6:,.0f} MB of text need about {needed / 1e6:,.0f} MB of memory, and the limit "
                f"is {engine.memory / 1e6:,.0f} MB. All documents are looked at together: raise ‹memory_limit=›, or "
                "publish fewer documents."
            )


def _in_small_letters(pages: list[Page], method: KWords) -> tuple[Note, ...]:
    n = sum(page.plain for page in pages)
    if not n:
        return ()
    whom = "people" if method.unit == "person" else "documents"
    says = (
        f"{counted(n, 'document is', 'documents are')} written in small letters, so capitals say nothing about names "
        f"there: only stretches that {method.k} {whom} share are shown."
    )
    return (Note("small letters", says),)
