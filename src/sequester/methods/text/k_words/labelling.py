"""Labelling: which notes to look at next, what is guessed in them, and how well the tagger does after each round.

Five notes at random, then the five in which the tagger is least sure, again and again. Labels, the model and what is
still to do lie in one private folder (0700, its files 0600) and are used again at the next start, or the next quarter.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sequester.errors import InputError, counted, verb_for
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.labelled import Recall, apart, laid_on, measured_recall
from sequester.methods.text.k_words.search import Search
from sequester.methods.text.k_words.tagger import SURE
from sequester.model import Corpus
from sequester.primitives.labels import label_texts, read_labels, under_names

ROUND = 5
"""Notes in a round."""
ENOUGH = 25
"""Notes after which more labels brought little, on the corpora measured."""
LOOKED_AT = 400
"""Of more documents so many are drawn at random: the five of highest risk are found among them."""
EXAMPLES = 12
KINDS = ("NAME", "PLACE", "DATE", "CONTACT", "ID", "AGE", "HOSPITAL", "FAMILY", "JOB", "PRIVATE")
"""What a word can be marked as."""


@dataclass(frozen=True)
class Marked:
    """A word of a note as the page shows it."""

    number: int
    word: str
    before: str
    """What stands between the word before and this one."""
    kind: str
    """What it is marked as; empty if it is not private."""


@dataclass(frozen=True)
class Round:
    """What a round of labels brought."""

    n_labelled: int
    seconds: float
    recall: Recall | None
    """None while nothing is marked."""
    n_new: int
    examples: list[tuple[str, int]]
    """Words that were not found before, in notes without labels, with how often."""
    says: str


class Labelling:
    """Notes, their labels so far, and the tagger that learns from them."""

    def __init__(
        self, data: Corpus, language: str, folder: Path, *, labels: str | None = None, rng: random.Random | None = None
    ) -> None:
        self.folder, self.language, self.rng = folder, language, rng or random.SystemRandom()
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.chmod(0o700)
        names = [str(name) for name in data.documents]
        brought, texts = (under_names(read_labels(labels, "label"), names), label_texts(labels)) if labels else ({}, {})
        if unknown := len(set(brought) - set(names) - set(texts)):
            raise InputError(
                f"label: {unknown} of {counted(len(brought), 'labelled document')} {verb_for(unknown, 'is', 'are')} "
                "not among the notes. Name documents as in the source, or add their text: JSON lines with `text`."
            )
        if self.path.is_file():
            brought |= read_labels(self.path, "label")
            texts |= label_texts(self.path)
        now = {name: data.text(i) for i, name in enumerate(names) if name in texts}
        self.labels, self.texts = apart(brought, texts, now)
        some = self._drawn([i for i, name in enumerate(names) if name not in self.labels])
        looked_at = sorted({*some, *(i for i, name in enumerate(names) if name in self.labels)})
        self.names = [names[i] for i in looked_at]
        self.search = Search(
            Corpus.from_texts([data.text(i) for i in looked_at]), language, nouns=language == "de", soft=True
        )
        self.place = {name: i for i, name in enumerate(self.names)}
        self.likely: list[list[float]] = []
        self.found: set[tuple[int, int]] = {
            (i, j)
            for i, page in enumerate(self.pages)
            for j, word in enumerate(page.tokens)
            if 1 in page.hidden[word[0] : word[1]]
        }
        self.waiting: list[str] = [name for name in self._kept_rounds() if name in self.place]
        if labels:
            self._write()
        if self.model.is_file():
            self.search.tagger.load(self.model.read_bytes())
            self._look()

    @property
    def path(self) -> Path:
        """The labels, as `publish` takes them."""
        return self.folder / "labels.jsonl"

    @property
    def model(self) -> Path:
        """The tagger of the last round."""
        return self.folder / "model.crfsuite"

    @property
    def pages(self) -> list[Page]:
        """The notes that are looked at."""
        return self.search.pages

    def _drawn(self, some: list[int]) -> list[int]:
        return some if len(some) <= LOOKED_AT else self.rng.sample(some, LOOKED_AT)

    def _kept_rounds(self) -> list[str]:
        path = self.folder / "waiting.json"
        return json.loads(path.read_text("utf-8")) if path.is_file() else []

    @property
    def current(self) -> str | None:
        """The note to look at; None when the round is over."""
        return next((name for name in self.waiting if name not in self.labels), None)

    @property
    def position(self) -> tuple[int, int]:
        """Which note of the round this is, and of how many."""
        done = sum(name in self.labels for name in self.waiting)
        return done + 1, len(self.waiting)

    def more(self) -> None:
        """Begin a round: at random at first, then where the tagger is least sure."""
        left = [i for i, name in enumerate(self.names) if name not in self.labels]
        if not left:
            raise InputError("label: every note that was looked at has labels. There is nothing more to label.")
        if self.likely:
            chosen = sorted(left, key=lambda i: -self._risk(i))[:ROUND]
        else:
            chosen = self.rng.sample(left, min(ROUND, len(left)))
        self.waiting = [self.names[i] for i in chosen]
        self._keep("waiting.json", json.dumps(self.waiting, ensure_ascii=False).encode("utf-8"))

    def _risk(self, i: int) -> float:
        """How much text of a note is neither surely private nor surely not, of what the rules do not hide."""
        page = self.pages[i]
        words = zip(self.likely[i], page.tokens)
        return sum(p * (1 - p) * (end - start) for p, (start, end, *_) in words if 1 not in page.hidden[start:end])

    def words(self, name: str) -> list[Marked]:
        """The words of a note, marked as labelled, or as guessed."""
        page = self.pages[self.place[name]]
        kinds = self._kinds(self.labels[name] if name in self.labels else self._guessed(name), page)
        out, at = [], 0
        for number, (start, end, word, _) in enumerate(page.tokens):
            out.append(Marked(number, word, page.text[at:start], kinds[number]))
            at = end
        return [*out, Marked(-1, "", page.text[at:], "")]

    def _guessed(self, name: str) -> list[tuple[int, int, str]]:
        """What the tagger is sure of; before the first round, what the rules find."""
        i = self.place[name]
        by_rule = [(s.start, s.end, s.kind) for some in self.search.suggested.values() for s in some if s.document == i]
        if not self.likely:
            return by_rule
        page = self.pages[i]
        kinds = self._kinds(by_rule, page)
        sure = zip(self.likely[i], page.tokens, kinds)
        return [(word[0], word[1], kind or "PRIVATE") for p, word, kind in sure if p > SURE]

    @staticmethod
    def _kinds(spans: Iterable[tuple[int, int, str]], page: Page) -> list[str]:
        kind_at = [""] * len(page.text)
        for start, end, kind in spans:
            kind_at[start:end] = [kind] * (min(end, len(kind_at)) - start)
        return [next(filter(None, kind_at[start:end]), "") for start, end, *_ in page.tokens]

    def save(self, name: str, marks: Sequence[tuple[int, str]]) -> None:
        """Take the marked words of a note; words side by side with one kind become one span."""
        if name not in self.place:
            raise InputError("label: that note is not among those to label. Go back to the labelling page.")
        page = self.pages[self.place[name]]
        spans: list[tuple[int, int, str]] = []
        last = -2
        for number, kind in sorted(marks):
            if not 0 <= number < len(page.tokens):
                raise InputError(f"label: the note has {len(page.tokens)} words, got word {number + 1}. Load it again.")
            start, end = page.tokens[number][:2]
            kind = kind if kind.isupper() and kind.replace("_", "").isalnum() else "PRIVATE"
            joined = (
                number == last + 1 and spans and spans[-1][2] == kind and "\n" not in page.text[spans[-1][1] : start]
            )
            if joined and start - spans[-1][1] <= 3:
                spans[-1] = (spans[-1][0], end, kind)
            else:
                spans.append((start, end, kind))
            last = number
        self.labels[name] = spans
        self._write()

    def learn(self) -> Round:
        """Train on all labels, and measure on notes that were left out."""
        began = time.perf_counter()
        n = len(self.labels)
        if not any(self.labels.values()):
            says = "You marked nothing in these notes, so there is nothing to learn from yet. Label five more."
            return Round(n, 0.0, None, 0, [], says)
        known = laid_on(self.labels, self.texts, self.place, self.pages)
        recall = measured_recall(self.search, known)
        self.search.train(known.to_learn)
        self._keep(self.model.name, self.search.tagger.model)
        mine = [i for name, i in self.place.items() if name in self.labels]
        before = self.found | {(i, j) for i in mine for j in range(len(self.pages[i].tokens))}
        self._look()
        new = Counter(self.pages[i].tokens[j][2] for i, j in self.found - before)
        advice = (
            "That is enough for most notes: more labels bring little now."
            if n >= ENOUGH
            else f"Label five more: {ENOUGH} notes are a good measure."
        )
        return Round(n, time.perf_counter() - began, recall, sum(new.values()), new.most_common(EXAMPLES), advice)

    def _look(self) -> None:
        """How likely each word of each note is private, and which ones the tagger would hide."""
        self.likely = [self.search.tagger.probabilities(page) for page in self.pages]
        for i, page in enumerate(self.pages):
            sure = [p if p > SURE else 0.0 for p in self.likely[i]]
            at = {span[0] for span in self.search.tagger.found(page, sure)}
            self.found |= {(i, j) for j, word in enumerate(page.tokens) if word[0] in at}

    def _write(self) -> None:
        rows: list[dict[str, Any]] = []
        for name, spans in self.labels.items():
            text = self.pages[self.place[name]].text if name in self.place else self.texts[name]
            rows.append({"document": name, "spans": [list(span) for span in spans], "text": text})
        self._keep(self.path.name, "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows).encode("utf-8"))

    def _keep(self, name: str, whole: bytes) -> None:
        """Write a file whole or not at all, for its owner's eyes alone."""
        fresh = self.folder / f".{name}.new"
        with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(whole)
        fresh.replace(self.folder / name)
