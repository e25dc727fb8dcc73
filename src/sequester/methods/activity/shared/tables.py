"""The tables of an activity release, built around the sampled matrix without copying it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pyarrow as pa

from sequester.methods.activity.shared.clustering import Clusters, counts_of, window_edges
from sequester.methods.activity.shared.everybody import Everybody
from sequester.model import Activities


def private_map(data: Activities, clusters: Clusters, place: np.ndarray, number: np.ndarray) -> dict[str, pa.Table]:
    """Which person stands behind the i-th member's row of a cluster: the custodian's pairing, never published."""
    cluster = np.repeat(np.arange(len(clusters.sizes)), clusters.sizes)
    return {
        "records": pa.table(
            {
                "record": place.astype(np.int32),
                "cluster": number[cluster].astype(np.int32),
                "person": [str(p) for p in data.persons[clusters.order]],
                "row": clusters.order.astype(np.int32),
            }
        )
    }


LARGEST_SHARE = 0.2
"""The members beyond the two largest must have at least this much of the largest, together: else the second largest
could reckon the largest too well (the p % rule of official statistics)."""


def centroid_table(people: Everybody, clusters: Clusters, number: np.ndarray, k: int) -> pa.Table:
    """Mean minutes per cluster, state and day; null where fewer than `k` members share them.

    The states of a day add up, so one hidden cell could be reckoned from the others: at least two are hidden, and what
    they have together is itself shared by k members.
    """
    data = people.data
    counts = counts_of(people, window_edges(data, "day"))
    sums = np.add.reduceat(counts[clusters.order], clusters.bounds[:-1], axis=0)
    means = sums / clusters.sizes[:, None, None] * (data.interval_seconds / 60)
    hidden = np.ones(means.shape, bool)
    for at, (first, last) in enumerate(pairwise(clusters.bounds)):
        own = counts[clusters.order[first:last]]
        for day in range(means.shape[2]):
            hidden[at, :, day] = hidden_cells(own[:, :, day], k)
    c, a, d = np.indices(means.shape).reshape(3, -1)
    return pa.table(
        {
            "cluster": number[c].astype(np.int32),
            "state": a.astype(np.uint8),
            "day": d.astype(np.int32),
            "minutes": pa.array(means.ravel(), mask=hidden.ravel()),
        }
    )


def hidden_cells(spent: np.ndarray, k: int) -> np.ndarray:
    """Which states of a day stay hidden, from members x states."""
    hidden = np.array([not _shared(spent[:, a], k) for a in range(spent.shape[1])])
    if not hidden.any():
        return hidden
    for a in np.argsort(spent.sum(axis=0), kind="stable"):
        if hidden.sum() >= 2 and _shared(spent[:, hidden].sum(axis=1), k):
            return hidden
        hidden[a] = True
    return np.ones_like(hidden)


def _shared(spent: np.ndarray, k: int) -> bool:
    """Whether at least k members have some, and none stands out."""
    largest = np.sort(spent)[::-1]
    return bool((largest > 0).sum() >= k and largest[2:].sum() >= LARGEST_SHARE * largest[0])


def covariate_table(data: Activities, clusters: Clusters, number: np.ndarray, k: int) -> pa.Table:
    """Mean of every numeric covariate per cluster, only where at least `k` members have one."""
    rows: dict[str, list] = {"cluster": [], "name": [], "mean": [], "people": []}
    for name, column in data.covariates.items():
        if column.dtype.kind not in "fiub":
            continue
        values = column.astype(np.float64)[clusters.order]
        known = np.isfinite(values)
        if len(np.unique(values[known])) <= 2:  # the mean of a yes-or-no column counts those who say yes
            continue
        sums = np.add.reduceat(np.where(known, values, 0.0), clusters.bounds[:-1])
        people = np.add.reduceat(known.astype(np.int64), clusters.bounds[:-1])
        for c in np.flatnonzero(people >= k):
            rows["cluster"].append(int(number[c]))
            rows["name"].append(name)
            rows["mean"].append(float(sums[c] / people[c]))
            rows["people"].append(int(people[c]))
    schema = pa.schema([("cluster", pa.int32()), ("name", pa.string()), ("mean", pa.float64()), ("people", pa.int32())])
    return pa.table(rows, schema=schema)
