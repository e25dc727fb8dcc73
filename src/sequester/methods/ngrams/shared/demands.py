"""What methods of n-grams ask of their data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from sequester.errors import InputError

if TYPE_CHECKING:
    from sequester.model import SymbolSeries


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
            "‹person=› (a column, or 'each' when every series is a person of its own), or count occurrences."
        )
    return np.unique(data.persons.astype(str), return_inverse=True)[1]
