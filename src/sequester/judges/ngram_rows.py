"""Published n-gram rows as plain dictionaries, and the same counts taken anew from an original."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.model import Data, SymbolSeries
from sequester.release import Check, Claim

COLUMNS = ("order", "gram", "count")
Rows = dict[int, dict[str, int]]
"""Order → gram → count."""


def read_rows(claim: Claim, *, others: tuple[str, ...] = ()) -> tuple[Rows, list[Check]]:
    """The table `ngrams` by order, and what is wrong with its form; the rows are empty if anything is."""
    checks = [_tables(claim, others)]
    table = claim.tables.get("ngrams")
    if table is None:
        return {}, checks
    checks.append(_columns(table))
    if not checks[-1].passed:
        return {}, checks
    orders, grams, counts = (table.column(c).to_pylist() for c in COLUMNS)
    rows: Rows = {}
    odd = repeated = 0
    for order, gram, count in zip(orders, grams, counts):
        symbols = [] if gram is None else gram.split(" ")
        if order is None or count is None or order < 1 or len(symbols) != order or "" in symbols:
            odd += 1
        elif gram in rows.setdefault(order, {}):
            repeated += 1
        else:
            rows[order][gram] = count
    checks.append(
        Check(
            name="rows are grams",
            passed=not odd and not repeated and bool(rows),
            detail=f"{counted(table.num_rows, 'row')}, {odd} malformed, {repeated} repeated",
        )
    )
    return (rows if checks[-1].passed else {}), checks


def flows(grams: dict[str, int]) -> tuple[Counter[str], Counter[str]]:
    """How often every context, a gram without one outer symbol, is left (it begins a gram) and entered (it ends one).

    A gram of one symbol has no context.
    """
    left: Counter[str] = Counter()
    entered: Counter[str] = Counter()
    for gram, count in grams.items():
        if " " in gram:
            left[gram.rsplit(" ", 1)[0]] += count
            entered[gram.split(" ", 1)[1]] += count
    return left, entered


def _tables(claim: Claim, others: tuple[str, ...]) -> Check:
    strange = [t for t in claim.tables if t not in ("ngrams", *others)]
    return Check(
        name="tables are the expected ones",
        passed="ngrams" in claim.tables and not strange,
        detail=f"'ngrams' {'found' if 'ngrams' in claim.tables else 'missing'}, {len(strange)} unexpected",
    )


def _columns(table: pa.Table) -> Check:
    right = tuple(sorted(table.column_names)) == tuple(sorted(COLUMNS))
    if right:
        kinds = [table.schema.field(c).type for c in COLUMNS]
        text = pa.types.is_string(kinds[1]) or pa.types.is_large_string(kinds[1])
        right = pa.types.is_integer(kinds[0]) and text and pa.types.is_integer(kinds[2])
    return Check(
        name="columns of ngrams",
        passed=right,
        detail="order and count are whole numbers, gram is text, nothing else"
        if right
        else f"{counted(table.num_columns, 'column')} where order, gram and count (whole, text, whole) were expected",
    )


def orders_check(rows: Rows, n: int) -> Check:
    """All orders 1..n are there and no other."""
    return Check(
        name="orders",
        passed=sorted(rows) == list(range(1, n + 1)),
        detail=f"{counted(len(rows), 'order')} published, 1..{n} promised",
    )


def smallest_check(rows: Rows, k: int) -> Check:
    """No count below k."""
    below = sum(c < k for grams in rows.values() for c in grams.values())
    least = min((c for grams in rows.values() for c in grams.values()), default=0)
    return Check(
        name="counts reach k", passed=below == 0, detail=f"{counted(below, 'count')} below {k}; the smallest is {least}"
    )


def nested_check(rows: Rows) -> Check:
    """No gram outnumbers the gram without its first or last symbol; by induction none inside it."""
    absent = outnumbered = 0
    for order, grams in rows.items():
        lower = rows.get(order - 1, {})
        for gram, count in grams.items() if order > 1 else ():
            for inner in (gram.rsplit(" ", 1)[0], gram.split(" ", 1)[1]):
                if inner not in lower:
                    absent += 1
                elif lower[inner] < count:
                    outnumbered += 1
    return Check(
        name="no gram outnumbers a gram inside it",
        passed=not absent and not outnumbered,
        detail=f"{absent} inner grams missing, {outnumbered} counted less often than a gram around them",
    )


def opened(claim: Claim, *, others: tuple[str, ...] = ()) -> tuple[int, int, Rows, list[Check]]:
    """k and n of the promise, the table by order, and the checks of their form; no rows where one of them failed."""
    k, n = number(claim, "k"), number(claim, "n")
    if k is None or n is None:
        detail = "the promise states no whole k and n"
        return 0, 0, {}, [Check(name="promise", passed=False, detail=detail)]
    rows, checks = read_rows(claim, others=others)
    return k, n, rows, checks


def number(claim: Claim, name: str) -> int | None:
    """A whole number of the promise, or None."""
    value: Any = claim.guarantee.parameters.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def as_symbols(source: Data) -> SymbolSeries | Check:
    """The original, if it is of the right kind and nobody is in two parts of it."""
    if source.kind != "symbols":
        return Check(name="original", passed=False, detail=f"the original is {source.kind} data, not symbol series")
    alone = [set(persons.tolist()) for persons in source.persons_by_part()]
    twice = sum(map(len, alone)) - len(set().union(*alone))
    if twice:
        detail = (
            f"{counted(twice, 'person is', 'people are')} in more than one part of the original, so "
            f"that people cannot be counted"
        )
        return Check(name="original", passed=False, detail=detail)
    return source  # type: ignore[return-value]


def count_anew(source: SymbolSeries, n: int) -> dict[str, int]:
    """How often every n-gram occurs in the original."""
    total: Counter[str] = Counter()
    for part in source:
        codes, _, texts = _coded(part, n)
        distinct, counts = _tally(codes)
        total.update(dict(zip(texts(distinct), counts.tolist())))
    return dict(total)


def people_anew(
    source: SymbolSeries, n: int, cap: int | None, boundary: str | None = None
) -> dict[str, tuple[int, int]]:
    """Gram → (distinct people, occurrences of which each person adds at most `cap`); people of parts are others.

    With a `boundary`, n - 1 of that symbol stand before and behind every series.
    """
    total: dict[str, tuple[int, int]] = {}
    for whole in source:
        part = whole if boundary is None else _between(whole, n, boundary)
        for gram, (people, count) in _people(part, n, cap).items():
            before = total.get(gram, (0, 0))
            total[gram] = (before[0] + people, before[1] + count)
    return total


def _between(source: SymbolSeries, n: int, boundary: str) -> SymbolSeries:
    """The series that are not empty, each between n - 1 boundary symbols."""
    at = np.flatnonzero(np.diff(source.offsets))
    edge = np.full(n - 1, len(source.alphabet), dtype=np.int64)
    pieces = [np.concatenate((edge, source.symbols[source.offsets[i] : source.offsets[i + 1]], edge)) for i in at]
    return replace(
        source,
        symbols=np.concatenate(pieces) if pieces else edge[:0],
        offsets=np.concatenate(([0], np.cumsum([len(p) for p in pieces], dtype=np.int64))),
        persons=source.persons[at],
        alphabet=(*source.alphabet, boundary),
    )


def _people(source: SymbolSeries, n: int, cap: int | None) -> dict[str, tuple[int, int]]:
    codes, series, texts = _coded(source, n)
    persons, numbers = np.unique(source.persons.astype(str), return_inverse=True)
    if len(codes) and int(codes.max()) * len(persons) >= 2**62:  # too long beside a person: number the grams instead
        kinds, codes = np.unique(codes, return_inverse=True)
    else:
        kinds = None
    pairs, times = _tally(codes * len(persons) + numbers[series])
    gram, first, people = np.unique(pairs // max(1, len(persons)), return_index=True, return_counts=True)
    counted = np.add.reduceat(np.minimum(times, cap or times), first) if len(first) else times
    found = texts(gram if kinds is None else kinds[gram])
    return dict(zip(found, zip(people.tolist(), counted.tolist())))


def _tally(codes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Distinct numbers, rising, and how often each occurs."""
    if len(codes) and int(codes.max()) < 1 << 24:
        counts = np.bincount(codes)
        return np.flatnonzero(counts), counts[counts > 0]
    return np.unique(codes, return_counts=True)


