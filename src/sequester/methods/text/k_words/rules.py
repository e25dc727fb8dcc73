"""What the rules hide before anything is counted: names, places, titles, ages, institutions, values of fields.

They are a search. What they find is hidden, what they miss may be a public word; the promise does not rest on them.
"""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sequester.guarantees.public_words import NOUN
from sequester.guarantees.word_list import WordList
from sequester.methods.text.k_words.cutting import AT_START, PUBLIC, WORD, Token
from sequester.methods.text.k_words.floor import Page

Span = tuple[int, int, str]
SOFT = frozenset(("FIELD", "FAMILY", "SEX", "HOSPITAL", "JOB"))
"""Kinds that labels may teach otherwise: with labels they are not hidden, the tagger sees them and decides."""

COMMON_NAME = 5
"""A name that is so common a word (Zipf level) is not hidden by the list of names; with German nouns, from 4 on."""
FUNCTION_WORD = 6
"""No list of names hides `Der` or `Auch`, of this Zipf level, although somebody is called so."""
FEW_CAPITALS = 0.02
"""A document with a smaller share of capitalised words is written in small letters: no word of it is public."""
FIELD_SHARE = 0.05
"""Labels that so many documents have are fields of a form: their values are hidden."""
FIELD_WORDS = 8
FIELD = re.compile(r"^[ \t\-・*•]*([^\n:：]{2,40})[:：][ \t]*([^\n]{1,80})$", re.MULTILINE)
DATA: Any = json.loads(Path(__file__).with_name("rules.json").read_bytes())
TITLES = frozenset(DATA["titles"].split())
ACADEMIC = frozenset(DATA["academic"].split())
"""Titles that are hidden themselves, before a name."""
PARTICLES = frozenset(DATA["particles"].split())
ARTICLES = frozenset(("den", "der"))
"""Small words before a German surname: van den Boom."""
SEX_FIELD = re.compile(DATA["sex_field"])
SMALL_NAME = re.compile(r"^([^\W\d_A-Z]{2,}), ([^\W\d_A-Z]{2,})$", re.MULTILINE)
"""A line of its own, in small letters: surname, given name."""
BROKEN = re.compile(r"([^\W\d_]{2,})-\n[ \t]*([^\W\d_]{2,})")
"""A word that the end of a line cuts in two."""
SURNAME = re.compile(DATA["surname"])
CONNECTED = frozenset(("", " ", "-", ".-", " - ", ", ", ". ", ".", "\u00a0", " (", "/"))


def in_small_letters(text: str) -> bool:
    """Whether hardly any word of a document has a capital, so that capitals say nothing about names."""
    words = [word for word in WORD.findall(text) if word[0].isalpha() and word.lower() != word.upper()]
    capital = sum(word[0].isupper() for word in words)
    return capital < FEW_CAPITALS * len(words)


def fields(texts: Sequence[str]) -> list[list[Span]]:
    """Values of `label: value` lines whose label many documents have."""
    by_label: dict[str, list[tuple[int, int, int]]] = defaultdict(list)
    for i, text in enumerate(texts):
        for match in FIELD.finditer(text):
            by_label[match.group(1).strip().casefold()].append((i, *match.span(2)))
    out: list[list[Span]] = [[] for _ in texts]
    least = max(4, FIELD_SHARE * len(texts))
    for rows in by_label.values():
        if len({i for i, _, _ in rows}) >= least:
            for i, start, end in rows:
                if len(WORD.findall(texts[i][start:end])) <= FIELD_WORDS:
                    out[i].append((start, end, "FIELD"))
    return out


