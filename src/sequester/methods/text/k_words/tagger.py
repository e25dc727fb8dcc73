"""A tagger of the custodian's own: a conditional random field trained on labelled documents. It only ever hides."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

from sequester.errors import InputError
from sequester.guarantees.word_list import WordList
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.rules import TITLES

THRESHOLD = 0.001
"""A word is hidden from this probability on. Fixed: choosing it on ten labelled notes was unsafe."""
SURE = 0.5
"""From here on a capitalised word is hidden in the whole document."""
SETTINGS = {"c1": 0.05, "c2": 0.05, "max_iterations": 80, "feature.possible_transitions": True}
NEAR = (-2, -1, 1, 2)
LABEL = re.compile(r"[.;,\t]|  ")
Learnt = tuple[Page, Sequence[tuple[int, int]]]
"""A document and its private spans."""
Line = tuple[int, int, list[list[str]]]
"""First word, one past the last, and the features of each."""


class Tagger:
    """What the words of documents look like, and how likely each is private."""

    def __init__(self, lists: WordList, pages: Sequence[Page]) -> None:
        self.lists = lists
        self.n = len(pages)
        self.documents: Counter[str] = Counter()
        self.small: Counter[str] = Counter()
        self.capital: Counter[str] = Counter()
        for page in pages:
            words = [word for _, _, word, _ in page.tokens]
            self.documents.update({word.lower() for word in words})
            self.small.update(word for word in words if word.islower())
            self.capital.update(word.lower() for word in words if word[0].isupper())
        self._tagger: Any = None
        self.model = b""
        self._seen: dict[int, list[Line]] = {}
        """Lines of documents that were learnt from, by the number of the page: they are looked at again and again."""
        self._own, self._near = cache(self._of_word), cache(self._beside)
        self._chosen = False
        """Whether the two leave out what the model does not know."""

    def _of_word(self, word: str) -> list[str]:
        """What a word says of itself."""
        small = word.lower()
        level, n = self.lists.zipf.get(small, 0), self.documents[small]
        out = ["b", f"s={_shape(word)[:8]}", f"ss={_short(word)}", f"z={level}", f"df={_rarity(n, self.n)}",
               f"w={small}", f"p3={small[:3]}", f"u3={small[-3:]}", f"u2={small[-2:]}"]  # fmt: skip
        if word[0].isupper():
            out.append(f"lo={0 if not self.small[small] else 1 + (self.small[small] >= self.capital[small])}")
        if small in self.lists.names:
            out.append("nm")
        if small in self.lists.places:
            out.append("pl")
        return out

    def _beside(self, word: str, offset: int) -> list[str]:
        """What a word says of its neighbour."""
        small, at = word.lower(), f"{offset:+d}:"
        out = [f"{at}{_short(word)}", f"{at}df={_rarity(self.documents[small], self.n)}"]
        if abs(offset) == 1:
            out += [f"{at}z={self.lists.zipf.get(small, 0)}", f"{at}w={small}"]
            out += [f"{at}nm"] if small in self.lists.names else []
            out += [f"{at}pl"] if small in self.lists.places else []
        elif self.documents[small] >= 4:
            out.append(f"{at}w={small}")
        if small in TITLES:
            out.append(f"{at}title")
        return out

    def lines(self, page: Page) -> list[Line]:
        """The words of a document, line by line, with what is to be seen of each."""
        if id(page) in self._seen:
            return self._seen[id(page)]
        text, tokens = page.text, page.tokens
        line_of, line, before = [], 0, 0
        for start, *_ in tokens:
            line += text.count("\n", before, start)
            before = start
            line_of.append(line)
        size = text.count("\n") + 1
        out = []
        for number, row in groupby(range(len(tokens)), key=line_of.__getitem__):
            some = list(row)
            place = f"q{min(4, 5 * number // size)}"
            out.append((some[0], some[-1] + 1, self._line(page, some[0], some[-1] + 1, place)))
        return out

    def _line(self, page: Page, first: int, end: int, place: str) -> list[list[str]]:
        text, tokens = page.text, page.tokens
        length = f"len={min(4, (end - first) // 5)}"
        label, label_at = "", 0
        flags = [_flag(page, tokens[i][0], tokens[i][1]) for i in range(first, end)]
        signs = [text[tokens[i][1] : tokens[i + 1][0]].strip()[:2] if i + 1 < end else "" for i in range(first, end)]
        out = []
        for i in range(first, end):
            q = i - first
            if q and (":" in signs[q - 1] or "：" in signs[q - 1]):
                cut = text[max(tokens[first][0], tokens[i - 1][1] - 40) : tokens[i - 1][1]]
                label, label_at = LABEL.split(cut)[-1].strip().casefold()[-25:], i
            features = [*self._own(tokens[i][2]), f"c={flags[q]}", place, f"lp={min(3, q)}", length]
            if tokens[i][3]:
                features.append(f"pos={tokens[i][3]}")
            if label:
                far = i - label_at
                features += [f"lab={label}|{'n' if far < 4 else 'f'}", f"ld={min(6, far)}"]
            features += [f"a={signs[q]}", f"b={signs[q - 1] if q else '^'}"]
            for offset in NEAR:
                if first <= i + offset < end:
                    features += self._near(tokens[i + offset][2], offset)
                    features.append(f"{offset:+d}:c={flags[q + offset]}")
                else:
                    features.append(f"{offset:+d}:edge")
            out.append(features)
        return out

    def train(self, labelled: Sequence[Learnt]) -> None:
        """Learn from documents and their private spans."""
        if self._chosen:
            self._own, self._near, self._chosen = cache(self._of_word), cache(self._beside), False
        trainer = _crfsuite().Trainer(verbose=False)
        trainer.set_params(SETTINGS)
        for page, spans in labelled:
            private = _private(page, spans)
            self._seen[id(page)] = self.lines(page)
            for first, end, features in self._seen[id(page)]:
                trainer.append(features, ["P" if x else "O" for x in private[first:end]])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            trainer.train(str(path))
            self.load(path.read_bytes())

    def load(self, model: bytes) -> None:
        """Take a model that was trained before."""
        self._tagger = _crfsuite().Tagger()
        self._tagger.open_inmemory(model)
        self.model = model  # the tagger reads these bytes as long as it lives

    def look_at_many(self) -> None:
        """Leave out of every word what the model has no weight for: the answers are the same, in half the time."""
        known = frozenset(self._tagger.info().attributes)
        self._own = cache(lambda word: [one for one in self._of_word(word) if one in known])
        self._near = cache(lambda word, offset: [one for one in self._beside(word, offset) if one in known])
        self._chosen = True

    def probabilities(self, page: Page) -> list[float]:
        """How likely each word of a document is private."""
        tagger = self._tagger
        out = [0.0] * len(page.tokens)
        if "P" not in tagger.labels():
            return out
        for first, end, features in self.lines(page):
            tagger.set(features)
            out[first:end] = [tagger.marginal("P", i) for i in range(end - first)]
        return out


def found_by_tagger(page: Page, likely: Sequence[float]) -> list[tuple[int, int, str]]:
    """The words to hide, small words between two of them too, and sure ones wherever they stand in the document."""
    tokens = page.tokens
    hidden = [p > THRESHOLD for p in likely]
    sure = {w.lower() for p, (_, _, w, _) in zip(likely, tokens) if p > SURE and w[0].isupper() and len(w) > 3}
    for i, (_, _, word, _) in enumerate(tokens):
        hidden[i] = hidden[i] or (word[0].isupper() and word.lower() in sure)
    for i in range(1, len(tokens) - 1):
        if hidden[i - 1] and not hidden[i]:
            for j in (i + 1, i + 2):
                small = all(len(tokens[q][2]) <= 3 and tokens[q][2].islower() for q in range(i, j))
                if j < len(tokens) and hidden[j] and small and "\n" not in page.text[tokens[i - 1][1] : tokens[j][0]]:
                    hidden[i:j] = [True] * (j - i)
                    break
    return [(start, end, "TAGGED") for (start, end, _, _), h in zip(tokens, hidden) if h]


def _flag(page: Page, start: int, end: int) -> str:
    """What the rules say of a word: hidden, left to the tagger, or visible."""
    return "h" if 1 in page.hidden[start:end] else "s" if 1 in page.soft[start:end] else "v"


def _private(page: Page, spans: Sequence[tuple[int, int]]) -> list[bool]:
    """Whether a word has a private character."""
    marked = bytearray(len(page.text))
    for start, end in spans:
        marked[start:end] = b"\1" * (min(end, len(marked)) - start)
    return [1 in marked[start:end] for start, end, _, _ in page.tokens]


def _crfsuite() -> Any:
    try:
        import pycrfsuite
    except ImportError as error:
        raise InputError("k-words: labels need the extra 'words'. Install sequester[words].") from error
    return pycrfsuite


@cache
def _shape(word: str) -> str:
    return "".join(
        "9" if c.isdigit() else "X" if c.isupper() else "x" if c.islower() else c if c in "-'’.,:/" else "o"
        for c in word
    )


@cache
def _short(word: str) -> str:
    return re.sub(r"(.)\1+", r"\1+", _shape(word))


def _rarity(n: int, of: int) -> int:
    share = n / max(1, of)
    bounds = (n > 1, n >= 4, share >= 0.02, share >= 0.1, share >= 0.5)
    return sum(bounds) if n > 1 else 0
