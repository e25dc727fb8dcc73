"""For every position of a text, the longest substring starting there that occurs often enough.

A text is the UTF-8 bytes of its documents with one `SEPARATOR` before, between and after them. Bytes are enough: a
byte string that begins and ends between characters can only occur between characters, because UTF-8 is
self-synchronising, so counting bytes counts characters. No UTF-8 text contains the separator, so no character of a
document (NUL included) can be mistaken for it.

"Often enough" is `k` occurrences, or `k` distinct owners: documents, people, or anything else that numbers positions.
"""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel
from sequester.primitives.row_file import Room

SEPARATOR = 0xFF
"""Ends every document; no repeat contains it."""


def join_documents(utf8: np.ndarray, offsets: np.ndarray, room: Room | None = None, padding: int = 0) -> np.ndarray:
    """Documents as one text with a separator before, between and after them, and `padding` more at the end."""
    raw = np.asarray(utf8, dtype=np.uint8)
    text = (room or Room()).empty(len(raw) + len(offsets) + padding, np.uint8)
    text[:] = SEPARATOR
    _spread(raw, np.asarray(offsets, dtype=np.int64), text)
    return text


@kernel("const(uint8[::1]), const(int64[::1]), uint8[::1]")
def _spread(raw, offsets, text):
    for d in range(len(offsets) - 1):
        shift = d + 1
        for i in range(offsets[d], offsets[d + 1]):
            text[i + shift] = raw[i]


def document_ends(offsets: np.ndarray) -> np.ndarray:
    """Where the separator behind each document stands in the joined text."""
    return np.asarray(offsets[1:], dtype=np.int64) + np.arange(1, len(offsets), dtype=np.int64)


def character_starts(text: np.ndarray, room: Room | None = None) -> np.ndarray:
    """1 where a character begins; a separator also begins one, a continuation byte does not."""
    starts = (room or Room()).empty(len(text), np.uint8)
    _mark_starts(text, starts)
    return starts


@kernel("uint8[::1], uint8[::1]")
def _mark_starts(text, starts):
    for i in range(len(text)):
        starts[i] = (text[i] & 0xC0) != 0x80


