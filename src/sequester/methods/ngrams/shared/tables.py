"""The published form of an n-gram table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from sequester.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa

    from sequester.model import SymbolSeries


def ngram_rows(tables: Sequence[Any], alphabet: Sequence[str]) -> pa.Table:
    """Order, gram (symbols joined by a space) and count: shortest first, lexicographic by the alphabet's order."""
    import pyarrow as pa
    import pyarrow.compute as pc

    from sequester.primitives.ngrams import unpack

    letters = pa.array(list(alphabet), pa.string())
    orders, grams, counts = [], [], []
    for table in tables:
        rows = unpack(table.codes, table.order, table.bits)
        words = [letters.take(pa.array(np.ascontiguousarray(column))) for column in rows.T]
        grams.append(pc.binary_join_element_wise(*words, " ") if table.order > 1 else words[0])
        orders.append(np.full(len(rows), table.order, dtype=np.int64))
        counts.append(np.asarray(table.counts, dtype=np.int64))
    return pa.table(
        {
            "order": pa.array(np.concatenate(orders)),
            "gram": pa.chunked_array(grams).combine_chunks(),
            "count": pa.array(np.concatenate(counts)),
        }
    )


def require_grams(data: SymbolSeries, n: int) -> None:
    """Refuse data in which no series is long enough for a single n-gram."""
    longest = int(np.diff(data.offsets).max()) if data.n_records else 0
    if longest < n:
        raise InputError(
            f"anonymize: n={n} needs a series of {n} symbols, the longest of {data.n_records} has {longest}. "
            "Lower n, shorten the window or add data."
        )


def owners(data: SymbolSeries) -> np.ndarray:
    """The person of every series as a number; refuses data that does not say whose series is whose."""
    if not data.people_known:
        raise InputError(
            "anonymize: a promise about people needs to know whose series each is, and the source does not say. Pass "
            "--person (a column, or 'each' when every series is a person of its own), or count occurrences."
        )
    return np.unique(data.persons.astype(str), return_inverse=True)[1]
