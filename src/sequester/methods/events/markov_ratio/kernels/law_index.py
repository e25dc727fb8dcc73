"""Small laws behind one index: rows of items with counts, found by the context they belong to.

A *law* is a row of items with counts. Rows are found by a key made of a family of models, a cluster, a factor value and
a state. Where several rows fit the moment, one of them is drawn, all alike, and then an item from it: exactly a draw
from the mean of the laws.
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
    shares: np.ndarray
    """Of every row, how much of what was counted is still in it."""


class Families(NamedTuple):
    """Which contexts the models of each family look at."""

    by_cluster: np.ndarray
    """Whether the family has a model per cluster."""
    factor: np.ndarray
    """Position of its factor among the values of a moment, or -1."""


RECORDS = {
    "Laws": Record(Laws, "int64[:, ::1], int64[::1], int64[::1], int64[::1], float64[::1]"),
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


def laws(keys: np.ndarray, items: np.ndarray, counts: np.ndarray, out_of: np.ndarray) -> Laws:
    """Index entries whose `keys` are grouped (equal keys adjacent).

    `out_of` (what was counted in the row) is one per entry, equal inside a row.
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
        sums / np.asarray(out_of, np.float64)[first],
    )


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
    """Put all rows that fit into `rows` (one place per family): how many, and the largest share.

    A value of -1 means not known yet.
    """
    found = 0
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
            known = max(known, table.shares[r])
    return found, known


@kernel("uint64[::1], Laws, int64[::1], int64", **RECORDS)
def _pick(generator, table, rows, found):
    """An entry from the mean of gathered rows."""
    at = np.int64(fraction(generator) * found)
    lo, hi = table.bounds[rows[at]], table.bounds[rows[at] + 1]
    u = fraction(generator) * table.totals[hi - 1]
    return lo + first_count_above(table.totals[lo:hi], u)


@kernel("uint64[::1], Laws, Families, int64, int64[::1], int64, int64[::1], boolean", **RECORDS)
def draw(generator, table, families, cluster, values, row, rows, lossy):
    """An entry from the mean of all rows that fit, or -1.

    If `lossy`, what no row has any more is drawn with its share, as -1.
    """
    found, known = gather(table, families, cluster, values, row, rows)
    if found == 0 or (lossy and fraction(generator) >= known):
        return np.int64(-1)
    return _pick(generator, table, rows, found)
