"""Strongly connected components of a directed graph (Tarjan 1972), without recursion."""

from __future__ import annotations

import numpy as np

from sequester.primitives.compiled import kernel


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
