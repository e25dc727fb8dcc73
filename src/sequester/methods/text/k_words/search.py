"""The search of k-words: rules, then a tagger that learnt from labels. `publish` and `label` go the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sequester.guarantees.word_list import word_list
from sequester.methods.text.k_words.cutting import words_for
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.rules import fields, in_small_letters, rules_for
from sequester.methods.text.k_words.tagger import Learnt, Tagger, found_by_tagger
from sequester.methods.text.shared.first_pass import Span
from sequester.methods.text.shared.first_pass.patterns import by_patterns
from sequester.model import Corpus

Found = dict[str, list[Span]]


class Search:
    """Documents of a corpus at work, with what was found in them."""

    def __init__(self, data: Corpus, language: str, *, nouns: bool) -> None:
        self.lists = word_list(language)
        cut = words_for(self.lists, nouns=nouns)
        self.pages = [Page(text, cut, plain=language != "ja" and in_small_letters(text)) for text in data.texts]
        rules = rules_for(self.lists, nouns=nouns)
        self.found: Found = {"patterns": by_patterns(data), "rules": [], "fields": []}
        for i, (page, values) in enumerate(zip(self.pages, fields([page.text for page in self.pages]), strict=True)):
            self.found["rules"] += [Span(i, *span) for span in rules.spans(page)]
            self.found["fields"] += [Span(i, *span) for span in values]
        self.hide(self.found)

    def hide(self, found: Mapping[str, Sequence[Span]]) -> None:
        """Hide what was found, and whole words of which a part was."""
        for spans in found.values():
            for span in spans:
                self.pages[span.document].hide(span.start, span.end)
        for page in self.pages:
            page.hide_whole_words()

    def train(self, labelled: Sequence[Learnt]) -> Tagger:
        """A tagger that learnt from these documents."""
        tagger = Tagger(self.lists, self.pages)
        tagger.train(labelled)
        return tagger

    def hide_tagged(self, tagger: Tagger, labels: list[Span]) -> None:
        """Hide what the tagger finds in any document, and what was labelled."""
        tagged = [
            Span(i, *span)
            for i, page in enumerate(self.pages)
            for span in found_by_tagger(page, tagger.probabilities(page))
        ]
        self.found |= {"tagger": tagged, "labels": labels}
        self.hide({"tagger": tagged, "labels": labels})
