"""Dates, numbers, codes, addresses of mail and web: found by their form, from patterns that are data."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sequester.methods.text.shared.first_pass import Span

if TYPE_CHECKING:
    from sequester.model import Corpus

MARGIN = 16
"""Characters around a digit or another sign of interest in which a pattern may begin or end."""
TRIGGER = re.compile(r"\d|@|://|www\.|\.[a-z]{2,4}/|元年")
"""Nothing matches without one of these, so the rest of a text need not be searched."""
PLAIN_TRIGGER = re.compile(rb"://|www\.|\.[a-z]{2,4}/")
"""The same in bytes, digits and @ left out."""
NUMBER = re.compile(r"(?<!\d)\d")
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


@cache
def patterns() -> tuple[Pattern, ...]:
    """The patterns of the data file."""
    told = json.loads(Path(__file__).with_name("patterns.json").read_text("utf-8"))
    months = "|".join(sorted(map(re.escape, told["months"]), key=len, reverse=True))
    return tuple(
        Pattern(
            row["kind"],
            re.compile(row["pattern"].replace("MONTH", months)),
            row.get("digits", (0, 1 << 30))[0],
            row.get("digits", (0, 1 << 30))[1],
            row.get("needs", ""),
            row.get("at_number", False),
        )
        for row in told["patterns"]
    )


def version() -> int:
    """Version of the patterns: it stands in the promise of a release."""
    return int(json.loads(Path(__file__).with_name("patterns.json").read_text("utf-8"))["version"])


def by_patterns(data: Corpus) -> list[Span]:
    """Every match in every document."""
    texts = data.texts
    whole = WALL.join(texts)
    first = np.cumsum([0] + [len(t) + len(WALL) for t in texts])
    del texts
    parts = _parts(whole, _triggers(data, whole, first))
    if not parts:
        return []
    searched = WALL.join(whole[a:b] for a, b in parts)
    place = np.cumsum([0] + [b - a + len(WALL) for a, b in parts])
    origin = np.array([a for a, _ in parts])
    out: list[tuple[int, int, str]] = []
    numbers = [match.start() for match in NUMBER.finditer(searched)]
    for kind, pattern, least, most, needs, at_number in patterns():
        if needs not in searched:
            continue
        for match in _at(numbers, pattern, searched) if at_number else pattern.finditer(searched):
            if least > 0 or most < 1 << 30:
                digits = sum(c.isdecimal() for c in match.group())
                if not least <= digits <= most:
                    continue
            out.append((*match.span(), kind))
    if not out:
        return []
    starts = np.array([s for s, _, _ in out])
    part = np.searchsorted(place, starts, side="right") - 1
    shift = origin[part] - place[part]
    starts = starts + shift
    ends = np.array([e for _, e, _ in out]) + shift
    document = np.searchsorted(first, starts, side="right") - 1
    begin = first[document]
    return [
        Span(int(d), int(s), int(e), kind)
        for d, s, e, (_, _, kind) in zip(document, starts - begin, ends - begin, out, strict=True)
    ]


def _at(numbers: list[int], pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    """Matches that begin at a number, each behind the end of the one before."""
    done = 0
    begins_here = pattern.match
    for at in numbers:
        if at >= done and (match := begins_here(text, at)):
            done = match.end()
            yield match


def _triggers(data: Corpus, whole: str, first: np.ndarray) -> np.ndarray:
    """Where the triggers stand in all documents one after the other. In plain ASCII bytes are characters: most of it
    is then a matter of comparing bytes."""
    odd = np.flatnonzero(data.utf8 >= 0x80)
    strange = np.unique(np.searchsorted(data.offsets, odd, side="right") - 1)  # documents that are not ASCII
    at = np.flatnonzero(((data.utf8 - np.uint8(48)) < 10) | (data.utf8 == 64))
    others = (m.start() for m in PLAIN_TRIGGER.finditer(data.utf8.tobytes()))
    at = np.concatenate([at, np.fromiter(others, dtype=np.int64)])
    document = np.searchsorted(data.offsets, at, side="right") - 1
    plain = ~np.isin(document, strange)
    out = [(at - data.offsets[document] + first[document])[plain]]
    for d in strange.tolist():
        end = int(first[d + 1]) - len(WALL)
        out.append(np.array([m.start() for m in TRIGGER.finditer(whole, int(first[d]), end)], dtype=np.int64))
    return np.unique(np.concatenate(out))


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
