"""Two layouts of symbols: counts of short patterns, and a sequence of letters per record.

Counts stand in a table `ngrams` with one row per gram, and what a method tells beside it. Letters may end early
(`bfp2ka`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError
from sequester.primitives.ngrams import unpack

TABLE = "ngrams"
COLUMNS = ("order", "gram", "count")
END = "&"
"""Stands for the end of a series in a gram, and in tables counted by person for its beginning too."""
Gram = tuple[str, ...]


class HasTables(Protocol):
    """A claim, a release or an opened bundle."""

    @property
    def tables(self) -> Mapping[str, pa.Table]: ...


class Grams:
    """A released table of grams as arrays, in the order of its rows."""

    def __init__(self, orders: np.ndarray, words: list[str], counts: np.ndarray) -> None:
        self.orders, self.words, self.counts = orders, words, counts

    @staticmethod
    def there(claim: HasTables) -> bool:
        """Whether a release has such a table at all; one from elsewhere may lack it."""
        table = claim.tables.get(TABLE)
        return table is not None and set(COLUMNS) <= set(table.column_names)

    @classmethod
    def read(cls, claim: HasTables) -> Self:
        """The table of a release."""
        if not cls.there(claim):
            raise InputError(f"the release has no table '{TABLE}' with the columns {', '.join(COLUMNS)}.")
        table = claim.tables[TABLE]
        return cls(table["order"].to_numpy(), table["gram"].to_pylist(), table["count"].to_numpy())

    @property
    def longest(self) -> int:
        """Symbols of the longest released gram; 0 for an empty table."""
        return int(self.orders.max()) if len(self.orders) else 0

    @cached_property
    def counted(self) -> dict[str, int]:
        """Gram, its symbols joined by a space → count."""
        return dict(zip(self.words, self.counts.tolist(), strict=True))

    @cached_property
    def by_order(self) -> dict[int, dict[Gram, int]]:
        """Order → gram → count."""
        out: dict[int, dict[Gram, int]] = {}
        for word, count in self.counted.items():
            symbols = tuple(word.split(" "))
            out.setdefault(len(symbols), {})[symbols] = count
        return out

    @cached_property
    def alphabet(self) -> tuple[str, ...]:
        """Symbols that occur in released grams, as they first appear."""
        return tuple(dict.fromkeys(x for word in self.words for x in word.split(" ") if x != END))

    def coded(self, alphabet: Sequence[str]) -> dict[int, dict[tuple[int, ...], int]]:
        """Order → gram as numbers of an alphabet → count; a gram with another symbol, such as the end, is left out."""
        code = {x: i for i, x in enumerate(alphabet)}
        return {
            order: {tuple(code[x] for x in g): c for g, c in grams.items() if all(x in code for x in g)}
            for order, grams in self.by_order.items()
        }


def write(tables: Sequence[Any], alphabet: Sequence[str]) -> pa.Table:
    """From packed tables, one for each order: shortest first, lexicographic by the alphabet's order."""
    letters = pa.array(list(alphabet), pa.string())
    orders, grams, counts = [], [], []
    for table in tables:
        rows = unpack(table.codes, table.order, table.bits)
        words = [letters.take(pa.array(np.ascontiguousarray(column))) for column in rows.T]
        grams.append(pc.binary_join_element_wise(*words, " ") if table.order > 1 else words[0])
        orders.append(np.full(len(rows), table.order, dtype=np.int64))
        counts.append(np.asarray(table.counts, dtype=np.int64))
    return _table(np.concatenate(orders), pa.chunked_array(grams).combine_chunks(), np.concatenate(counts))


def write_words(words: Sequence[str], counts: Sequence[int]) -> pa.Table:
    """From grams whose symbols are joined by a space, in the order in which they are to stand."""
    orders = np.array([word.count(" ") + 1 for word in words], dtype=np.int64)
    return _table(orders, pa.array(list(words), pa.string()), np.array(counts, dtype=np.int64))


def _table(orders: np.ndarray, grams: Any, counts: np.ndarray) -> pa.Table:
    columns = (pa.array(orders, pa.int64()), grams, pa.array(counts, pa.int64()))
    return pa.table(dict(zip(COLUMNS, columns, strict=True)))


@dataclass(frozen=True, kw_only=True)
class Letters:
    """One released row per record. Tables: `sequences`, `alphabet`."""

    record: np.ndarray
    sequences: list[tuple[str, ...]]
    letters: tuple[str, ...]
    stands_for: np.ndarray
    """The value behind every letter."""

    @classmethod
    def read(cls, claim: Any) -> Letters:
        """The tables of a claim, or a mapping of tables, as arrays."""
        tables = getattr(claim, "tables", claim)
        table, alphabet = tables["sequences"], tables["alphabet"]
        return cls(
            record=table.column("record").to_numpy(),
            sequences=[tuple(s.split(" ")) if s else () for s in table.column("sequence").to_pylist()],
            letters=tuple(alphabet.column("letter").to_pylist()),
            stands_for=np.asarray(alphabet.column("value").to_numpy(), dtype=np.float64),
        )

    def tables(self) -> dict[str, Any]:
        text = pa.array([" ".join(s) for s in self.sequences], pa.string())
        names = pa.array(list(self.letters), pa.string())
        return {
            "sequences": pa.table({"record": self.record, "sequence": text}),
            "alphabet": pa.table({"value": pa.array(self.stands_for, pa.float64()), "letter": names}),
        }

    def values(self) -> np.ndarray:
        """Records x positions: the value behind every letter up to the sequence's end, nothing (NaN) after it."""
        value = dict(zip(self.letters, self.stands_for.tolist(), strict=True))
        out = np.full((len(self.sequences), max((len(s) for s in self.sequences), default=0)), np.nan)
        for i, s in enumerate(self.sequences):
            out[i, : len(s)] = [value[c] for c in s]
        return out
