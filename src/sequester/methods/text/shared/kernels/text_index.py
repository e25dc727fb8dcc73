"""A corpus prepared once, asked many times: which bytes may stay when every run must repeat?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sequester.methods.text.shared.kernels import cover as covers
from sequester.methods.text.shared.kernels import placement, repeats
from sequester.methods.text.shared.kernels.cut_text import cut_text
from sequester.methods.text.shared.kernels.suffix_buckets import PADDING, sort_suffixes
from sequester.methods.text.shared.kernels.token_codes import order_by_buckets
from sequester.methods.text.shared.kernels.vocabulary import suffix_order
from sequester.primitives.compiled import kernel
from sequester.primitives.row_file import Room

COVERED = 1 << 22
"""Positions of documents that are covered together."""


class Within(NamedTuple):
    """Work within limits: a folder for large arrays, the memory for sorting, and threads to sort with."""

    folder: Path
    memory: int
    threads: int = 1


class Documents(NamedTuple):
    """UTF-8 bytes of documents one after the other, and where each begins (and the last ends)."""

    utf8: np.ndarray
    offsets: np.ndarray


@dataclass
class TextIndex:
    """Sorted suffixes of a corpus (and of a background behind it).

    Positions are bytes where runs are made of characters, tokens where they are made of words or tokens.
    Owners are given per document: an array of whole numbers, or None when every occurrence counts.
    """

    offsets: np.ndarray
    unit: np.ndarray
    weight: np.ndarray
    """Characters at each position, at most 255."""
    solid: np.ndarray
    """1 where hiding a token makes a gap: it has a letter or digit, or gaps may be hollow; empty for characters."""
    ends: np.ndarray
    sa: np.ndarray
    lcp: np.ndarray
    starts: np.ndarray | None
    """First byte of every token in the joined text, and its length; None for characters."""
    room: Room = field(default_factory=Room)
    """Where the arrays live."""

    @classmethod
    def build(
        cls,
        documents: Documents,
        *,
        granularity: str = "character",
        forbidden: str = "",
        background: Documents | None = None,
        hidden: np.ndarray | None = None,
        hollow_gaps: bool = False,
        within: Within | None = None,
    ) -> TextIndex:
        """Sort the suffixes; no run contains `forbidden`, nor a character with a byte marked in `hidden`.

        With `hollow_gaps` a hidden blank is enough to part two runs of words or tokens. With `within` the arrays are
        maps of files, and the suffixes are sorted by buckets; the result is the same.
        """
        room = Room() if within is None else Room(within.folder)
        utf8, offsets = documents
        if background is not None:
            utf8 = np.concatenate([utf8, background.utf8])
            offsets = np.concatenate([offsets, background.offsets[1:] + offsets[-1]])
        ends = repeats.document_ends(offsets)
        n = len(utf8) + len(offsets)
        whole = repeats.join_documents(utf8, offsets, room, padding=0 if within is None else PADDING)
        text = whole[:n]
        del utf8
        closed = _closed(text, forbidden, hidden, documents.offsets, room)
        if granularity != "character":
            cut = cut_text(text, ends, closed, granularity, room)
            del text, whole, closed
            sa, lcp = (
                suffix_order(cut.told)
                if within is None
                else order_by_buckets(cut.told, room, memory=within.memory, threads=within.threads)
            )
            ends = np.searchsorted(cut.starts, ends).astype(np.int64)
            unit = room.empty(len(cut.weight), np.uint8)
            unit[:] = 1
            gaps = unit if hollow_gaps else cut.solid
            return cls(documents.offsets, unit, cut.weight, gaps, ends, sa, lcp, cut.starts, room)
        unit = repeats.character_starts(text, room)
        if closed is not None:
            _shut(text, unit, closed)
        if within is None:
            sa, lcp = repeats.suffix_index(text, unit)
        else:
            if n > np.iinfo(np.int32).max:
                raise OverflowError(f"a text of {n} bytes is longer than 2**31 - 1")
            places, lcp = sort_suffixes(whole, unit, room, memory=within.memory, threads=within.threads)
            sa = room.empty(len(places), np.int32)
            sa[:] = places
        return cls(documents.offsets, unit, unit, np.empty(0, np.uint8), ends, sa, lcp, None, room)

    @property
    def n_documents(self) -> int:
        """Documents of the corpus, the background not counted."""
        return len(self.offsets) - 1

    @property
    def _limit(self) -> int:
        """Positions from here on belong to the background."""
        return int(self.ends[self.n_documents - 1]) + 1 if self.n_documents else 1

    def keep_by_original(self, owners: np.ndarray | None, k: int, min_length: int = 1, cover: str = "optimal"):
        """1 per byte of the corpus to keep so that every run occurs for k owners in the corpus itself."""
        longest, granted, _ = self._longest(owners, k)
        if granted is not None:
            np.maximum(longest, granted, out=longest)
        by_position = repeats.by_position(longest, self.sa, len(self.unit), self.room)
        del longest
        choose = covers.greedy_cover if cover == "greedy" else covers.optimal_cover
        keep = self.room.zeros(len(self.unit), np.uint8)
        for begin, ends in self._batches():
            end = begin + int(ends[-1]) + 1
            solid = self.solid[begin:end] if len(self.solid) else self.solid
            texts = (self.unit[begin:end], self.weight[begin:end], solid, by_position[begin:end])
            keep[begin:end] = choose(*texts, ends, min_length)
        return self._of_corpus(keep)

    def _batches(self) -> Iterator[tuple[int, np.ndarray]]:
        """Documents that are covered together: where the separator before them stands, and their ends from there."""
        first, begin = 0, 0
        while first < self.n_documents:
            last = max(first + 1, int(np.searchsorted(self.ends, begin + COVERED, side="right")))
            last = min(last, self.n_documents)
            yield begin, self.ends[first:last] - begin
            begin = int(self.ends[last - 1])
            first = last

    def keep_by_published(self, owners: np.ndarray | None, k: int, min_length: int = 1):
        """1 per byte of the corpus to keep so that every run occurs for k owners in what is kept. Spends the index."""
        longest, granted, owner = self._longest(owners, k)
        if granted is not None:
            np.maximum(longest, granted, out=longest)
            kept = _corpus_ranks_first(self.sa, self.lcp, longest, granted, owner, self._limit)
            self.sa, self.lcp, longest = self.sa[:kept], self.lcp[:kept], longest[:kept]
            granted, owner = granted[:kept], owner[:kept]
            if owners is None:
                owner = None
        keep = placement.place_classes(
            self.unit, self.weight, self.solid, self.sa, self.lcp, longest, owner, k, min_length, granted=granted,
            room=self.room,
        )  # fmt: skip
        return self._of_corpus(keep)

    def _longest(self, owners: np.ndarray | None, k: int):
        """Longest repeats per rank in the corpus, in the background (None without one), and the owner per rank."""
        n_background = len(self.ends) - self.n_documents
        if n_background == 0 and owners is None:
            return repeats.longest_by_occurrence(self.lcp, k, self.room), None, None
        if owners is None:
            owner = self.room.empty(len(self.sa), np.int32)
            owner[:] = np.where(self.sa < self._limit, self.sa, -1)
        else:
            nobody = np.full(n_background, -1, dtype=np.int32)
            owner = self._owner_of_rank(np.concatenate([owners.astype(np.int32), nobody]))
        longest = repeats.longest_by_owner(self.lcp, owner, k, self.room)
        if n_background == 0:
            return longest, None, owner
        public = np.full(len(self.ends), -1, dtype=np.int32)
        public[self.n_documents :] = np.arange(n_background)
        granted = repeats.longest_by_owner(self.lcp, self._owner_of_rank(public), k, self.room)
        return longest, granted, owner

    def _owner_of_rank(self, owner_of_document: np.ndarray) -> np.ndarray:
        return repeats.owner_of_rank(self.sa, self.ends, owner_of_document, self.room)

    def _of_corpus(self, keep: np.ndarray) -> np.ndarray:
        out = self.room.empty(int(self.offsets[-1]), np.uint8)
        if self.starts is None:
            _drop_separators(keep, self.ends, self.offsets, out)
        else:
            _per_byte(keep, self.starts, self.ends, self.offsets, out)
        return out


def _closed(
    text: np.ndarray, forbidden: str, hidden: np.ndarray | None, offsets: np.ndarray, room: Room
) -> np.ndarray | None:
    """1 per byte of the joined text that no run may show; None where there is none."""
    closed = None
    if hidden is not None and hidden.any():
        closed = room.zeros(len(text), np.uint8)
        _spread_hidden(np.asarray(hidden, dtype=np.uint8), np.asarray(offsets, dtype=np.int64), closed)
    if forbidden:
        literal = re.compile(re.escape(forbidden.encode("utf-8")))
        found = literal.search(text.data)
        while found:
            if closed is None:
                closed = room.zeros(len(text), np.uint8)
            closed[found.start()] = 1
            found = literal.search(text.data, found.start() + 1)  # from the next byte on: matches may overlap
    return closed


@kernel("uint8[::1], uint8[::1], uint8[::1]")
def _shut(text, unit, closed):
    """Characters that no run may show become separators."""
    for p in range(len(text)):
        if closed[p] and unit[p]:
            text[p] = repeats.SEPARATOR


@kernel("uint8[::1], const(int64[::1]), uint8[::1]")
def _spread_hidden(hidden, offsets, closed):
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            closed[i + d + 1] = hidden[i]


@kernel("uint8[::1], int64[::1], int64[::1], const(int64[::1]), uint8[::1]")
def _per_byte(keep, starts, ends, offsets, out):
    """What is kept of the corpus' own bytes, from what is kept of its tokens; `ends` are the documents' separators."""
    at = 0
    t = 1
    for d in range(len(offsets) - 1):
        while t < ends[d]:
            for _ in range(starts[t], starts[t + 1]):
                out[at] = keep[t]
                at += 1
            t += 1
        t += 1


@kernel("uint8[::1], int64[::1], const(int64[::1]), uint8[::1]")
def _drop_separators(keep, ends, offsets, out):
    """What is kept of the corpus' own bytes."""
    at = 0
    p = 1
    for d in range(len(offsets) - 1):
        while p < ends[d]:
            out[at] = keep[p]
            at += 1
            p += 1
        p += 1


@kernel("int32[::1], int32[::1], int32[::1], int32[::1], int32[::1], int64")
def _corpus_ranks_first(sa, lcp, longest, granted, owner, limit):
    """Leave the background's ranks out, with the minimum of `lcp` over what is left out."""
    kept = 0
    least = np.int32(0)
    for r in range(len(sa)):
        least = min(least, lcp[r])
        if sa[r] < limit:
            sa[kept] = sa[r]
            lcp[kept] = least
            longest[kept] = longest[r]
            granted[kept] = granted[r]
            owner[kept] = owner[r]
            kept += 1
            least = np.int32(2147483647)
    return kept
