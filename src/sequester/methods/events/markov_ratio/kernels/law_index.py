"""Small laws behind one index: rows of items with counts and times, found by the context they belong to.

A *law* is a row of items with counts, and with the mean and spread of a time that belongs to each item. Rows are
found by a key made of a family of models, a cluster, a factor value and a state. Where several rows fit the moment,
one is drawn with a weight that belongs to its model, and then an item from it: exactly a draw from the weighted mean
of the laws.

Gaps of an object brought to a given span: gaps drawn one by one add up to too much or too little.

Which labels occur together in a sequence.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sequester.primitives.compiled import Record, kernel
from sequester.primitives.sorting import first_count_above
from sequester.primitives.xoshiro import fraction

VALUE_BITS, ROW_BITS, CLUSTER_BITS = 10, 24, 24
LARGEST = {"value": 1 << VALUE_BITS, "row": 1 << ROW_BITS, "cluster": (1 << CLUSTER_BITS) - 1}
"""How many factor values, rows and clusters a key can tell apart."""


class Laws(NamedTuple):
    """Rows behind a hash index: row *r* has entries `bounds[r]:bounds[r+1]`."""

    slots: np.ndarray
    """Key and row of every place of the index, side by side: one glance at memory finds both."""
    bounds: np.ndarray
    items: np.ndarray
    totals: np.ndarray
    """Running count inside the row."""
    means: np.ndarray
    spreads: np.ndarray
    weights: np.ndarray
    """One per row."""
    shares: np.ndarray
    """Of every row, how much of what was counted is still in it."""


class Families(NamedTuple):
    """Which contexts the models of each family look at."""

    by_cluster: np.ndarray
    """Whether the family has a model per cluster."""
    factor: np.ndarray
    """Position of its factor among the values of a moment, or -1."""


RECORDS = {
    "Laws": Record(
        Laws,
        "int64[:, ::1], int64[::1], int64[::1], int64[::1], float64[::1], float64[::1], float64[::1], float64[::1]",
    ),
    "Families": Record(Families, "boolean[::1], int64[::1]"),
}


@kernel("int64, int64, int64, int64")
def key_of(family, cluster, value, row):
    """One number for a row of a model; -1 stands for no cluster and no value."""
    out = (np.int64(family) << CLUSTER_BITS) | np.int64(cluster + 1)
    out = (out << VALUE_BITS) | np.int64(value + 1 if value < 0 else value)
    return (out << ROW_BITS) | np.int64(row)


@kernel("int64[::1]")
def _index(keys):
    size = 4
    while size < 2 * len(keys):
        size *= 2
    slots = np.full((size, 2), -1, np.int64)
    for r in range(len(keys)):
        s = _slot(keys[r], size)
        while slots[s, 0] != -1:
            s = (s + 1) & (size - 1)
        slots[s, 0] = keys[r]
        slots[s, 1] = r
    return slots


@kernel("int64, int64")
def _slot(key, size):
    x = np.uint64(key) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((x ^ (x >> np.uint64(29))) & np.uint64(size - 1))


def laws(
    keys: np.ndarray, items: np.ndarray, counts: np.ndarray, means, spreads, weights: np.ndarray, out_of: np.ndarray
) -> Laws:
    """Index entries whose `keys` are grouped (equal keys adjacent).

    `weights` and `out_of` (what was counted in the row) are one per entry, equal inside a row.
    """
    first = np.flatnonzero(np.r_[True, keys[1:] != keys[:-1]]) if len(keys) else np.zeros(0, np.int64)
    bounds = np.r_[first, len(keys)].astype(np.int64)
    running = np.cumsum(counts, dtype=np.int64)
    before = np.r_[0, running][bounds[:-1]] if len(keys) else np.zeros(0, np.int64)
    sums = np.diff(np.r_[before, running[-1:]])
    return Laws(
        _index(keys[first]),
        bounds,
        np.asarray(items, np.int64),
        running - np.repeat(before, np.diff(bounds)),
        _times(means),
        _times(spreads),
        np.asarray(weights, np.float64)[first],
        sums / np.asarray(out_of, np.float64)[first],
    )


def _times(x: np.ndarray) -> np.ndarray:
    """Means or spreads as the kernels take them; zeros that no kernel reads take no memory."""
    return np.zeros(len(x)) if x.strides == (0,) else np.asarray(x, np.float64)


@kernel("Laws, int64", **RECORDS)
def find(table, key):
    """The row of a key, or -1."""
    size = len(table.slots)
    s = _slot(key, size)
    while table.slots[s, 0] != -1:
        if table.slots[s, 0] == key:
            return table.slots[s, 1]
        s = (s + 1) & (size - 1)
    return np.int64(-1)


@kernel("Laws, Families, int64, int64[::1], int64, int64[::1]", **RECORDS)
def gather(table, families, cluster, values, row, rows):
    """Put all rows that fit into `rows` (one place per family): how many, their weight, and the largest share.

    A value of -1 means not known yet.
    """
    found = 0
    total = 0.0
    known = 0.0
    for f in range(len(families.factor)):
        factor = families.factor[f]
        value = np.int64(-1)
        if factor >= 0:
            value = values[factor]
            if value < 0:
                continue
        if families.by_cluster[f] and cluster < 0:
            continue
        r = find(table, key_of(f, cluster if families.by_cluster[f] else -1, value, row))
        if r >= 0:
            rows[found] = r
            found += 1
            total += table.weights[r]
            known = max(known, table.shares[r])
    return found, total, known


@kernel("uint64[::1], Laws, int64[::1], int64, float64", **RECORDS)
def pick(generator, table, rows, found, total):
    """An entry from the weighted mean of gathered rows."""
    u = fraction(generator) * total
    at = 0
    while at < found - 1 and u >= table.weights[rows[at]]:
        u -= table.weights[rows[at]]
        at += 1
    lo, hi = table.bounds[rows[at]], table.bounds[rows[at] + 1]
    u = fraction(generator) * table.totals[hi - 1]
    return lo + first_count_above(table.totals[lo:hi], u)


@kernel("uint64[::1], Laws, Families, int64, int64[::1], int64, int64[::1], boolean", **RECORDS)
def draw(generator, table, families, cluster, values, row, rows, lossy):
    """An entry from the weighted mean of all rows that fit, or -1.

    If `lossy`, what no row has any more is drawn with its share, as -1.
    """
    found, total, known = gather(table, families, cluster, values, row, rows)
    if found == 0 or (lossy and fraction(generator) >= known):
        return np.int64(-1)
    return pick(generator, table, rows, found, total)


@kernel("int64[::1], int64[::1], int64[::1]")
def fitted(days, offsets, spans):
    """Days of all events, the last of every object so many days after its first as `spans` says.

    A gap of none stays none and every other one keeps a day at least, as long as the span has a day for each; what is
    left is shared in proportion to what the gaps have beyond their day. Where no gap is left to carry a span, it goes
    into the middle of the object.
    """
    out = days.copy()
    for i in range(len(spans)):
        lo, hi = offsets[i], offsets[i + 1]
        if hi - lo < 2:
            continue
        moves, beyond = 0, 0
        for p in range(lo + 1, hi):
            gap = days[p] - days[p - 1]
            if gap > 0:
                moves += 1
                beyond += gap - 1
        span, begin = spans[i], days[lo]
        seen, more = 0, 0
        for p in range(lo + 1, hi):
            gap = days[p] - days[p - 1]
            if gap > 0:
                seen += 1
                more += gap - 1
            if moves == 0:
                after = span if p - lo >= (hi - lo) // 2 else np.int64(0)
            elif span < moves or beyond == 0:
                after = seen * span // moves
            else:
                after = seen + more * (span - moves) // beyond
            out[p] = begin + after
    return out


DENSE_UP_TO = 2048
"""Labels for which a square table of counts is small enough."""


def pair_counts(labels: np.ndarray, bounds: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Ordered pairs (a, b), a != b, and the number of sequences `bounds[i]:bounds[i+1]` that have both; sorted."""
    labels, bounds = np.asarray(labels, np.int64), np.asarray(bounds, np.int64)
    n = int(labels.max(initial=-1)) + 1
    if n <= DENSE_UP_TO:
        table = _dense(labels, bounds, n)
        a, b = np.nonzero(table)
        return a, b, table[a, b]
    codes, counts = np.unique(_listed(labels, bounds, n), return_counts=True)
    return codes // n, codes % n, counts


