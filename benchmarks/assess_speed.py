"""How long does it take to tell how identifying an original is? A hundred thousand people, two weeks of minutes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from benchmarks.growth import exponent
from benchmarks.memory import apart, cost_of, resident
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.model.kind import Data

TITLE = "Speed of assess"
NOTE = """A thousand people are sampled in each case; compile time is excluded by a warm-up, each kind has a process
of its own. `people per second` counts the people of the whole data set. `ratio` is to `numpy.sort` of the largest
array of the same data in the same process, `peak` memory beyond the idle process in units of the data's arrays, which
it includes. `exponent` is fitted over all sizes by least squares on processor time. No limit is stated here."""
CHART = {"x": "n", "y": "cpu_seconds", "color": "what", "scale": "log", "y_scale": "log"}


def run() -> Iterator[dict[str, Any]]:
    """Rows: one per kind and size, then how each kind grows."""
    for name in CASES:
        rows = apart("benchmarks.assess_speed", "one", name=name)
        yield from rows
        grown = exponent([r["n"] for r in rows], [r["cpu_seconds"] for r in rows])
        yield {"bench": "assess_speed", "what": f"growth: {name}", "exponent": grown}


def one(name: str) -> list[dict[str, Any]]:
    """All sizes of a kind; called in a process of its own."""
    make, options, largest = CASES[name]
    sq.assess(make(50), **options)
    out = []
    for n in (largest, largest // 2, largest // 4, largest // 8):
        before = resident()
        data = make(n)
        arrays = [a for a in vars(data).values() if isinstance(a, np.ndarray) and a.dtype != object]
        widest = max(arrays, key=lambda a: a.nbytes)
        sorting = cost_of(lambda a=widest: np.sort(a, axis=None))[0]
        cost, found = cost_of(lambda d=data: sq.assess(d, **options), before)
        row = {"bench": "assess_speed", "what": name, "n": n} | cost.columns(sum(a.nbytes for a in arrays))
        row |= {"ratio": round(cost.cpu_seconds / max(sorting.cpu_seconds, 1e-4), 1)}
        if n < largest:  # what a larger run left in the heap would hide some of this one's
            del row["peak"], row["peak_mib"]
        out.append(row | {"people per second": round(n / cost.seconds), "unicity": found["unicity"]})
    return out[::-1]


def minutes(n: int) -> Data:
    """Two weeks of minutes in bouts of twenty."""
    bouts = np.random.default_rng(0).integers(0, 4, (n, 1008), dtype=np.uint8)
    return Activities(
        names_public=True, states=np.repeat(bouts, 20, axis=1), state_names=("rest", "walk", "run", "missing")
    )


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
        names_public=True,
        offsets=np.concatenate([[0], np.cumsum(lengths)]), states=states, times=times[order],
        state_names=tuple(str(i) for i in range(16)),
    )  # fmt: skip


def symbols(n: int) -> Data:
    """Fifty symbols of an alphabet of four."""
    codes = np.random.default_rng(0).integers(0, 4, n * 50)
    return SymbolSeries(names_public=True, symbols=codes, offsets=np.arange(n + 1) * 50, alphabet=("a", "b", "c", "d"))


def notes(n: int) -> Data:
    """Three hundred characters of ten letters."""
    codes = np.random.default_rng(0).integers(97, 107, (n, 300), dtype=np.uint8)
    return Corpus(utf8=codes.reshape(-1), offsets=np.arange(n + 1) * 300)


CASES: dict[str, tuple[Any, dict[str, Any], int]] = {
    "activity": (minutes, {}, 8_000),
    "series": (panel, {}, 100_000),
    "events by day": (log, {"precision": "day"}, 100_000),
    "events by order": (log, {"precision": "order"}, 40_000),
    "symbols": (symbols, {"gram": 5}, 100_000),
    "text": (notes, {"length": 6}, 16_000),
}
"""Kind → maker, options of assess, largest number of people."""

if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
