"""A tagger of the custodian's own: a conditional random field trained on labelled documents. It only ever hides."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import chain, groupby, pairwise, starmap
from math import exp
from pathlib import Path
from typing import Any, NamedTuple

from sequester.errors import InputError
from sequester.guarantees.word_list import WordList
from sequester.methods.text.k_words.cutting import PUBLIC, Token
from sequester.methods.text.k_words.floor import Page
from sequester.methods.text.k_words.rules import TITLES

THRESHOLD = 0.001
"""A word is hidden from this probability on. Fixed: choosing it on ten labelled notes was unsafe."""
SURE = 0.5
"""From here on a capitalised word is hidden in the whole document."""
LISTED = 0.003
"""The same for words in small letters and public nouns: hiding one costs text, and seldom hides a person."""
COMMON = 0.01
"""The same for those of them that many documents have."""
MANY = 0.1
"""The share of documents from which on a word is one that many have."""
PARTICLE = 0.05
"""The same for Japanese particles and endings, which name nobody."""
PARTICLES = ("助詞", "助動詞")
SELDOM_NAMES = (
    "動詞", "形容詞", "形状詞", "副詞", "連体詞", "接続詞", "代名詞", "名詞,普通名詞,サ変可能", "名詞,普通名詞,副詞可能"
)  # fmt: skip
"""Japanese parts of speech that stand for `LISTED`: verbs, adverbs and the like, and nouns that serve as such."""
SETTINGS = {"c1": 0.05, "c2": 0.05, "max_iterations": 80, "feature.possible_transitions": True}
LABEL = re.compile(r"[.;,\t]|  ")
Learnt = tuple[Page, Sequence[tuple[int, int]]]
"""A document and its private spans."""
ITSELF, PLACED = 0, 9
NEAR = (-2, -1, 1, 2)
Column = tuple[int, list[str]]
"""Of each word of a line one thing: a word (the word itself, or its neighbour so far behind), or a feature."""
Line = tuple[int, int, list[Column]]
"""First word, one past the last, and what is seen of them."""


class Known(NamedTuple):
    """A document to learn from: its lines, and the same as the learner takes them."""

    lines: list[Line]
    rows: list[Any]


class _Weights(dict[str, float]):
    """How much a word, or what is seen of it, speaks for private."""

    def __init__(self, known: Mapping[str, float], look: Callable[[str], Look], offset: int) -> None:
        self._known, self._look, self._offset = known, look, offset
        self._alike: dict[Look, float] = {}

    def __missing__(self, word: str) -> float:
        known, offset = self._known, self._offset
        if offset == PLACED:
            value = known.get(word, 0.0)
        else:
            look = self._look(word)
            if look not in self._alike:
                self._alike[look] = sum(known.get(one, 0.0) for one in look.says(offset))
            value = self._alike[look] + sum(known.get(one, 0.0) for one in spelt(word, look, offset))
        self[word] = value
        return value


class Look(NamedTuple):
    """What many words have in common."""

    shape: str
    short: str
    length: int
    level: int
    rarity: int
    often: bool
    case: str
    named: bool
    placed: bool
    titled: bool

    def says(self, offset: int) -> list[str]:
        """What it says of the word itself (0), or of the word so far before it."""
        if not self.short:
            return [f"{offset:+d}:edge"]
        at = f"{offset:+d}:" if offset else ""
        out = [f"{at}{'' if offset else 'ss='}{self.short}", f"{at}df={self.rarity}"]
        if abs(offset) < 2:
            out.append(f"{at}z={self.level}")
            out += [f"{at}nm"] * self.named + [f"{at}pl"] * self.placed
        if not offset:
            return [*out, "b", f"s={self.shape}", f"n={self.length}", *([f"lo={self.case}"] if self.case else [])]
        return out + [f"{at}title"] * self.titled


def spelt(word: str, look: Look, offset: int) -> list[str]:
    """What the letters of a word say of it, or of the word so far before it."""
    small = word.lower()
    if not offset:
        signs = [f"p1={small[0]}", f"u1={small[-1]}"] if small > "\u3000" else []  # words of Japanese are short
        return [f"w={small}", f"p3={small[:3]}", f"u3={small[-3:]}", f"u2={small[-2:]}", *signs]
    return [f"{offset:+d}:w={small}"] if word and (abs(offset) == 1 or look.often) else []


class Tagger:
    """What the words of documents look like, and how likely each is private."""

    def __init__(self, lists: WordList, pages: Sequence[Page]) -> None:
        self.lists = lists
        self.cut = pages[0].cut
        self.n = len(pages)
        self.documents: Counter[str] = Counter()
        self.small: Counter[str] = Counter()
        self.capital: Counter[str] = Counter()
        for page in pages:
            words = [word for _, _, word, _ in page.tokens]
            self.documents.update({word.lower() for word in words})
            self.small.update(word for word in words if word.islower())
            self.capital.update(word.lower() for word in words if word[0].isupper())
        self.look = cache(self._look)
        self.model = b""
        self._weights: dict[int, _Weights] = {}
        self._labels: tuple[str, ...] = ()
        self._moves: tuple[float, ...] = ()
        """exp of the weights from not private to the same, to private, and from private to either."""
        self._seen: dict[int, Known] = {}
        """Documents that were learnt from, by the number of the page: they are learnt from again and again."""

    def _look(self, word: str) -> Look:
        small = word.lower()
        shape, n = word.translate(_SHAPES), self.documents[small]
        case = ""
        if word[:1].isupper():
            case = str(0 if not self.small[small] else 1 + (self.small[small] >= self.capital[small]))
        return Look(
            shape=shape[:8],
            short=_REPEATED.sub(r"\1+", shape),
            length=min(5, len(word) // 4),
            level=self.lists.zipf.get(small, 0),
            rarity=_rarity(n, self.n),
            often=n >= 4,
            case=case,
            named=small in self.lists.names,
            placed=small in self.lists.places,
            titled=small in TITLES,
        )

    def lines(self, page: Page) -> list[Line]:
        """The words of a document, line by line, with what is to be seen of each."""
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

    @staticmethod
    def _line(page: Page, first: int, end: int, place: str) -> list[Column]:
        text, tokens, n = page.text, page.tokens[first:end], end - first
        words = [word for _, _, word, _ in tokens]
        flags = [_flag(page, start, end) for start, end, _, _ in tokens]
        signs = [text[a[1] : b[0]].strip()[:2] for a, b in pairwise(tokens)]
        length = f"len={min(4, n // 5)}"
        out: list[Column] = [
            (ITSELF, words),
            (PLACED, [_FLAGS[0][flag] for flag in flags]),
            (PLACED, [place] * n),
            (PLACED, [f"lp={min(3, i)}" for i in range(n)]),
            (PLACED, [length] * n),
            (PLACED, [f"a={sign}" for sign in signs] + ["a="]),
            (PLACED, ["b=^"] + [f"b={sign}" for sign in signs]),
        ]
        if tokens[0][3]:
            speech = [speech for *_, speech in tokens]
            out.append((PLACED, [f"pos={one}" for one in speech]))
            out.append((PLACED, ["", *(f"-1:pos={one}" for one in speech[:-1])]))
            out.append((PLACED, [*(f"+1:pos={one}" for one in speech[1:]), ""]))
        if any(":" in sign or "：" in sign for sign in signs):
            out += _behind_labels(text, tokens, signs)
        for offset in NEAR:
            edge, shift = [""] * min(n, abs(offset)), min(n, abs(offset))
            said = [_FLAGS[offset][flag] for flag in flags]
            for kind, some in ((offset, words), (PLACED, said)):
                out.append((kind, edge + some[: n - shift] if offset < 0 else some[shift:] + edge))
        return out

    def known(self, page: Page) -> Known:
        """The lines of a document to learn from, also as the learner takes them."""
        if id(page) not in self._seen:
            lines = self.lines(page)
            rows = [
                _crfsuite().ItemSequence(
                    [[x for x in chain.from_iterable(row) if x] for row in zip(*starmap(self._said, columns))]
                )
                for _, _, columns in lines
            ]
            self._seen[id(page)] = Known(lines, rows)
        return self._seen[id(page)]

    def _said(self, kind: int, column: list[str]) -> list[list[str]]:
        """All that is seen of each word of a line, in features."""
        if kind == PLACED:
            return [[one] for one in column]
        looks = [(word, self.look(word)) for word in column]
        return [[*look.says(kind), *spelt(word, look, kind)] for word, look in looks]

    def train(self, labelled: Sequence[Learnt]) -> None:
        """Learn from documents and their private spans."""
        trainer = _crfsuite().Trainer(verbose=False)
        trainer.set_params(SETTINGS)
        for page, spans in labelled:
            private = _private(page, spans)
            for (first, end, _), row in zip(*self.known(page), strict=True):
                trainer.append(row, ["P" if x else "O" for x in private[first:end]])
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "model"
            trainer.train(str(path))
            self.load(path.read_bytes())

    def load(self, model: bytes) -> None:
        """Take a model that was trained before."""
        tagger = _crfsuite().Tagger()
        tagger.open_inmemory(model)
        info = tagger.info()
        self.model = model
        known: dict[str, float] = {}
        for (feature, label), weight in info.state_features.items():
            known[feature] = known.get(feature, 0.0) + (weight if label == "P" else -weight)
        self._weights = {kind: _Weights(known, self.look, kind) for kind in (ITSELF, PLACED, *NEAR)}
        self._labels = tuple(tagger.labels())
        self._moves = tuple(exp(info.transitions.get((a, b), 0.0)) for a in "OP" for b in "OP")

    def probabilities(self, page: Page) -> list[float]:
        """How likely each word of a document is private."""
        if len(self._labels) < 2:
            return [float("P" in self._labels)] * len(page.tokens)
        lines = self._seen[id(page)].lines if id(page) in self._seen else self.lines(page)
        weight = {kind: weights.__getitem__ for kind, weights in self._weights.items()}
        out: list[float] = []
        for _, _, columns in lines:
            scores = map(sum, zip(*(map(weight[kind], keys) for kind, keys in columns)))
            out += _marginals(list(scores), self._moves)
        return out

    def found(self, page: Page, likely: Sequence[float]) -> list[tuple[int, int, str]]:
        """The words to hide, small words between two of them too, and sure ones wherever they stand in the document."""
        tokens = page.tokens
        hidden = [p > self._least(word, speech) for p, (_, _, word, speech) in zip(likely, tokens, strict=True)]
        sure = {w.lower() for p, (_, _, w, _) in zip(likely, tokens) if p > SURE and w[0].isupper() and len(w) > 3}
        for i, (_, _, word, _) in enumerate(tokens):
            hidden[i] = hidden[i] or (word[0].isupper() and word.lower() in sure)
        for i in range(1, len(tokens) - 1):
            if hidden[i - 1] and not hidden[i]:
                for j in (i + 1, i + 2):
                    small = all(len(tokens[q][2]) <= 3 and tokens[q][2].islower() for q in range(i, j))
                    same_line = j < len(tokens) and "\n" not in page.text[tokens[i - 1][1] : tokens[j][0]]
                    if same_line and hidden[j] and small:
                        hidden[i:j] = [True] * (j - i)
                        break
        return [(start, end, "TAGGED") for (start, end, _, _), h in zip(tokens, hidden) if h]

    def _least(self, word: str, speech: str) -> float:
        """The probability from which on a word is hidden."""
        if speech:
            return (
                PARTICLE if speech.startswith(PARTICLES) else LISTED if speech.startswith(SELDOM_NAMES) else THRESHOLD
            )
        if not word.islower() and self.cut.kind(word) != PUBLIC:
            return THRESHOLD
        return COMMON if self.documents[word.lower()] >= max(4, MANY * self.n) else LISTED


def _marginals(scores: Sequence[float], moves: Sequence[float]) -> list[float]:
    """How likely each word of a line is private: forward and backward over two labels."""
    stay, enter, leave, remain = moves
    odds = [exp(min(score, 500.0)) for score in scores]
    back, behind = [1.0] * len(odds), 1.0  # how much better what follows fits a private word than another
    for i in range(len(odds) - 1, 0, -1):
        onward = odds[i] * behind
        back[i - 1] = behind = (leave + remain * onward) / (stay + enter * onward)
    out, share = [], 0.0
    for i, here in enumerate(odds):
        before = (enter * (1 - share) + remain * share) / (stay * (1 - share) + leave * share) if i else 1.0
        ratio = before * here
        share = ratio / (1 + ratio)
        out.append(ratio * back[i] / (1 + ratio * back[i]))
    return out


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


class _Shapes(dict[int, str]):
    def __missing__(self, point: int) -> str:
        c = chr(point)
        plain = "9" if c.isdigit() else "X" if c.isupper() else "x" if c.islower() else c if c in "-'’.,:/" else ""
        self[point] = shape = plain or next((sign for sign, low, high in _SCRIPTS if low <= c <= high), "o")
        return shape


_SCRIPTS = (("h", "\u3041", "\u309f"), ("k", "\u30a0", "\u30ff"), ("c", "\u4e00", "\u9fff"))
"""Hiragana, Katakana and Han, which have no capitals to tell them apart."""
_SHAPES = _Shapes()
_REPEATED = re.compile(r"(.)\1+")
_FLAGS = {offset: {flag: f"{offset:+d}:c={flag}" if offset else f"c={flag}" for flag in "hsv"} for offset in (0, *NEAR)}


def _behind_labels(text: str, tokens: Sequence[Token], signs: Sequence[str]) -> list[Column]:
    """The label before each word of a line ("Name:"), and how far it is."""
    label, at = "", 0
    labels, far = [""], [""]
    for i, sign in enumerate(signs, start=1):
        if ":" in sign or "：" in sign:
            cut = text[max(tokens[0][0], tokens[i - 1][1] - 40) : tokens[i - 1][1]]
            label, at = LABEL.split(cut)[-1].strip().casefold()[-25:], i
        labels.append(f"lab={label}|{'n' if i - at < 4 else 'f'}" if label else "")
        far.append(f"ld={min(6, i - at)}" if label else "")
    return [(PLACED, labels), (PLACED, far)]


def _rarity(n: int, of: int) -> int:
    share = n / max(1, of)
    bounds = (n > 1, n >= 4, share >= 0.02, share >= 0.1, share >= 0.5)
    return sum(bounds) if n > 1 else 0