class Rules:
    """The rules of a language of words and capitals."""

    def __init__(self, lists: WordList, *, nouns: bool) -> None:
        self.lists, self.nouns = lists, nouns
        self.long: dict[str, list[str]] = defaultdict(list)
        for place in lists.long_places:
            self.long[WORD.findall(place)[0]].append(place)
        month, weekday = DATA["months"][lists.language], DATA["weekdays"][lists.language]
        when = rf"(?<!\w)(?:{month})(?!\w)(?: del? \d{{4}})?|(?:del? )?(?<!\w)año (?=\d)|(?<!\w)(?:{weekday})(?!\w)"
        own = DATA["of_language"].get(lists.language, {})
        self.patterns = [
            (kind, re.compile(form.replace("MONTH", month)))
            for some in (DATA["patterns"], own)
            for kind, form in some.items()
        ]
        self.patterns.append(("DATE", re.compile(when, re.IGNORECASE)))

    def spans(self, page: Page) -> Iterator[Span]:
        """What is hidden by the rules, in characters; also notes which words are not public here."""
        text = page.text
        for kind, pattern in self.patterns:
            for match in pattern.finditer(text):
                yield *match.span(), kind
        for match in SEX_FIELD.finditer(text):
            yield *match.span(1), "SEX"
        for match in SMALL_NAME.finditer(text):
            if not self.lists.names.isdisjoint(match.groups()):
                yield *match.span(), "NAME"
        for match in BROKEN.finditer(text):
            if page.cut.kind("".join(match.groups())) != PUBLIC:  # half a name may be a listed word
                yield *match.span(), "PRIVATE"
        yield from self._names(page)

    def _names(self, page: Page) -> Iterator[Span]:
        text, lists = page.text, self.lists
        found = page.tokens
        hidden: dict[int, str] = {}
        sure: set[str] = set()
        for i, (start, _, word, _) in enumerate(found):
            small = word.lower()
            if not word[0].isupper():
                continue
            for place in self.long.get(small, ()):
                if text[start : start + len(place)].lower() == place:
                    yield start, start + len(place), "PLACE"
            before = found[i - 1] if i else (0, 0, "", "")
            near = text[before[1] : start] in CONNECTED and i > 0
            titled = self._titled(found, text, i) and small not in TITLES and small not in ACADEMIC
            follows = near and i - 1 in hidden and hidden[i - 1] == "NAME" and text[before[1] : start] != ". "
            if titled or (follows and not (self.nouns and page.cut.kind(word) == PUBLIC)):
                hidden[i] = "NAME"
                sure.add(word)
                if titled:
                    self._hide_titles(found, text, i, hidden)
            elif len(word) > 1 and self._listed(
                small, "names", not self.nouns and near and text[before[1] : start] == " "
            ):
                hidden[i] = "NAME"
            elif len(word) > 2 and self._listed(small, "places"):
                hidden[i] = "PLACE"
            elif self.nouns and len(word) > 5 and SURNAME.fullmatch(word) and lists.zipf.get(small, 0) < 4:
                hidden[i] = "NAME"
        self._lead_in(found, hidden, text)
        self._bridge(found, hidden, text, page)
        for i, kind in hidden.items():
            yield found[i][0], found[i][1], kind
        for start, end, word, _ in found:
            if word in sure and len(word) > 3:
                yield start, end, "NAME"

    def _listed(self, small: str, what: str, inside: bool = False) -> bool:
        if "-" in small and small not in getattr(self.lists, what):  # Lang-Berger and Bremen-Nord, not Baker-Zyste
            small = small.split("-")[-1 if what == "names" else 0]
        level = self.lists.zipf.get(small, 0)
        limit = NOUN if self.nouns else COMMON_NAME
        if self.nouns and what == "names" and small in self.lists.elsewhere:
            return small in self.lists.names and level < FUNCTION_WORD
        return small in getattr(self.lists, what) and (level < limit or inside or (what == "places" and not self.nouns))

    @staticmethod
    def _titled(found: Sequence[Token], text: str, i: int) -> bool:
        """Whether a title stands before a word: Dr. med. Berg, Frau Berg, Dr. von der Berg."""
        j = i - 1
        while j >= 0 and i - j < 6 and text[found[j][1] : found[j + 1][0]] in CONNECTED:
            small = found[j][2].lower()
            if small in TITLES:
                return found[j][2][0].isupper() or small in ("don", "doña")
            if small not in ACADEMIC and found[j][2] not in PARTICLES | ARTICLES:
                return False
            j -= 1
        return False

    def _lead_in(self, found: Sequence[Token], hidden: dict[int, str], text: str) -> None:
        """What stands right before a name and belongs to it: a rare word with a capital, or "van den" in German."""
        for i in [i for i, kind in hidden.items() if kind == "NAME" and i]:
            start, end, word, _ = found[i - 1]
            if i - 1 in hidden or text[end : found[i][0]] != " ":
                continue
            level = self.lists.zipf.get(word.lower(), 0)
            begins = text[max(0, start - 2) : start] in (". ", ": ", "! ", "? ")
            if word[0].isupper() and word[1:].islower() and level < NOUN and not begins and word.lower() not in TITLES:
                hidden[i - 1] = "NAME"
            elif self.lists.language == "de":
                first = i - 2 if word in ARTICLES and i > 1 else i - 1
                if found[first][2] in PARTICLES:
                    hidden.update(dict.fromkeys(range(first, i), "NAME"))

    @staticmethod
    def _hide_titles(found: Sequence[Token], text: str, i: int, hidden: dict[int, str]) -> None:
        j = i - 1
        while j >= 0 and text[found[j][1] : found[j + 1][0]] in CONNECTED and found[j][2].lower() in ACADEMIC | TITLES:
            hidden[j] = "TITLE"
            j -= 1

    @staticmethod
    def _rare(found: Sequence[Token], hidden: dict[int, str], page: Page, i: int) -> bool:
        """Whether a word with a capital may be part of a name."""
        return found[i][2][0].isupper() and (i in hidden or page.cut.kind(found[i][2]) not in (PUBLIC, AT_START))

    @staticmethod
    def _bridge(found: Sequence[Token], hidden: dict[int, str], text: str, page: Page) -> None:
        """Small words of three letters or fewer, at most two, between capitals or hidden words: "de la"."""
        i, n = 1, len(found)
        while i < n:
            j = i
            while j < n and j - i < 2 and len(found[j][2]) <= 3 and found[j][2].islower():
                j += 1
            if j > i and j < n and Rules._rare(found, hidden, page, i - 1) and Rules._rare(found, hidden, page, j):
                for q in range(i, j) if "\n" not in text[found[i - 1][1] : found[j][0]] else ():
                    if i - 1 in hidden or j in hidden:
                        hidden[q] = "NAME"
                    else:
                        page.never.add(found[q][0])
            i = max(j, i + 1)


