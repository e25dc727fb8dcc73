"""What stands in place of hidden text instead of `[…]`: its kind (`[DATE]`), or an invented value of its kind.

Both are written after everything was counted, and the table `spans` says where each stands: nobody has to take an
invented value for a true one.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.guarantees.public_words import KINDS, MARK
from sequester.guarantees.word_list import WordList
from sequester.layouts.documents import span_table
from sequester.methods.text.k_words.cutting import WORD
from sequester.methods.text.k_words.rules import DATA
from sequester.methods.text.shared.first_pass import Span, merged
from sequester.methods.text.shared.markers import name_of
from sequester.model import Corpus
from sequester.release import Release

FARTHEST = 3 * 365
"""Dates of a person move by so many days at most, and by 30 at least."""
NEAREST = 30
DIGITS_KINDS = frozenset(("ID", "PHONE", "POSTCODE"))
VAGUE = frozenset(("FIELD", "TAGGED", "PRIVATE"))
"""Kinds that say little: they count only where nothing else is known of a stretch."""
MONTHS = {language: [m for m in months.split("|") if m[:2] != "(?"] for language, months in DATA["months"].items()}
_YEAR_FIRST = re.compile(r"(\d{4})([-/.年])(\d{1,2})([-/.月])(\d{1,2})(日?)")
_DAY_FIRST = re.compile(r"(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4})")
_IN_WORDS = re.compile(r"(\d{1,2})(\.? (?:de )?)([^\W\d_]+)( (?:de |del )?)(\d{4})")


class Replaced(NamedTuple):
    """A release with replacements, and how many of its hidden stretches hold an invented value."""

    release: Release
    n_invented: int
    says: str


def with_replacements(
    release: Release, data: Corpus, found: Iterable[Span], lists: WordList, *, surrogates: bool,
    rng: np.random.Generator, owners: Sequence[Any], k: int,
) -> Replaced:  # fmt: skip
    """Write a kind, or an invented value, in place of every mark of a release where the search knows what it hides.

    A kind that is none of the search's own, such as one of the custodian's labels, is named where k `owners` show it.
    """
    every = list(found)
    kinds = _by_document(span for span in every if span.kind not in VAGUE)
    vague = _by_document(span for span in every if span.kind in VAGUE)
    place = {str(name): i for i, name in enumerate(data.documents)}
    documents, hidden = release.tables["documents"], release.private["spans"]
    original = dict(zip(*(release.private["documents"].column(c).to_pylist() for c in ("document", "original"))))
    gone: dict[str, list[tuple[int, int]]] = {}
    for name, start, end in zip(*(hidden.column(c).to_pylist() for c in ("document", "start", "end")), strict=True):
        gone.setdefault(name, []).append((start, end))
    inventors: dict[str, _Inventor] = {}
    inside = {
        name: [_within(kinds.get(i, ()), *span) or _within(vague.get(i, ()), *span) for span in some]
        for name, some in gone.items()
        for i in [place[original[name]]]
    }
    who: dict[str, set[Any]] = {}
    for name, some in inside.items():
        for (start, end), found in zip(gone[name], some, strict=True):
            who.setdefault(_written("", start, end, found, None)[0], set()).add(owners[place[original[name]]])
    rare = {kind for kind, people in who.items() if len(people) < k and kind[1:-1] not in KINDS}
    names, texts, spans, invented = documents.column("document").to_pylist(), [], [], Counter[str]()
    for number, (name, text) in enumerate(zip(names, documents.column("text").to_pylist(), strict=True)):
        i = place[original[name]]
        true = data.text(i)
        inventor = None
        if surrogates:
            person = str(data.persons[i]) if data.people_known else name
            inventor = inventors.setdefault(person, _Inventor(lists, rng))
        out, at = "", 0
        for piece, (start, end), found in zip(text.split(MARK), gone.get(name, ()), inside.get(name, ())):
            out += piece
            value, kind = _written(true, start, end, found, inventor)
            value = name_of("") if value in rare - {MARK} and inventor is None else value
            invented[kind] += kind != ""
            spans.append((number, len(out), len(out) + len(value)))
            out += value
            at += len(piece) + len(MARK)
        texts.append(out + text[at:])
    column = documents.column_names.index("text")
    tables = {
        **release.tables,
        "documents": documents.set_column(column, "text", pa.array(texts, documents.schema.field("text").type)),
        "spans": span_table(names, np.array(spans, dtype=np.int64).reshape(-1, 3)),
    }
    n = invented.total()
    parts = ", ".join(f"{many} {kind}" for kind, many in sorted(invented.items()) if many)
    says = f"{counted(n, 'hidden stretch holds an invented value', 'hidden stretches hold invented values')}" + (
        f" ({parts}); the table spans says where." if n else "."
    )
    return Replaced(replace(release, tables=tables), n, says)


def _by_document(spans: Iterable[Span]) -> dict[int, list[Span]]:
    out: dict[int, list[Span]] = {}
    for span in merged(list(spans)):
        out.setdefault(span.document, []).append(span)
    return out


def _within(spans: Sequence[Span], start: int, end: int) -> list[Span]:
    return [span for span in spans if span.start < end and span.end > start]


def _written(text: str, start: int, end: int, inside: Sequence[Span], inventor: _Inventor | None) -> tuple[str, str]:
    """What is written for a hidden stretch, and the kind of what was invented for it (empty if nothing was)."""
    if inventor is not None and inside:
        some = [span for span in inside if span.kind != "TITLE"]
        made = [inventor.value(text[max(start, s.start) : min(end, s.end)], s.kind) for s in some]
        if made and all(made):
            return " ".join(made), some[0].kind
    if inventor is None and inside:
        longest = max(inside, key=lambda span: min(end, span.end) - max(start, span.start))
        return name_of(longest.kind), ""
    return MARK, ""


class _Inventor:
    """Invented values for the documents of one person: the same word is always replaced by the same."""

    def __init__(self, lists: WordList, rng: np.random.Generator) -> None:
        self.lists, self.rng = lists, rng
        self.shift = timedelta(days=int(rng.choice((-1, 1))) * int(rng.integers(NEAREST, FARTHEST)))
        self.known: dict[tuple[str, str], str] = {}
        self.names, self.places = sorted(lists.names), sorted(lists.places)

    def value(self, hidden: str, kind: str) -> str:
        """An invented value of a kind, or nothing where none can be invented."""
        if kind == "DATE":
            return self._date(hidden) or ""
        if kind in ("NAME", "PLACE"):
            words = [self._word(word, kind) for word in WORD.findall(hidden) if any(c.isalpha() for c in word)]
            return " ".join(dict.fromkeys(words))
        return self._digits(hidden) if kind in DIGITS_KINDS else ""

    def _word(self, word: str, kind: str) -> str:
        key = (kind, word.casefold())
        if key not in self.known:
            some = self.names if kind == "NAME" else self.places
            drawn = word.casefold()
            while drawn == word.casefold():
                drawn = some[int(self.rng.integers(len(some)))]
            self.known[key] = drawn.title()
        return self.known[key]

    def _digits(self, hidden: str) -> str:
        """Other digits in the same places; letters become an X."""
        key = ("ID", hidden)
        while key not in self.known or self.known[key] == hidden:
            if not any(c.isdecimal() for c in hidden):
                return ""
            self.known[key] = "".join(
                str(int(self.rng.integers(10))) if c.isdecimal() else "X" if c.isalpha() else c for c in hidden
            )
        return self.known[key]

    def _date(self, hidden: str) -> str | None:
        """The same form, moved by the person's offset; None for a form that is not understood."""
        try:
            if (m := _YEAR_FIRST.fullmatch(hidden)) is not None:
                moved = date(int(m[1]), int(m[3]), int(m[5])) + self.shift
                return f"{moved.year:04d}{m[2]}{_wide(moved.month, m[3])}{m[4]}{_wide(moved.day, m[5])}{m[6]}"
            if (m := _DAY_FIRST.fullmatch(hidden)) is not None:
                moved = date(int(m[5]), int(m[3]), int(m[1])) + self.shift
                return f"{_wide(moved.day, m[1])}{m[2]}{_wide(moved.month, m[3])}{m[4]}{moved.year:04d}"
            if (m := _IN_WORDS.fullmatch(hidden)) is not None:
                months = _twelve(self.lists.language)
                moved = date(int(m[5]), months.index(m[3].casefold()) + 1, int(m[1])) + self.shift
                month = months[moved.month - 1]
                return f"{moved.day}{m[2]}{month.title() if m[3][0].isupper() else month}{m[4]}{moved.year:04d}"
        except (ValueError, OverflowError):
            pass
        return None


def _wide(n: int, like: str) -> str:
    return f"{n:02d}" if len(like) == 2 else str(n)


def _twelve(language: str) -> list[str]:
    """The twelve months of a language in small letters, one word each."""
    double = {"jänner", "setiembre", "feber"}
    found = [month.casefold() for month in MONTHS[language] if month.casefold() not in double]
    if language == "en":
        found[2:2], found[4:4] = ["march"], ["may"]
    return found
