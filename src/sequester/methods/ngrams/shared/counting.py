"""Counts of n-grams over series in memory or in parts: tables of codes and counts, which add up.

How many people have a gram adds up as well, because a part holds whole people.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np

from sequester.engines import Engine
from sequester.methods.ngrams.shared.demands import owners, require_length, require_people_known
from sequester.model import SymbolSeries
from sequester.model.kind import Part
from sequester.primitives.ngrams import Grams, OwnedGrams, bits_for, count_owned, count_tables, longest_order


class Appended(NamedTuple):
    """Copies of a window behind the last symbol of one series."""

    part: str
    """Name of the part that holds the series."""
    series: int
    """Its number there."""
    window: np.ndarray
    copies: int

    def to(self, data: SymbolSeries) -> tuple[np.ndarray, np.ndarray]:
        """Symbols and offsets with the copies."""
        end = int(data.offsets[self.series + 1])
        symbols = np.concatenate((data.symbols[:end], np.tile(self.window, self.copies), data.symbols[end:]))
        behind = np.arange(len(data.offsets)) > self.series
        return symbols, data.offsets + np.where(behind, self.copies * len(self.window), 0)


def tables_of(data: SymbolSeries, n: int, engine: Engine, appended: Appended | None = None) -> list[Grams]:
    """The grams of orders 1..n, if asked with copies of a window appended to one series."""
    task = partial(_tables, n, appended, engine.threads_inside(data))
    found = engine.fold(task, data.parts, _add_found, "counting")
    require_length(found.longest, data.n_records, n)
    return found.tables


def owned_of(data: SymbolSeries, n: int, cap: int | None, engine: Engine) -> OwnedGrams:
    """The grams of order n and how many people have each; with a `cap`, one person adds at most that much."""
    require_people_known(data)
    found = engine.fold(partial(_owned, n, cap), data, _add_owned, "counting")
    require_length(found.longest, data.n_records, n)
    return found.grams


class _Found(NamedTuple):
    tables: list[Grams]
    longest: int


class _Owned(NamedTuple):
    grams: OwnedGrams
    longest: int


def _longest(data: SymbolSeries) -> int:
    return int(np.diff(data.offsets).max(initial=0))


def _tables(n: int, appended: Appended | None, threads: int, part: Part) -> _Found:
    data: SymbolSeries = part.load()
    if _longest(data) < n > longest_order(len(data.alphabet)):
        return _Found([], _longest(data))  # refused when all parts are known, in the words of series in memory
    here = appended is not None and appended.part == part.name
    symbols, offsets = appended.to(data) if appended is not None and here else (data.symbols, data.offsets)
    return _Found(count_tables(symbols, offsets, n, len(data.alphabet), threads=threads), _longest(data))


def _owned(n: int, cap: int | None, data: SymbolSeries) -> _Owned:
    if _longest(data) < n:
        nothing = np.zeros(0, np.int64)
        return _Owned(OwnedGrams(Grams(n, bits_for(len(data.alphabet)), nothing, nothing), nothing), _longest(data))
    grams = count_owned(data.symbols, data.offsets, owners(data), n, len(data.alphabet), cap=cap)
    return _Owned(grams, _longest(data))


def _add_found(a: _Found, b: _Found) -> _Found:
    return _Found(_add_tables(a.tables, b.tables), max(a.longest, b.longest))


def _add_owned(a: _Owned, b: _Owned) -> _Owned:
    return _Owned(_add_grams(a.grams, b.grams), max(a.longest, b.longest))


def _add_tables(a: Sequence[Grams], b: Sequence[Grams]) -> list[Grams]:
    out = []
    for x, y in zip(a, b):
        codes, (counts,) = _added(x.codes, (x.counts,), y.codes, (y.counts,))
        out.append(x._replace(codes=codes, counts=counts))
    return out


def _add_grams(a: OwnedGrams, b: OwnedGrams) -> OwnedGrams:
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
