"""How fast are n-grams counted and rare ones lifted? 10^8 symbols, n = 5; 10^5 distinct grams, k = 10."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from sequester.primitives import ngrams
from sequester.primitives.ngram_lift import lift
from sequester.primitives.ngrams import bits_for, count_grams, count_owned, count_tables, gram_codes

TITLE = "Counting and lifting n-grams"
NOTE = (
    "Ratios compare with sorting the packed codes of the same symbols in numpy in the same run (10^7 symbols, "
    "scaled); seconds are the best of three. The machine's cores are shared: trust ratios before seconds."
)
SIZE, N = 100_000_000, 5


def clock(work: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds and result."""
    begun = time.perf_counter()
    out = work()
    return time.perf_counter() - begun, out


def best(work: Callable[[], Any]) -> tuple[float, Any]:
    """The fastest of three: the first touch of fresh memory is the machine's affair."""
    runs = []
    for _ in range(3):
        out = None  # give the memory back before it is asked for again
        seconds, out = clock(work)
        runs.append(seconds)
    return min(runs), out


def drawn(size: int, n_symbols: int, seed: int = 0) -> np.ndarray:
    """Independent symbols: the hardest case, all grams about equally frequent."""
    return np.random.default_rng(seed).integers(0, n_symbols, size, dtype=np.uint16)


def warm() -> None:
    """Compile every kernel on small data."""
    small, ends = drawn(300_000, 20), np.array([0, 300_000])
    for n in (2, 5):
        count_tables(small, ends, n, 20, threads=2)
    ngrams._by_parts(small, ends, 4, bits_for(20), ngrams._spans(len(small), ends, 2))
    count_owned(small, np.array([0, 10, 300_000]), np.array([0, 1]), 3, 20)
    lift(count_tables(small, ends, 3, 20), 10)


def run() -> Iterator[dict]:
    """Seconds, symbols per second, ratios."""
    warm()
    threads = min(2, os.cpu_count() or 1)
    for p in (4, 8, 20, 64):
        yield from _counting(drawn(SIZE, p), p, threads)
    yield from _people()
    yield from _lifting()


def _counting(symbols: np.ndarray, p: int, threads: int) -> Iterator[dict]:
    tenth, ends = symbols[: SIZE // 10], np.array([0, SIZE])
    by_sort, _ = clock(lambda: np.unique(gram_codes(tenth, ends // 10, N, p), return_counts=True))
    for used in sorted({1, threads}):
        seconds, table = best(lambda u=used: count_grams(symbols, ends, N, p, threads=u))
        told = {"distinct": len(table.codes), "ratio": round(10 * by_sort / seconds, 1)}
        del table
        yield row(f"order {N}, {p} symbols, {used} threads", SIZE, seconds, **told)
    if p == 4:
        yield from _growth(symbols, p, threads)
        yield from _several(symbols, p, threads)


def _growth(symbols: np.ndarray, p: int, threads: int) -> Iterator[dict]:
    sizes = (SIZE // 4, SIZE // 2, SIZE)
    times = [best(lambda m=m: count_grams(symbols[:m], np.array([0, m]), N, p, threads=threads))[0] for m in sizes]
    exponent = round(float(np.log(times[-1] / times[0]) / np.log(4)), 2)
    yield row("growth from 2.5e7 to 1e8 symbols", SIZE, times[-1], exponent=exponent)


def _several(symbols: np.ndarray, p: int, threads: int) -> Iterator[dict]:
    alone, _ = best(lambda: count_tables(symbols, np.array([0, SIZE]), N, p, threads=threads))
    ends = np.arange(0, SIZE + 1, 1000)
    many, _ = best(lambda: count_tables(symbols, ends, N, p, threads=threads))
    yield row(f"orders 1..{N} of one series", SIZE, alone)
    yield row(f"orders 1..{N} of 100,000 series", SIZE, many, ratio=round(alone / many, 2))


def _people() -> Iterator[dict]:
    size, p = 10_000_000, 4
    symbols, ends = drawn(size, p), np.arange(0, size + 1, 1000)
    owners = np.arange(len(ends) - 1) // 2
    seconds, _ = best(lambda: count_owned(symbols, ends, owners, N, p))
    yield row("order 5 with distinct people, 5,000 people", size, seconds)


def _lifting() -> Iterator[dict]:
    p = 64
    law = 1 / np.arange(1, p + 1)
    symbols = np.random.default_rng(1).choice(p, 3_000_000, p=law / law.sum()).astype(np.uint16)
    for size in (150_000, 750_000, 3_000_000):
        tables = count_tables(symbols[:size], np.array([0, size]), 3, p)
        for fractions in (False, True):
            seconds, done = best(lambda t=tables, f=fractions: lift(t, 10, fractions=f))
            yield {
                "bench": "ngrams_count",
                "what": f"lift to k=10, order 3, {'fractions' if fractions else 'whole units'}",
                "n": len(tables[2].codes),
                "seconds": round(seconds, 4),
                "rare": done.n_rare,
                "grams_per_second": round(len(tables[2].codes) / seconds),
            }


def row(what: str, size: int, seconds: float, **more: Any) -> dict:
    """One result."""
    rate = round(size / seconds / 1e6)
    return {
        "bench": "ngrams_count",
        "what": what,
        "n": size,
        "seconds": round(seconds, 3),
        "million_per_second": rate,
        **more,
    }


if __name__ == "__main__":
    for result in run():
        print(json.dumps(result))
