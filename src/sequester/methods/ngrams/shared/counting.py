"""Counts of n-grams over series in memory or in parts: tables of codes and counts, which add up.

How many people have a gram adds up as well, because a part holds whole people.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from sequester.engines import Engine
from sequester.errors import InputError
from sequester.methods.ngrams.shared.demands import owners, require_grams
from sequester.model import Parts, SymbolSeries
from sequester.primitives.ngrams import Grams, OwnedGrams, count_owned, count_tables


def tables_of(data: SymbolSeries | Parts, n: int, engine: Engine) -> list[Grams]:
    """The grams of orders 1..n."""
    if isinstance(data, SymbolSeries):
        require_grams(data, n)
        return count_tables(data.symbols, data.offsets, n, len(data.alphabet), threads=engine.threads)
    _require_grams(data, n, engine)
    return engine.fold(partial(_tables, data, n), data.paths, _add_tables, "counting")


def owned_of(data: SymbolSeries | Parts, n: int, cap: int | None, engine: Engine) -> OwnedGrams:
    """The grams of order n and how many people have each; with a `cap`, one person adds at most that much."""
    if isinstance(data, SymbolSeries):
        require_grams(data, n)
        return count_owned(data.symbols, data.offsets, owners(data), n, len(data.alphabet), cap=cap)
    _require_grams(data, n, engine)
    return engine.fold(partial(_owned, data, n, cap), data.paths, _add_owned, "counting")


def alphabet_of(data: SymbolSeries | Parts) -> tuple[str, ...]:
    """What the codes mean."""
    return data.alphabet if isinstance(data, SymbolSeries) else tuple(data.facts["alphabet"])


def _require_grams(parts: Parts, n: int, engine: Engine) -> None:
    longest = engine.fold(partial(_longest, parts), parts.paths, max, "lengths")
    if longest < n:
        raise InputError(
            f"anonymize: n={n} needs a series of {n} symbols, the longest of {parts.n_records} has {longest}. "
            "Lower n, shorten the window or add data."
        )


def _loaded(parts: Parts, path: Path) -> SymbolSeries:
    data = parts.load(path)
    assert isinstance(data, SymbolSeries)
    return data


def _longest(parts: Parts, path: Path) -> int:
    return int(np.diff(_loaded(parts, path).offsets).max(initial=0))


def _tables(parts: Parts, n: int, path: Path) -> list[Grams]:
    data = _loaded(parts, path)
    return count_tables(data.symbols, data.offsets, n, len(data.alphabet), threads=1)


def _owned(parts: Parts, n: int, cap: int | None, path: Path) -> OwnedGrams:
    data = _loaded(parts, path)
    return count_owned(data.symbols, data.offsets, owners(data), n, len(data.alphabet), cap=cap)


def _add_tables(a: Sequence[Grams], b: Sequence[Grams]) -> list[Grams]:
    out = []
    for x, y in zip(a, b):
        codes, (counts,) = _added(x.codes, (x.counts,), y.codes, (y.counts,))
        out.append(x._replace(codes=codes, counts=counts))
    return out


def _add_owned(a: OwnedGrams, b: OwnedGrams) -> OwnedGrams:
    codes, (counts, people) = _added(
        a.grams.codes, (a.grams.counts, a.owners), b.grams.codes, (b.grams.counts, b.owners)
    )
    return OwnedGrams(a.grams._replace(codes=codes, counts=counts), people)


def _added(
    a: np.ndarray, of_a: tuple[np.ndarray, ...], b: np.ndarray, of_b: tuple[np.ndarray, ...]
) -> tuple[np.ndarray, list[np.ndarray]]:
    """Two sorted tables as one: numbers at equal codes add up."""
    codes = np.union1d(a, b)
    at_a, at_b = np.searchsorted(codes, a), np.searchsorted(codes, b)
    sums = []
    for x, y in zip(of_a, of_b):
        total = np.zeros(len(codes), np.result_type(x, y))
        total[at_a] += x
        total[at_b] += y
        sums.append(total)
    return codes, sums
