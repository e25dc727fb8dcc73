"""Dates, numbers, codes, addresses of mail and web: found by their form, from patterns that are data."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from functools import cache, cached_property
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sequester.methods.text.shared.first_pass import Span
from sequester.model import Corpus
from sequester.primitives.compiled import kernel

MARGIN = 16
"""Characters around a digit or another sign of interest in which a pattern may begin or end."""
TRIGGER = re.compile("://|www\\.|\\.[a-z]{2,4}/|元年".encode())
"""Nothing matches without one of these, a digit or @, so the rest of a text need not be searched."""
AT_ONCE = 1 << 24
"""Bytes of documents that are searched together."""
NUMBER = re.compile(r"\d(?<!\d\d)")
"""Where a number begins."""
WALL = "\n\x00\n"
"""Stands between the parts that are searched; no pattern reaches across it."""


class Pattern(NamedTuple):
    kind: str
    found: re.Pattern[str]
    least: int
    most: int
    """Digits a match must have."""
    needs: str
    """A character without which it cannot match, or nothing."""
    at_number: bool
    """Whether it can only begin where a number begins."""
    within: int
    """Characters of its longest match; 0 where nobody counted."""


@cache
def patterns() -> tuple[Pattern, ...]:
    """The patterns of the data file."""
    stored = json.loads(Path(__file__).with_name("patterns.json").read_text("utf-8"))
    months = _one_of(stored["months"])
    return tuple(
        Pattern(
            row["kind"],
            re.compile(row["pattern"].replace("MONTH", months)),
            row.get("digits", (0, 1 << 30))[0],
            row.get("digits", (0, 1 << 30))[1],
            row.get("needs", ""),
            row.get("at_number", False),
            row.get("within", 0),
        )
        for row in stored["patterns"]
    )


def _one_of(words: list[str]) -> str:
    """The longest of some words, asked by its first letter, for most places hold none of them."""
    rests: dict[str, list[str]] = {}
    for word in sorted(words, key=len, reverse=True):
        rests.setdefault(word[0], []).append(re.escape(word[1:]))
    return "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items())


@cache
def _any_at_number() -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p.found.pattern})" for p in patterns() if p.at_number))


def version() -> int:
    """Version of the patterns: it stands in the promise of a release."""
    return int(json.loads(Path(__file__).with_name("patterns.json").read_text("utf-8"))["version"])


def by_patterns(data: Corpus) -> list[Span]:
    """Every match in every document."""
    out: list[Span] = []
    first = 0
    while first < data.n_records:
        last = max(first + 1, int(np.searchsorted(data.offsets, data.offsets[first] + AT_ONCE, side="right")) - 1)
        out += _in_documents(data, first, last)
        first = last
    return out


def _in_documents(data: Corpus, first: int, last: int) -> list[Span]:
    texts = [data.text(i) for i in range(first, last)]
    whole = WALL.join(texts)
    begins = np.cumsum([0] + [len(t) + len(WALL) for t in texts])
    del texts
    offsets = data.offsets[first : last + 1] - data.offsets[first]
    signs = _triggers(data.utf8[data.offsets[first] : data.offsets[last]], offsets, begins)
    parts = _parts(whole, signs)
    if not parts:
        return []
    everything = _Searched(whole, parts)
    out: list[tuple[int, int, str]] = []
    for kind, pattern, least, most, needs, at_number, within in patterns():
        where = everything
        if needs and needs not in everything.text:
            continue
        if needs:
            where = _Searched(whole, [(a, b) for a, b in parts if needs in whole[a:b]])
        elif within:
            where = _Searched(whole, _dense(parts, signs, least, within))
        for match in _at(where.numbers, pattern, where.text) if at_number else pattern.finditer(where.text):
            if least > 0 or most < 1 << 30:
                digits = sum(c.isdecimal() for c in match.group())
                if not least <= digits <= most:
                    continue
            shift = where.shift(match.start())
            out.append((match.start() + shift, match.end() + shift, kind))
    if not out:
        return []
    starts, ends = (np.array([row[i] for row in out], dtype=np.int64) for i in (0, 1))
    document = np.searchsorted(begins, starts, side="right") - 1
    begin = begins[document]
    return [
        Span(int(d) + first, int(s), int(e), kind)
        for d, s, e, (_, _, kind) in zip(document, starts - begin, ends - begin, out, strict=True)
    ]


class _Searched:
    """Stretches of a text, joined so that no pattern reaches from one into another."""

    def __init__(self, whole: str, parts: list[tuple[int, int]]) -> None:
        self.text = WALL.join(whole[a:b] for a, b in parts)
        self.place = np.cumsum([0] + [b - a + len(WALL) for a, b in parts]).tolist()
        self.origin = [a for a, _ in parts]

    @cached_property
    def numbers(self) -> list[int]:
        """Where a number begins at which one of the patterns that begin there matches: most numbers are plain ones."""
        begins, text = _any_at_number().match, self.text
        return [at for match in NUMBER.finditer(text) if begins(text, at := match.start())]

    def shift(self, at: int) -> int:
        """From a place here to the same place of the whole text."""
        part = bisect_right(self.place, at) - 1
        return self.origin[part] - self.place[part]


def _at(numbers: list[int], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches that begin at a number, each behind the end of the one before."""
    done = 0
    begins_here = pattern.match
    for at in numbers:
        if at >= done and (match := begins_here(text, at)):
            done = match.end()
            yield match


