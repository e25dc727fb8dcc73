"""Pages in other languages: an English sentence is translated where it is shown.

What is stored stays English: promises, checks and figures in manifests and private folders. So a bundle of any age is
read in any language, a promise has one wording that counts, and no method or judge knows about languages. The catalogue
(`de.po`, `es.po`; `python docs/sentences.py` gathers and compiles) holds sentences with placeholders: `{n1}` is a
number, any other a name, a unit or words that are translated by themselves. `said` finds the sentences a text consists
of and says them in the reader's language. What it does not know, such as a name from the data, stays as it is; what
stands in “quotation marks” is such a name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache, lru_cache
from gettext import GNUTranslations
from importlib import resources
from itertools import islice
from math import inf

from sequester.errors import ParameterError

LANGUAGES = {"en": "English", "de": "Deutsch", "es": "Español"}
_language: ContextVar[str] = ContextVar("language", default="en")
_PLACE = re.compile(r"\{(\w+)\}")
_NUMBER = re.compile(r"[+-]?\d+(,\d{3})*(\.\d+)?(e[+-]?\d+)?(\s?%)?")
_BETWEEN = re.compile(r"[\W\d_]*")
"""What may stand between two sentences or clauses and is the same in every language: signs and numbers."""
_QUOTED = re.compile(r"“[^”]*”|(?<!\w)'[^']*'(?!\w)")
_ENGLISH = re.compile(r"\b(of|the|at|least|in|and|is|are|it|was|were|to|for|by|with|from|every|all|not|no)\b")
"""Words by which a part of an English sentence is known that the catalogue lacks: half a sentence is not translated."""
_LISTED = re.compile(r"[a-z]+ \(")
"""Each of a list such as: words (1.5), lengths (1.2)."""
_FAITH = 3
"""So many letters of names may stand beside one letter of a known sentence; with more it is all a name."""
_LONGEST = 1200
"""Longer texts are taken sentence by sentence."""
_TRIES = 4
"""Ends of a name that are tried, from the nearest on."""


class Name(str):
    """A name from the data: never translated, whatever it looks like."""

    __slots__ = ()


@contextmanager
def speaking(language: str) -> Iterator[None]:
    """Everything that is shown inside is said in this language."""
    if language not in LANGUAGES:
        raise ParameterError(f"language: there are {', '.join(LANGUAGES)}, got {language!r}.")
    before = _language.set(language)
    try:
        yield
    finally:
        _language.reset(before)


def spoken() -> str:
    """The language that is being spoken."""
    return _language.get()


def said(text: str) -> str:
    """An English text in the language that is being spoken; unknown parts of it stay as they are."""
    language = _language.get()
    if language == "en" or isinstance(text, Name) or not any(c.isalpha() for c in text):
        return text
    return _said(language, text)[0]


def unknown(texts: Iterable[str], language: str) -> list[str]:
    """Those texts, or sentences of them, for which the catalogue has no words."""
    return [left for text in dict.fromkeys(texts) if not isinstance(text, Name) for left in _said(language, text)[1]]


@dataclass(frozen=True)
class _Sentence:
    literals: tuple[str, ...]
    """The words between placeholders; one more than there are placeholders."""
    places: tuple[str, ...]
    words: str


@cache
def _catalogue(language: str) -> tuple[dict[str, str], tuple[_Sentence, ...]]:
    """Sentences without placeholders, and those with some."""
    with (resources.files(__name__) / f"{language}.mo").open("rb") as file:
        messages: dict[str, str] = vars(GNUTranslations(file))["_catalog"]  # the one way to read all that a file holds
    plain = {key: words for key, words in messages.items() if key and not _PLACE.search(key)}
    filled = []
    for key, words in messages.items():
        parts = _PLACE.split(key)
        if len(parts) > 1:
            filled.append(_Sentence(tuple(parts[::2]), tuple(parts[1::2]), words))
    return plain, tuple(filled)


@lru_cache(maxsize=4096)
def _said(language: str, text: str) -> tuple[str, tuple[str, ...]]:
    """A text in a language, and the sentences of it that are not known."""
    if (whole := _best(language, text)) is not None:
        return whole[0], ()
    out, left = [], []
    parts = re.split(r"(?<=[.?!])(\s+)", text)
    while parts:
        n, words = 3, _best(language, "".join(parts[:3]))  # the catalogue has some sentences in pairs
        if words is None:
            n, words = 1, _best(language, parts[0])
            left += [parts[0]] if words is None else []
        out += [parts[0] if words is None else words[0], *parts[n : n + 1]]
        del parts[: n + 1]
    return "".join(out), tuple(left)


@lru_cache(maxsize=16384)
def _best(language: str, text: str) -> tuple[str, float] | None:
    """The whole text in known sentences, and how many letters of it stay untranslated, the fewest there can be.

    None if there is no such way.
    """
    plain = _catalogue(language)[0]
    if text in plain:
        return plain[text], 0.0
    if (other := text[:1].swapcase() + text[1:]) in plain:
        words = plain[other]
        return (words if text[:1].islower() else words[:1].upper() + words[1:]), 0.0
    if len(text) > _LONGEST:
        return None
    found = _Parse(language, text).from_(0)
    if text[:1].isupper() and (found is None or found[0] or not found[1]):  # a clause that begins a sentence here
        lower = text[:1].lower() + text[1:]
        clause = _Parse(language, lower).from_(0)
        if clause is not None and clause[1] and (found is None or not found[1] or clause[0] < found[0]):
            return clause[2][:1].upper() + clause[2][1:], clause[0]
    return (found[2], found[0]) if found is not None and found[1] else None


class _Parse:
    """The sentences of the catalogue that a text consists of."""

    def __init__(self, language: str, text: str) -> None:
        self.language, self.text = language, text
        plain, filled = _catalogue(language)
        self.filled = [s for s in filled if all(part in text for part in s.literals)]
        self.known = [(key, words) for key, words in plain.items() if key in text and " " in key and key != text]
        self.listed = {word[:-2]: plain[word[:-2]] for word in _LISTED.findall(text) if word[:-2] in plain}
        """Single words of a list of figures."""
        self.ways: dict[int, tuple[float, int, str] | None] = {len(text): (0.0, 0, "")}

    def from_(self, at: int) -> tuple[float, int, str] | None:
        """Letters left untranslated, letters known, and the words, from a place on; None if there is no way."""
        if at not in self.ways:
            self.ways[at] = min(self._ways(at), key=lambda way: (way[0] - way[1] / 100, len(way[2])), default=None)
        return self.ways[at]

    def _ways(self, at: int) -> Iterator[tuple[float, int, str]]:
        text = self.text
        begins = not at or text[at - 2 : at] in (", ", "; ", ": ", ". ")
        gap = _BETWEEN.match(text, at)
        if gap and gap.end() > at:
            if (rest := self.from_(gap.end())) is not None:
                yield rest[0], rest[1], gap[0] + rest[2]
            if text[at].isspace():
                return  # no sentence begins with a blank
        for key, words in self.known:
            if text.startswith(key, at) and (rest := self.from_(at + len(key))) is not None:
                yield rest[0], rest[1] + _letters(key), words + rest[2]
        for key, words in self.listed.items() if begins else ():
            if text.startswith(f"{key} (", at) and (rest := self.from_(at + len(key))) is not None:
                yield rest[0], rest[1] + len(key), words + rest[2]
        for sentence in self.filled:
            if not sentence.literals[0] and not begins and not sentence.places[0].startswith("n"):
                continue  # one that begins with a name begins a text or a part of a list
            for end, values in self._matches(sentence, at):
                if end > at and (rest := self.from_(end)) is not None:
                    lost, sure, filled = self._filled(sentence, values)
                    if lost <= _FAITH * sure:
                        yield lost + rest[0], sure + rest[1], filled + rest[2]

    def _matches(self, sentence: _Sentence, at: int) -> Iterator[tuple[int, tuple[str, ...]]]:
        """Where a sentence that begins here may end, and what fills its places."""
        first, text = sentence.literals[0], self.text
        if not text.startswith(first, at):
            return
        stack: list[tuple[int, int, tuple[str, ...]]] = [(0, at + len(first), ())]
        while stack:
            i, begin, values = stack.pop()
            if i == len(sentence.places):
                yield begin, values
                continue
            literal = sentence.literals[i + 1]
            for end in self._ends(begin, literal, sentence.places[i].startswith("n")):
                stack.append((i + 1, end + len(literal), (*values, text[begin:end])))

    def _ends(self, begin: int, literal: str, number: bool) -> Iterator[int]:
        """Where what fills a place may end, before the words that follow it."""
        if number:
            found = _NUMBER.match(self.text, begin)
            ends = {found.end(), begin + len(found[0].rstrip(" %"))} if found else ()
            yield from (end for end in ends if self.text.startswith(literal, end))
            return
        here = re.compile(re.escape(literal) if literal else r"[.,;:)]|$")
        for found in islice(here.finditer(self.text, begin), _TRIES):
            yield found.start()

    def _filled(self, sentence: _Sentence, values: tuple[str, ...]) -> tuple[float, int, str]:
        lost, sure, words = 0.0, sum(map(_letters, sentence.literals)), {}
        for name, value, before in zip(sentence.places, values, sentence.literals, strict=False):
            letters, core = _letters(value), value.strip()
            if name.startswith("o") or before.endswith(("'", "--", " = ")):  # an option, a name, what a role was set to
                lost, words[name] = lost + letters * (name[0] != "o" and before[-1] != "'"), value
                continue
            exact = " " in core or core in _catalogue(self.language)[0]  # a word alone is known as it is spelled
            inner = _best(self.language, core) if letters and exact and not name.startswith("n") else None
            if inner is None and letters and _ENGLISH.search(_QUOTED.sub("", core)):
                return inf, 0, ""
            words[name] = value if inner is None else value.replace(core, inner[0])
            # a sentence of its own is better than one inside another
            left = letters if inner is None else inner[1] + letters / 50
            lost, sure = lost + left, sure if inner is None else sure + letters - int(inner[1])
        return lost, sure, _PLACE.sub(lambda m: words.get(m[1], m[0]), sentence.words)


def _letters(text: str) -> int:
    """Letters of words; what stands in quotation marks is a name and does not count."""
    return sum(c.isalpha() for c in _QUOTED.sub("", text))
