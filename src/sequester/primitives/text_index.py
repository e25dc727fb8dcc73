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

    Owners are given per document: an array of whole numbers, or None when every occurrence counts.
    """

    offsets: np.ndarray
    text: np.ndarray
    unit: np.ndarray
    ends: np.ndarray
    sa: np.ndarray
    lcp: np.ndarray

    @classmethod
    def build(
        cls, documents: Documents, *, words: bool = False, forbidden: str = "", background: Documents | None = None
    ) -> TextIndex:
        """Sort the suffixes. With `words` a run is made of whole words; no run contains `forbidden`."""
        utf8, offsets = documents
        if background is not None:
            utf8 = np.concatenate([utf8, background.utf8])
            offsets = np.concatenate([offsets, background.offsets[1:] + offsets[-1]])
        text = repeats.join_documents(utf8, offsets)
        if words:
            text, unit = repeats.mark_words(text)
        else:
            unit = repeats.character_starts(text)
        ends = repeats.document_ends(text)
        if forbidden:
            repeats.forbid(text, forbidden)
        sa, lcp = repeats.suffix_index(text, unit)
        return cls(documents.offsets, text, unit, ends, sa, lcp)

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
        by_position = repeats.by_position(longest, self.sa, len(self.text))
        del longest
        choose = covers.greedy_cover if cover == "greedy" else covers.optimal_cover
        keep = choose(self.text, self.unit, by_position, self.ends[: self.n_documents], min_length)
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
            self.text, self.unit, self.sa, self.lcp, longest, owner, k, min_length, granted=granted
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
        return _drop_marks(keep, self.text, self.ends, self.offsets)


@kernel("uint8[::1], uint8[::1], int64[::1], const(int64[::1])")
def _drop_marks(keep, text, ends, offsets):
    """What is kept of the corpus' own bytes: without separators and word ends."""
    out = np.empty(offsets[-1], dtype=np.uint8)
    at = 0
    p = 1
    for d in range(len(offsets) - 1):
        while p < ends[d]:
            if text[p] != repeats.WORD_END:
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
