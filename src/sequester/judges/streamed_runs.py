"""How many owners share a run, counted in one pass over a text that is too large to sort.

Runs are known by the hash of their first 2, 4, 8, … bytes. The text goes by in chunks; where the hash of as many bytes
is one of theirs, the bytes are compared, so a collision costs time and never a wrong count. Runs that have enough
owners leave the table, so most are gone after the first chunks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

import numpy as np

GAP = b"\xff"
"""Stands between pieces; no UTF-8 text contains it."""
LONGEST = 1 << 10
"""Bytes of a run that are hashed at most."""
CHUNK = 1 << 22
"""Bytes of text looked at together."""
BASE = np.uint64(0x9E3779B97F4A7C15)

Edges = Callable[[str], Iterable[int]]


class OpenRuns:
    """Runs that are not yet known to have enough owners."""

    def __init__(self, runs: Iterable[str], enough: int) -> None:
        self.enough = enough
        self.owners: dict[bytes, set[Any]] = {run.encode("utf-8"): set() for run in runs}

    def close(self) -> None:
        """Leave out those that have enough."""
        self.owners = {run: who for run, who in self.owners.items() if len(who) < self.enough}

    def by_size(self) -> Iterator[tuple[int, np.ndarray, dict[int, list[bytes]]]]:
        """Bytes hashed, the sorted hashes, and the runs of each."""
        sizes: dict[int, dict[int, list[bytes]]] = {}
        for run in self.owners:
            size = min(LONGEST, 1 << (len(run).bit_length() - 1))
            raw = np.frombuffer(run[:size], dtype=np.uint8)
            sizes.setdefault(size, {}).setdefault(int(_hashes(raw, size)[0]), []).append(run)
        for size, runs in sizes.items():
            yield size, np.array(sorted(runs), dtype=np.uint64), runs


def _hashes(raw: np.ndarray, size: int) -> np.ndarray:
    """Hash of the `size` bytes (a power of two) at every place where so many are left; built by doubling."""
    if len(raw) < size:
        return np.empty(0, dtype=np.uint64)
    out = raw.astype(np.uint64) + np.uint64(1)
    power, width = BASE, 1
    while width < size:
        out = out[: len(out) - width] * power + out[width:]
        with np.errstate(over="ignore"):
            power = power * power
        width *= 2
    return out


def rare_in_stream(
    runs: Iterable[str],
    pieces: Sequence[str],
    owners: Sequence[Any],
    enough: int,
    *,
    occurrences: bool,
    edges: Edges | None,
    chunk: int = CHUNK,
) -> set[str]:
    """The runs that fewer than `enough` owners of the pieces share; `edges` tells where a run may begin and end."""
    open_ = OpenRuns(runs, enough)
    begin, size = 0, min(chunk, 1 << 16)
    while begin < len(pieces) and open_.owners:
        end, n_bytes = begin, 0
        while end < len(pieces) and (end == begin or n_bytes < size):
            n_bytes += len(pieces[end]) + 1
            end += 1
        _look(open_, pieces[begin:end], owners[begin:end], begin, occurrences, edges)
        open_.close()
        begin, size = end, min(chunk, 2 * size)  # small at first: what is frequent leaves the table early
    return {run.decode("utf-8") for run in open_.owners}


def _look(
    open_: OpenRuns,
    pieces: Sequence[str],
    owners: Sequence[Any],
    number: int,
    occurrences: bool,
    edges: Edges | None,
) -> None:
    """Count the open runs in some pieces."""
    encoded = [piece.encode("utf-8") for piece in pieces]
    whole = GAP.join(encoded)
    if not whole:
        return
    starts = np.cumsum([0] + [len(e) + 1 for e in encoded[:-1]])
    raw = np.frombuffer(whole, dtype=np.uint8)
    allowed = None if edges is None else _allowed(pieces, starts, len(whole), edges)
    begins = np.flatnonzero((raw & 0xC0) != 0x80) if allowed is None else np.flatnonzero(allowed[:-1])
    for size, known, of_hash in open_.by_size():
        hashed = _hashes(raw, size)
        at = begins[begins < len(hashed)]
        found = hashed[at]
        place = np.minimum(np.searchsorted(known, found), len(known) - 1)
        for p in at[known[place] == found].tolist():
            for run in of_hash[int(hashed[p])]:
                who = open_.owners[run]
                if len(who) >= open_.enough or not whole.startswith(run, p):
                    continue
                if allowed is None or allowed[p + len(run)]:
                    piece = int(np.searchsorted(starts, p, side="right")) - 1
                    who.add((number + piece, p - int(starts[piece])) if occurrences else owners[piece])


def _allowed(pieces: Sequence[str], starts: np.ndarray, n_bytes: int, edges: Edges) -> np.ndarray:
    """Per byte (and one past the last) whether a run may begin or end there."""
    out = np.zeros(n_bytes + 1, dtype=bool)
    for piece, start in zip(pieces, starts.tolist()):
        places = np.fromiter(edges(piece), dtype=np.int64)
        if not piece.isascii():
            size = np.array([len(c.encode("utf-8")) for c in piece], dtype=np.int64)
            places = np.concatenate([[0], np.cumsum(size)])[places]
        out[places + start] = True
    return out
