"""Counts of n-grams over series in memory or in parts: tables of codes and counts, which add up.

How many people have a gram adds up as well, because a part holds whole people.

What methods of n-grams ask of their data.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.engines import Engine
from sequester.engines.questions import Asked
from sequester.errors import InputError, counted, verb_for
from sequester.layouts.grams import END
from sequester.methods.ngrams.shared.kernels.ngram_flow import with_boundary
from sequester.model import SymbolSeries
from sequester.model.kind import Part
from sequester.primitives.ngrams import Grams, OwnedGrams, count_owned, count_tables, longest_order
from sequester.release import Note

MOST_SYMBOLS = (1 << 16) - 1
"""Symbols are numbers of 16 bits, and one of them marks beginnings and ends."""


def require_length(longest: int, n_series: int, n: int) -> None:
    """Refuse series of which the longest is too short."""
    if longest < n:
        raise InputError(
            f"anonymize: n={n} needs a series of {n} symbols, the longest of {n_series} has {longest}. "
            "Lower n, shorten the window or add data."
        )


def require_order(data: SymbolSeries, n: int) -> None:
    """Refuse grams longer than those of a table that was read: the strings made of it say nothing about them."""
    longest = next((int(fact.value) for fact in data.reading if fact.name == "longest grams of the source"), None)
    if longest is not None and n > longest:
        raise InputError(
            f"anonymize: n={n} asks for grams of {n} symbols, the source is a table of grams of at most {longest}. "
            f"Pass ‹n={longest}› or less, or the series themselves."
        )


def require_no_boundary(alphabet: tuple[str, ...]) -> None:
    """Refuse an alphabet that holds the mark of beginnings and ends."""
    if END in alphabet:
        raise InputError(f"anonymize: '{END}' marks the end of a series here; rename that symbol of the alphabet.")
    if len(alphabet) > MOST_SYMBOLS:
        raise InputError(f"anonymize: the alphabet has {len(alphabet)} symbols; at most {MOST_SYMBOLS} can be counted.")


def require_people_known(data: SymbolSeries) -> None:
    """Refuse data that does not say whose series is whose."""
    if not data.people_known:
        raise InputError(
            "anonymize: a promise about people needs to know whose series each is, and the source does not say. Pass "
            "‹person=› (a column, or 'each' when every series is a person of its own), or count occurrences."
        )


def owners(data: SymbolSeries) -> np.ndarray:
    """The person of every series as a number; refuses data that does not say whose series is whose."""
    require_people_known(data)
    return np.unique(data.persons.astype(str), return_inverse=True)[1]


MOST_NAMED = 20
"""Symbols a note names."""


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
    require_order(data, n)
    task = partial(_tables, n, appended, engine.threads_inside(data))
    found = engine.fold(task, data.parts, _add_found, "counting")
    require_length(found.longest, data.n_records, n)
    return found.tables


def owned_of(data: SymbolSeries, n: int, cap: int | None, engine: Engine) -> OwnedGrams:
    """The grams of order n of series with their boundaries, and how many people have each.

    With a `cap`, one person adds at most that much to a gram.
    """
    require_people_known(data)
    require_no_boundary(data.alphabet)
    found = engine.fold(partial(_owned, n, cap), data, _add_owned, "counting")
    require_length(found.longest, data.n_records, n)
    return found.grams


def symbols_in(data: SymbolSeries, engine: Engine) -> np.ndarray:
    """Which symbols of the alphabet occur, as their numbers."""
    return np.flatnonzero(engine.fold(Asked("ngram symbols", {}), data, np.add, "counting"))


def answer_symbols(part: SymbolSeries) -> np.ndarray:
    """How often every symbol occurs."""
    return np.bincount(part.symbols, minlength=len(part.alphabet))


def vanished(data: SymbolSeries, occurring: np.ndarray, released: np.ndarray) -> tuple[Note, ...]:
    """Tell the custodian of symbols that occur in the data and stand in no released gram.

    They are named where the alphabet was declared; one that was found in the data is a value of it.
    """
    gone = np.setdiff1d(occurring, released)
    if not len(gone):
        return ()
    alphabet = data.alphabet
    shown = ", ".join(alphabet[i] for i in gone[:MOST_NAMED]) + (", …" if len(gone) > MOST_NAMED else "")
    which = f": {shown}" if data.names_public else ". The private table 'vanished' lists them"
    return (
        Note(
            "vanished",
            f"{len(gone)} of {counted(len(occurring), 'symbol')} {verb_for(len(gone), 'stands', 'stand')} in no "
            f"released gram{which}.",
        ),
    )


def vanished_table(data: SymbolSeries, occurring: np.ndarray, released: np.ndarray) -> dict[str, pa.Table]:
    """The same symbols as a table for the custodian's folder; nothing where none vanished."""
    gone = np.setdiff1d(occurring, released)
    names = pa.array([data.alphabet[i] for i in gone], pa.string())
    return {"vanished": pa.table({"symbol": names})} if len(gone) else {}


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
    return _Owned(_count_owned(data, n, cap), _longest(data))


def _count_owned(data: SymbolSeries, n: int, cap: int | None) -> OwnedGrams:
    boundary = len(data.alphabet)
    padded = with_boundary(data.symbols, data.offsets, n, boundary)
    return count_owned(*padded, owners(data), n, boundary + 1, cap=cap)


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
