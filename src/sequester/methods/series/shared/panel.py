"""What the methods of this family ask of a panel before they start: whole rows, enough of them, one per person.

Missing values are filled along time where that is asked for. Two series are alike in shape by their normalised values,
or by numbers of your own.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib.metadata import entry_points

import numpy as np

from sequester.errors import InputError, ParameterError, counted, nearest
from sequester.method import Method
from sequester.model import Fact, Invented, Series
from sequester.primitives.sax import z_normalize
from sequester.release import Note


def fill_along_time(values: np.ndarray, gap: int) -> np.ndarray:
    """Missing values on the straight line between their neighbours in time; at the ends, the nearest value.

    A row with more than `gap` missing values one after the other stays as it is.
    """
    out = np.array(values, dtype=np.float64)
    hole = np.isnan(out)
    at = np.arange(out.shape[1])
    for i in np.flatnonzero(fillable(hole, gap) & hole.any(axis=1)):
        out[i] = np.interp(at, at[~hole[i]], out[i, ~hole[i]])
    return out


def fillable(hole: np.ndarray, gap: int) -> np.ndarray:
    """Which rows have a value and at most `gap` missing ones one after the other."""
    so_far = np.zeros(len(hole), dtype=np.int64)
    longest = so_far.copy()
    for column in hole.T:
        so_far = np.where(column, so_far + 1, 0)
        longest = np.maximum(longest, so_far)
    found: np.ndarray = (longest <= gap) & ~hole.all(axis=1)
    return found


UNDECLARED = "the columns of numbers"
"""How a reader says that it took every column of numbers for a time."""
RESERVED = ("record", "group", "pattern", "level")


@dataclass(frozen=True)
class Panel:
    """The rows that take part."""

    values: np.ndarray
    """Records x times, nothing missing."""
    rows: np.ndarray
    """Their places in the source."""
    dropped: np.ndarray
    """Places of the rows left out because values were missing."""
    filled: int = 0
    """Values that were missing and lie on a line between others now."""

    @property
    def invented(self) -> tuple[Invented, ...]:
        """What the method filled, in numbers."""
        n, of = self.filled, self.values.size
        return (Invented("values", "filled along time", n, of),) if n else ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """The same for the manifest."""
        return tuple(i.fact for i in self.invented)

    @property
    def notes(self) -> tuple[Note, ...]:
        """The same for the custodian."""
        return tuple(Note("invented", f"{i}.") for i in self.invented)


def whole_panel(method: Method, data: Series, *, k: int, unit: str, missing: str, gap: int) -> Panel:
    """Apply the rules on missing values, people and size; never changes the data."""
    who = type(method).__name__
    n, width = data.values.shape
    if width == 0:
        raise InputError(f"{who}: the data has no time columns. Name them with ‹quasi=›, or check the file.")
    clash = [
        name
        for name in data.sensitive
        if name in RESERVED or any(name in (t, f"{t}_lo", f"{t}_hi") for t in data.times)
    ]
    if clash:
        raise InputError(f"{who}: the sensitive column '{clash[0]}' has the name of a released column. Rename it.")
    if unit == "person" and not data.people_known:
        raise InputError(
            f"{who}: a promise per person needs to know whose record each is, and the source does not say. Pass "
            "‹person=› (a column, or 'each' when every row is a person of its own), or ‹unit='record'›."
        )
    if unit == "person" and data.n_people < n:
        raise InputError(
            f"{who}: {counted(n, 'record belongs', 'records belong')} to "
            f"{counted(data.n_people, 'person', 'people')}, and a promise per person needs one record each. "
            "Keep one record per person, or pass ‹unit='record'› for a promise that counts records."
        )
    lacking = np.isnan(data.values)
    bad = lacking.any(axis=1)
    values, keep = np.asarray(data.values), np.ones(n, dtype=bool)
    if bad.any() and missing == "refuse":
        raise InputError(
            f"{who}: {counted(int(lacking.sum()), 'value is', 'values are')} missing in {int(bad.sum())} of "
            f"{counted(n, 'record')} (first at row "
            f"{int(np.flatnonzero(bad)[0]) + 1}). Pass ‹missing='drop'› to leave those records out or ‹missing='fill'› "
            "to "
            "interpolate."
        )
    if bad.any() and missing == "fill" and any(f.name == "times" and f.value == UNDECLARED for f in data.reading):
        raise InputError(
            f"{who}: ‹missing='fill'› draws lines along time, and nobody declared which columns are times of one "
            "quantity. Name them with ‹quasi=›."
        )
    if bad.any():
        keep = ~bad if missing == "drop" else fillable(lacking, gap)
        values = values[keep] if missing == "drop" else fill_along_time(values[keep], gap)
    if len(values) < k:
        noun = "people" if unit == "person" else "records"
        lost = f" after {int((~keep).sum())} with missing values were left out" if not keep.all() else ""
        raise InputError(f"anonymize: k={k} needs {k} {noun}, the data has {len(values)}{lost}. Lower k or add data.")
    filled = int(lacking[keep].sum()) if missing == "fill" else 0
    return Panel(np.ascontiguousarray(values), np.flatnonzero(keep), np.flatnonzero(~keep), filled)


GROUP = "sequester.features"


def known_features() -> dict[str, object]:
    """Name → entry point."""
    return {point.name: point for point in entry_points(group=GROUP)}


def require_features(name: str) -> None:
    """Refuse a name nobody registered."""
    known = known_features()
    if name not in known:
        close = nearest(name, list(known))
        there = f"Did you mean '{close}'?" if close else f"Available: {', '.join(sorted(known)) or 'none'}."
        raise ParameterError(f"Kapra: no package registers features named '{name}' (entry point {GROUP}). {there}")


def shapes_by(name: str, values: np.ndarray) -> np.ndarray:
    """The numbers of that function, normalised row by row."""
    require_features(name)
    function = known_features()[name].load()  # type: ignore[attr-defined]
    found = np.asarray(function(np.array(values)), dtype=np.float64)
    if found.ndim != 2 or len(found) != len(values) or found.shape[1] < 2 or not np.isfinite(found).all():
        raise InputError(
            f"Kapra: the features '{name}' must give two or more finite numbers for each of {len(values)} records, "
            f"got an array of shape {found.shape}."
        )
    return z_normalize(found)
