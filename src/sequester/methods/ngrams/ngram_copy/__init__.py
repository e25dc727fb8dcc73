"""The naive way to hide an anomaly: append copies of it and count again (Pajoohan 2016, sections 4.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np

from sequester.errors import InputError, agreed, counted
from sequester.guarantees.copied_anomaly import copied_anomaly
from sequester.layouts.grams import write as ngram_rows
from sequester.method import WITHHELD, Method
from sequester.methods.ngrams.shared.demands import require_grams
from sequester.model import Data, Parts, SymbolSeries
from sequester.papers import NGRAMS
from sequester.release import Guarantee, Release

if TYPE_CHECKING:
    from sequester.dp.randomness import Randomness
    from sequester.engines import Engine


@dataclass(frozen=True, kw_only=True)
class NgramCopy(Method):
    """Append one anomalous window to its series until the window's own grams reach k, and publish the counts."""

    k: int
    """Count the grams inside the window must reach, at least 2."""
    n: int = 3
    """Longest gram."""
    length: int = 5
    """Symbols of the window to look for: the one whose grams are rarest on average."""
    anomaly: tuple[str, ...] = field(default=(), metadata=WITHHELD)
    """The window itself, symbol by symbol, if it is known; then nothing is looked for. Only its length is published."""
    copies: int | None = None
    """How many copies to append; by default as many as the window's grams need."""

    id: ClassVar[str] = "ngram-copy"
    accepts: ClassVar[type] = SymbolSeries
    paper: ClassVar[str] = NGRAMS
    layout = "grams"
    example: ClassVar[Mapping[str, Any]] = {"k": 5, "n": 3}
    baseline: ClassVar[bool] = True

    def __post_init__(self) -> None:
        self.require("k", 2, why="A count of 1 hides nothing.")
        self.require("n", 1)
        self.require("length", 1)
        if self.copies is not None:
            self.require("copies", 0)

    @classmethod
    def from_parameters(cls, told: Mapping[str, Any]) -> Self:
        """As told; of an anomaly only the length is told, and the promise does not depend on it."""
        anomaly = told.get("anomaly", ())
        return super().from_parameters({**told, "anomaly": () if isinstance(anomaly, int) else anomaly})

    def idle(self, data: Data | Parts | None = None) -> Mapping[str, str]:
        """A length to look for, where nothing is looked for."""
        return {"length": "a search, so not with ‹anomaly=›"} if self.anomaly else {}

    @property
    def guarantee(self) -> Guarantee:
        """Nothing beyond the copied window."""
        return copied_anomaly(self.k, self.n)

    def apply(self, data: SymbolSeries, *, rng: Randomness, engine: Engine) -> Release:
        """Find the window, append it, count."""
        import pyarrow as pa

        from sequester.primitives.ngrams import count_tables

        require_grams(data, self.n)
        series, window = self._window(data)
        copies = self.copies if self.copies is not None else self._missing(data, window)
        end = int(data.offsets[series + 1])
        symbols = np.concatenate((data.symbols[:end], np.tile(window, copies), data.symbols[end:]))
        offsets = data.offsets + np.where(np.arange(len(data.offsets)) > series, copies * len(window), 0)
        tables = count_tables(symbols, offsets, self.n, len(data.alphabet), threads=engine.threads)
        copied = pa.table(
            {"window": [" ".join(data.alphabet[x] for x in window)], "copies": [copies], "series": [series]}
        )
        return Release(
            tables={"ngrams": ngram_rows(tables, data.alphabet)},
            guarantee=self.guarantee,
            method=self,
            private={"copied": copied},
        )

    def _window(self, data: SymbolSeries) -> tuple[int, np.ndarray]:
        """The series an anomaly stands in, and its symbols."""
        if self.anomaly:
            return self._given(data)
        from sequester.primitives.ngrams import count_grams, gram_codes

        order = min(self.n, self.length)
        table = count_grams(data.symbols, data.offsets, order, len(data.alphabet))
        codes = gram_codes(data.symbols, data.offsets, order, len(data.alphabet))
        counts = table.counts[np.searchsorted(table.codes, codes)].astype(np.float64)
        inside, best = self.length - order + 1, (np.inf, -1, -1)
        at = 0
        for i in range(data.n_records):
            length = int(data.offsets[i + 1] - data.offsets[i])
            mine = counts[at : at + max(0, length - order + 1)]
            at += len(mine)
            if len(mine) >= inside:
                means = np.convolve(mine, np.ones(inside) / inside, mode="valid")
                best = min(best, (float(means.min()), i, int(means.argmin())))
        if best[1] < 0:
            raise InputError(f"anonymize: no series is as long as the window of {self.length} symbols. Shorten it.")
        start = int(data.offsets[best[1]]) + best[2]
        return best[1], data.symbols[start : start + self.length]

    def _given(self, data: SymbolSeries) -> tuple[int, np.ndarray]:
        unknown = sum(s not in data.alphabet for s in self.anomaly)
        if unknown:
            raise InputError(
                f"anonymize: {unknown} of {counted(len(self.anomaly), 'symbol')} of the anomaly "
                f"{agreed(unknown, 'is', 'are')} not in the "
                "alphabet of "
                f"{counted(len(data.alphabet), 'symbol')}. Check ‹anomaly=›."
            )
        window = np.array([data.alphabet.index(s) for s in self.anomaly], dtype=np.uint16)
        for i in range(data.n_records):
            series = data.symbols[data.offsets[i] : data.offsets[i + 1]]
            if len(series) >= len(window):
                places = np.lib.stride_tricks.sliding_window_view(series, len(window))
                if (places == window).all(axis=1).any():
                    return i, window
        raise InputError("anonymize: the anomaly occurs in no series. Check ‹anomaly=›.")

    def _missing(self, data: SymbolSeries, window: np.ndarray) -> int:
        """Copies until the rarest gram inside the window reaches k."""
        from sequester.primitives.ngrams import count_grams

        order = min(self.n, len(window))
        table = count_grams(data.symbols, data.offsets, order, len(data.alphabet))
        inner = count_grams(window, np.array([0, len(window)]), order, len(data.alphabet)).codes
        return max(0, self.k - int(table.counts[np.searchsorted(table.codes, inner)].min()))