def suffix_index(text: np.ndarray, unit: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Suffixes that begin a unit, sorted, and `lcp[r]`: what suffix r shares with suffix r-1, up to a separator."""
    from pydivsufsort import divsufsort

    if len(text) > np.iinfo(np.int32).max:
        raise OverflowError(f"a text of {len(text)} bytes is longer than 2**31 - 1")
    sa = divsufsort(text)
    lcp = _common_prefixes(text, sa)
    kept = _keep_unit_starts(sa, lcp, unit, text)
    return sa[:kept], lcp[:kept]


@kernel("uint8[::1], int32[::1]")
def _common_prefixes(text, sa):
    """LCP by way of text order, where the shared length drops by at most one from a position to the next."""
    n = len(text)
    shared = np.empty(n, dtype=np.int32)  # first the suffix sorted just before, then what is shared with it
    if n:
        shared[sa[0]] = -1
    for r in range(1, n):
        shared[sa[r]] = sa[r - 1]
    length = 0
    for i in range(n):
        before = shared[i]
        if before < 0 or (text[i] & 0xC0) == 0x80:  # no repeat begins inside a character
            shared[i] = 0
            length = max(0, length - 1)
            continue
        while text[i + length] == text[before + length] and text[i + length] != SEPARATOR:
            length += 1
        shared[i] = length
        length = max(0, length - 1)
    lcp = np.empty(n, dtype=np.int32)
    for r in range(n):
        lcp[r] = shared[sa[r]]
    return lcp


@kernel("int32[::1], int32[::1], uint8[::1], uint8[::1]")
def _keep_unit_starts(sa, lcp, unit, text):
    """Move the ranks that begin a unit to the front, with the minimum of `lcp` over the ranks left out."""
    kept = 0
    least = np.int32(0)
    for r in range(len(sa)):
        p = sa[r]
        least = min(least, lcp[r])
        if unit[p] and text[p] != SEPARATOR:
            sa[kept] = p
            lcp[kept] = least
            kept += 1
            least = np.int32(2147483647)
    return kept


def longest_by_occurrence(lcp: np.ndarray, k: int, room: Room | None = None) -> np.ndarray:
    """Per rank, the length of the longest prefix that at least `k` suffixes share."""
    room = room or Room()
    longest = room.zeros(len(lcp), np.int32)
    _windows_of_k(lcp, k, longest, room.empty(len(lcp), np.int32))
    _propagate(longest, lcp)
    return longest


def longest_by_owner(lcp: np.ndarray, owner: np.ndarray, k: int, room: Room | None = None) -> np.ndarray:
    """Per rank, the length of the longest prefix that suffixes of at least `k` distinct owners share.

    `owner` is given per rank, numbered from 0; -1 is a suffix that has the prefix but does not count.
    """
    room = room or Room()
    longest = room.zeros(len(lcp), np.int32)
    _windows_of_owners(lcp, owner, k, longest, room.empty(len(lcp), np.int32))
    _propagate(longest, lcp)
    return longest


@kernel("int32[::1], int64, int32[::1], int32[::1]")
def _windows_of_k(lcp, k, longest, queue):
    n = len(lcp)
    # the queue holds ranks with rising lcp: the front is the minimum of the window
    head = tail = 0
    for r in range(n):
        while tail > head and lcp[queue[tail - 1]] >= lcp[r]:
            tail -= 1
        queue[tail] = r
        tail += 1
        while queue[head] < r - k + 2:  # k suffixes have k - 1 gaps between them
            head += 1
        if r >= k - 1:
            longest[r] = lcp[queue[head]]


@kernel("int32[::1], int32[::1], int64, int32[::1], int32[::1]")
def _windows_of_owners(lcp, owner, k, longest, queue):
    """At each rank the minimum of lcp over the smallest window ending there that holds k owners."""
    n = len(lcp)
    n_owners = 0
    for r in range(n):
        n_owners = max(n_owners, owner[r] + 1)
    held = np.zeros(n_owners, dtype=np.int32)
    distinct = 0
    left = 0
    head = tail = 0
    for r in range(n):
        if lcp[r] == 0:  # nothing is shared across this gap: start afresh
            for q in range(left, r):
                if owner[q] >= 0:
                    held[owner[q]] = 0
            distinct = 0
            left = r
            head = tail = 0
        else:
            while tail > head and lcp[queue[tail - 1]] >= lcp[r]:
                tail -= 1
            queue[tail] = r
            tail += 1
        who = owner[r]
        if who >= 0:
            if held[who] == 0:
                distinct += 1
            held[who] += 1
        if distinct < k:
            continue
        while owner[left] < 0 or held[owner[left]] > 1 or distinct > k:
            if owner[left] >= 0:
                held[owner[left]] -= 1
                if held[owner[left]] == 0:
                    distinct -= 1
            left += 1
        while head < tail and queue[head] <= left:
            head += 1
        if head < tail:
            longest[r] = lcp[queue[head]]


@kernel("int32[::1], int32[::1]")
def _propagate(longest, lcp):
    """A suffix outside every window still shares a prefix with one: carry it to the neighbours."""
    for r in range(1, len(lcp)):
        longest[r] = max(longest[r], min(longest[r - 1], lcp[r]))
    for r in range(len(lcp) - 2, -1, -1):
        longest[r] = max(longest[r], min(longest[r + 1], lcp[r + 1]))


def by_position(values: np.ndarray, sa: np.ndarray, n: int, room: Room | None = None) -> np.ndarray:
    """Values per rank as values per position; positions without a rank get 0."""
    out = (room or Room()).zeros(n, np.int32)
    _to_positions(values, sa, out)
    return out


@kernel("int32[::1], int32[::1], int32[::1]")
def _to_positions(values, sa, out):
    for r in range(len(sa)):
        out[sa[r]] = values[r]


def owner_of_rank(
    sa: np.ndarray, ends: np.ndarray, owner_of_document: np.ndarray, room: Room | None = None
) -> np.ndarray:
    """Who owns each sorted suffix; `ends[d]` is where document d's separator stands."""
    room = room or Room()
    out = room.empty(len(sa), np.int32)
    _owners(sa, ends, owner_of_document, room.empty(int(ends[-1]) + 1 if len(ends) else 0, np.int32), out)
    return out


@kernel("int32[::1], int64[::1], int32[::1], int32[::1], int32[::1]")
def _owners(sa, ends, owner_of_document, document, out):
    at = 0
    for d in range(len(ends)):
        while at <= ends[d]:
            document[at] = owner_of_document[d]
            at += 1
    for r in range(len(sa)):
        out[r] = document[sa[r]]
