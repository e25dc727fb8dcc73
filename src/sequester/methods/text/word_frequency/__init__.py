"""The baseline of the k-repeats paper: show the words that are used often enough."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.guarantees.words import word_frequency
from sequester.method import Method
from sequester.methods.text.shared.suppression import check_mask, check_utf8, masked_release, owners_of
from sequester.methods.text.shared.words import keep_words, per_byte, split_words, word_counts
from sequester.model import Corpus
from sequester.options import option
from sequester.papers import TEXT
from sequester.release import Guarantee, Release


@dataclass(frozen=True, kw_only=True)
class WordFrequency(Method):
    """Suppress every word that fewer than k people, documents or occurrences use (a baseline).

    *Guarantee*: every visible word is used k times. Words side by side are not looked at.

    *Reference*: Matsubara and Hasida, "K-repeating Substrings", Section 6 ("Word").
    """

    k: int = option(low=2)
    """How many must use a word, at least 2."""
    unit: Literal["person", "document", "occurrence"] = option("person", level="everyday")
    """Who is counted: people, documents, or plain occurrences (the paper)."""
    mask: str = option("★", level="paper")
    """Written for every suppressed character; a word that holds it is always suppressed."""

    id, accepts, paper = "word-frequency", Corpus, TEXT
    layout = "documents"
    example = {"k": 4}  # noqa: RUF012
    baseline = True

    def __post_init__(self) -> None:
        super().__post_init__()
        check_mask(self, "mask")

    @property
    def guarantee(self) -> Guarantee:
        """Words used k times."""
        return word_frequency(k=self.k, unit=self.unit, mark=self.mask)

    def apply(self, data: Corpus, *, rng: Randomness, engine: Engine) -> Release:
        """Count words, suppress the rare ones whole."""
        owners = owners_of(data, self.unit, self.k)
        check_utf8(data)
        texts = data.texts
        with engine.progress("Counting words", None):
            words = split_words(texts)
            plain = np.array([self.mask not in w for w in words.vocabulary], dtype=bool)
            kept = ((word_counts(words, owners) >= self.k) & plain)[words.code]
            rows = keep_words(texts, words, kept)
        parts = [per_byte(t, row) for t, row in zip(texts, rows)]
        keep = np.concatenate([*parts, np.zeros(0, bool)]).astype(np.uint8)
        return masked_release(self, data, keep, rng=rng, owners=owners, mark=self.mask)
