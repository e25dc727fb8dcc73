"""Questions to a bundle of series: how many records lie in these ranges, which have this shape. Never the original."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, nearest
from sequester.layouts.series_view import View, look_at, range_certainty, range_weights
from sequester.primitives.sax import pattern_loss
from sequester.query.bundle import Bundle

Range = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class Count:
    """How many records answer a question."""

    estimate: float
    """Expected number, if every value is uniform in its range and on its own."""
    at_least: int | None
    """No fewer, whatever the values (None: the release holds values drawn at random, nothing is sure)."""
    at_most: int | None
    """No more."""

    def __str__(self) -> str:
        if self.at_least is None:
            return f"{self.estimate:.2f} (no sure bounds: values were drawn at random)"
        return f"{self.estimate:.2f} (at least {self.at_least}, at most {self.at_most})"


class SeriesBundle(Bundle):
    """A bundle of series with range counts, pattern similarity and their combinations."""

    @cached_property
    def view(self) -> View:
        """Ranges and shapes per released row, unpublished ones estimated."""
        return look_at(self.tables, self.parameters)

    @property
    def times(self) -> tuple[str, ...]:
        """Names of the times, in order."""
        return self.view.times

    def count(
        self,
        ranges: Mapping[str, Range] | None = None,
        /,
        *,
        similar: Sequence[float] | Mapping[str, float] | None = None,
        within: float | None = None,
        differences: Mapping[tuple[str, str], Range] | None = None,
        values: Mapping[str, Sequence[Any]] | None = None,
        **more: Range,
    ) -> Count:
        """Count records by value ranges, and by pattern if asked: `count(t3=(0.2, 0.4), t5=(0, 1))`.

        Parameters
        ----------
        ranges
            Time → (low, high), both included; times may also be given as keywords.
        similar, within
            Only records whose published pattern is within this distance (1 - correlation) of a series.
        differences
            Pattern ranges: (time, earlier time) → (low, high) for the difference of the normalised shape.
        values
            Only records whose published column has one of these values: `{"outcome": ["home"]}`. A column of numbers
            that is published as it is may also stand in `ranges`.

        The bounds are about values: among the rows whose *published* pattern fits, between `at_least` and `at_most`
        have values in the ranges.
        """
        asked = {**(ranges or {}), **more}
        plain = {name: asked.pop(name) for name in list(asked) if name not in self.times and name in self._plain()}
        wanted = self._wanted(asked)
        fits = self._fits(similar, within, differences) & self._with(values or {}, plain)
        view = self.view
        weight = range_weights(view.lo, view.hi, wanted)
        inside, meets = range_certainty(view.hard_lo, view.hard_hi, wanted)
        return Count(
            estimate=float(np.nansum(weight[fits])),
            at_least=int((inside & fits).sum()) if view.exact else None,
            at_most=int((meets & fits).sum()) if view.exact else None,
        )

    def _plain(self) -> list[str]:
        """Columns that are published as they are, beside the series."""
        table = self.tables.get("records")
        if table is None:
            return []
        known = {"record", "group", "pattern", "level", *self.times}
        known |= {f"{t}{end}" for t in self.times for end in ("_lo", "_hi")}
        return [c for c in table.column_names if c not in known]

    def _with(self, values: Mapping[str, Sequence[Any]], plain: Mapping[str, Range]) -> np.ndarray:
        """Rows whose plain columns have the values that are asked for."""
        fits = np.ones(len(self.view.record), dtype=bool)
        for name in (*values, *plain):
            if name not in self._plain():
                there = ", ".join(self._plain()) or "none"
                raise InputError(f"query: no column '{name}' is published as it is; there are: {there}.")
        for name, wanted in values.items():
            stated = self.tables["records"][name].to_pylist()
            found = {str(v) for v in stated}
            odd = [str(v) for v in wanted if str(v) not in found]
            if odd:
                some = ", ".join(sorted(found)[:8])
                raise InputError(f"query: '{name}' has no value '{odd[0]}' in this release. Found: {some}.")
            fits &= np.array([str(v) in {str(w) for w in wanted} for v in stated])
        for name, (low, high) in plain.items():
            stated = self.tables["records"][name].to_pylist()
            if any(isinstance(v, str) for v in stated):
                raise InputError(f"query: '{name}' holds words; write {name} = VALUE.")
            fits &= np.array([v is not None and low <= v <= high for v in stated])
        return fits

    def similar(self, series: Sequence[float] | Mapping[str, float], within: float) -> pa.Table:
        """Released rows whose pattern is within that distance (1 - correlation) of a series, nearest first."""
        distance = self._distance(series)
        if not within >= 0:
            raise InputError(f"query: within must be a distance of at least 0, got {within!r}.")
        found = np.flatnonzero(distance <= within)
        found = found[np.argsort(distance[found], kind="stable")]
        table = next(self.tables[n] for n in ("records", "sequences") if n in self.tables)
        keep = [c for c in ("record", "group", "pattern", "level", "sequence") if c in table.column_names]
        return table.select(keep).take(pa.array(found)).append_column("distance", pa.array(distance[found]))

    def matching(self, differences: Mapping[tuple[str, str], Range]) -> pa.Table:
        """Released rows whose normalised shape has these differences: {("t3", "t1"): (0.5, 2)} for t3 - t1."""
        table = next(self.tables[n] for n in ("records", "sequences") if n in self.tables)
        return table.take(pa.array(np.flatnonzero(self._fits(None, None, differences))))

    def estimated(self) -> pa.Table:
        """Per released row the sure range and the letter shape at every time, published or estimated.

        `<t>_lo`, `<t>_hi` are infinite where nothing published bounds the value; `<t>_shape` is the pattern read back.
        """
        view = self.view
        columns: dict[str, Any] = {"record": view.record}
        for j, name in enumerate(view.times):
            columns[f"{name}_lo"], columns[f"{name}_hi"] = view.hard_lo[:, j], view.hard_hi[:, j]
            columns[f"{name}_shape"] = view.shape[:, j]
        return pa.table(columns)

    def _wanted(self, ranges: Mapping[str, Range]) -> list[tuple[int, float, float]]:
        out = []
        for name, span in ranges.items():
            try:
                a, b = (float(x) for x in span)
            except (TypeError, ValueError):
                raise InputError(f"query: the range of '{name}' must be two numbers, (low, high).") from None
            if not a <= b:
                raise InputError(f"query: the range of '{name}' runs backwards; give (low, high).")
            out.append((self._time(name), a, b))
        return out

    def _time(self, name: str) -> int:
        if name not in self.times:
            close = nearest(name, self.times)
            hint = f" Did you mean '{close}'?" if close else ""
            raise InputError(f"query: no time '{name}'; the bundle has {', '.join(self.times)}.{hint}")
        return self.times.index(name)

    def _distance(self, series: Sequence[float] | Mapping[str, float]) -> np.ndarray:
        at: list[int] = list(range(len(self.times)))
        if isinstance(series, Mapping):
            at = [self._time(name) for name in series]
            series = list(series.values())
        asked = np.asarray(series, dtype=np.float64)
        if asked.ndim != 1 or len(asked) != len(at) or len(asked) < 2 or not np.isfinite(asked).all():
            raise InputError(
                f"query: similar needs one finite number per time ({len(self.times)}: {', '.join(self.times)}), or a "
                "mapping from at least two times."
            )
        shape = self.view.shape[:, at]
        return pattern_loss(np.broadcast_to(asked, shape.shape), shape)

    def _fits(
        self,
        similar: Sequence[float] | Mapping[str, float] | None,
        within: float | None,
        differences: Mapping[tuple[str, str], Range] | None,
    ) -> np.ndarray:
        if (similar is None) != (within is None):
            raise InputError("query: similar and within belong together; give both or neither.")
        fits = np.ones(len(self.view.record), dtype=bool)
        if similar is not None and within is not None:
            fits &= self._distance(similar) <= within
        for (one, other), (a, b) in (differences or {}).items():
            gap = self.view.shape[:, self._time(one)] - self.view.shape[:, self._time(other)]
            fits &= (gap >= a) & (gap <= b)
        return fits
