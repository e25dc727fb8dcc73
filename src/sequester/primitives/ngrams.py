"""Counting the n-grams of symbol series: bit-packed codes, all cores, exact.

A symbol takes `bits` bits, a gram is the integer of its symbols, so integer order is lexicographic order and the next
gram is one shift away: `code = ((code << bits) | symbol) & mask`. Short codes are counted in one table per thread;
longer ones are first parted by their leading bits, so that every part is counted in a table that fits the cache;
codes too sparse for tables are sorted. Grams never run across the end of a series.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from sequester.errors import ParameterError, counted
from sequester.primitives.compiled import Record, kernel

WIDEST = 62
"""Bits of a code that fit a signed 64-bit integer with room for a shift test."""
TABLE_BITS = 16
"""Codes up to this wide are counted in one table per thread (256 kB)."""
PART_BITS = 17
"""Width of the table that counts one part of longer codes (512 kB)."""
MOST_PARTS_BITS = 13
LOOKUP_BITS = 22
"""Codes up to this wide are looked up in a table (16 MB) instead of searched for."""
SMALL = 1 << 18
"""Below this many symbols a second thread costs more than it saves."""


class Grams(NamedTuple):
    """The grams of one order with their counts, in lexicographic order."""

    order: int
    bits: int
    """Bits per symbol inside a code."""
    codes: np.ndarray
    """Distinct grams, rising (`int64`)."""
    counts: np.ndarray
    """How often each occurs."""

    @property
    def total(self) -> float:
        return self.counts.sum() if len(self.counts) else 0


def bits_for(n_symbols: int) -> int:
    """Bits that hold one of `n_symbols` symbols."""
    return max(1, (max(1, n_symbols) - 1).bit_length())


def longest_order(n_symbols: int) -> int:
    """The longest gram whose code fits."""
    return WIDEST // bits_for(n_symbols)


def count_grams(symbols: np.ndarray, offsets: np.ndarray, n: int, n_symbols: int, *, threads: int = 1) -> Grams:
    """Count the n-grams inside every series.

    Parameters
    ----------
    symbols : all series one after the other, integers below `n_symbols`
    offsets : start of every series and the end of the last
    n : length of the grams
    n_symbols : size of the alphabet
    threads : threads to use
    """
    bits = bits_for(n_symbols)
    width = bits * n
    if n < 1 or width > WIDEST:
        raise ParameterError(
            f"n-grams: order {n} over {counted(n_symbols, 'symbol')} needs {width} bits, at most {WIDEST} fit; "
            f"take an order in 1..{longest_order(n_symbols)}."
        )
    symbols, offsets = _as_codes(symbols), np.ascontiguousarray(offsets, dtype=np.int64)
    size = len(symbols)
    spans = _spans(size, offsets, threads if size >= SMALL else 1)
    if width <= TABLE_BITS:
        codes, counts = _by_table(symbols, offsets, n, bits, spans)
    elif width <= PART_BITS + MOST_PARTS_BITS and size >= 1 << (width - 4):
        codes, counts = _by_parts(symbols, offsets, n, bits, spans)
    else:
        codes, counts = _by_sorting(gram_codes(symbols, offsets, n, n_symbols))
    return Grams(n, bits, codes, counts)


def count_tables(symbols: np.ndarray, offsets: np.ndarray, n: int, n_symbols: int, *, threads: int = 1) -> list[Grams]:
    """The grams of orders 1..n; only order n is counted, the lower ones follow from it and the series' ends."""
    tables = [count_grams(symbols, offsets, n, n_symbols, threads=threads)]
    for order in range(n - 1, 0, -1):
        tables.append(_one_lower(tables[-1], order, symbols, np.asarray(offsets, dtype=np.int64)))
    return tables[::-1]


def gram_codes(symbols: np.ndarray, offsets: np.ndarray, n: int, n_symbols: int) -> np.ndarray:
    """The code of every n-gram occurrence, series after series."""
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    out = np.empty(int(np.maximum(np.diff(offsets) - n + 1, 0).sum()), dtype=np.int64)
    _write_codes(_as_codes(symbols), offsets, n, bits_for(n_symbols), out)
    return out


class Span(NamedTuple):
    """A stretch of gram ends, `low..high`, and the series in which it begins."""

    first: int
    low: int
    high: int


class Parts(NamedTuple):
    """Codes parted by their leading bits: low codes and their counts, part after part."""

    lows: np.ndarray
    counts: np.ndarray
    bounds: np.ndarray


