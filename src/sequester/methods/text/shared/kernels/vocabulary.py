"""Tokens as numbers, and their suffixes in order.

Equal tokens get equal numbers, the frequent ones small numbers. A text of numbers is about a third as long as its
bytes; for sorting, each number is written in one to four bytes so that byte order is the order of the numbers and no
code begins another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel

ONE, TWO, THREE = 200, 46, 9
"""First bytes of codes with one, two and three bytes; the last first byte opens codes of four."""


class Numbered(NamedTuple):
    """A text as one number per token."""

    ids: np.ndarray
    separator: int
    """The number of what no repeat may contain; larger than all others."""


class Words(NamedTuple):
    """A hash table of the different tokens met so far, numbered in order of first appearance."""

    table: np.ndarray
    """Number at each place of the table, -1 where there is none."""
    ends: np.ndarray
    """Where the bytes of token number i begin (`ends[i]`) and end (`ends[i + 1]`)."""
    letters: np.ndarray
    """Their bytes, one after the other."""


WORDS = Record(Words, "int32[::1], int64[::1], uint8[::1]")


class Vocabulary:
    """Numbers tokens batch by batch; only the different ones stay in memory."""

    def __init__(self) -> None:
        self.n = 0
        self.words = Words(
            np.full(1 << 12, -1, np.int32), np.zeros((1 << 11) + 1, np.int64), np.empty(1 << 14, np.uint8)
        )

    def number(self, text: np.ndarray, starts: np.ndarray, closed: np.ndarray, ids: np.ndarray) -> None:
        """Write the numbers of the tokens that begin at `starts` into `ids`; -1 for those marked in `closed`."""
        done = 0
        while True:
            done, self.n = _intern(text, starts, closed, ids, done, self.words, self.n)
            if done == len(starts) - 1:
                return
            self._grow(int(starts[done + 1] - starts[done]))

    def _grow(self, size: int) -> None:
        """More room, for a token of this size at least."""
        table, ends, letters = self.words
        if self.n >= len(table) // 2:
            table = np.full(4 * len(table), -1, np.int32)
            ends = np.concatenate([ends, np.zeros(len(table) // 2 + 1 - len(ends), np.int64)])
            _fill_table(Words(table, ends, letters), self.n)
        if ends[self.n] + size > len(letters):
            letters = np.concatenate([letters, np.empty(max(len(letters), size), np.uint8)])
        self.words = Words(table, ends, letters)

    def by_frequency(self, ids: np.ndarray) -> Numbered:
        """Numbers by frequency instead, the most frequent first, in place; what is closed becomes the separator."""
        counts = np.zeros(self.n, dtype=np.int64)
        _count(ids, counts)
        place = np.empty(self.n, dtype=np.int32)
        place[np.argsort(-counts, kind="stable")] = np.arange(self.n, dtype=np.int32)
        _renumber(ids, place)
        return Numbered(ids, self.n)


@kernel("uint8[::1], int64, int64")
def _hash(letters, begin, end):
    code = np.uint64(14695981039346656037)
    for i in range(begin, end):
        code = (code ^ np.uint64(letters[i])) * np.uint64(1099511628211)
    return code ^ (code >> np.uint64(29))


@kernel("Words, int64", Words=WORDS)
def _fill_table(words, n):
    mask = len(words.table) - 1
    for i in range(n):
        at = np.int64(_hash(words.letters, words.ends[i], words.ends[i + 1]) & np.uint64(mask))
        while words.table[at] >= 0:
            at = (at + 1) & mask
        words.table[at] = i


@kernel("uint8[::1], int32[::1], uint8[::1], int32[::1], int64, Words, int64", Words=WORDS)
def _intern(text, starts, closed, ids, done, words, found):
    """Number the tokens from `done` on; returns how far it got before the room was full, and how many are different."""
    table, ends, letters = words.table, words.ends, words.letters
    single = np.full(256, -1, dtype=np.int32)
    mask = len(table) - 1
    for t in range(done, len(starts) - 1):
        begin = starts[t]
        size = starts[t + 1] - begin
        if closed[t]:
            ids[t] = -1
            continue
        if size == 1 and single[text[begin]] >= 0:
            ids[t] = single[text[begin]]
            continue
        at = np.int64(_hash(text, begin, begin + size) & np.uint64(mask))
        while table[at] >= 0:
            other = ends[table[at]]
            same = ends[table[at] + 1] - other == size
            i = 0
            while same and i < size:
                same = letters[other + i] == text[begin + i]
                i += 1
            if same:
                break
            at = (at + 1) & mask
        if table[at] < 0:
            if found >= len(table) // 2 or ends[found] + size > len(letters):
                return t, found
            table[at] = found
            for i in range(size):
                letters[ends[found] + i] = text[begin + i]
            ends[found + 1] = ends[found] + size
            found += 1
        ids[t] = table[at]
        if size == 1:
            single[text[begin]] = table[at]
    return len(starts) - 1, found


@kernel("int32[::1], int64[::1]")
def _count(ids, counts):
    for t in range(len(ids)):
        if ids[t] >= 0:
            counts[ids[t]] += 1


@kernel("int32[::1], int32[::1]")
def _renumber(ids, place):
    for t in range(len(ids)):
        ids[t] = place[ids[t]] if ids[t] >= 0 else len(place)


def suffix_order(declared: Numbered) -> tuple[np.ndarray, np.ndarray]:
    """Suffixes that do not begin with a separator, sorted, and what each shares with the one before, in tokens."""
    from pydivsufsort import divsufsort

    ids, separator = declared
    codes, token_of = _coded(ids, separator + 1)
    order = divsufsort(codes)
    del codes
    kept = _tokens_first(order, token_of, ids, separator)
    del token_of
    sa = order[:kept].copy()
    del order
    return sa, _shared(ids, sa, separator)


def _coded(ids: np.ndarray, n_numbers: int) -> tuple[np.ndarray, np.ndarray]:
    two, three = ONE + TWO * 256, ONE + TWO * 256 + THREE * 65536
    limits = np.array([ONE, two, three, three + 256**3], dtype=np.int64)
    if n_numbers > limits[3]:
        raise OverflowError(f"a text of {n_numbers} different tokens is more than can be numbered")
    counts = np.bincount(ids, minlength=n_numbers)
    total = int(counts.sum() + counts[ONE:].sum() + counts[two:].sum() + counts[three:].sum())
    if total > np.iinfo(np.int32).max:
        raise OverflowError(f"a text of {total} bytes is longer than 2**31 - 1")
    return _encode(ids, limits, total)


@kernel("int32[::1], int64[::1], int64")
def _encode(ids, limits, total):
    codes = np.empty(total, dtype=np.uint8)
    token_of = np.full(total, -1, dtype=np.int32)
    at = 0
    for t in range(len(ids)):
        number = np.int64(ids[t])
        token_of[at] = t
        if number < limits[0]:
            codes[at] = number
            at += 1
        elif number < limits[1]:
            number -= limits[0]
            codes[at] = ONE + (number >> 8)
            codes[at + 1] = number & 255
            at += 2
        elif number < limits[2]:
            number -= limits[1]
            codes[at] = ONE + TWO + (number >> 16)
            codes[at + 1] = (number >> 8) & 255
            codes[at + 2] = number & 255
            at += 3
        else:
            number -= limits[2]
            codes[at] = ONE + TWO + THREE
            codes[at + 1] = (number >> 16) & 255
            codes[at + 2] = (number >> 8) & 255
            codes[at + 3] = number & 255
            at += 4
    return codes, token_of


@kernel("int32[::1], int32[::1], int32[::1], int64")
def _tokens_first(order, token_of, ids, separator):
    """Suffixes of bytes to suffixes of tokens, in place; those that begin with a separator stay behind."""
    kept = 0
    for r in range(len(order)):
        t = token_of[order[r]]
        if t >= 0 and ids[t] != separator:
            order[kept] = t
            kept += 1
    return kept


@kernel("int32[::1], int32[::1], int64")
def _shared(ids, sa, separator):
    """Common prefixes by way of text order, where the shared length drops by at most one from a token to the next."""
    n = len(ids)
    shared = np.full(n, -1, dtype=np.int32)  # first the suffix sorted just before, then what is shared with it
    for r in range(1, len(sa)):
        shared[sa[r]] = sa[r - 1]
    length = 0
    for i in range(n):
        before = shared[i]
        if before < 0:
            shared[i] = 0
            length = max(0, length - 1)
            continue
        while ids[i + length] == ids[before + length] and ids[i + length] != separator:
            length += 1
        shared[i] = length
        length = max(0, length - 1)
    lcp = np.empty(len(sa), dtype=np.int32)
    for r in range(len(sa)):
        lcp[r] = shared[sa[r]]
    return lcp
