"""Cut what is visible of a document into words, and say which of them are public.

Everything looks at one *piece* alone: a stretch of a document between two gaps. A judge sees nothing else, so a word
is public here exactly when it is public to somebody who holds the release.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Any

from sequester.errors import InputError
from sequester.guarantees import public_words as rule
from sequester.guarantees.word_list import WordList

SEPARATORS = (
    " \t\n\r\x0b\x0c\x1c-\x1f\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
    "!-/:-@\\[-\\^`{-~\u00a1-\u00a9\u00ab\u00ac\u00ae-\u00b1\u00b4\u00b6-\u00b8\u00bb\u00bf\u00d7\u00f7"
    "\u2010-\u2027\u2030-\u205e\u2190-\u245f\u2500-\u2775\u2794-\u27ff\u2900-\u2bff\u3001-\u3003\u3008-\u3020\u3030\u303d\u30a0\u30fb"
    "\ufe10-\ufe1f\ufe30-\ufe6f\uff01-\uff0f\uff1a-\uff20\uff3b-\uff40\uff5b-\uff65"
)
"""Characters that stand between words, as a class of a regular expression; fixed, whatever Unicode adds. Anything else
is part of a word: letters, digits, marks, signs without width, letters in circles and of Braille, letters nobody has
seen yet."""
WORD = re.compile(rf"[^{SEPARATORS}]+(?:(?:[-'’]|(?<=[0-9])[.,:/](?=[0-9]))[^{SEPARATORS}]+)*")
OTHER_SCRIPT = re.compile(rf"[^{SEPARATORS}\u2e80-\U0010ffff]")
"""In Japanese text: letters and digits of scripts that part words by blanks."""
NUMBER = re.compile(r"[0-9]+(?:[.,:/-][0-9]+)?")
WITH_UNIT = re.compile(r"([0-9]+(?:[.,][0-9]+)?)([^\W\d_]+[²³]?)")
ENDS = ".!?。"
OTHER, PUBLIC, AT_START, A_NUMBER, A_UNIT = range(5)


Word = tuple[int, int, str, bool]
"""Where a word begins and ends, the word, and whether it is public."""
Token = tuple[int, int, str, str]
"""Where a word begins and ends, the word, and (Japanese) what part of speech it is."""


class Words:
    """Cuts pieces of a language that parts words by blanks."""

    def __init__(self, lists: WordList, *, nouns: bool) -> None:
        self.lists, self.nouns = lists, nouns
        self.suffixes = rule.SUFFIXES[lists.language]
        self.kind = cache(self._kind)

    def _small(self, word: str) -> bool:
        """Whether a word in small letters is public by itself."""
        if word in self.lists.zipf or word in rule.UNITS:
            return word == word.lower() != word.upper()
        return len(word) >= rule.SUFFIXED and word.endswith(self.suffixes) and rule.SMALL.fullmatch(word) is not None

    def _kind(self, word: str) -> int:
        if self._small(word):
            return PUBLIC
        first = word[0]
        if first in "0123456789":
            whole = WITH_UNIT.fullmatch(word)
            if whole and _is_unit(whole.group(2)) and _digits(whole.group(1)) <= rule.DIGITS:
                return PUBLIC
            return A_NUMBER if NUMBER.fullmatch(word) and _digits(word) <= rule.DIGITS else OTHER
        parts = re.split("[-'’]", word)
        if len(parts) > 1 and all(len(p) > 1 and self._small(p) for p in parts):
            return PUBLIC
        small = word.lower()
        if first.isupper() and word[1:].islower() and not self._named(small):
            level = self.lists.zipf.get(small, 0)
            if self.nouns and len(word) > 3 and level and (level >= rule.NOUN or small not in self.lists.elsewhere):
                return PUBLIC
            if level >= rule.START:
                return AT_START
        return A_UNIT if _is_unit(word) else OTHER

    def _named(self, small: str) -> bool:
        return small in self.lists.names or small in self.lists.places

    def tokens(self, text: str) -> list[Token]:
        """The words of a whole document."""
        return [(m.start(), m.end(), m.group(), "") for m in WORD.finditer(text)]

    def cut(self, piece: str, at: int, *, first: bool, last: bool) -> Iterator[Word]:
        """The words of a piece that begins at `at`; `first` and `last`: no gap stands before or behind it."""
        found = [(m.start(), m.end(), m.group()) for m in WORD.finditer(piece)]
        kinds = [self.kind(word) for _, _, word in found]
        size = len(piece)
        for i, (start, end, word) in enumerate(found):
            kind = kinds[i]
            if kind == AT_START:
                kind = PUBLIC if self._starts(piece, found, kinds, i, first) else OTHER
            elif kind == A_NUMBER:
                kind = PUBLIC if self._measured(piece, found, i) else OTHER
            elif kind == A_UNIT:
                behind = i > 0 and kinds[i - 1] == A_NUMBER and piece[found[i - 1][1] : start] in ("", " ", "\u00a0")
                kind = PUBLIC if behind else OTHER
            if kind == PUBLIC:
                free = (piece[start - 1] not in rule.BEFORE) if start else first
                free = free and ((piece[end] not in rule.TOUCHING) if end < size else last)
                kind = PUBLIC if free else OTHER
            yield at + start, at + end, word, kind == PUBLIC

    def _starts(self, piece: str, found: list[Any], kinds: list[int], i: int, first: bool) -> bool:
        """Whether a capitalised common word stands at the start of a sentence or line."""
        start = found[i][0]
        between = piece[found[i - 1][1] if i else 0 : start]
        if ":" in between.rsplit("\n", 1)[-1]:
            return False
        if "\n" not in between and not (i == 0 and first):
            if i == 0 or not any(c in ENDS for c in between):
                return False
            before = found[i - 1][2]
            if len(before) <= 3 or before.lower() in rule.ABBREVIATED:
                return False
        return i + 1 == len(found) or kinds[i + 1] == PUBLIC or not found[i + 1][2][0].isupper()

    def _measured(self, piece: str, found: list[Any], i: int) -> bool:
        """Whether a unit follows a number."""
        behind = piece[found[i][1] : found[i + 1][0]] if i + 1 < len(found) else piece[found[i][1] :]
        if behind.lstrip(" \u00a0")[:1] in tuple(rule.SIGNS):
            return True
        return i + 1 < len(found) and behind in ("", " ", "\u00a0") and _is_unit(found[i + 1][2])


class JapaneseWords(Words):
    """Cuts Japanese with SudachiPy and its small dictionary; a word is public by the list and its part of speech."""

    def __init__(self, lists: WordList) -> None:
        super().__init__(lists, nouns=False)
        self.tokeniser = sudachi()

    def cut(self, piece: str, at: int, *, first: bool, last: bool) -> Iterator[Word]:
        """The words of a piece; none may touch markup."""
        found = list(self.words_of(piece))
        for i, (start, end, word, stated) in enumerate(found):
            if word[0] in "0123456789":
                behind = found[i + 1][2] if i + 1 < len(found) and found[i + 1][0] == end else ""
                public = NUMBER.fullmatch(word) is not None and _digits(word) <= rule.DIGITS
                public = public and (_is_unit(behind) or piece[end : end + 1] in tuple(rule.SIGNS))
            else:
                public = (
                    self.lists.zipf.get(word, 0) >= rule.SPOKEN and stated[1] != "固有名詞" and word == word.lower()
                )
                public = public or word in rule.UNITS
            if public:
                public = not (start and piece[start - 1] in rule.BEFORE) and piece[end : end + 1] not in tuple(
                    rule.TOUCHING
                )
            yield at + start, at + end, word, public and self._whole(piece, found, i, first, last)

    @staticmethod
    def _whole(piece: str, found: list[Any], i: int, first: bool, last: bool) -> bool:
        """Whether a word in letters of another script is all of it: the dictionary cuts `ab12cd` into three."""
        start, end, word = found[i][:3]
        before, behind = piece[start - 1 : start], piece[end : end + 1]
        if word[0] in "0123456789":
            return not OTHER_SCRIPT.match(before)
        if OTHER_SCRIPT.match(word[0]) is None:
            return True
        of_a_number = _is_unit(word) and i > 0 and found[i - 1][1] == start and NUMBER.fullmatch(found[i - 1][2])
        left = bool(of_a_number) or (not OTHER_SCRIPT.match(before) if before else first)
        return left and (not OTHER_SCRIPT.match(behind) if behind else last or bool(of_a_number))

    def tokens(self, text: str) -> list[Token]:
        return [(start, end, word, ",".join(found[:3])) for start, end, word, found in self.words_of(text)]

    def words_of(self, piece: str) -> Iterator[tuple[int, int, str, tuple[str, ...]]]:
        """Start, end, word and part of speech; what the dictionary does not know is cut like other languages."""
        for block in re.finditer(r"[^\n]{1,4000}", piece):  # the tokeniser takes 49,149 bytes at once
            begin = block.start()
            for token in self.tokeniser.tokenize(block.group()):
                start, word = begin + token.begin(), token.surface()
                if not token.is_oov() and WORD.fullmatch(word):
                    yield start, start + len(word), word, token.part_of_speech()
                    continue
                for part in WORD.finditer(word):
                    yield start + part.start(), start + part.end(), part.group(), token.part_of_speech()


@cache
def sudachi() -> Any:
    """The tokeniser of the extra `words`."""
    try:
        from sudachipy import Dictionary, SplitMode
    except ImportError as error:
        raise InputError("k-words: Japanese needs the extra 'words'. Install sequester[words].") from error
    if (installed := version("sudachidict-small")) != rule.DICTIONARY:
        raise InputError(
            f"k-words: the promise names sudachidict-small {rule.DICTIONARY}, and {installed} is installed. Install "
            f"sudachidict-small=={rule.DICTIONARY}."
        )
    return Dictionary(dict="small").tokenizer(mode=SplitMode.A)


def words_for(lists: WordList, *, nouns: bool) -> Words:
    """What cuts documents of a language."""
    return JapaneseWords(lists) if lists.language == "ja" else Words(lists, nouns=nouns)


def _digits(word: str) -> int:
    return sum(c in "0123456789" for c in word)


def _is_unit(word: str) -> bool:
    """A unit in whatever case; a single capital only where it is written so, for `4711 V` is rather a code."""
    return word.lower() in rule.UNITS and (len(word) > 1 or word.islower() or word in rule.CAPITAL_UNITS)
