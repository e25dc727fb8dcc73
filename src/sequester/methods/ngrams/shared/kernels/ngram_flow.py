"""N-gram tables as flows: a gram is an arc from its first n-1 symbols to its last n-1 (the de Bruijn graph).

The table of any set of series is a flow on that graph, up to where series begin and end. Keeping it one is what makes
a changed table the exact table of *some* series: added strings (`lift_by_flow`), or closed series (`balanced`).

Strongly connected components of a directed graph (Tarjan 1972), without recursion.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.methods.ngrams.shared.kernels.least_cost_flow import UNLIMITED, least_cost_flow
from sequester.primitives.compiled import kernel
from sequester.primitives.ngrams import Grams, unpack


def strong_components(n_nodes: int, tails: np.ndarray, heads: np.ndarray) -> np.ndarray:
    """A number per node; two nodes share it if and only if each can be reached from the other."""
    tails = np.ascontiguousarray(tails, dtype=np.int64)
    order = np.argsort(tails, kind="stable")
    first = np.searchsorted(tails[order], np.arange(n_nodes + 1)).astype(np.int64)
    return _tarjan(first, np.ascontiguousarray(heads, dtype=np.int64)[order])


@kernel("int64[::1], int64[::1]")
def _tarjan(first, to):
    n = len(first) - 1
    component = np.full(n, -1, dtype=np.int64)
    met = np.full(n, -1, dtype=np.int64)
    low = np.zeros(n, dtype=np.int64)
    nexts = first[:-1].copy()
    stack, path = np.empty(n, dtype=np.int64), np.empty(n, dtype=np.int64)
    n_stack = n_path = clock = n_components = 0
    for root in range(n):
        if met[root] >= 0:
            continue
        path[0], n_path = root, 1
        while n_path > 0:
            v = path[n_path - 1]
            if met[v] < 0:
                met[v] = low[v] = clock
                clock += 1
                stack[n_stack] = v
                n_stack += 1
            if nexts[v] < first[v + 1]:
                w = to[nexts[v]]
                nexts[v] += 1
                if met[w] < 0:
                    path[n_path] = w
                    n_path += 1
                elif component[w] < 0:
                    low[v] = min(low[v], met[w])
                continue
            n_path -= 1
            if n_path > 0:
                low[path[n_path - 1]] = min(low[path[n_path - 1]], low[v])
            if low[v] == met[v]:
                while True:
                    n_stack -= 1
                    component[stack[n_stack]] = n_components
                    if stack[n_stack] == v:
                        break
                n_components += 1
    return component


TIES = 1 << 20
"""Costs are multiplied by this, and what is to be avoided among equally cheap ways costs one more."""


class FlowLift(NamedTuple):
    """Tables of the original together with added strings."""

    tables: list[Grams]
    added: int
    """Growth of the longest order's total."""
    strings: int
    """New strings that were needed."""
    n_rare: int
    """Grams of the longest order that began below k."""
    n_swept: int
    """Shorter grams, of series shorter than n, that were repeated by themselves."""


class Balanced(NamedTuple):
    """A table in which as much leads into every context as out of it."""

    grams: Grams
    moved: int
    """Occurrences added or taken away."""
    dropped: int
    """Grams that lie on no closed walk of the others."""


def with_boundary(symbols: np.ndarray, offsets: np.ndarray, n: int, boundary: int) -> tuple[np.ndarray, np.ndarray]:
    """Every series between n - 1 boundary symbols on either side; an empty one stays empty.

    As grams of order n a series then leads from the context of boundary symbols back to it: a closed walk.
    """
    lengths = np.diff(offsets)
    padded = np.concatenate(([0], np.cumsum(np.where(lengths > 0, lengths + 2 * (n - 1), 0))))
    inside = np.ones(int(padded[-1]), dtype=bool)
    full = lengths > 0
    for j in range(n - 1):
        inside[padded[:-1][full] + j] = False
        inside[padded[1:][full] - 1 - j] = False
    out = np.full(len(inside), boundary, dtype=np.uint16)
    out[inside] = symbols
    return out, padded


def lift_by_flow(tables: list[Grams], k: int, *, strings: int | None = 1) -> FlowLift:
    """Lift every gram that occurs to at least `k` by the fewest further occurrences.

    Parameters
    ----------
    tables
        The grams of orders 1..n of the same series, as `count_tables` gives them.
    k
        The count to reach.
    strings
        Price of a new string in grams; None: no more new strings than the graph demands.
    """
    top = tables[-1]
    need = np.maximum(k - top.counts, 0).astype(np.int64)
    n_rare = int((need > 0).sum())
    counts = [t.counts.astype(np.int64) for t in tables]
    if top.order == 1:
        counts[0] += need
        return FlowLift([top._replace(counts=counts[0])], int(need.sum()), int(need.sum()), n_rare, 0)
    below = tables[-2]
    tails, heads = _contexts(top, below)
    n, outside = len(below.codes), len(below.codes)
    surplus = np.bincount(heads, need, n + 1).astype(np.int64) - np.bincount(tails, need, n + 1).astype(np.int64)
    nodes = np.arange(n)
    price = strings if strings is not None else 2 * len(top.codes) + 2
    flow = least_cost_flow(
        n + 1,
        np.concatenate([tails, nodes, np.full(n, outside)]),
        np.concatenate([heads, np.full(n, outside), nodes]),
        np.full(len(tails) + 2 * n, UNLIMITED),
        np.concatenate([np.full(len(tails), 2 * TIES + 1), np.full(2 * n, price * TIES)]),
        surplus,
    )
    assert flow is not None, "a string may begin and end anywhere, so that there is always a flow"
    grown = need + flow[: len(tails)]
    ends = flow[len(tails) : len(tails) + n]
    counts[-1] += grown
    _add_below(tables, counts, grown, ends)
    n_swept = _sweep(tables, counts, k)
    lifted = [t._replace(counts=c) for t, c in zip(tables, counts, strict=True)]
    return FlowLift(lifted, int(grown.sum()), int(ends.sum()), n_rare, n_swept)


