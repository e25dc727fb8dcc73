"""How many owners share a run? Counted by looking it up, every witness compared letter by letter."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from sequester.guarantees import characters
from sequester.judges.streamed_runs import rare_in_stream
from sequester.judges.tokens import token_ends

GAP = b"\xff"
"""Stands between documents; no UTF-8 text contains it."""
SORTED = 1 << 26
"""Characters that are sorted to look runs up; larger releases go by in chunks."""


def in_word(character: str) -> bool:
    """Letters, digits, the underscore and combining marks."""
    return character == "_" or bool(characters.facts_of(character) & (characters.ALNUM | characters.MARK))


def is_solid(character: str) -> bool:
    """Letters and digits: what a gap must hide."""
    return bool(characters.facts_of(character) & characters.ALNUM)


def edge(text: str, i: int) -> bool:
    """Whether no word goes on across position i."""
    return i == 0 or i == len(text) or not (in_word(text[i - 1]) and in_word(text[i]))


def edges_of(text: str, granularity: str) -> set[int] | None:
    """Where a run may begin or end; None: anywhere."""
    if granularity == "character":
        return None
    if granularity == "token":
        return {0, *token_ends(text)}
    return {i for i in range(len(text) + 1) if edge(text, i)}


class Haystack:
    """Pieces of text with an owner each, sorted so that a string can be looked up.

    The sorting only proposes places: a place counts when the bytes there equal the string, so a wrong order could at
    worst overlook an occurrence, never invent one.
    """

    def __init__(self, pieces: Sequence[str], owners: Sequence[Any], *, granularity: str) -> None:
        from pydivsufsort import divsufsort

        number: dict[Any, int] = {}
        encoded = [piece.encode("utf-8") for piece in pieces]
        self.whole = GAP.join(encoded)
        self.starts = np.cumsum([0] + [len(e) + 1 for e in encoded[:-1]])
        self.owner = np.array([number.setdefault(o, len(number)) for o in owners], dtype=np.int64)
        self.sorted = divsufsort(self.whole) if self.whole else np.empty(0, np.int32)
        self.edges = _edges(pieces, granularity, len(self.whole)) if granularity != "character" else None

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


def _edges(pieces: Sequence[str], granularity: str, n_bytes: int) -> np.ndarray:
    """Per byte (and one past the last) whether a run may begin or end there."""
    out = np.zeros(n_bytes + 1, dtype=bool)
    known: dict[str, list[int]] = {}
    at = 0
    for piece in pieces:
        if piece not in known:
            free = sorted(edges_of(piece, granularity) or ())
            known[piece] = free if piece.isascii() else _in_bytes(piece, free)
        out[[at + place for place in known[piece]]] = True
        at += len(piece.encode("utf-8")) + 1
    return out


def _in_bytes(piece: str, places: list[int]) -> list[int]:
    size = np.array([len(c.encode("utf-8")) for c in piece], dtype=np.int64)
    before = np.concatenate([[0], np.cumsum(size)])
    return [int(before[place]) for place in places]


def rare_runs(
    runs: Iterable[str], pieces: Sequence[str], owners: Sequence[Any], k: int, *, unit: str, granularity: str
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
    if sum(map(len, pieces)) > SORTED:
        edges = None if granularity == "character" else lambda piece: edges_of(piece, granularity) or ()
        return rare_in_stream(open_, pieces, owners, k, occurrences=occurrences, edges=edges)
    hay = Haystack(pieces, owners, granularity=granularity)
    return {run for run in open_ if hay.owners_of(run, k, occurrences=occurrences) < k}