RECORDS = {"Span": Record(Span, "int64, int64, int64"), "Parts": Record(Parts, "uint32[::1], uint32[::1], int64[::1]")}


class OwnedGrams(NamedTuple):
    """Grams with the number of distinct owners, and counts in which each owner adds at most a cap."""

    grams: Grams
    owners: np.ndarray
    """Distinct owners of every gram (`int64`)."""


def count_owned(
    symbols: np.ndarray, offsets: np.ndarray, owners: np.ndarray, n: int, n_symbols: int, *, cap: int | None = None
) -> OwnedGrams:
    """Count n-grams and the distinct owners of each; with a `cap`, one owner adds at most that much to a gram.

    `owners` gives the owner of every series as an integer. Series are visited owner by owner, so that "the last owner
    seen at this gram" is enough to tell a new one.
    """
    offsets = np.ascontiguousarray(offsets, dtype=np.int64)
    found = count_grams(symbols, offsets, n, n_symbols)
    places = _places(found, gram_codes(symbols, offsets, n, n_symbols))
    per_series = np.maximum(np.diff(offsets) - n + 1, 0)
    starts = np.concatenate(([0], np.cumsum(per_series)))
    owners = np.asarray(owners, dtype=np.int64)
    order = np.argsort(owners, kind="stable")
    counts, n_owners = _owned(places, starts, owners, order, len(found.codes), cap or 0)
    return OwnedGrams(found._replace(counts=counts), n_owners)


def derive_lower(top: Grams) -> list[Grams]:
    """Orders 1..n from order n alone: a shorter gram counts as often as its continuations, or as what it continues.

    The larger of the two sums is taken, so that no gram outnumbers a gram inside it even where some are missing.
    """
    tables = [top]
    for order in range(top.order - 1, 0, -1):
        above = tables[-1]
        heads, tails = above.codes >> above.bits, above.codes & ((1 << (above.bits * order)) - 1)
        codes = np.union1d(heads, tails)
        sums = np.zeros((2, len(codes)), dtype=np.int64)
        for row, inner in zip(sums, (heads, tails)):
            np.add.at(row, np.searchsorted(codes, inner), above.counts)
        tables.append(Grams(order, above.bits, codes, sums.max(axis=0)))
    return tables[::-1]


def unpack(codes: np.ndarray, order: int, bits: int) -> np.ndarray:
    """The symbols of every gram, one row each."""
    shifts = bits * np.arange(order - 1, -1, -1)
    return (np.asarray(codes, dtype=np.int64)[:, None] >> shifts) & ((1 << bits) - 1)


def pack(rows: np.ndarray, bits: int) -> np.ndarray:
    """The code of every row of symbols."""
    rows = np.asarray(rows, dtype=np.int64)
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        codes = (codes << bits) | column
    return codes


def _as_codes(symbols: np.ndarray) -> np.ndarray:
    """Symbols as the kernels take them; no alphabet has more than 65,536 letters (`model.symbols`)."""
    symbols = np.asarray(symbols)
    if symbols.dtype != np.uint16 and len(symbols) and (symbols.min() < 0 or symbols.max() > 0xFFFF):
        raise ParameterError("n-grams: symbols must be whole numbers in 0..65535.")
    return np.ascontiguousarray(symbols, dtype=np.uint16)


def _spans(size: int, offsets: np.ndarray, threads: int) -> list[tuple[int, int, int]]:
    """Equal stretches of gram ends: (first series, from, to)."""
    cuts = np.linspace(0, size, max(1, threads) + 1).astype(np.int64)
    firsts = np.maximum(np.searchsorted(offsets, cuts[:-1], side="right") - 1, 0)
    return [(int(s), int(a), int(b)) for s, a, b in zip(firsts, cuts[:-1], cuts[1:])]


def _run(task, jobs: list) -> list:
    if len(jobs) == 1:
        return [task(*jobs[0])]
    with ThreadPoolExecutor(len(jobs)) as pool:
        return list(pool.map(lambda job: task(*job), jobs))


def _by_table(symbols, offsets, n, bits, spans):
    def count(first, low, high):
        table = np.zeros(1 << (bits * n), dtype=np.uint32)
        for a in range(low, high, 1 << 31):  # a 32-bit cell cannot overflow within one slice
            b = min(a + (1 << 31), high)
            start = max(int(np.searchsorted(offsets, a, side="right")) - 1, 0) if a > low else first
            _add_to_table(symbols, offsets, Span(start, a, b), n, bits, 0, table)
            if b < high:
                totals[...] += table
                table[...] = 0
        return table

    totals = np.zeros(1 << (bits * n), dtype=np.int64)
    for table in _run(count, spans):
        totals += table
    codes = np.flatnonzero(totals)
    return codes, totals[codes]