def balanced(top: Grams, k: int, boundary: int | None = None) -> Balanced:
    """The least change of a table, no count below `k`, after which as much leads into every context as out of it.

    Grams that lie on no closed walk of the others cannot be balanced and are dropped first. Of equally small changes
    the one that changes more grams with the symbol `boundary` is taken.
    """
    closed = _closed(top)
    dropped = len(top.codes) - len(closed.codes)
    if top.order == 1 or not len(closed.codes):
        return Balanced(closed, 0, dropped)
    heads_of, tails_of = _ends(closed)
    contexts = np.unique(np.concatenate([heads_of, tails_of]))
    tails, heads = np.searchsorted(contexts, heads_of), np.searchsorted(contexts, tails_of)
    n, m = len(contexts), len(closed.codes)
    counts = closed.counts.astype(np.int64)
    surplus = np.bincount(heads, counts, n).astype(np.int64) - np.bincount(tails, counts, n).astype(np.int64)
    flow = least_cost_flow(
        n,
        np.concatenate([tails, heads]),
        np.concatenate([heads, tails]),
        np.concatenate([np.full(m, UNLIMITED), np.maximum(counts - k, 0)]),
        np.tile(TIES + _without(closed, boundary), 2),
        surplus,
    )
    assert flow is not None, "inside a strong component every context can be reached"
    change = flow[:m] - flow[m:]
    return Balanced(closed._replace(counts=counts + change), int(np.abs(change).sum()), dropped)


def _without(table: Grams, symbol: int | None) -> np.ndarray:
    """1 for every gram in which a symbol does not occur."""
    return (unpack(table.codes, table.order, table.bits) != (-1 if symbol is None else symbol)).all(axis=1).astype(int)


def _closed(top: Grams) -> Grams:
    """The grams that lie on a closed walk of the table's grams."""
    if top.order == 1:
        return top
    heads_of, tails_of = _ends(top)
    contexts = np.unique(np.concatenate([heads_of, tails_of]))
    tails, heads = np.searchsorted(contexts, heads_of), np.searchsorted(contexts, tails_of)
    component = strong_components(len(contexts), tails, heads)
    kept = component[tails] == component[heads]
    return top._replace(codes=top.codes[kept], counts=top.counts[kept])


def _ends(top: Grams) -> tuple[np.ndarray, np.ndarray]:
    """Codes of the first and of the last n-1 symbols of every gram."""
    return top.codes >> top.bits, top.codes & ((1 << (top.bits * (top.order - 1))) - 1)


def _contexts(top: Grams, below: Grams) -> tuple[np.ndarray, np.ndarray]:
    first, last = _ends(top)
    return np.searchsorted(below.codes, first), np.searchsorted(below.codes, last)


def _add_below(tables: list[Grams], counts: list[np.ndarray], grown: np.ndarray, ends: np.ndarray) -> None:
    """Lower orders of what was added: a gram counts as often as its continuations, plus the strings that end in it."""
    for i in range(len(tables) - 2, -1, -1):
        above, here = tables[i + 1], tables[i]
        first, last = _ends(above)
        if i < len(tables) - 2:  # the strings' ends, one symbol shorter; `ends` belongs to the order above
            ends = np.bincount(np.searchsorted(here.codes, last), ends, len(here.codes)).astype(np.int64)
        more = np.bincount(np.searchsorted(here.codes, first), grown, len(here.codes)).astype(np.int64)
        grown = more + ends
        counts[i] += grown


def _sweep(tables: list[Grams], counts: list[np.ndarray], k: int) -> int:
    """Repeat what series shorter than n left below k, longest first, each as a string of its own."""
    swept = 0
    for i in range(len(tables) - 2, -1, -1):
        for g in np.flatnonzero(counts[i] < k):
            _repeat(tables, counts, i, int(tables[i].codes[g]), int(k - counts[i][g]))
            swept += 1
    return swept


def _repeat(tables: list[Grams], counts: list[np.ndarray], order: int, code: int, times: int) -> None:
    bits = tables[0].bits
    for length in range(order + 1, 0, -1):
        for start in range(order + 2 - length):
            inner = (code >> (bits * (order + 1 - length - start))) & ((1 << (bits * length)) - 1)
            counts[length - 1][np.searchsorted(tables[length - 1].codes, inner)] += times
