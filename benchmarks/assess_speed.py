"""How long does it take to tell how identifying an original is? A hundred thousand people, two weeks of minutes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.model.kind import Data

TITLE = "Speed of assess"
NOTE = """A thousand people are sampled in each case; compile time is excluded by a warm-up. `people per second` counts
the people of the whole data set."""


def run() -> Iterator[dict[str, Any]]:
    """Rows: one per kind and size."""
    for name, make, options in CASES:
        for n in (1_000, SIZES[name]):
            data = make(n)
            sq.assess(make(50), **options)
            begun = time.perf_counter()
            found = sq.assess(data, **options)
            seconds = time.perf_counter() - begun
            yield {"bench": "assess_speed", "what": name, "n": n, "seconds": seconds, "people per second": n / seconds,
                   "unicity": found["unicity"]}  # fmt: skip


def minutes(n: int) -> Data:
    """Two weeks of minutes in bouts of twenty."""
    bouts = np.random.default_rng(0).integers(0, 4, (n, 1008), dtype=np.uint8)
    return Activities(states=np.repeat(bouts, 20, axis=1), state_names=("rest", "walk", "run", "missing"))


def panel(n: int) -> Data:
    """Ten values of two decimals."""
    return Series(values=np.random.default_rng(0).normal(size=(n, 10)).round(2))


def log(n: int) -> Data:
    """Up to thirty events within two years, frequent and rare states."""
    rng = np.random.default_rng(0)
    lengths = rng.integers(1, 30, n)
    owner = np.repeat(np.arange(n), lengths)
    times = rng.integers(0, 730 * 86400, len(owner))
    order = np.lexsort((times, owner))
    states = np.minimum(rng.geometric(0.2, len(owner)) - 1, 15)
    return EventLog(
        offsets=np.concatenate([[0], np.cumsum(lengths)]), states=states, times=times[order],
        state_names=tuple(str(i) for i in range(16)),
    )  # fmt: skip


def symbols(n: int) -> Data:
    """Fifty symbols of an alphabet of four."""
    codes = np.random.default_rng(0).integers(0, 4, n * 50)
    return SymbolSeries(symbols=codes, offsets=np.arange(n + 1) * 50, alphabet=("a", "b", "c", "d"))


def notes(n: int) -> Data:
    """Three hundred characters of ten letters."""
    codes = np.random.default_rng(0).integers(97, 107, (n, 300), dtype=np.uint8)
    return Corpus(utf8=codes.reshape(-1), offsets=np.arange(n + 1) * 300)


SIZES = {"activity": 10_000, "series": 100_000, "events by day": 100_000, "events by order": 100_000,
         "symbols": 100_000, "text": 20_000}  # fmt: skip
CASES: tuple[tuple[str, Any, dict[str, Any]], ...] = (
    ("activity", minutes, {}),
    ("series", panel, {}),
    ("events by day", log, {"precision": "day"}),
    ("events by order", log, {"precision": "order"}),
    ("symbols", symbols, {"gram": 5}),
    ("text", notes, {"length": 6}),
)

if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