def _by_parts(symbols, offsets, n, bits, spans):
    low_bits = max(PART_BITS, bits * n - MOST_PARTS_BITS)
    n_parts = 1 << (bits * n - low_bits)
    measure = lambda s, a, b: _part_sizes(symbols, offsets, s, a, b, n, bits, low_bits, n_parts)  # noqa: E731
    sizes = np.array(_run(measure, spans))
    # thread after thread inside a part: every thread writes to places of its own
    starts = np.concatenate(([0], np.cumsum(sizes.T.ravel())))
    places = starts[:-1].reshape(n_parts, len(spans)).T.copy()
    lows = np.empty(int(starts[-1]), dtype=np.uint32)
    jobs = [(Span(*span), place) for span, place in zip(spans, places)]
    _run(lambda span, place: _scatter(symbols, offsets, span, n, bits, low_bits, place, lows), jobs)
    bounds = np.ascontiguousarray(starts[:: len(spans)])
    parts = Parts(lows, np.empty(len(lows), dtype=np.uint32), bounds)
    halves = np.searchsorted(bounds, np.linspace(0, len(lows), 4 * len(spans) + 1)).clip(0, n_parts)
    halves[0], halves[-1] = 0, n_parts
    distinct = np.zeros(n_parts, dtype=np.int64)
    shares = list(pairwise(halves))
    with ThreadPoolExecutor(len(spans)) as pool:
        list(pool.map(lambda ab: _count_parts(parts, ab[0], ab[1], low_bits, distinct), shares))
        ends = np.concatenate(([0], np.cumsum(distinct)))
        codes_out = np.empty(int(ends[-1]), dtype=np.int64)
        counts_out = np.empty(int(ends[-1]), dtype=np.int64)
        todo = lambda ab: _gather(parts, ends, ab[0], ab[1], low_bits, codes_out, counts_out)  # noqa: E731
        list(pool.map(todo, shares))
    return codes_out, counts_out


def _by_sorting(codes):
    if not len(codes):
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64)
    codes = np.sort(codes)
    first = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    return codes[first], np.diff(np.append(first, len(codes)))


def _places(table: Grams, codes: np.ndarray) -> np.ndarray:
    """Where each code stands in a table that has them all."""
    width = table.order * table.bits
    if width > LOOKUP_BITS:
        return np.searchsorted(table.codes, codes).astype(np.int32)
    lookup = np.zeros(1 << width, dtype=np.int32)
    lookup[table.codes] = np.arange(len(table.codes))
    return lookup[codes]


def _one_lower(above: Grams, order: int, symbols: np.ndarray, offsets: np.ndarray) -> Grams:
    """Counts of one order less: f(h) = sum of f(hy) over symbols y, plus one for every series that ends in h."""
    heads = above.codes >> above.bits
    lengths = np.diff(offsets)
    ends = offsets[1:][lengths >= order]
    tails = pack(symbols[ends[:, None] - order + np.arange(order)], above.bits)
    keys = np.concatenate((heads, tails))
    weights = np.concatenate((above.counts, np.ones(len(tails), dtype=np.int64)))
    if not len(keys):
        return Grams(order, above.bits, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64))
    if len(tails):
        by_key = np.argsort(keys, kind="stable")
        keys, weights = keys[by_key], weights[by_key]
    first = np.flatnonzero(np.concatenate(([True], keys[1:] != keys[:-1])))
    return Grams(order, above.bits, keys[first], np.add.reduceat(weights, first))


@kernel("const(uint16[::1]), const(int64[::1]), Span, int64, int64, int64, uint32[::1]", **RECORDS)
def _add_to_table(symbols, offsets, span, n, bits, shift, table):
    """Add the grams that end in the span to the cells of their codes without the lowest `shift` bits."""
    first, low, high = span.first, span.low, span.high
    mask = (1 << (bits * n)) - 1
    for s in range(first, len(offsets) - 1):
        if offsets[s] >= high:
            break
        start, stop = max(offsets[s] + n - 1, low), min(offsets[s + 1], high)
        if start < stop:
            code = 0
            for i in range(start - n + 1, start):
                code = (code << bits) | np.int64(symbols[i])
            for i in range(start, stop):
                code = ((code << bits) | np.int64(symbols[i])) & mask
                table[code >> shift] += np.uint32(1)


