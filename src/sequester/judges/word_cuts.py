"""The judge's own reading of a released text: which words it shows, and which of them are public.

Characters become letters that say what they are, and one regular expression over those letters says what a word is. The
rule is the one on the page of `k-words`; no code is shared with the method.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from sequester.guarantees import public_words as rule
from sequester.guarantees.word_list import WordList

BETWEEN = (
    (0x09, 0x0D), (0x1C, 0x20), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A), (0x2028, 0x2029),
    (0x202F, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000), (0x21, 0x2F), (0x3A, 0x40), (0x5B, 0x5E), (0x60, 0x60),
    (0x7B, 0x7E), (0xA1, 0xA9), (0xAB, 0xAC), (0xAE, 0xB1), (0xB4, 0xB4), (0xB6, 0xB8), (0xBB, 0xBB), (0xBF, 0xBF),
    (0xD7, 0xD7), (0xF7, 0xF7), (0x2010, 0x2027), (0x2030, 0x205E), (0x2190, 0x245F), (0x2500, 0x2775),
    (0x2794, 0x27FF), (0x2900, 0x2BFF), (0x3001, 0x3003), (0x3008, 0x3020), (0x3030, 0x3030), (0x303D, 0x303D),
    (0x30A0, 0x30A0), (0x30FB, 0x30FB), (0xFE10, 0xFE1F), (0xFE30, 0xFE6F), (0xFF01, 0xFF0F), (0xFF1A, 0xFF20),
    (0xFF3B, 0xFF40), (0xFF5B, 0xFF65),
)  # fmt: skip
"""Code points that part words, first and last of each range."""
_SHAPE = re.compile("[dw]+(?:(?:j|(?<=d)n(?=d))[dw]+)*")
LATIN_DIGITS = frozenset("0123456789")


class _Letters(dict[int, str]):
    def __missing__(self, point: int) -> str:
        self[point] = letter = _letter(chr(point), point)
        return letter


def _letter(character: str, point: int) -> str:
    if character in LATIN_DIGITS:
        return "d"
    if character in "-'\u2019":
        return "j"
    if character in ".,:/":
        return "n"
    return "s" if any(low <= point <= high for low, high in BETWEEN) else "w"


_LETTERS = _Letters()


class Shown(NamedTuple):
    """A word of a piece."""

    start: int
    end: int
    word: str


def words_in(piece: str) -> list[Shown]:
    """The words of a piece of text."""
    shape = piece.translate(_LETTERS)
    return [Shown(m.start(), m.end(), piece[m.start() : m.end()]) for m in _SHAPE.finditer(shape)]


def is_name(small: str, lists: WordList) -> bool:
    """Whether the lists of names and places have a word."""
    return small in lists.names or small in lists.places


def small_public(word: str, lists: WordList) -> bool:
    """A word in small letters on the list, a unit, or a long word with a listed ending."""
    if word != word.lower() or word == word.upper():
        return False
    if lists.zipf.get(word, 0) >= 1 or word in rule.UNITS:
        return True
    endings = rule.SUFFIXES[lists.language]
    fits = len(word) >= rule.SUFFIXED and any(word.endswith(ending) for ending in endings)
    return fits and rule.SMALL.fullmatch(word) is not None


class Reader:
    """Which words of a piece are public, in a language that parts words by blanks."""

    def __init__(self, lists: WordList, *, nouns: bool) -> None:
        self.lists, self.nouns = lists, nouns
        self._known: dict[str, bool] = {}

    def read(self, piece: str, *, opens: bool, closes: bool) -> list[tuple[str, bool]]:
        """Every word with whether it is public; `opens` and `closes`: the document begins or ends here."""
        words = words_in(piece)
        public = [
            self._by_itself(shown.word) or self._by_place(piece, words, i, opens) for i, shown in enumerate(words)
        ]
        return [(w.word, is_public and _free(piece, w, opens, closes)) for w, is_public in zip(words, public)]

    def _by_itself(self, word: str) -> bool:
        known = self._known.get(word)
        if known is None:
            known = self._known[word] = self._public_word(word)
        return known

    def _public_word(self, word: str) -> bool:
        if small_public(word, self.lists):
            return True
        if word[0] in LATIN_DIGITS:
            split = next((i for i, c in enumerate(word) if c not in "0123456789.,"), len(word))
            return split < len(word) and _number(word[:split], ".,") and _unit(word[split:])
        pieces = word.replace("'", "-").replace("\u2019", "-").split("-")
        if len(pieces) > 1:
            return all(len(part) >= 2 and small_public(part, self.lists) for part in pieces)
        return self.nouns and self._noun(word)

    def _noun(self, word: str) -> bool:
        small = word.lower()
        level = self.lists.zipf.get(small, 0)
        known = level >= rule.NOUN or (level >= 1 and small not in self.lists.elsewhere)
        return len(word) >= 4 and _capitalised(word) and known and not is_name(small, self.lists)

    def _by_place(self, piece: str, words: list[Shown], i: int, opens: bool) -> bool:
        word = words[i].word
        if word[0] in LATIN_DIGITS:
            return _number(word, ".,:/-") and _unit_follows(piece, words, i)
        small = word.lower()
        if _unit(word) and i and _number(words[i - 1].word, ".,:/-"):
            return piece[words[i - 1].end : words[i].start] in ("", " ", "\xa0")
        if not _capitalised(word) or self.lists.zipf.get(small, 0) < rule.START or is_name(small, self.lists):
            return False
        follows = words[i + 1].word if i + 1 < len(words) else ""
        if follows[:1].isupper() and not self._by_itself(follows):
            return False
        return _begins_sentence(piece, words, i, opens)


def _capitalised(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word[1:].islower()


def _western(character: str) -> bool:
    """Part of a word, and of no script of East Asia."""
    return ord(character) < 0x2E80 and _letter(character, ord(character)) in "dw"


def _number(word: str, signs: str, most: int = rule.DIGITS) -> bool:
    """Digits in one or two groups, few of them."""
    groups = re.split(f"[{re.escape(signs)}]", word)
    digits = sum(map(len, groups))
    return len(groups) <= 2 and digits <= most and all(g and set(g) <= LATIN_DIGITS for g in groups)


def _unit(word: str) -> bool:
    """A unit of the rules; of single letters with a capital only those the rules name."""
    if len(word) == 1 and word != word.lower():
        return word in rule.CAPITAL_UNITS
    return word.lower() in rule.UNITS


def _unit_follows(piece: str, words: list[Shown], i: int) -> bool:
    end = words[i].end
    behind = piece[end:].lstrip(" \xa0") if i + 1 == len(words) else piece[end : words[i + 1].start].lstrip(" \xa0")
    if behind and behind[0] in rule.SIGNS:
        return True
    if i + 1 == len(words):
        return False
    return piece[end : words[i + 1].start] in ("", " ", "\xa0") and _unit(words[i + 1].word)


def _begins_sentence(piece: str, words: list[Shown], i: int, opens: bool) -> bool:
    before = piece[(words[i - 1].end if i else 0) : words[i].start]
    line = before.split("\n")
    if ":" in line[-1]:
        return False
    if len(line) > 1 or (opens and i == 0):
        return True
    if i == 0 or not set(before) & set(".!?。"):
        return False
    last = words[i - 1].word
    return len(last) > 3 and last.lower() not in rule.ABBREVIATED


def _free(piece: str, shown: Shown, opens: bool, closes: bool) -> bool:
    """No markup touches the word, and no gap does."""
    left = piece[shown.start - 1] not in rule.BEFORE if shown.start else opens
    right = piece[shown.end] not in rule.TOUCHING if shown.end < len(piece) else closes
    return left and right


class JapaneseReader(Reader):
    """The same for Japanese, cut by SudachiPy with its small dictionary."""

    def __init__(self, lists: WordList) -> None:
        from sudachipy import Dictionary, SplitMode

        super().__init__(lists, nouns=False)
        self.cut = Dictionary(dict="small").tokenizer(mode=SplitMode.A)

    def read(self, piece: str, *, opens: bool, closes: bool) -> list[tuple[str, bool]]:
        """Every word with whether it is public."""
        words = list(self._words(piece))
        out = []
        for i, (shown, proper) in enumerate(words):
            left, right = piece[max(0, shown.start - 1) : shown.start], piece[shown.end : shown.end + 1]
            touched = set(left) & set(rule.BEFORE) or set(right) & set(rule.TOUCHING)
            if shown.word[0] in LATIN_DIGITS:
                follows = words[i + 1][0] if i + 1 < len(words) else Shown(-1, -1, "")
                unit = follows.start == shown.end and _unit(follows.word)
                public = _number(shown.word, ".,:/-") and (
                    unit or piece[shown.end : shown.end + 1] in tuple(rule.SIGNS)
                )
            else:
                listed = self.lists.zipf.get(shown.word, 0) >= rule.SPOKEN and shown.word == shown.word.lower()
                public = (listed and not proper) or shown.word in rule.UNITS
            whole = self._whole(piece, [shown for shown, _ in words], i, opens, closes)
            out.append((shown.word, public and whole and not touched))
        return out

    @staticmethod
    def _whole(piece: str, words: list[Shown], i: int, opens: bool, closes: bool) -> bool:
        """No letter or digit of a western word is cut off from this one, by the dictionary or by a gap."""
        shown = words[i]
        joined_left = shown.start > 0 and _western(piece[shown.start - 1])
        if shown.word[0] in LATIN_DIGITS:
            return not joined_left
        if not _western(shown.word[0]):
            return True
        number = words[i - 1] if i else Shown(-1, -1, " ")
        measures = number.end == shown.start and _number(number.word, ".,:/-", most=len(piece)) and _unit(shown.word)
        if not measures and (joined_left or (shown.start == 0 and not opens)):
            return False
        if shown.end < len(piece):
            return not _western(piece[shown.end])
        return closes or measures

    def _words(self, piece: str) -> Iterator[tuple[Shown, bool]]:
        at = 0
        for line in piece.split("\n"):
            for begin in range(0, len(line), 4000):
                yield from self._line(line[begin : begin + 4000], at + begin)
            at += len(line) + 1

    def _line(self, line: str, at: int) -> Iterator[tuple[Shown, bool]]:
        token: Any
        for token in self.cut.tokenize(line):
            start, word = at + token.begin(), token.surface()
            proper = token.part_of_speech()[1] == "固有名詞"
            inner = words_in(word)
            if not token.is_oov() and len(inner) == 1 and inner[0].word == word:
                yield Shown(start, start + len(word), word), proper
            else:
                yield from ((Shown(start + part.start, start + part.end, part.word), proper) for part in inner)


def reader_for(lists: WordList, *, nouns: bool) -> Reader:
    """What reads released texts of a language."""
    return JapaneseReader(lists) if lists.language == "ja" else Reader(lists, nouns=nouns)
