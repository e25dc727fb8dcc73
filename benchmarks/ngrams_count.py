"""How fast are n-grams counted and rare ones lifted? 10^8 symbols, n = 5; 10^5 distinct grams, k = 10."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.growth import exponent
from benchmarks.memory import Cost, cost_of
from sequester.methods.ngrams.shared.kernels.ngram_lift import lift
from sequester.primitives import ngrams
from sequester.primitives.ngrams import bits_for, count_grams, count_owned, count_tables, gram_codes

TITLE = "Counting and lifting n-grams"
NOTE = """Ratios compare with sorting the packed codes of the same symbols in numpy in the same run (10^7 symbols,
scaled); seconds are the best of three. `peak` is the memory a count takes beyond the symbols and all that was
resident before it, in units of the symbols' bytes. `exponent` is fitted over all sizes by least squares. With 64
symbols nearly every gram is distinct, and memory is that of the table. Lifting slows as the table leaves the caches.
No limit is stated here."""
SIZE, N = 100_000_000, 5


def best(work: Callable[[], Any]) -> tuple[Cost, Any]:
    """The fastest of three: the first touch of fresh memory is the machine's affair."""
    runs = []
    for _ in range(3):
        out = None  # give the memory back before it is asked for again
        cost, out = cost_of(work)
        runs.append(cost)
    return Cost(min(r.seconds for r in runs), min(r.cpu_seconds for r in runs), max(r.peak for r in runs)), out


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
    by_sort, _ = cost_of(lambda: np.unique(gram_codes(tenth, ends // 10, N, p), return_counts=True))
    for used in sorted({1, threads}):
        cost, table = best(lambda u=used: count_grams(symbols, ends, N, p, threads=u))
        told = row(f"order {N}, {p} symbols, {used} threads", SIZE, cost, symbols.nbytes)
        told |= {"ratio": round(10 * by_sort.seconds / cost.seconds, 1), "distinct": len(table.codes)}
        del table
        yield told
    if p == 4:
        yield from _growth(symbols, p, threads)
        yield from _several(symbols, p, threads)


def _growth(symbols: np.ndarray, p: int, threads: int) -> Iterator[dict]:
    sizes = (SIZE // 8, SIZE // 4, SIZE // 2, SIZE)
    costs = [best(lambda m=m: count_grams(symbols[:m], np.array([0, m]), N, p, threads=threads))[0] for m in sizes]
    grown = exponent(sizes, [c.cpu_seconds for c in costs])
    yield {"bench": "ngrams_count", "what": "growth: counting, 1.25e7 to 1e8 symbols", "exponent": grown}


def _several(symbols: np.ndarray, p: int, threads: int) -> Iterator[dict]:
    alone, _ = best(lambda: count_tables(symbols, np.array([0, SIZE]), N, p, threads=threads))
    ends = np.arange(0, SIZE + 1, 1000)
    many, _ = best(lambda: count_tables(symbols, ends, N, p, threads=threads))
    yield row(f"orders 1..{N} of one series", SIZE, alone, symbols.nbytes)
    yield row(f"orders 1..{N} of 100,000 series", SIZE, many, symbols.nbytes)


def _people() -> Iterator[dict]:
    size, p = 10_000_000, 4
    symbols, ends = drawn(size, p), np.arange(0, size + 1, 1000)
    owners = np.arange(len(ends) - 1) // 2
    cost, _ = best(lambda: count_owned(symbols, ends, owners, N, p))
    yield row("order 5 with distinct people, 5,000 people", size, cost, symbols.nbytes)


def _lifting() -> Iterator[dict]:
    p = 64
    law = 1 / np.arange(1, p + 1)
    symbols = np.random.default_rng(1).choice(p, 4_000_000, p=law / law.sum()).astype(np.uint16)
    for fractions in (False, True):
        name = f"lift to k=10, order 3, {'fractions' if fractions else 'whole units'}"
        grams, costs = [], []
        for size in (125_000, 250_000, 500_000, 1_000_000, 2_000_000, 4_000_000):
            tables = count_tables(symbols[:size], np.array([0, size]), 3, p)
            cost, done = best(lambda t=tables, f=fractions: lift(t, 10, fractions=f))
            grams.append(len(tables[2].codes))
            costs.append(cost.cpu_seconds)
            told = {"bench": "ngrams_count", "what": name, "n": grams[-1]}
            told |= {"seconds": round(cost.seconds, 4), "cpu_seconds": round(cost.cpu_seconds, 4)}
            yield told | {"million_per_second": round(grams[-1] / cost.seconds / 1e6, 2), "rare": done.n_rare}
        grown = exponent(grams, costs)
        yield {"bench": "ngrams_count", "what": f"growth: {name}, in distinct grams", "exponent": grown}


def row(what: str, size: int, cost: Cost, input_bytes: int) -> dict:
    """One result."""
    rate = round(size / cost.seconds / 1e6)
    return {"bench": "ngrams_count", "what": what, "n": size} | cost.columns(input_bytes) | {"million_per_second": rate}


if __name__ == "__main__":
    for result in run():
        print(json.dumps(result), flush=True)