def _part_sizes(symbols, offsets, first, low, high, n, bits, low_bits, n_parts):
    sizes, table = np.zeros(n_parts, dtype=np.int64), np.zeros(n_parts, dtype=np.uint32)
    for a in range(low, high, 1 << 31):  # as in `_by_table`
        start = max(int(np.searchsorted(offsets, a, side="right")) - 1, 0) if a > low else first
        _add_to_table(symbols, offsets, Span(start, a, min(a + (1 << 31), high)), n, bits, low_bits, table)
        sizes += table
        table[...] = 0
    return sizes


@kernel("const(uint16[::1]), const(int64[::1]), Span, int64, int64, int64, int64[::1], uint32[::1]", **RECORDS)
def _scatter(symbols, offsets, span, n, bits, low_bits, place, lows):
    """Write the low bits of every gram that ends in the span to the next place of its part."""
    first, low, high = span.first, span.low, span.high
    mask, low_mask = (1 << (bits * n)) - 1, (1 << low_bits) - 1
    for s in range(first, len(offsets) - 1):
        if offsets[s] >= high:
            break
        start, stop = max(offsets[s] + n - 1, low), min(offsets[s + 1], high)
        if start < stop:
            code = 0
            for i in range(start - n + 1, start):
                code = (code << bits) | np.int64(symbols[i])
            for i in range(start, stop):
                code = ((code << bits) | np.int64(symbols[i])) & mask
                part = code >> low_bits
                lows[place[part]] = np.uint32(code & low_mask)
                place[part] += 1


@kernel("Parts, int64, int64, int64, int64[::1]", **RECORDS)
def _count_parts(parts, first, last, low_bits, distinct):
    """Replace every part by its distinct low codes, rising, at the part's own beginning."""
    lows, counts, bounds = parts.lows, parts.counts, parts.bounds
    table = np.zeros(1 << low_bits, dtype=np.uint32)
    for part in range(first, last):
        a, b = bounds[part], bounds[part + 1]
        if a == b:
            continue
        for i in range(a, b):
            table[lows[i]] += np.uint32(1)
        out = a
        for low in range(len(table)):
            if table[low]:
                lows[out] = np.uint32(low)
                counts[out] = table[low]
                table[low] = 0
                out += 1
        distinct[part] = out - a


@kernel("Parts, int64[::1], int64, int64, int64, int64[::1], int64[::1]", **RECORDS)
def _gather(parts, ends, first, last, low_bits, codes_out, counts_out):
    """Collect the distinct codes of the parts, with their counts, in rising order."""
    lows, counts, bounds = parts.lows, parts.counts, parts.bounds
    for part in range(first, last):
        a, out = bounds[part], ends[part]
        for j in range(ends[part + 1] - out):
            codes_out[out + j] = (np.int64(part) << low_bits) | np.int64(lows[a + j])
            counts_out[out + j] = np.int64(counts[a + j])


@kernel("const(uint16[::1]), const(int64[::1]), int64, int64, int64[::1]")
def _write_codes(symbols, offsets, n, bits, out):
    mask = (1 << (bits * n)) - 1
    at = 0
    for s in range(len(offsets) - 1):
        code = 0
        for i in range(offsets[s], offsets[s + 1]):
            code = ((code << bits) | np.int64(symbols[i])) & mask
            if i - offsets[s] >= n - 1:
                out[at] = code
                at += 1


@kernel("int32[::1], int64[::1], int64[::1], int64[::1], int64, int64")
def _owned(ranks, starts, owners, order, n_distinct, cap):
    """Counts with at most `cap` per owner (0: no cap), and distinct owners, of every gram."""
    counts = np.zeros(n_distinct, dtype=np.int64)
    n_owners = np.zeros(n_distinct, dtype=np.int64)
    last = np.full(n_distinct, -1, dtype=np.int64)
    by_last = np.zeros(n_distinct, dtype=np.int64)
    for s in order:
        for i in range(starts[s], starts[s + 1]):
            r = ranks[i]
            if last[r] != owners[s]:
                last[r] = owners[s]
                by_last[r] = 0
                n_owners[r] += 1
            if cap == 0 or by_last[r] < cap:
                by_last[r] += 1
                counts[r] += 1
    return counts, n_owners
