"""The floor: a stretch of words that are not public stays only where k people show it.

What is hidden may take away what others are shared with, so the work goes on until nothing changes. At the end every
document is looked at as a stranger would: its pieces alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from sequester.guarantees.public_words import FORMS, MARK
from sequester.methods.text.k_words.cutting import WORD, Word, Words

PATIENCE = 8
"""Rounds in which a stretch loses one word at a time; later it is hidden whole."""
LOOKS = tuple(re.compile(pattern) for pattern in FORMS.values())
NEEDED = re.compile(r"\d|@|://|[wW]\.|\.[A-Za-z]{2}|[年月]")
"""Nothing has one of the forms without one of these."""


class Page:
    """A document at work: its text, which characters are hidden, and the words that are left."""

    def __init__(self, text: str, cut: Words, *, plain: bool = False) -> None:
        self.text, self.plain = text, plain
        self.hidden = bytearray(len(text))
        self.soft = bytearray(len(text))
        """What rules found and a tagger is to decide about."""
        self.never: set[int] = set()
        """Where words begin that are not public here, although they are elsewhere."""
        self.cut = cut
        self.words: list[list[Word]] = []
        self.tokens = cut.tokens(text)
        self.hide_literally(re.compile(re.escape(MARK)))
        for form in LOOKS:  # before a rule hides half of a date
            self.hide_literally(form)

    def hide_literally(self, form: re.Pattern[str]) -> None:
        """Hide what looks like a mark or a marker in the text itself, so that nothing passes for one."""
        for literal in form.finditer(self.text):
            self.hide(*literal.span())

    def hide(self, start: int, end: int) -> None:
        """Hide a stretch of characters."""
        self.hidden[start:end] = b"\1" * (end - start)

    def soften(self, start: int, end: int) -> None:
        """Leave a stretch of characters to the tagger."""
        self.soft[start:end] = b"\1" * (end - start)

    def hide_whole_words(self) -> None:
        """Hide words of which a part is hidden."""
        for start, end, _, _ in self.tokens:
            if 1 in self.hidden[start:end]:
                self.hide(start, end)

    def pieces(self) -> Iterator[tuple[int, int]]:
        """The visible stretches, after gaps that nothing but signs parts have become one."""
        self._close_gaps()
        at, size = 0, len(self.text)
        while at < size:
            start = self.hidden.find(0, at)
            if start < 0:
                return
            end = self.hidden.find(1, start)
            end = size if end < 0 else end
            yield start, end
            at = end

    def _close_gaps(self) -> None:
        at = self.hidden.find(1)
        while at >= 0:
            end = self.hidden.find(0, at)
            following = self.hidden.find(1, end) if end >= 0 else -1
            if following < 0:
                return
            between = self.text[end:following]
            if len(between) <= 40 and "\n" not in between and WORD.search(between) is None:
                self.hide(end, following)
            at = following

    def look(self) -> None:
        """Cut what is visible into words; what has the form of a date or code is hidden first, until none has."""
        while True:
            pieces = list(self.pieces())
            found = [span for start, end in pieces for span in self._forms(start, end)]
            if not found:
                break
            for start, end in found:
                self.hide(start, end)
                for word in WORD.finditer(self.text, max(0, start - 80), end + 80):
                    if word.start() < end and word.end() > start:
                        self.hide(word.start(), word.end())
        size = len(self.text)
        self.words = []
        for start, end in pieces:
            words = list(self.cut.cut(self.text[start:end], start, first=start == 0, last=end == size))
            if self.plain or self.never:
                words = [(a, b, w, p and not self.plain and a not in self.never) for a, b, w, p in words]
            self.words.append(words)

    def _forms(self, start: int, end: int) -> Iterator[tuple[int, int]]:
        piece = self.text[start:end]
        if NEEDED.search(piece):
            for look in LOOKS:
                for match in look.finditer(piece):
                    yield start + match.start(), start + match.end()

    def stretches(self) -> Iterator[list[Word]]:
        """Words in a row that are not public."""
        for piece in self.words:
            row: list[Word] = []
            for word in piece:
                if not word[3]:
                    row.append(word)
                elif row:
                    yield row
                    row = []
            if row:
                yield row


def hide_rare(pages: Sequence[Page], owners: Sequence[int], k: int, done: Callable[[int], Any] = int) -> None:
    """Hide words until every stretch of words that are not public is shown by k owners."""
    changed = set(range(len(pages)))
    rounds = 0
    while changed:
        for i in changed:
            pages[i].look()
        shared = _Shared(pages, owners, k)
        changed = set()
        for i, page in enumerate(pages):
            for row in page.stretches():
                for word in shared.to_hide(row, whole=rounds >= PATIENCE):
                    page.hide(word[0], word[1])
                    changed.add(i)
        rounds += 1
        done(rounds)


class _Shared:
    """How many owners show each word, each pair and each stretch that is asked for."""

    def __init__(self, pages: Sequence[Page], owners: Sequence[int], k: int) -> None:
        self.k = k
        self.seen: dict[Any, set[int]] = {}
        lengths: dict[str, set[int]] = {}
        for page in pages:
            for row in page.stretches():
                lines = tuple(word[2] for word in row)
                for word in lines:
                    self.seen.setdefault((word,), set())
                    lengths.setdefault(word, set())
                for pair in pairwise(lines):
                    self.seen.setdefault(pair, set())
                    lengths[pair[0]].add(2)
                if len(lines) > 2:
                    self.seen.setdefault(lines, set())
                    lengths[lines[0]].add(len(lines))
        for page, owner in zip(pages, owners):
            for piece in page.words:
                lines = tuple(word[2] for word in piece)
                for i, word in enumerate(lines):
                    more = lengths.get(word)
                    if more is None:
                        continue
                    self.seen[(word,)].add(owner)
                    for n in more:
                        who = self.seen.get(lines[i : i + n])
                        if who is not None:
                            who.add(owner)

    def to_hide(self, row: list[Word], *, whole: bool) -> list[Word]:
        """The words of a stretch to hide in this round; none where enough owners show it."""
        k, seen = self.k, self.seen
        lines = tuple(word[2] for word in row)
        if len(seen[lines]) >= k:
            return []
        rare = [word for word in row if len(seen[(word[2],)]) < k]
        if rare or whole:
            return row if whole else rare
        count = [len(seen[(word,)]) for word in lines]
        out = []
        for i, pair in enumerate(pairwise(lines)):
            if len(seen[pair]) < k:
                out.append(row[i] if count[i] <= count[i + 1] else row[i + 1])
        return out or [row[count.index(min(count))]]
