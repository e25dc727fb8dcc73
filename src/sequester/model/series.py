"""Regular time series: one row of numbers per record."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from sequester.errors import InputError, counted
from sequester.model.kind import Data, Fact, columns, frozen, identifiers

LARGEST = 1e100
"""Beyond it squares of differences, and their sums, leave the range of numbers."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Series(Data):
    """A panel: the same time points for every record, and the sensitive values beside them."""

    values: np.ndarray
    """Records x times (`float64`); NaN is a missing value."""
    times: tuple[str, ...] = ()
    """Names of the time columns, in order."""
    persons: np.ndarray = field(default=None)  # type: ignore[arg-type]
    """Whose record it is; by default every record is a person of its own."""
    people_known: bool = True
    """Whether the source says whose record it is; if not, `persons` is only a guess and promises nothing."""
    sensitive: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Sensitive columns by name: float64, or object arrays of `str` and None."""
    letters: tuple[str, ...] = ()
    """For alphabetical sequences: value *i* stands for `letters[i]`. Empty for numbers."""
    reading: tuple[Fact, ...] = ()
    """How it was read, as far as readers of a release must know."""
    notes: tuple[str, ...] = ()
    """What a reader did on the way, in counts: rows left out, cells that could not be read."""

    kind: ClassVar[str] = "series"
    grows_with: ClassVar[str] = "values"
    travels: ClassVar[str] = "sensitive"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "values", frozen(self.values, np.float64))
        if self.values.ndim != 2:
            raise InputError(f"Series: values must be a table of records x times, got {self.values.ndim} dimensions.")
        n, width = self.values.shape
        times = tuple(str(t) for t in self.times) or tuple(f"t{j + 1}" for j in range(width))
        if len(times) != width or len(set(times)) != width:
            raise InputError(f"Series: {len(set(times))} distinct time names for {width} time columns.")
        set_(self, "times", times)
        if np.isinf(self.values).any():
            row = int(np.flatnonzero(np.isinf(self.values).any(axis=1))[0])
            raise InputError(
                f"Series: {int(np.isinf(self.values).sum())} infinite values (first at row {row + 1}). "
                "Replace them by a number or leave them empty."
            )
        beyond = np.abs(self.values) > LARGEST
        if beyond.any():
            row = int(np.flatnonzero(beyond.any(axis=1))[0])
            raise InputError(
                f"Series: {counted(int(beyond.sum()), 'value lies', 'values lie')} beyond {LARGEST:g} (first at row "
                f"{row + 1}), where sums of squares overflow. Correct them, or divide all values by a power of ten."
            )
        set_(self, "persons", identifiers(self.persons, n, "Series"))
        set_(self, "sensitive", columns(self.sensitive, n, "Series"))
        set_(self, "letters", tuple(self.letters))

    def describe(self) -> str:
        return (
            f"{counted(self.n_records, 'record')} of {counted(self.n_people, 'person', 'people')}, "
            f"{counted(len(self.times), 'time')}"
        )

    def take(self, rows: np.ndarray) -> Self:
        """The records `rows`, in that order; one that is taken again is a record of its own."""
        beside = {name: column[rows] for name, column in self.sensitive.items()}
        return replace(self, values=self.values[rows], persons=self.persons[rows], sensitive=beside)

    def blanked(self, rows: np.ndarray) -> Self:
        """The first value of `rows` missing, and all values of the last of them."""
        values = np.array(self.values)
        values[rows, 0] = np.nan
        values[rows[-1]] = np.nan
        return replace(self, values=values)