@kernel("int64[::1], int64, int64, int64, int64[::1], int64[::1]")
def _distinct(labels, lo, hi, sequence, last, out):
    """Write the labels of one sequence to `out`, each once; `last` remembers who wrote a label last."""
    count = 0
    for p in range(lo, hi):
        if last[labels[p]] != sequence:
            last[labels[p]] = sequence
            out[count] = labels[p]
            count += 1
    return count


@kernel("int64[::1], int64[::1], int64")
def _dense(labels, bounds, n):
    table = np.zeros((n, n), np.int64)
    distinct, last = np.empty(n, np.int64), np.full(n, -1, np.int64)
    for i in range(len(bounds) - 1):
        d = _distinct(labels, bounds[i], bounds[i + 1], i, last, distinct)
        for a in distinct[:d]:
            for b in distinct[:d]:
                if a != b:
                    table[a, b] += 1
    return table


@kernel("int64[::1], int64[::1], int64")
def _listed(labels, bounds, n):
    distinct, last = np.empty(n, np.int64), np.full(n, -1, np.int64)
    total = 0
    for i in range(len(bounds) - 1):
        d = _distinct(labels, bounds[i], bounds[i + 1], i, last, distinct)
        total += d * (d - 1)
    for a in range(n):
        last[a] = -1
    out = np.empty(total, np.int64)
    at = 0
    for i in range(len(bounds) - 1):
        d = _distinct(labels, bounds[i], bounds[i + 1], i, last, distinct)
        for a in distinct[:d]:
            for b in distinct[:d]:
                if a != b:
                    out[at] = a * n + b
                    at += 1
    return out