def _triggers(utf8: np.ndarray, offsets: np.ndarray, begins: np.ndarray) -> np.ndarray:
    """Where the triggers stand, in characters of all documents with walls between them (`begins`)."""
    table = _decimals()
    out = np.empty(_count_signs(utf8, table), dtype=np.int64)
    _find_signs(utf8, offsets, begins, table, out)
    at = np.array([m.start() for m in TRIGGER.finditer(utf8.data)], dtype=np.int64)
    if len(at):
        document = np.searchsorted(offsets, at, side="right") - 1
        inside = [_characters(utf8, int(offsets[d]), int(a)) for d, a in zip(document.tolist(), at.tolist())]
        out = np.unique(np.concatenate([out, begins[document] + np.array(inside, dtype=np.int64)]))
    return out


@cache
def _decimals() -> np.ndarray:
    """1 at the code points of digits, in any script, and of @."""
    table = np.zeros(0x110000, dtype=np.uint8)
    for point in range(0x110000):
        if chr(point).isdecimal():
            table[point] = 1
    table[ord("@")] = 1
    return table


@kernel("const(uint8[::1]), int64, int64")
def _characters(utf8, begin, end):
    """Characters that begin in a stretch of bytes."""
    n = 0
    for i in range(begin, end):
        n += (utf8[i] & 0xC0) != 0x80
    return n


@kernel("const(uint8[::1]), int64")
def _point(utf8, i):
    """The code point whose bytes begin here."""
    b = np.int64(utf8[i])
    if b < 0x80:
        return b
    if b < 0xE0:
        return ((b & 0x1F) << 6) | (np.int64(utf8[i + 1]) & 0x3F)
    second, third = np.int64(utf8[i + 1]) & 0x3F, np.int64(utf8[i + 2]) & 0x3F
    if b < 0xF0:
        return ((b & 0x0F) << 12) | (second << 6) | third
    return ((b & 0x07) << 18) | (second << 12) | (third << 6) | (np.int64(utf8[i + 3]) & 0x3F)


@kernel("const(uint8[::1]), const(uint8[::1])")
def _count_signs(utf8, table):
    n = 0
    for i in range(len(utf8)):
        if (utf8[i] & 0xC0) != 0x80:
            n += table[_point(utf8, i)]
    return n


@kernel("const(uint8[::1]), const(int64[::1]), const(int64[::1]), const(uint8[::1]), int64[::1]")
def _find_signs(utf8, offsets, begins, table, out):
    n = 0
    for d in range(len(offsets) - 1):
        at = begins[d]
        for i in range(offsets[d], offsets[d + 1]):
            if (utf8[i] & 0xC0) != 0x80:
                if table[_point(utf8, i)]:
                    out[n] = at
                    n += 1
                at += 1


def _dense(parts: list[tuple[int, int]], signs: np.ndarray, least: int, within: int) -> list[tuple[int, int]]:
    """The stretches in which so many signs stand so close together."""
    close = signs[: 1 - least][signs[least - 1 :] - signs[: 1 - least] < within]
    begins = np.fromiter((a for a, _ in parts), dtype=np.int64, count=len(parts))
    chosen = np.zeros(len(parts), dtype=bool)
    chosen[np.searchsorted(begins, close, side="right") - 1] = True
    return [part for part, wanted in zip(parts, chosen.tolist(), strict=True) if wanted]


def _parts(whole: str, at: np.ndarray) -> list[tuple[int, int]]:
    """Stretches around the triggers, from one white space to another."""
    if len(at) == 0:
        return []
    apart = np.flatnonzero(np.diff(at) > 2 * MARGIN)
    begins = np.maximum(at[np.concatenate([[0], apart + 1])] - MARGIN, 0).tolist()
    ends = (at[np.concatenate([apart, [len(at) - 1]])] + MARGIN).tolist()
    space = re.compile(r"\s")
    out: list[tuple[int, int]] = []
    for begin, end in zip(begins, ends, strict=True):
        while begin > 0 and not whole[begin - 1].isspace() and end - begin < 4096:
            begin -= 1
        stop = space.search(whole, end)
        stop_at = stop.start() if stop else len(whole)
        if out and begin <= out[-1][1]:
            out[-1] = (out[-1][0], stop_at)
        else:
            out.append((begin, stop_at))
    return out
