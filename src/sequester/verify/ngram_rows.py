"""Published n-gram rows as plain dictionaries, and the same counts taken anew from an original."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pyarrow as pa

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
            detail=f"{table.num_rows} rows, {odd} malformed, {repeated} repeated",
        )
    )
    return (rows if checks[-1].passed else {}), checks


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
        else f"{table.num_columns} columns where order, gram and count (whole, text, whole) were expected",
    )


def orders_check(rows: Rows, n: int) -> Check:
    """All orders 1..n are there and no other."""
    return Check(
        name="orders",
        passed=sorted(rows) == list(range(1, n + 1)),
        detail=f"{len(rows)} orders published, 1..{n} promised",
    )


def smallest_check(rows: Rows, k: int) -> Check:
    """No count below k."""
    below = sum(c < k for grams in rows.values() for c in grams.values())
    least = min((c for grams in rows.values() for c in grams.values()), default=0)
    return Check(name="counts reach k", passed=below == 0, detail=f"{below} counts below {k}; the smallest is {least}")


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


def number(claim: Claim, name: str) -> int | None:
    """A whole number of the promise, or None."""
    value: Any = claim.guarantee.parameters.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def unpromised(*names: str) -> list[Check]:
    """The failed check for a promise without its numbers."""
    return [Check(name="promise", passed=False, detail=f"the promise states no whole {' and '.join(names)}")]


def as_symbols(source: Data) -> SymbolSeries | Check:
    """The original, if it is of the right kind."""
    if isinstance(source, SymbolSeries):
        return source
    return Check(name="original", passed=False, detail=f"the original is {source.kind} data, not symbol series")


def count_anew(source: SymbolSeries, n: int) -> Counter[str]:
    """How often every n-gram occurs in the original."""
    return Counter(gram for _, gram in _occurrences(source, n))


def people_anew(source: SymbolSeries, n: int) -> dict[str, Counter[int]]:
    """Gram → person → occurrences."""
    found: dict[str, Counter[int]] = {}
    numbers = {p: i for i, p in enumerate(dict.fromkeys(source.persons.tolist()))}
    for series, gram in _occurrences(source, n):
        found.setdefault(gram, Counter())[numbers[source.persons[series]]] += 1
    return found


def _occurrences(source: SymbolSeries, n: int):
    """(series, gram) of every occurrence; a gram's text is made once per distinct window of codes."""
    names = source.alphabet
    texts: dict[bytes, str] = {}
    for i in range(source.n_records):
        codes = np.ascontiguousarray(source.symbols[source.offsets[i] : source.offsets[i + 1]])
        raw, step = codes.tobytes(), codes.itemsize
        for j in range(len(codes) - n + 1):
            window = raw[j * step : (j + n) * step]
            text = texts.get(window)
            if text is None:
                text = texts[window] = " ".join(names[x] for x in codes[j : j + n])
            yield i, text
