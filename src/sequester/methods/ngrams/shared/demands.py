"""What methods of n-grams ask of their data."""

from __future__ import annotations

import numpy as np

from sequester.errors import InputError
from sequester.layouts.grams import END
from sequester.model import SymbolSeries

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
