"""Run a clustering method in every group by itself, and publish the group of every row.

Two groups cannot both have k people in a cluster of k to 2k-1. So clusters, rates and effects belong to one group each:
differences between groups, and how sure one can be of them, survive.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.dp.randomness import Randomness
from sequester.errors import InputError, agreed, counted
from sequester.layouts.states import States, public_facts, sequences_table
from sequester.methods.activity.shared.groups import OTHER, group_labels
from sequester.model import Activities
from sequester.release import Release


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
            f"{agreed(int(small.sum()), 'holds', 'hold')} fewer than 2k={counted(2 * k, 'person', 'people')}. Lower "
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
            public[table] = pa.concat_tables(found)
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
