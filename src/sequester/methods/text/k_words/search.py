"""The search of k-words: rules, then a tagger that learnt from labels. `publish` and `label` go the same way."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from sequester.guarantees.word_list import word_list
from sequester.methods.text.k_words.cutting import words_for
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.rules import SOFT, fields, in_small_letters, rules_for
from sequester.methods.text.k_words.tagger import Learnt, Tagger
from sequester.methods.text.shared.first_pass import Span
from sequester.methods.text.shared.first_pass.patterns import by_patterns
from sequester.model import Corpus

Found = dict[str, list[Span]]


class Search:
    """Documents at work, with what was found in them; with `soft`, a tagger is to decide about some kinds."""

    def __init__(self, data: Corpus, language: str, *, nouns: bool, soft: bool) -> None:
        self.lists = word_list(language)
        cut = words_for(self.lists, nouns=nouns)
        self.pages = [Page(text, cut, plain=language != "ja" and in_small_letters(text)) for text in data.texts]
        rules = rules_for(self.lists, nouns=nouns)
        self.found: Found = {"patterns": by_patterns(data), "rules": [], "fields": []}
        for i, (page, values) in enumerate(zip(self.pages, fields([page.text for page in self.pages]), strict=True)):
            self.found["rules"] += [Span(i, *span) for span in rules.spans(page)]
            self.found["fields"] += [Span(i, *span) for span in values]
        self.suggested = self.found
        """All that was found, also what a tagger is to decide about."""
        if soft:
            for spans in self.found.values():
                for span in spans:
                    if span.kind in SOFT:
                        self.pages[span.document].soften(span.start, span.end)
            self.found = {name: [s for s in spans if s.kind not in SOFT] for name, spans in self.found.items()}
        self.hide(self.found)

    def hide(self, found: Mapping[str, Sequence[Span]]) -> None:
        """Hide what was found, and whole words of which a part was."""
        for spans in found.values():
            for span in spans:
                self.pages[span.document].hide(span.start, span.end)
        for page in self.pages:
            page.hide_whole_words()

    def train(self, labelled: Sequence[Learnt]) -> Tagger:
        """The tagger, after it learnt from these documents and nothing else."""
        self.tagger.train(labelled)
        return self.tagger

    @cached_property
    def tagger(self) -> Tagger:
        """It counts words of all documents once, after the rules were applied."""
        return Tagger(self.lists, self.pages)

    def hide_tagged(self, tagger: Tagger, labels: list[Span]) -> None:
        """Hide what the tagger finds in any document, and what was labelled."""
        tagged = [
            Span(i, *span)
            for i, page in enumerate(self.pages)
            for span in tagger.found(page, tagger.probabilities(page))
        ]
        self.found |= {"tagger": tagged, "labels": labels}
        self.hide({"tagger": tagged, "labels": labels})
