"""The naive way to hide an anomaly: append copies of it and count again (Pajoohan 2016, sections 4.1 and 4.3).

The anomaly stands in the first series that holds it, or in the window of the rarest grams.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.engines import Engine
from sequester.errors import InputError, counted, verb_for
from sequester.guarantees.copied_anomaly import copied_anomaly
from sequester.layouts.grams import write as ngram_rows
from sequester.method import Method
from sequester.methods.ngrams.shared.counting import Appended, tables_of
from sequester.model import Data, SymbolSeries
from sequester.options import option
from sequester.papers import NGRAMS
from sequester.primitives.ngrams import Grams, count_grams, gram_codes
from sequester.release import Guarantee, Release


class Window(NamedTuple):
    """A window and where it stands."""

    series: int
    """Number of the series in the order of the source."""
    part: str
    """Name of the part that holds it."""
    local: int
    """Number of the series in its part."""
    window: np.ndarray


class _Hit(NamedTuple):
    """The best window of a part."""

    mean: float
    local: int
    at: int
    window: np.ndarray


def given_window(data: SymbolSeries, window: np.ndarray, engine: Engine) -> Window:
    """The first series in which a window occurs."""
    hits = _everywhere(data, partial(_first_series, window=window), engine)
    if not hits:
        raise InputError("anonymize: the anomaly occurs in no series. Check ‹anomaly=›.")
    return min(hits, key=lambda hit: hit[0])[2]


def rarest_window(data: SymbolSeries, length: int, table: Grams, engine: Engine) -> Window:
    """The window whose grams are rarest on average; of equal ones the first of the source."""
    hits = _everywhere(data, partial(_rarest, length=length, table=table), engine)
    if not hits:
        raise InputError(f"anonymize: no series is as long as the window of {length} symbols. Shorten it.")
    return min(hits, key=lambda hit: (hit[1].mean, hit[0], hit[1].at))[2]


def _everywhere(data: SymbolSeries, look: partial[_Hit | None], engine: Engine) -> list[tuple[int, _Hit, Window]]:
    """The hit of every part, with the number of its series in the source."""
    found = engine.map(look, data, "searching")
    out = []
    for hit, part, number in zip(found, data.parts, data.numbers_by_part(), strict=True):
        if hit is not None:
            series = int(number[hit.local])
            out.append((series, hit, Window(series, part.name, hit.local, hit.window)))
    return out


def _first_series(data: SymbolSeries, *, window: np.ndarray) -> _Hit | None:
    for i in range(data.n_records):
        series = data.symbols[data.offsets[i] : data.offsets[i + 1]]
        if len(series) >= len(window):
            places = np.lib.stride_tricks.sliding_window_view(series, len(window))
            if (places == window).all(axis=1).any():
                return _Hit(0.0, i, 0, window)
    return None


def _rarest(data: SymbolSeries, *, length: int, table: Grams) -> _Hit | None:
    codes = gram_codes(data.symbols, data.offsets, table.order, len(data.alphabet))
    counts = table.counts[np.searchsorted(table.codes, codes)].astype(np.float64)
    inside, best = length - table.order + 1, (np.inf, -1, -1)
    at = 0
    for i in range(data.n_records):
        size = int(data.offsets[i + 1] - data.offsets[i])
        mine = counts[at : at + max(0, size - table.order + 1)]
        at += len(mine)
        if len(mine) >= inside:
            means = np.convolve(mine, np.ones(inside) / inside, mode="valid")
            best = min(best, (float(means.min()), i, int(means.argmin())))
    if best[1] < 0:
        return None
    start = int(data.offsets[best[1]]) + best[2]
    return _Hit(best[0], best[1], best[2], data.symbols[start : start + length].copy())


@dataclass(frozen=True, kw_only=True)
class NgramCopy(Method):
    """Append one anomalous window to its series until the window's own grams reach k, and publish the counts."""

    k: int = option(low=2, why="A count of 1 hides nothing.")
    """Count the grams inside the window must reach, at least 2."""
    n: int = option(3, low=1, level="everyday")
    """Longest gram."""
    length: int = option(5, low=1, level="everyday")
    """Symbols of the window to look for: the one whose grams are rarest on average."""
    anomaly: tuple[str, ...] = option((), withheld=True, level="everyday")
    """The window itself, symbol by symbol, if it is known; then nothing is looked for. Only its length is published."""
    copies: int | None = option(None, low=0, level="paper")
    """How many copies to append; by default as many as the window's grams need."""

    id: ClassVar[str] = "ngram-copy"
    accepts: ClassVar[type] = SymbolSeries
    paper: ClassVar[str] = NGRAMS
    layout = "grams"
    needs_everybody = False
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "n": 3}
    baseline: ClassVar[bool] = True

    @classmethod
    def from_parameters(cls, parameters: Mapping[str, Any]) -> Self:
        """As told; of an anomaly only the length is told, and the promise does not depend on it."""
        anomaly = parameters.get("anomaly", ())
        return super().from_parameters({**parameters, "anomaly": () if isinstance(anomaly, int) else anomaly})

    def idle(self, data: Data | None = None) -> Mapping[str, str]:
        """A length to look for, where nothing is looked for."""
        return {"length": "a search, so not with ‹anomaly=›"} if self.anomaly else {}

    @property
    def guarantee(self) -> Guarantee:
        """Nothing beyond the copied window."""
        return copied_anomaly(self.k, self.n)

    def apply(self, data: SymbolSeries, *, rng: Randomness, engine: Engine) -> Release:
        """Find the window, append it, count."""
        alphabet = data.alphabet
        before = tables_of(data, self.n, engine)
        if self.anomaly:
            found = given_window(data, self._coded(alphabet), engine)
        else:
            found = rarest_window(data, self.length, before[: min(self.n, self.length)][-1], engine)
        copies = self.copies if self.copies is not None else self._missing(before, found.window, len(alphabet))
        tables = tables_of(data, self.n, engine, Appended(found.part, found.local, found.window, copies))
        copied = pa.table(
            {"window": [" ".join(alphabet[x] for x in found.window)], "copies": [copies], "series": [found.series]}
        )
        return Release(
            tables={"ngrams": ngram_rows(tables, alphabet)},
            guarantee=self.guarantee,
            method=self,
            private={"copied": copied},
        )

    def _coded(self, alphabet: tuple[str, ...]) -> np.ndarray:
        unknown = sum(s not in alphabet for s in self.anomaly)
        if unknown:
            raise InputError(
                f"anonymize: {unknown} of {counted(len(self.anomaly), 'symbol')} of the anomaly "
                f"{verb_for(unknown, 'is', 'are')} not in the alphabet of {counted(len(alphabet), 'symbol')}. Check "
                "‹anomaly=›."
            )
        return np.array([alphabet.index(s) for s in self.anomaly], dtype=np.uint16)

    def _missing(self, before: list[Grams], window: np.ndarray, n_symbols: int) -> int:
        """Copies until the rarest gram inside the window reaches k."""
        table = before[min(self.n, len(window)) - 1]
        inner = count_grams(window, np.array([0, len(window)]), table.order, n_symbols).codes
        return max(0, self.k - int(table.counts[np.searchsorted(table.codes, inner)].min()))