def _coded(source: SymbolSeries, n: int) -> tuple[np.ndarray, np.ndarray, Callable[[np.ndarray], list[str]]]:
    """A number for every occurrence of an n-gram inside a series, its series, and how numbers read as text."""
    names, p = source.alphabet, len(source.alphabet)
    series = np.repeat(np.arange(source.n_records), np.diff(source.offsets))
    if len(series) < n:
        return series[:0], series[:0], lambda codes: []
    inside = series[: len(series) - n + 1] == series[n - 1 :]
    series = series[: len(series) - n + 1][inside]
    symbols = source.symbols.astype(np.int64)
    if p**n < 2**62:  # the symbols are the digits of the number
        codes = np.zeros(len(symbols) - n + 1, dtype=np.int64)
        for j in range(n):
            codes = codes * p + symbols[j : j + len(codes)]
        places = np.array([p**j for j in range(n - 1, -1, -1)], dtype=np.int64)
        return (
            codes[inside],
            series,
            lambda c: [" ".join(names[x] for x in g) for g in (c[:, None] // places % p).tolist()],
        )
    rows, which = np.unique(np.lib.stride_tricks.sliding_window_view(symbols, n)[inside], axis=0, return_inverse=True)
    return which.ravel(), series, lambda c: [" ".join(names[x] for x in g) for g in rows[c].tolist()]
