"""Tokens as numbers, and their suffixes in order.

Equal tokens get equal numbers, the frequent ones small numbers. A text of numbers is about a third as long as its
bytes; for sorting, each number is written in one to four bytes so that byte order is the order of the numbers and no
code begins another.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import kernel

ONE, TWO, THREE = 200, 46, 9
"""First bytes of codes with one, two and three bytes; the last first byte opens codes of four."""


class Numbered(NamedTuple):
    """A text as one number per token."""

    ids: np.ndarray
    separator: int
    """The number of what no repeat may contain; larger than all others."""


def number_tokens(text: np.ndarray, starts: np.ndarray, closed: np.ndarray) -> Numbered:
    """Number the tokens that begin at `starts`; those marked in `closed` become separators."""
    size = 1 << max(10, int(len(starts) // 4).bit_length())
    while True:
        ids, n_distinct = _intern(text, starts, closed, np.full(size, -1, dtype=np.int32))
        if n_distinct >= 0:
            break
        size *= 4
    counts = np.bincount(ids + 1, minlength=n_distinct + 1)[1:]
    place = np.empty(n_distinct + 1, dtype=np.int32)
    place[np.argsort(-counts, kind="stable")] = np.arange(n_distinct, dtype=np.int32)
    place[n_distinct] = n_distinct  # what a closed token, numbered -1, becomes
    return Numbered(place[ids], n_distinct)


@kernel("uint8[::1], int32[::1], uint8[::1], int32[::1]")
def _intern(text, starts, closed, table):
    """Numbers in order of first appearance, -1 for closed tokens; gives up with -1 when the table is half full."""
    n = len(starts) - 1
    ids = np.empty(n, dtype=np.int32)
    first = np.empty(len(table) // 2 + 1, dtype=np.int32)
    found = np.int32(0)
    single = np.full(256, -1, dtype=np.int32)
    mask = len(table) - 1
    for t in range(n):
        begin = starts[t]
        end = starts[t + 1]
        if closed[t]:
            ids[t] = -1
            continue
        if end - begin == 1 and single[text[begin]] >= 0:
            ids[t] = single[text[begin]]
            continue
        code = np.uint64(14695981039346656037)
        for i in range(begin, end):
            code = (code ^ np.uint64(text[i])) * np.uint64(1099511628211)
        at = np.int64((code ^ (code >> np.uint64(29))) & np.uint64(mask))
        while table[at] >= 0:
            other = first[table[at]]
            same = starts[other + 1] - starts[other] == end - begin
            i = 0
            while same and i < end - begin:
                same = text[starts[other] + i] == text[begin + i]
                i += 1
            if same:
                break
            at = (at + 1) & mask
        if table[at] < 0:
            if found >= len(table) // 2:
                return ids, -1
            table[at] = found
            first[found] = t
            found += np.int32(1)
        ids[t] = table[at]
        if end - begin == 1:
            single[text[begin]] = table[at]
    return ids, found


def suffix_order(told: Numbered) -> tuple[np.ndarray, np.ndarray]:
    """Suffixes that do not begin with a separator, sorted, and what each shares with the one before, in tokens."""
    from pydivsufsort import divsufsort

    ids, separator = told
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
