"""How many owners share a run? Counted by looking it up, every witness compared letter by letter."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

GAP = b"\xff"
"""Stands between documents; no UTF-8 text contains it."""


def in_word(character: str) -> bool:
    """Letters, digits, the underscore and combining marks."""
    return character.isalnum() or character == "_" or unicodedata.category(character) in ("Mn", "Mc", "Me")


def edge(text: str, i: int) -> bool:
    """Whether no word goes on across position i."""
    return i == 0 or i == len(text) or not (in_word(text[i - 1]) and in_word(text[i]))


class Haystack:
    """Pieces of text with an owner each, sorted so that a string can be looked up.

    The sorting only proposes places: a place counts when the bytes there equal the string, so a wrong order could at
    worst overlook an occurrence, never invent one.
    """

    def __init__(self, pieces: Sequence[str], owners: Sequence[Any], *, words: bool) -> None:
        from pydivsufsort import divsufsort

        number: dict[Any, int] = {}
        encoded = [piece.encode("utf-8") for piece in pieces]
        self.whole = GAP.join(encoded)
        self.starts = np.cumsum([0] + [len(e) + 1 for e in encoded[:-1]])
        self.owner = np.array([number.setdefault(o, len(number)) for o in owners], dtype=np.int64)
        self.sorted = divsufsort(self.whole) if self.whole else np.empty(0, np.int32)
        self.edges = _edges(self.whole) if words else None

    def owners_of(self, needle: str, enough: int, *, occurrences: bool) -> int:
        """Owners (or occurrences) of a string, counted no further than `enough`."""
        from pydivsufsort import sa_search

        if not len(self.sorted):
            return 0
        sought = needle.encode("utf-8")
        n, left = sa_search(self.whole, self.sorted, sought)
        found: set[int] = set()
        step, done = 2 * enough, 0
        while done < n and len(found) < enough:
            places = self.sorted[left + done : left + min(n, done + step)]
            done += step
            step = min(4 * step, 1 << 16)
            if self.edges is not None:
                places = places[self.edges[places] & self.edges[places + len(sought)]]
            keys = places if occurrences else self.owner[np.searchsorted(self.starts, places, side="right") - 1]
            for place, key in zip(places.tolist(), keys.tolist()):
                if key not in found and self.whole.startswith(sought, place):
                    found.add(key)
                    if len(found) >= enough:
                        break
        return len(found)


def _edges(whole: bytes) -> np.ndarray:
    """Per byte (and one past the last) whether a run may begin or end there."""
    text = whole.decode("utf-8", "surrogateescape")
    cache = {c: not "\udc80" <= c <= "\udcff" and in_word(c) for c in set(text)}
    word = np.fromiter((cache[c] for c in text), dtype=bool, count=len(text))
    free = np.ones(len(text) + 1, dtype=bool)
    free[1:-1] = ~(word[1:] & word[:-1])
    code = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), dtype="<u4")
    lone = (code >= 0xDC80) & (code <= 0xDCFF)
    size = np.where(lone, 1, 1 + (code > 0x7F).astype(np.int64) + (code > 0x7FF) + (code > 0xFFFF))
    out = np.zeros(len(whole) + 1, dtype=bool)
    out[np.concatenate([[0], np.cumsum(size)])] = free
    return out


def rare_runs(
    runs: Iterable[str], pieces: Sequence[str], owners: Sequence[Any], k: int, *, unit: str, words: bool
) -> set[str]:
    """The runs that fewer than k owners of the pieces share."""
    open_ = set(runs)
    occurrences = unit == "occurrence"
    # a piece that is itself the run is the cheapest witness
    whole: dict[str, set[Any]] = {}
    for place, (piece, owner) in enumerate(zip(pieces, owners)):
        if piece in open_:
            seen = whole.setdefault(piece, set())
            if len(seen) < k:
                seen.add(place if occurrences else owner)
    open_ = {run for run in open_ if len(whole.get(run, ())) < k}
    if not open_:
        return open_
    hay = Haystack(pieces, owners, words=words)
    return {run for run in open_ if hay.owners_of(run, k, occurrences=occurrences) < k}
