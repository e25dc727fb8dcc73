"""Grams as shares of everybody's time: one person counts once, however long the recording.

Every person hands in the shares of their own grams of order m, in millionths and rounded down, so that nobody adds more
than a million in all. One noisy table of all p**m cells is the only thing that looks at people; everything after it is
computed from it: the law is made consistent, lower orders are its sums, longer ones its Markov extension.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sequester.methods.ngrams.shared.kernels.least_cost_flow import UNLIMITED, least_cost_flow

MILLION = 1_000_000
"""What one person adds at most: the sensitivity of the table."""
CLEARLY = 2.0
"""Standard deviations of the noise above which the total of all cells is believed."""
ROUNDS = 200
"""Alternating projections; they converge long before."""


class Shares(NamedTuple):
    """What was measured, and the tables made from it."""

    measured: np.ndarray
    """Noisy cells of order m, in millionths of a person."""
    order: int
    """The measured order m."""
    tables: list[np.ndarray]
    """Counts of orders 1..n in millionths, all p**order cells, first symbol first."""


def measured_order(people_at_least: int, epsilon: float, n_symbols: int, n_max: int) -> int:
    """The longest order whose cells the noise does not drown, from public numbers: p**m <= people * epsilon / 2."""
    order = 0
    while order < n_max and n_symbols ** (order + 1) <= people_at_least * epsilon / 2:
        order += 1
    return order


def time_shares(symbols: np.ndarray, offsets: np.ndarray, owners: np.ndarray, order: int, n_symbols: int) -> np.ndarray:
    """Everybody's shares of the grams of one order, in millionths, added up: at most a million from each person."""
    out = np.zeros(n_symbols**order, dtype=np.int64)
    by_owner = np.argsort(owners, kind="stable")
    firsts = np.flatnonzero(np.concatenate(([True], np.diff(owners[by_owner]) != 0)))
    for a, b in zip(firsts, np.append(firsts[1:], len(by_owner)), strict=True):
        mine = np.zeros(n_symbols**order, dtype=np.int64)
        for i in by_owner[a:b]:
            series = symbols[offsets[i] : offsets[i + 1]].astype(np.int64)
            if len(series) >= order:
                codes = np.zeros(len(series) - order + 1, dtype=np.int64)
                for j in range(order):
                    codes = codes * n_symbols + series[j : j + len(codes)]
                mine += np.bincount(codes, minlength=len(mine))
        total = int(mine.sum())
        if total:
            out += MILLION * mine // total
    return out


def published(
    measured: np.ndarray, order: int, n: int, n_symbols: int, *, people_at_least: int = 0, scale: float = 0.0
) -> Shares:
    """Consistent tables of orders 1..n from the noisy cells and public numbers alone."""
    law = _stationary(measured / (MILLION * people(measured, people_at_least, scale)), order, n_symbols)
    for _ in range(order, n):
        law = _extended(law, order, n_symbols)
    top = _balanced(np.rint(law * MILLION).astype(np.int64), max(order, n), n_symbols)
    tables = [top]
    while len(tables[-1]) > n_symbols:
        tables.append(tables[-1].reshape(-1, n_symbols).sum(axis=1))
    return Shares(measured, order, tables[::-1])


def people(measured: np.ndarray, people_at_least: int, scale: float) -> float:
    """How many people the cells are of: the number known in public, unless the noisy total is clearly above it.

    The total of all cells is as noisy as their number makes it; dividing by it would bring that noise into every share.
    """
    total = float(measured.sum()) / MILLION
    noise = scale * math.sqrt(2 * len(measured)) / MILLION
    return max(1e-6, float(people_at_least) if total < people_at_least + CLEARLY * noise else total)


def _simplex(v: np.ndarray) -> np.ndarray:
    """The nearest law: no share below 0, all together 1 (Duchi et al. 2008)."""
    falling = np.sort(v)[::-1]
    beyond = np.cumsum(falling) - 1.0
    last = np.flatnonzero(falling - beyond / np.arange(1, len(v) + 1) > 0)[-1]
    return np.maximum(v - beyond[last] / (last + 1), 0.0)


def _stationary(v: np.ndarray, order: int, p: int) -> np.ndarray:
    """Alternate between laws and tables in which as much enters a context as leaves it."""
    v = _simplex(v)
    if order == 1:
        return v
    for _ in range(ROUNDS):
        surplus = v.reshape(p, -1).sum(axis=0) - v.reshape(-1, p).sum(axis=1)
        if np.abs(surplus).max() < 1e-12:
            break
        v = _simplex(v - _least_change(surplus, order, p))
    return v


def _least_change(surplus: np.ndarray, order: int, p: int) -> np.ndarray:
    """The smallest change, in squares, that brings such a surplus into every context."""
    n = len(surplus)
    grams = np.arange(n * p)
    into, out = grams % n, grams // p
    # the Laplacian of the graph: contexts pull on each other through the grams between them
    laplacian = np.zeros((n, n))
    np.add.at(laplacian, (into, into), 1.0)
    np.add.at(laplacian, (out, out), 1.0)
    np.add.at(laplacian, (into, out), -1.0)
    np.add.at(laplacian, (out, into), -1.0)
    pull = np.linalg.lstsq(laplacian, surplus, rcond=None)[0]
    return pull[into] - pull[out]


def _extended(law: np.ndarray, order: int, p: int) -> np.ndarray:
    """One symbol more: the next depends on the last order - 1 symbols only, as the measured order tells it."""
    contexts = p ** (order - 1)
    cells = law.reshape(-1, p**order).sum(axis=0).reshape(contexts, p)  # the law of the last `order` symbols
    totals = cells.sum(axis=1, keepdims=True)
    following = np.where(totals > 0, cells / np.where(totals > 0, totals, 1.0), 1.0 / p)
    return (law[:, None] * following[np.arange(len(law)) % contexts]).ravel()


def _balanced(counts: np.ndarray, order: int, p: int) -> np.ndarray:
    """Rounding broke the balance of contexts by a few millionths: mend it by the fewest."""
    if order == 1:
        return counts
    n, m = p ** (order - 1), len(counts)
    grams = np.arange(m)
    out, into = grams // p, grams % n
    surplus = np.bincount(into, counts, n).astype(np.int64) - np.bincount(out, counts, n).astype(np.int64)
    flow = least_cost_flow(
        n,
        np.concatenate([out, into]),
        np.concatenate([into, out]),
        np.concatenate([np.full(m, UNLIMITED), counts]),
        np.ones(2 * m, dtype=np.int64),
        surplus,
    )
    assert flow is not None, "every context can be reached from every other when all grams are allowed"
    return counts + flow[:m] - flow[m:]
