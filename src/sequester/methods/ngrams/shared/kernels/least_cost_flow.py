"""Least-cost integer flow: successive shortest paths with potentials (Ahuja, Magnanti, Orlin 1993, chapter 9).

Costs are whole numbers of at least 0. Every round looks for the cheapest way from any node that has too much to any
node that lacks something, stops at the first it reaches, and sends along it what fits. With whole supplies and
capacities all flows are whole.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel

UNLIMITED = np.int64(2**62)
"""Capacity of an arc without a limit."""


class Network(NamedTuple):
    """Arcs between nodes, as the search walks them: every arc and its reverse, ordered by the node they leave."""

    first: np.ndarray
    """Where the arcs of a node begin; one more than there are nodes."""
    arc: np.ndarray
    """Arc number twice, plus one for the reverse direction."""
    to: np.ndarray
    """Node that arc or reverse arc leads to, by its number."""


class Search(NamedTuple):
    """What the search keeps between rounds, so that a round touches only what it visits."""

    distance: np.ndarray
    came_by: np.ndarray
    settled: np.ndarray
    heap: np.ndarray
    """Node numbers, cheapest first."""
    place: np.ndarray
    """Node → its place in the heap, or -1."""
    seen: np.ndarray
    """Nodes of this round, in the order they were met."""


def least_cost_flow(
    n_nodes: int, tails: np.ndarray, heads: np.ndarray, capacity: np.ndarray, cost: np.ndarray, supply: np.ndarray
) -> np.ndarray | None:
    """The cheapest whole flow that carries every supply to where something is lacking; None if there is none.

    Parameters
    ----------
    n_nodes
        Number of nodes.
    tails, heads
        Nodes every arc leaves and enters.
    capacity
        Most that an arc carries; `UNLIMITED` for no limit.
    cost
        Price of one unit on an arc, a whole number of at least 0.
    supply
        What a node has to give (positive) or lacks (negative); sums to 0.
    """
    tails, heads = _whole(tails), _whole(heads)
    left = np.empty(2 * len(tails), dtype=np.int64)
    left[0::2], left[1::2] = capacity, 0
    price = np.empty(2 * len(tails), dtype=np.int64)
    price[0::2], price[1::2] = cost, -_whole(cost)
    leaving = np.empty(2 * len(tails), dtype=np.int64)
    leaving[0::2], leaving[1::2] = tails, heads
    entering = np.empty(2 * len(tails), dtype=np.int64)
    entering[0::2], entering[1::2] = heads, tails
    order = np.argsort(leaving, kind="stable")
    first = np.searchsorted(leaving[order], np.arange(n_nodes + 1))
    network = Network(_whole(first), _whole(order), entering)
    excess = _whole(supply).copy()
    if excess.sum() != 0:
        return None
    search = Search(*(np.full(n_nodes, start, dtype=np.int64) for start in (0, -1, 0, 0, -1, 0)))
    if not _send(network, left, price, excess, np.zeros(n_nodes, dtype=np.int64), search):
        return None
    return left[1::2].copy()  # what the reverse arcs could take back is what flows


_NETWORK = Record(Network, "int64[::1], int64[::1], int64[::1]")
_SEARCH = Record(Search, ", ".join(["int64[::1]"] * 6))


def _whole(values: np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.int64)


@kernel("Network, int64[::1], int64[::1], int64[::1], int64[::1], Search", Network=_NETWORK, Search=_SEARCH)
def _send(network, left, price, excess, potential, search):
    n = len(excess)
    sources = np.empty(n, dtype=np.int64)
    n_sources = 0
    for v in range(n):
        if excess[v] > 0:
            sources[n_sources] = v
            n_sources += 1
    while n_sources > 0:
        goal = _nearest_lacking(network, left, price, excess, potential, search, sources, n_sources)
        if goal < 0:
            return False
        amount = -excess[goal]
        v = goal
        while search.came_by[v] >= 0:
            arc = search.came_by[v]
            amount = min(amount, left[arc])
            v = network.to[arc ^ 1]
        amount = min(amount, excess[v])
        source = v
        v = goal
        while search.came_by[v] >= 0:
            arc = search.came_by[v]
            left[arc] -= amount
            left[arc ^ 1] += amount
            v = network.to[arc ^ 1]
        excess[source] -= amount
        excess[goal] += amount
        kept = 0
        for i in range(n_sources):
            if excess[sources[i]] > 0:
                sources[kept] = sources[i]
                kept += 1
        n_sources = kept
    return True


@kernel(
    "Network, int64[::1], int64[::1], int64[::1], int64[::1], Search, int64[::1], int64",
    Network=_NETWORK,
    Search=_SEARCH,
)
def _nearest_lacking(network, left, price, excess, potential, search, sources, n_sources):
    """Dijkstra from all sources at once; stops at the first node that lacks something and moves the potentials."""
    size = n_seen = 0
    for i in range(n_sources):
        v = sources[i]
        search.distance[v], search.came_by[v] = 0, -1
        search.seen[n_seen] = v
        n_seen += 1
        size = _push(search, v, size)
    goal, n_settled = -1, 0
    while size > 0:
        u = search.heap[0]
        size = _pop(search, size)
        search.settled[u] = 1
        n_settled += 1
        if excess[u] < 0:
            goal = u
            break
        for i in range(network.first[u], network.first[u + 1]):
            arc = network.arc[i]
            if left[arc] <= 0:
                continue
            v = network.to[arc]
            if search.settled[v]:
                continue
            reached = search.distance[u] + price[arc] + potential[u] - potential[v]
            if search.place[v] < 0:
                search.distance[v], search.came_by[v] = reached, arc
                search.seen[n_seen] = v
                n_seen += 1
                size = _push(search, v, size)
            elif reached < search.distance[v]:
                search.distance[v], search.came_by[v] = reached, arc
                _rise(search, search.place[v])
    for i in range(size):
        search.place[search.heap[i]] = -1
    for i in range(n_seen):
        v = search.seen[i]
        if search.settled[v]:
            if goal >= 0:
                potential[v] += search.distance[v] - search.distance[goal]
            search.settled[v] = 0
    return goal


@kernel("Search, int64, int64", Search=_SEARCH)
def _push(search, v, size):
    search.heap[size] = v
    search.place[v] = size
    _rise(search, size)
    return size + 1


@kernel("Search, int64", Search=_SEARCH)
def _rise(search, at):
    v = search.heap[at]
    while at > 0:
        above = (at - 1) // 2
        if search.distance[search.heap[above]] <= search.distance[v]:
            break
        search.heap[at] = search.heap[above]
        search.place[search.heap[at]] = at
        at = above
    search.heap[at] = v
    search.place[v] = at


@kernel("Search, int64", Search=_SEARCH)
def _pop(search, size):
    """Take the cheapest node out; returns the new size."""
    search.place[search.heap[0]] = -1
    size -= 1
    if size > 0:
        v = search.heap[size]
        at = 0
        while True:
            below = 2 * at + 1
            if below >= size:
                break
            if below + 1 < size and search.distance[search.heap[below + 1]] < search.distance[search.heap[below]]:
                below += 1
            if search.distance[v] <= search.distance[search.heap[below]]:
                break
            search.heap[at] = search.heap[below]
            search.place[search.heap[at]] = at
            at = below
        search.heap[at] = v
        search.place[v] = at
    return size
