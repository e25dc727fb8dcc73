"""Where an anomaly stands: the first series that holds it, or the window of the rarest grams."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from sequester.engines import Engine
from sequester.errors import InputError
from sequester.model import SymbolSeries
from sequester.primitives.ngrams import Grams, gram_codes


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
