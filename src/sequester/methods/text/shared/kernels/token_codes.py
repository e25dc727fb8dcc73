"""Suffixes of tokens in order when they need not fit into memory: tokens written as codes, sorted by buckets.

A number becomes a code of one to four bytes, so that byte order is the order of the numbers, no code begins another,
and no byte equals the separator.
"""

from __future__ import annotations

import numpy as np

from sequester.methods.text.shared.kernels.repeats import SEPARATOR
from sequester.methods.text.shared.kernels.suffix_buckets import PADDING, sort_suffixes
from sequester.methods.text.shared.kernels.vocabulary import Numbered
from sequester.primitives.compiled import kernel
from sequester.primitives.row_file import Room

BASE = 255
ONE, TWO, THREE = 200, 46, 8
"""First bytes of codes with one, two and three bytes; the next one opens codes of four."""
LIMITS = np.cumsum([ONE, TWO * BASE, THREE * BASE**2, BASE**3]).astype(np.int64)
"""Numbers below these have codes of one, two, three and four bytes."""
BLOCK = 32
"""Codes before every so many bytes are written down, the rest is counted."""


def order_by_buckets(declared: Numbered, room: Room, *, memory: int, threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
    """Suffixes that do not begin with a separator, sorted, and what each shares with the one before, in tokens."""
    ids, separator = declared
    if len(ids) > np.iinfo(np.int32).max:
        raise OverflowError(f"a text of {len(ids)} tokens is longer than 2**31 - 1")
    if separator > LIMITS[3]:
        raise OverflowError(f"a text of {separator} different tokens is more than can be numbered")
    total = _size(ids, separator, LIMITS)
    codes = room.empty(total + PADDING, np.uint8)
    codes[total:] = SEPARATOR
    unit = room.zeros(total, np.uint8)
    _encode(ids, separator, LIMITS, codes, unit)
    places, shared = sort_suffixes(codes, unit, room, memory=memory, threads=threads)
    before = room.zeros(total // BLOCK + 2, np.int64)
    _count_blocks(unit, before)
    sa = room.empty(len(places), np.int32)
    _to_tokens(unit, before, places, shared, sa)
    return sa, shared


@kernel("int32[::1], int64, int64[::1]")
def _size(ids, separator, limits):
    total = 0
    for t in range(len(ids)):
        number = ids[t]
        total += 1
        if number != separator:
            for limit in range(3):
                if number >= limits[limit]:
                    total += 1
    return total


@kernel("int32[::1], int64, int64[::1], uint8[::1], uint8[::1]")
def _encode(ids, separator, limits, codes, unit):
    at = 0
    for t in range(len(ids)):
        number = np.int64(ids[t])
        unit[at] = 1
        if number == separator:
            codes[at] = SEPARATOR
            at += 1
        elif number < limits[0]:
            codes[at] = number
            at += 1
        elif number < limits[1]:
            number -= limits[0]
            codes[at] = ONE + number // BASE
            codes[at + 1] = number % BASE
            at += 2
        elif number < limits[2]:
            number -= limits[1]
            codes[at] = ONE + TWO + number // BASE**2
            codes[at + 1] = number // BASE % BASE
            codes[at + 2] = number % BASE
            at += 3
        else:
            number -= limits[2]
            codes[at] = ONE + TWO + THREE
            codes[at + 1] = number // BASE**2
            codes[at + 2] = number // BASE % BASE
            codes[at + 3] = number % BASE
            at += 4


@kernel("uint8[::1], int64[::1]")
def _count_blocks(unit, before):
    total = 0
    for p in range(len(unit)):
        if p % BLOCK == 0:
            before[p // BLOCK] = total
        total += unit[p]
    before[len(unit) // BLOCK + 1] = total
    if len(unit) % BLOCK == 0:
        before[len(unit) // BLOCK] = total


@kernel("uint8[::1], int64[::1], int64")
def _codes_before(unit, before, p):
    """How many codes begin before byte p."""
    n = before[p // BLOCK]
    for q in range(p // BLOCK * BLOCK, p):
        n += unit[q]
    return n


@kernel("uint8[::1], int64[::1], int64[::1], int32[::1], int32[::1]")
def _to_tokens(unit, before, places, shared, sa):
    """Bytes to tokens: where each suffix begins, and what is shared, of which only whole codes count."""
    for r in range(len(places)):
        p = places[r]
        first = _codes_before(unit, before, p)
        sa[r] = first
        end = p + shared[r]
        if shared[r]:
            # a code that is not whole does not count: the next one would have to begin at the end
            n = _codes_before(unit, before, end) - first
            shared[r] = n if unit[end] else n - 1
