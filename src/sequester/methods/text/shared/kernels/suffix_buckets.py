"""Sorted suffixes of a text that need not fit into memory: buckets by their first bytes, each sorted for itself.

A text is bytes made of units of one to four bytes (UTF-8 characters, or codes of tokens), with `SEPARATOR` before,
between and after documents and at least eight times at the end. `unit` is 1 where a unit begins. Suffixes that begin a
unit are put in order up to the next separator; those that are equal up to there stay in text order.

1. Count suffixes by their first three bytes; ranges of these that fit into the memory become buckets.
2. Sort each bucket by its first `DEPTH` bytes, eight at a time.
3. What is still tied is settled by doubling (`suffix_ties`), so that copies of whole documents cost no more than a few
   rounds, and what neighbours share beyond `DEPTH` is found in text order.

Arrays come from a `Room`; only the buckets at work are in memory.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import numpy as np

from sequester.methods.text.shared.kernels.repeats import SEPARATOR
from sequester.methods.text.shared.kernels.suffix_ties import settle_ties
from sequester.primitives.compiled import Record, kernel
from sequester.primitives.row_file import Room

DEPTH = 32
"""Bytes by which a bucket is sorted before ties are settled by doubling; a multiple of eight."""
PADDING = 8
"""Separators needed behind the text."""
SMALL = 32
"""Groups up to this size are put in order by insertion."""
TIED, DEEP = -1, -2
"""In place of what two neighbours share: not told apart yet; told apart, but the length is not known yet."""
BYTES_PER_SUFFIX = 48
"""Memory that sorting takes per suffix of a bucket."""
_LOW7 = np.uint64(0x7F7F7F7F7F7F7F7F)
_EVEN = np.uint64(0x00FF00FF00FF00FF)
_PAIRS = np.uint64(0x0000FFFF0000FFFF)


class Buckets(NamedTuple):
    """Which bucket the suffixes with given first bytes go to, and where each bucket begins in the order."""

    of_two: np.ndarray
    """By two bytes: the bucket, or -1 - row of `of_three` where the third byte decides."""
    of_three: np.ndarray
    starts: np.ndarray


class Work(NamedTuple):
    """Memory to sort one bucket in."""

    keys: np.ndarray
    other_keys: np.ndarray
    other_places: np.ndarray


WORK = Record(Work, "uint64[::1], uint64[::1], int64[::1]")


def sort_suffixes(
    text: np.ndarray, unit: np.ndarray, room: Room, *, memory: int, threads: int = 1, depth: int = DEPTH
) -> tuple[np.ndarray, np.ndarray]:
    """Positions (int64) of the suffixes that begin a unit, in order, and the bytes each shares with the one before.

    `memory` is what the buckets at work may take together; a single prefix of three bytes may take more.
    """
    buckets = plan_buckets(text, unit, max(1024, memory // (2 * BYTES_PER_SUFFIX * threads)))
    n = int(buckets.starts[-1])
    sa = room.empty(n, np.int64)
    lcp = room.empty(n, np.int32)
    _scatter(text, unit, buckets.of_two, buckets.of_three, buckets.starts.copy(), sa)

    def sort_one(begin: int, end: int) -> None:
        size = end - begin
        places = np.array(sa[begin:end])
        shared = np.empty(size, dtype=np.int32)
        work = Work(np.empty(size, np.uint64), np.empty(size, np.uint64), np.empty(size, np.int64))
        _sort_bucket(text, places, shared, work, depth)
        sa[begin:end] = places
        lcp[begin:end] = shared

    bounds = list(zip(buckets.starts.tolist(), buckets.starts.tolist()[1:]))
    with ThreadPoolExecutor(threads) as pool:
        for done in [pool.submit(sort_one, begin, end) for begin, end in bounds if end > begin]:
            done.result()
    for begin, end in bounds:
        if end > begin > 0:
            lcp[begin] = _shared_at(text, sa[begin - 1], sa[begin])
    settle_ties(text, unit, sa, lcp, room, depth)
    return sa, lcp


def plan_buckets(text: np.ndarray, unit: np.ndarray, most: int) -> Buckets:
    """Ranges of first bytes with at most `most` suffixes each, or a single prefix of three bytes."""
    two = np.zeros(1 << 16, dtype=np.int64)
    _count_two(text, unit, two)
    large = np.flatnonzero(two > most)
    row = np.full(1 << 16, -1, dtype=np.int64)
    row[large] = np.arange(len(large))
    three = np.zeros((len(large), 256), dtype=np.int64)
    if len(large):
        _count_three(text, unit, row, three)
    of_two = np.zeros(1 << 16, dtype=np.int64)
    of_three = np.zeros((len(large), 256), dtype=np.int64)
    sizes = [0]
    for prefix in np.flatnonzero(two).tolist():
        counts = three[row[prefix]].tolist() if row[prefix] >= 0 else [int(two[prefix])]
        if row[prefix] >= 0:
            of_two[prefix] = -1 - row[prefix]
        for third, count in enumerate(counts):
            if sizes[-1] and sizes[-1] + count > most:
                sizes.append(0)
            sizes[-1] += count
            if row[prefix] >= 0:
                of_three[row[prefix], third] = len(sizes) - 1
            else:
                of_two[prefix] = len(sizes) - 1
    return Buckets(of_two, of_three, np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)]))


@kernel("uint8[::1], int64")
def _first_two(text, p):
    return (np.int64(text[p]) << 8) | np.int64(text[p + 1])


@kernel("uint8[::1], int64")
def _third(text, p):
    """The third byte; a separator where the second is one: what follows it does not matter."""
    return np.int64(SEPARATOR) if text[p + 1] == SEPARATOR else np.int64(text[p + 2])


@kernel("uint8[::1], uint8[::1], int64[::1]")
def _count_two(text, unit, two):
    for p in range(len(unit)):
        if unit[p] and text[p] != SEPARATOR:
            two[_first_two(text, p)] += 1


@kernel("uint8[::1], uint8[::1], int64[::1], int64[:, ::1]")
def _count_three(text, unit, row, three):
    for p in range(len(unit)):
        if unit[p] and text[p] != SEPARATOR:
            at = row[_first_two(text, p)]
            if at >= 0:
                three[at, _third(text, p)] += 1


@kernel("uint8[::1], uint8[::1], int64[::1], int64[:, ::1], int64[::1], int64[::1]")
def _scatter(text, unit, of_two, of_three, at, sa):
    """Every suffix into its bucket, in text order."""
    for p in range(len(unit)):
        if unit[p] and text[p] != SEPARATOR:
            b = of_two[_first_two(text, p)]
            if b < 0:
                b = of_three[-1 - b, _third(text, p)]
            sa[at[b]] = p
            at[b] += 1


@kernel("uint8[::1], int64, int64")
def _shared_at(text, p, q):
    n = 0
    while text[p + n] == text[q + n] and text[p + n] != SEPARATOR:
        n += 1
    return n


@kernel("uint64")
def _from_separator(key):
    """All bits from the first byte that is a separator on."""
    x = ~key
    ends = ~(((x & _LOW7) + _LOW7) | x | _LOW7)  # the highest bit of every byte of x that is 0
    if ends:
        for shift in (1, 2, 4, 8, 16, 32):
            ends |= ends >> np.uint64(shift)
    return ends


@kernel("uint8[::1], int64")
def _key(text, p):
    """Eight bytes as a number that sorts like them; from the first separator on all are separators."""
    key = text[p : p + 8].view(np.uint64)[0]
    key = ((key & _EVEN) << np.uint64(8)) | ((key >> np.uint64(8)) & _EVEN)
    key = ((key & _PAIRS) << np.uint64(16)) | ((key >> np.uint64(16)) & _PAIRS)
    key = (key << np.uint64(32)) | (key >> np.uint64(32))
    return key | _from_separator(key)


@kernel("uint64, uint64")
def _shared(a, b):
    """Bytes two keys share before a separator."""
    unlike = (a ^ b) | _from_separator(a)
    n = 0
    while n < 8 and unlike >> np.uint64(56) == 0:
        unlike = unlike << np.uint64(8)
        n += 1
    return n


@kernel("uint64[::1], int64[::1], int64, int64")
def _insert(keys, places, begin, end):
    for i in range(begin + 1, end):
        key = keys[i]
        place = places[i]
        at = i
        while at > begin and keys[at - 1] > key:
            keys[at] = keys[at - 1]
            places[at] = places[at - 1]
            at -= 1
        keys[at] = key
        places[at] = place


@kernel("int64[::1], int64, int64, int64, Work, int64[::1]", Work=WORK)
def _by_byte(places, begin, end, byte, work, count):
    """Stable counting sort of one group by one byte of its keys; `count[v]` becomes where value v begins."""
    shift = np.uint64(56 - 8 * byte)
    keys, other_keys, other_places = work.keys, work.other_keys, work.other_places
    count[:] = 0
    for i in range(begin, end):
        count[np.int64((keys[i] >> shift) & np.uint64(255)) + 1] += 1
    for v in range(256):
        count[v + 1] += count[v]
    for i in range(begin, end):
        byte_here = np.int64((keys[i] >> shift) & np.uint64(255))
        at = begin + count[byte_here]
        count[byte_here] += 1
        other_keys[at] = keys[i]
        other_places[at] = places[i]
    for i in range(begin, end):
        keys[i] = other_keys[i]
        places[i] = other_places[i]
    for v in range(256, 0, -1):
        count[v] = count[v - 1]
    count[0] = 0


@kernel("uint8[::1], int64[::1], int32[::1], Work, int64", Work=WORK)
def _sort_bucket(text, places, lcp, work, depth):
    """Sort suffixes by their first `depth` bytes; `lcp` is what each shares with the one before, TIED where more."""
    keys = work.keys
    count = np.empty(257, dtype=np.int64)
    stack = np.empty((4096, 4), dtype=np.int64)  # begin, end, bytes shared, byte of the key to sort by (8: load keys)
    stack[0, 0], stack[0, 1], stack[0, 2], stack[0, 3] = 0, len(places), 0, 8
    top = 1
    if len(places):
        lcp[0] = 0
    while top:
        top -= 1
        begin, end, shared, byte = stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3]
        if top + 300 > len(stack):
            larger = np.empty((2 * len(stack), 4), dtype=np.int64)
            for i in range(top):
                for j in range(4):
                    larger[i, j] = stack[i, j]
            stack = larger
        if byte == 8:
            for i in range(begin, end):
                keys[i] = _key(text, places[i] + shared)
            byte = 0
        if end - begin <= SMALL:
            _insert(keys, places, begin, end)
            s = begin
            while s < end:
                e = s + 1
                while e < end and keys[e] == keys[s]:
                    e += 1
                if s > begin:
                    lcp[s] = shared + _shared(keys[s - 1], keys[s])
                if e - s > 1:
                    alike = _shared(keys[s], keys[s])
                    if alike < 8:  # they end here, all of them
                        lcp[s + 1 : e] = shared + alike
                    elif shared + 8 >= depth:
                        lcp[s + 1 : e] = TIED
                    else:
                        stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = s, e, shared + 8, 8
                        top += 1
                s = e
            continue
        _by_byte(places, begin, end, byte, work, count)
        first = True
        for v in range(256):
            s, e = begin + count[v], begin + count[v + 1]
            if s == e:
                continue
            if not first:
                lcp[s] = shared + byte
            first = False
            if e - s == 1:
                continue
            if v == SEPARATOR:
                lcp[s + 1 : e] = shared + byte
            elif byte < 7:
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = s, e, shared, byte + 1
                top += 1
            elif shared + 8 >= depth:
                lcp[s + 1 : e] = TIED
            else:
                stack[top, 0], stack[top, 1], stack[top, 2], stack[top, 3] = s, e, shared + 8, 8
                top += 1
