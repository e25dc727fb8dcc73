"""Run a clustering method in every group by itself, and publish the group of every row.

Two groups cannot both have k people in a cluster of k to 2k-1. So clusters, rates and effects belong to one group each:
differences between groups, and how sure one can be of them, survive.

Groups of people by columns that travel beside the data: their crossing, and what becomes of small groups.

The tables of an activity release, built around the sampled matrix without copying it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.errors import InputError, counted, nearest, verb_for
from sequester.layouts.states import States, public_facts, sequences_table
from sequester.methods.activity.shared.clustering import Clusters, Everybody, counts_of, window_edges
from sequester.model import Activities
from sequester.release import Release

OTHER = "other"
"""Name of the group that small groups join."""
UNKNOWN = "unknown"
"""Stands for an empty cell."""
BETWEEN = " / "


def group_labels(data: Activities, columns: tuple[str, ...]) -> np.ndarray:
    """One label per person: the values of the columns, crossed."""
    for name in columns:
        if name not in data.covariates:
            close = nearest(name, data.covariates)
            hint = f" Did you mean '{close}'?" if close else ""
            raise InputError(
                f"anonymize: the groups need the column '{name}' beside the data, and it was not read. "
                f"Pass ‹covariates='{name}'›.{hint}"
            )
    covariates = [[_text(v) for v in data.covariates[name]] for name in columns]
    return np.array([BETWEEN.join(values) for values in zip(*covariates, strict=True)], dtype=object)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return UNKNOWN
    if isinstance(value, (float, np.floating)):
        return f"{value:g}"
    return str(value)


def groups_of(data: Activities, columns: tuple[str, ...], k: int, *, merge_small: bool) -> np.ndarray:
    """The group of every person; groups of fewer than 2k people are merged or refused."""
    labels = group_labels(data, columns)
    names, inverse, counts = np.unique(labels.astype(str), return_inverse=True, return_counts=True)
    small = counts < 2 * k
    if not small.any():
        return labels
    if not merge_small:
        raise InputError(
            f"anonymize: {int(small.sum())} of {counted(len(names), 'group')} "
            f"{verb_for(int(small.sum()), 'holds', 'hold')} fewer than 2k={counted(2 * k, 'person', 'people')}. Lower "
            "k, group "
            "by fewer columns, or pass ‹merge_small=True›."
        )
    merged = np.where(small[inverse], OTHER, labels).astype(object)
    rest = int((merged == OTHER).sum())
    if rest < 2 * k:
        raise InputError(
            f"anonymize: the {int(small.sum())} small groups together hold {counted(rest, 'person', 'people')}, "
            f"fewer than 2k={2 * k}. "
            "Lower k or group by fewer columns."
        )
    return merged


def anonymize_groups(
    data: Activities, groups: np.ndarray, one: Callable[[Activities], Release], *, rng: Randomness
) -> tuple[dict[str, pa.Table], dict[str, pa.Table]]:
    """Public and private tables of all groups together, numbered anew."""
    n = data.n_records
    rows = np.empty(data.states.shape, np.uint8)
    place = rng.secret.permutation(n)
    cluster, group = np.empty(n, np.int64), np.empty(n, object)
    parts: list[tuple[np.ndarray, Release, int]] = []
    done = clusters = 0
    for name in np.unique(groups.astype(str)):
        who = np.flatnonzero(groups == name)
        release = one(data.take(who))
        shown = States.read(release)
        assert shown.cluster is not None
        here = place[done : done + len(who)]
        rows[here], cluster[here], group[here] = shown.states, shown.cluster + clusters, str(name)
        parts.append((who, release, clusters))
        done += len(who)
        clusters += int(shown.cluster.max()) + 1
    number = rng.secret.permutation(clusters)
    public = {"sequences": sequences_table(rows, number[cluster], group), **public_facts(data)}
    for table in ("centroids", "covariates"):
        found = [
            _renumbered(release.tables[table], "cluster", number[offset:])
            for _, release, offset in parts
            if table in release.tables
        ]
        if found:
            public = {table: pa.concat_tables(found), **public}
    private, done = [], 0
    for who, release, offset in parts:
        stated = _renumbered(release.private["records"], "cluster", number[offset:])
        stated = _renumbered(stated, "record", place[done:])
        private.append(_renumbered(stated, "row", who))
        done += len(who)
    return public, {"records": pa.concat_tables(private)}


def _renumbered(table: pa.Table, column: str, number: np.ndarray) -> pa.Table:
    new = pa.array(number[table[column].to_numpy()].astype(np.int32))
    return table.set_column(table.column_names.index(column), column, new)


def in_groups(method: Any, data: Activities, rng: Randomness, engine: Any) -> Release:
    """The release of a method with `by` and `merge_small`, run in every group."""
    groups = groups_of(data, method.by, method.k, merge_small=method.merge_small)
    alone = replace(method, by=(), merge_small=False)
    public, private = anonymize_groups(data, groups, lambda some: alone.apply(some, rng=rng, engine=engine), rng=rng)
    return Release(tables=public, guarantee=method.guarantee, method=method, private=private)


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
    hidden = np.empty(means.shape, bool)
    for size in np.unique(clusters.sizes):
        same = np.flatnonzero(clusters.sizes == size)
        own = counts[clusters.order[clusters.bounds[same][:, None] + np.arange(size)]]
        cells = own.transpose(0, 3, 1, 2).reshape(-1, size, means.shape[1])
        hidden[same] = hidden_cells(cells, k).reshape(len(same), means.shape[2], -1).transpose(0, 2, 1)
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
    """Which states of a day stay hidden, from days x members x states: days x states."""
    hidden: np.ndarray = ~_shared(spent, k)
    rising = np.argsort(spent.sum(axis=1), axis=1, kind="stable")
    unsettled = np.flatnonzero(hidden.any(axis=1))
    for turn in range(spent.shape[2]):
        together = (spent[unsettled] * hidden[unsettled][:, None]).sum(axis=2, keepdims=True)
        fine = (hidden[unsettled].sum(axis=1) >= 2) & _shared(together, k)[:, 0]
        unsettled = unsettled[~fine]
        hidden[unsettled, rising[unsettled, turn]] = True
    return hidden


def _shared(spent: np.ndarray, k: int) -> np.ndarray:
    """Whether at least k members (the second axis) have some, and none stands out."""
    rising = np.sort(spent, axis=1)
    found: np.ndarray = ((rising > 0).sum(axis=1) >= k) & (rising[:, :-2].sum(axis=1) >= LARGEST_SHARE * rising[:, -1])
    return found


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
