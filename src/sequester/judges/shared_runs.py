"""How many owners share a run? Counted in one pass over the pieces, however large, every witness compared byte by byte.

Runs are known by the hash of their first 1, 2, 4, 8, … bytes. The text goes by in chunks; where the hash of as many
bytes is one of theirs, the bytes are compared, so a collision costs time and never a wrong count. Runs that have enough
owners leave the table, so most are gone after the first chunks.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from sequester.guarantees import characters
from sequester.judges.tokens import token_ends

GAP = b"\xff"
"""Stands between pieces; no UTF-8 text contains it."""
LONGEST = 1 << 10
"""Bytes of a run that are hashed at most."""
CHUNK = 1 << 22
"""Characters looked at together."""
BASE = 0x9E3779B97F4A7C15
PLACES = 44
"""What is left of a hash in the table that most places of a text are turned away by: 20 bits."""


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
    runs: Iterable[str],
    pieces: Sequence[str],
    owners: Sequence[Any],
    k: int,
    *,
    unit: str,
    granularity: str,
    chunk: int | None = None,
) -> set[str]:
    """The runs that fewer than k owners of the pieces share."""
    occurrences = unit == "occurrence"
    seen: dict[str, set[Any]] = {run: set() for run in runs}
    for number, (piece, owner) in enumerate(zip(pieces, owners)):
        if piece in seen and len(seen[piece]) < k:  # a piece that is itself the run is the cheapest witness
            seen[piece].add((number, 0) if occurrences else owner)
    rare = {run.encode("utf-8"): who for run, who in seen.items() if len(who) < k}
    chunk = chunk or CHUNK
    begin, size = 0, min(chunk, 1 << 16)
    while begin < len(pieces) and rare:
        end, n = begin, 0
        while end < len(pieces) and (end == begin or n < size):
            n += len(pieces[end]) + 1
            end += 1
        for run, within, at in _found(rare, pieces[begin:end], k, granularity):
            rare[run].add((begin + within, at) if occurrences else owners[begin + within])
        rare = {run: who for run, who in rare.items() if len(who) < k}
        begin, size = end, min(chunk, 2 * size)  # small at first: what is frequent leaves the table early
    return {run.decode("utf-8") for run in rare}


def _found(
    rare: dict[bytes, set[Any]], pieces: Sequence[str], k: int, granularity: str
) -> Iterator[tuple[bytes, int, int]]:
    """Runs that still lack owners, where they stand: in which piece, and at which of its bytes."""
    encoded = [piece.encode("utf-8") for piece in pieces]
    whole = GAP.join(encoded)
    starts = np.cumsum([0, *(len(e) + 1 for e in encoded[:-1])]).tolist()
    raw = np.frombuffer(whole, dtype=np.uint8)
    free = None if granularity == "character" else _edges(pieces, granularity, len(whole))
    begins = np.flatnonzero((raw & 0xC0) != 0x80 if free is None else free[:-1])
    wanted = _by_size(rare)
    for size, hashed in _hashes(raw):
        if size not in wanted:
            continue
        known, mine = wanted[size]
        likely = np.zeros(1 << (64 - PLACES), dtype=bool)
        likely[_place(known)] = True
        at = begins[: np.searchsorted(begins, len(hashed))]
        at = at[likely[_place(hashed[at])]]
        first, last = (np.searchsorted(known, hashed[at], side=side) for side in ("left", "right"))
        for p, a, b in zip(at.tolist(), first.tolist(), last.tolist()):
            for run in mine[a:b]:
                if len(rare[run]) < k and whole.startswith(run, p) and (free is None or free[p + len(run)]):
                    piece = bisect_right(starts, p) - 1
                    yield run, piece, p - starts[piece]


def _by_size(runs: Iterable[bytes]) -> dict[int, tuple[np.ndarray, list[bytes]]]:
    """Bytes hashed → the hashes of such runs, sorted, and the runs in that order."""
    of_size: dict[int, list[bytes]] = {}
    for run in runs:
        of_size.setdefault(min(LONGEST, 1 << (len(run).bit_length() - 1)), []).append(run)
    out = {}
    for size, mine in of_size.items():
        raw = np.frombuffer(b"".join(run[:size] for run in mine), dtype=np.uint8)
        hashed = next(found for width, found in _hashes(raw) if width == size)[::size]
        order = np.argsort(hashed)
        out[size] = hashed[order], [mine[i] for i in order.tolist()]
    return out


def _hashes(raw: np.ndarray) -> Iterator[tuple[int, np.ndarray]]:
    """For 1, 2, 4, 8, … bytes their hash at every place where so many are left."""
    out, power, width = raw.astype(np.uint64) + np.uint64(1), BASE, 1
    while len(out) and width <= LONGEST:
        yield width, out
        out = out[: max(0, len(out) - width)] * np.uint64(power) + out[width:]
        power = power * power % (1 << 64)
        width *= 2


def _place(hashed: np.ndarray) -> np.ndarray:
    """Where in a small table a hash is noted."""
    return (hashed * np.uint64(BASE) >> np.uint64(PLACES)).astype(np.int64)
