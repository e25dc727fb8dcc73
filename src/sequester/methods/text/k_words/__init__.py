"""k-words: text people want to read. Public words stay, other words stay where k people share them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.public_words import MARK, public_words
from sequester.guarantees.word_list import LANGUAGES, word_list
from sequester.method import PATH, Method
from sequester.methods.text.k_words.cutting import words_for
from sequester.methods.text.k_words.floor import Page, hide_rare
from sequester.methods.text.k_words.labelled import read_labelled
from sequester.methods.text.k_words.rules import fields, in_small_letters, rules_for
from sequester.methods.text.k_words.tagger import Tagger, found_by_tagger
from sequester.methods.text.shared import first_pass
from sequester.methods.text.shared.first_pass.patterns import by_patterns
from sequester.methods.text.shared.suppression import check_utf8, masked_release, owners_of
from sequester.model import Corpus
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class KWords(Method):
    """Show words of a public list, and other words that k people share; hide what looks private.

    *Guarantee*: every visible stretch of words that are not public stands in released documents of k people, and
    nothing visible has the form of a date, code or address. Combinations of common words are not covered.

    *Reference*: none; `docs/results/text_words.md` measures it beside `k-repeats`.

    >>> KWords(k=4, language="en").guarantee.level
    'public words, other words shared by 4 people'
    """

    k: int
    """How many must share a stretch of words that are not public, at least 2."""
    language: Literal["de", "en", "es", "fr", "ja"]
    """Language of the documents: which word list, names, places, units and endings."""
    unit: Literal["person", "document"] = "person"
    """Who is counted: people, or documents."""
    labels: str | None = field(default=None, metadata=PATH)
    """Labelled documents (JSON lines, brat, i2b2, Presidio, XMI): they train a tagger that hides more."""
    nouns: Literal["auto", "on", "off"] = "auto"
    """German nouns as public words: `auto` shows them where labels train a tagger, else hides them."""
    keep: tuple[str, ...] = ()
    """Columns of the source to publish beside the text as they are; you declare that they are public."""

    id, accepts, paper = "k-words", Corpus, "none"
    layout = "documents"
    example = {"k": 4, "language": "en"}  # noqa: RUF012

    def __post_init__(self) -> None:
        self.require("k", 2)
        self.require_choice("language", LANGUAGES)
        self.require_choice("unit", ("person", "document"))
        self.require_choice("nouns", ("auto", "on", "off"))
        if isinstance(self.keep, str) or {"document", "text"} & set(self.keep):
            raise self.refuse(f"keep must be a tuple of columns beside the text, got keep={self.keep!r}.")

    def idle(self, data: Any = None) -> Mapping[str, str]:
        """Nouns are a matter of German."""
        return {} if self.language == "de" else {"nouns": "‹language='de'›"}

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
            markers=False,
            surrogates=False,
            kept=self.keep,
        )

    def apply(self, data: Corpus, *, rng: Randomness, engine: Engine) -> Release:
        """Search, let k decide about the rest, suppress."""
        owners = owners_of(data, self.unit, self.k)
        assert owners is not None
        check_utf8(data)
        data.columns_named(self.keep)
        lists = word_list(self.language)
        cut = words_for(lists, nouns=self.shows_nouns)
        texts = data.texts
        with engine.progress("Searching for what looks private", None):
            pages = [Page(text, cut, plain=self.language != "ja" and in_small_letters(text)) for text in texts]
            found = self._search(data, pages)
        with engine.progress("Counting who shares what is left", None):
            hide_rare(pages, owners.tolist(), self.k)
        keep = np.concatenate([*(_bytes_kept(page) for page in pages), np.zeros(0, np.uint8)])
        return masked_release(
            self, data, keep, rng=rng, owners=owners, mark=MARK, per_character=False,
            private={"found": first_pass.table_of(data, found)}, columns=self.keep,
        )  # fmt: skip

    def _search(self, data: Corpus, pages: list[Page]) -> dict[str, list[first_pass.Span]]:
        """Hide what rules and tagger find; what each found, for the custodian."""
        rules = rules_for(word_list(self.language), nouns=self.shows_nouns)
        found: dict[str, list[first_pass.Span]] = {"patterns": by_patterns(data), "rules": [], "fields": []}
        for i, (page, values) in enumerate(zip(pages, fields([page.text for page in pages]), strict=True)):
            found["rules"] += [first_pass.Span(i, *span) for span in rules.spans(page)]
            found["fields"] += [first_pass.Span(i, *span) for span in values]
        _hide(pages, found)
        if self.labels is not None:
            found |= self._tagged(data, pages)
            _hide(pages, found)
        return found

    def _tagged(self, data: Corpus, pages: list[Page]) -> dict[str, list[first_pass.Span]]:
        """What a tagger finds that was trained on the labelled documents; their own labels are hidden as they are."""
        assert self.labels is not None
        known = read_labelled(self.labels, data, pages)
        tagger = Tagger(word_list(self.language), pages)
        tagger.train(known.to_learn)
        tagged = [
            first_pass.Span(i, *span)
            for i, page in enumerate(pages)
            for span in found_by_tagger(page, tagger.probabilities(page))
        ]
        return {"tagger": tagged, "labels": known.spans}


def _hide(pages: list[Page], found: Mapping[str, list[first_pass.Span]]) -> None:
    for spans in found.values():
        for span in spans:
            pages[span.document].hide(span.start, span.end)
    for page in pages:
        page.hide_whole_words()


def _bytes_kept(page: Page) -> np.ndarray:
    """1 per byte of a document that stays."""
    shown = (np.frombuffer(bytes(page.hidden), dtype=np.uint8) == 0).astype(np.uint8)
    if page.text.isascii():
        return shown
    points = np.frombuffer(page.text.encode("utf-32-le"), dtype="<u4")
    size = 1 + (points > 0x7F) + (points > 0x7FF) + (points > 0xFFFF)
    return np.repeat(shown, size)
