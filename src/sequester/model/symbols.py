"""Symbolized series: sequences over a small alphabet."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from sequester.errors import InputError, counted
from sequester.model.kind import Data, Fact, frozen, identifiers, stretches


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SymbolSeries(Data):
    """Series of symbols, one after the other; series *i* is `symbols[offsets[i]:offsets[i+1]]`."""

    symbols: np.ndarray
    """All series (`uint16`), codes into `alphabet`."""
    offsets: np.ndarray
    """Start of every series and the end of the last (`int64`)."""
    alphabet: tuple[str, ...]
    """What the codes mean, in order; no symbol contains white space."""
    persons: np.ndarray = field(default=None)  # type: ignore[arg-type]
    """Whose series it is; by default every series is a person of its own."""
    people_known: bool = True
    """Whether the source says whose series it is; if not, `persons` is only a guess and promises nothing."""
    names_public: bool = False
    """Whether the symbols were declared; if they were found in the data, a rare one betrays that somebody has it."""
    reading: tuple[Fact, ...] = ()
    """How it was read, as far as readers of a release must know."""
    notes: tuple[str, ...] = ()
    """What a reader did on the way, in counts: rows left out, cells that could not be read."""

    kind: ClassVar[str] = "symbols"
    grows_with: ClassVar[str] = "symbols"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "symbols", frozen(self.symbols, np.uint16))
        set_(self, "offsets", frozen(self.offsets, np.int64))
        set_(self, "alphabet", tuple(str(s) for s in self.alphabet))
        n = len(self.offsets) - 1
        if n < 0 or self.offsets[0] != 0 or self.offsets[-1] != len(self.symbols) or np.any(np.diff(self.offsets) < 0):
            raise InputError("SymbolSeries: offsets must rise from 0 to the number of symbols.")
        if len(set(self.alphabet)) != len(self.alphabet) or any(s.split() != [s] for s in self.alphabet):
            raise InputError("SymbolSeries: the alphabet must be distinct symbols without white space.")
        if len(self.symbols) and int(self.symbols.max()) >= len(self.alphabet):
            raise InputError(
                f"SymbolSeries: a code of {int(self.symbols.max())} for {counted(len(self.alphabet), 'symbol')}."
            )
        set_(self, "persons", identifiers(self.persons, n, "SymbolSeries"))

    def describe(self) -> str:
        return f"{self.n_records} series of {self.n_people} people, {counted(len(self.symbols), 'symbol')}"

    def take(self, rows: np.ndarray) -> Self:
        """The records `rows`, in that order; one that is taken again is a record of its own."""
        inside, offsets = stretches(self.offsets, rows)
        return replace(self, symbols=self.symbols[inside], offsets=offsets, persons=self.persons[rows])
