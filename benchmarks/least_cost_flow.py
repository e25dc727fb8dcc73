"""Our least-cost flow against scipy's linear programme on the same networks: tables of grams to be balanced."""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from sequester.methods.ngrams.shared.kernels.least_cost_flow import UNLIMITED, least_cost_flow
from sequester.primitives.ngrams import count_grams

TITLE = "Least-cost flow: our own against a linear programme"
NOTE = """Balancing the n-grams of random walks of which a third of the grams is missing. Both find the same cost,
which is checked. Seconds are of the processor, best of three; `times` is scipy's HiGHS over ours in the same run; it
falls as tables grow. The flow needs no dependency at run time; scipy is wanted for this comparison alone."""


def run() -> Iterator[dict]:
    """A row per size of table."""
    _ours(*_network(4, 3, 2_000))  # compile
    for symbols, n, length in ((4, 4, 20_000), (8, 4, 60_000), (8, 5, 60_000)):
        network = _network(symbols, n, length)
        ours, cost = min((_timed(_ours, network) for _ in range(3)), key=lambda x: x[0])
        theirs, wanted = min((_timed(_scipy, network) for _ in range(3)), key=lambda x: x[0])
        yield {
            "bench": "least_cost_flow",
            "grams": len(network[1]) // 2,
            "contexts": network[0],
            "cost": cost,
            "same cost": cost == wanted,
            "seconds": round(ours, 4),
            "scipy seconds": round(theirs, 4),
            "times": round(theirs / ours, 1),
        }


def _network(symbols: int, n: int, length: int) -> tuple:
    """Arcs both ways for every gram that is left, and what every context has too much."""
    rng = np.random.default_rng(symbols + n)
    text = rng.zipf(1.7, length).clip(1, symbols).astype(np.uint16) - 1
    table = count_grams(text, np.array([0, length]), n, symbols)
    kept = (rng.random(len(table.codes)) < 2 / 3) | (table.counts > np.median(table.counts))
    codes, counts = table.codes[kept], table.counts[kept].astype(np.int64)
    first, last = codes >> table.bits, codes & ((1 << (table.bits * (n - 1))) - 1)
    contexts, where = np.unique(np.concatenate([first, last]), return_inverse=True)
    tails, heads = where[: len(codes)], where[len(codes) :]
    supply = np.bincount(heads, counts, len(contexts)).astype(np.int64)
    supply -= np.bincount(tails, counts, len(contexts)).astype(np.int64)
    # Both ways without a limit, so that every table can be balanced.
    size = 2 * len(codes)
    ends = np.concatenate([tails, heads]), np.concatenate([heads, tails])
    return len(contexts), *ends, np.full(size, UNLIMITED), np.ones(size, dtype=np.int64), supply


def _timed(solve, network: tuple) -> tuple[float, int]:
    start = time.process_time()
    cost = solve(*network)
    return time.process_time() - start, cost


def _ours(n_nodes, tails, heads, capacity, cost, supply) -> int:
    flow = least_cost_flow(n_nodes, tails, heads, capacity, cost, supply)
    assert flow is not None
    return int(flow @ cost)


def _scipy(n_nodes, tails, heads, capacity, cost, supply) -> int:
    from scipy.optimize import linprog
    from scipy.sparse import coo_array

    arcs = np.arange(len(tails))
    ones = np.ones(len(tails))
    leaving = coo_array(
        (np.concatenate([ones, -ones]), (np.concatenate([tails, heads]), np.concatenate([arcs, arcs]))),
        shape=(n_nodes, len(tails)),
    )
    found = linprog(cost, A_eq=leaving.tocsr(), b_eq=supply, method="highs")
    return round(found.fun)