HAN = re.compile("[\u4e00-\u9fff々ヶァ-ヺー]+")
FOREIGN = re.compile("[ァ-ヺー]+|[A-ZＡ-Ｚ]")
GIVEN = re.compile("[\u4e00-\u9fff々ぁ-んァ-ヺー]+")
BEHIND = re.compile(r"$|[\s　（(、，,・/]|医師|先生|様|氏|殿")
CUES = re.compile(r"(?:病院|医院|クリニック|診療所|医療センター|大学|丁目|番地|号室)")


class JapaneseRules(Rules):
    """Proper nouns by the dictionary, with the nouns that touch them."""

    def _names(self, page: Page) -> Iterator[Span]:
        found = page.tokens
        proper = [i for i, (_, _, word, speech) in enumerate(found) if self._proper(word, speech)]
        cues = [i for i, (_, _, word, _) in enumerate(found) if CUES.fullmatch(word)]
        hidden = set(proper)
        for i in (*proper, *cues):
            for step in (1, -1):
                if i in cues and step == 1:
                    continue
                j, n = i + step, 0
                while (
                    0 <= j < len(found)
                    and n < 2
                    and _touches(found, j, step)
                    and found[j][3].startswith(("名詞", "接尾辞"))
                ):
                    if not HAN.fullmatch(found[j][2]):
                        break
                    hidden.add(j)
                    n, j = n + 1, j + step
        hidden |= set(cues)
        hidden |= {i for i in range(1, len(found)) if i - 1 in hidden and _given(page.text, found, i)}
        for chain in _dotted(page.text, found):  # a foreign name: アンナ・F・フライ
            if not hidden.isdisjoint(chain):
                hidden |= chain
        called = {found[i][2] for i in proper if len(found[i][2]) > 1}
        hidden |= {i for i, (_, _, word, _) in enumerate(found) if word in called}
        for i in hidden:
            yield found[i][0], found[i][1], "NAME"

    def _proper(self, word: str, speech: str) -> bool:
        if len(word) > 1 and (word in self.lists.names or word in self.lists.places):
            return True
        return "固有名詞" in speech


def _given(text: str, found: Sequence[Token], i: int) -> bool:
    """Whether a word stands like a given name: one blank behind a name, short, and nothing but an end behind it."""
    start, end, word, _ = found[i]
    parted = text[found[i - 1][1] : start] in (" ", "\u3000")
    return parted and len(word) <= 4 and GIVEN.fullmatch(word) is not None and BEHIND.match(text, end) is not None


def _touches(found: Sequence[Token], j: int, step: int) -> bool:
    return found[j][0] == found[j - 1][1] if step == 1 else found[j][1] == found[j + 1][0]


def _dotted(text: str, found: Sequence[Token]) -> Iterator[set[int]]:
    """Words of Katakana and single letters that nothing but a dot joins."""
    chain: set[int] = set()
    for i, (start, _, word, _) in enumerate(found):
        if not FOREIGN.fullmatch(word):
            chain = set()
            continue
        joined = i - 1 in chain and text[found[i - 1][1] : start] in ("・", "＝", "=", "")
        if not joined:
            chain = set()
        chain.add(i)
        if len(chain) > 1:
            yield chain


def rules_for(lists: WordList, *, nouns: bool) -> Rules:
    """The rules of a language."""
    return JapaneseRules(lists, nouns=nouns) if lists.language == "ja" else Rules(lists, nouns=nouns)
