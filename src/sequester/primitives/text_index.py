"""A corpus prepared once, asked many times: which bytes may stay when every run must repeat?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from sequester.primitives import cover as covers
from sequester.primitives import placement, repeats
from sequester.primitives.compiled import kernel


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
    ) -> TextIndex:
        """Sort the suffixes; no run contains `forbidden`, nor a character with a byte marked in `hidden`.

        With `hollow_gaps` a hidden blank is enough to part two runs of words or tokens.
        """
        utf8, offsets = documents
        if background is not None:
            utf8 = np.concatenate([utf8, background.utf8])
            offsets = np.concatenate([offsets, background.offsets[1:] + offsets[-1]])
        text = repeats.join_documents(utf8, offsets)
        ends = repeats.document_ends(text)
        closed = _closed(text, forbidden, hidden, documents.offsets)
        if granularity != "character":
            return cls._of_tokens(documents, text, ends, closed, granularity, hollow_gaps)
        unit = repeats.character_starts(text)
        if closed is not None:
            text[closed.view(np.bool_) & unit.view(np.bool_)] = repeats.SEPARATOR
        sa, lcp = repeats.suffix_index(text, unit)
        return cls(documents.offsets, unit, unit, np.empty(0, np.uint8), ends, sa, lcp, None)

    @classmethod
    def _of_tokens(
        cls,
        documents: Documents,
        text: np.ndarray,
        ends: np.ndarray,
        closed: np.ndarray | None,
        granularity: str,
        hollow_gaps: bool,
    ) -> TextIndex:
        from sequester.primitives.tokens import tokenise
        from sequester.primitives.vocabulary import number_tokens, suffix_order

        starts, solid = tokenise(text, granularity)
        weight, shut = _of_each_token(text, starts, np.empty(0, np.uint8) if closed is None else closed)
        told = number_tokens(text, starts, shut)
        del text
        sa, lcp = suffix_order(told)
        ends = np.searchsorted(starts, ends).astype(np.int64)
        unit = np.ones(len(starts) - 1, dtype=np.uint8)
        gaps = np.ones_like(solid) if hollow_gaps else solid
        return cls(documents.offsets, unit, weight, gaps, ends, sa, lcp, starts)

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
        by_position = repeats.by_position(longest, self.sa, len(self.unit))
        del longest
        choose = covers.greedy_cover if cover == "greedy" else covers.optimal_cover
        keep = choose(self.unit, self.weight, self.solid, by_position, self.ends[: self.n_documents], min_length)
        return self._of_corpus(keep)

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
            self.unit, self.weight, self.solid, self.sa, self.lcp, longest, owner, k, min_length, granted=granted
        )
        return self._of_corpus(keep)

    def _longest(self, owners: np.ndarray | None, k: int):
        """Longest repeats per rank in the corpus, in the background (None without one), and the owner per rank."""
        n_background = len(self.ends) - self.n_documents
        if n_background == 0 and owners is None:
            return repeats.longest_by_occurrence(self.lcp, k), None, None
        if owners is None:
            owner = np.where(self.sa < self._limit, self.sa, -1).astype(np.int32)
        else:
            nobody = np.full(n_background, -1, dtype=np.int32)
            owner = repeats.owner_of_rank(self.sa, self.ends, np.concatenate([owners.astype(np.int32), nobody]))
        longest = repeats.longest_by_owner(self.lcp, owner, k)
        if n_background == 0:
            return longest, None, owner
        public = np.full(len(self.ends), -1, dtype=np.int32)
        public[self.n_documents :] = np.arange(n_background)
        granted = repeats.longest_by_owner(self.lcp, repeats.owner_of_rank(self.sa, self.ends, public), k)
        return longest, granted, owner

    def _of_corpus(self, keep: np.ndarray) -> np.ndarray:
        if self.starts is not None:
            keep = _per_byte(keep, self.starts)
            ends = self.starts[self.ends].astype(np.int64)
        else:
            ends = self.ends
        return _drop_separators(keep, ends, self.offsets)


def _closed(text: np.ndarray, forbidden: str, hidden: np.ndarray | None, offsets: np.ndarray) -> np.ndarray | None:
    """1 per byte of the joined text that no run may show; None where there is none."""
    closed = None
    if hidden is not None and hidden.any():
        closed = np.zeros(len(text), dtype=np.uint8)
        _spread_hidden(np.asarray(hidden, dtype=np.uint8), np.asarray(offsets, dtype=np.int64), closed)
    if forbidden:
        whole, sought = text.tobytes(), forbidden.encode("utf-8")
        at = whole.find(sought)
        while at >= 0:
            if closed is None:
                closed = np.zeros(len(text), dtype=np.uint8)
            closed[at] = 1
            at = whole.find(sought, at + 1)
    return closed


@kernel("uint8[::1], const(int64[::1]), uint8[::1]")
def _spread_hidden(hidden, offsets, closed):
    for d in range(len(offsets) - 1):
        for i in range(offsets[d], offsets[d + 1]):
            closed[i + d + 1] = hidden[i]


@kernel("uint8[::1], int32[::1], uint8[::1]")
def _of_each_token(text, starts, closed):
    """Characters of each token, at most 255, and 1 where no run may contain it: separators, and what is closed."""
    n = len(starts) - 1
    weight = np.zeros(n, dtype=np.uint8)
    shut = np.zeros(n, dtype=np.uint8)
    for t in range(n):
        count = 0
        for i in range(starts[t], starts[t + 1]):
            if text[i] == repeats.SEPARATOR:
                shut[t] = 1
            elif (text[i] & 0xC0) != 0x80:
                count += 1
            if len(closed) and closed[i]:
                shut[t] = 1
        weight[t] = min(count, 255)
    return weight, shut


@kernel("uint8[::1], int32[::1]")
def _per_byte(keep, starts):
    out = np.empty(starts[-1], dtype=np.uint8)
    for t in range(len(keep)):
        for i in range(starts[t], starts[t + 1]):
            out[i] = keep[t]
    return out


@kernel("uint8[::1], int64[::1], const(int64[::1])")
def _drop_separators(keep, ends, offsets):
    """What is kept of the corpus' own bytes."""
    out = np.empty(offsets[-1], dtype=np.uint8)
    at = 0
    p = 1
    for d in range(len(offsets) - 1):
        while p < ends[d]:
            out[at] = keep[p]
            at += 1
            p += 1
        p += 1
    return out


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
