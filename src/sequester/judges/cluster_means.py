"""Means told about clusters: well formed from the release alone, recomputed beside the original."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from sequester.model import Activities
from sequester.release import Check, Claim

KEYS = {"centroids": ("cluster", "state", "day"), "covariates": ("cluster", "name")}
NUMBERS = {"centroids": ("minutes",), "covariates": ("mean", "people")}


def extras(claim: Claim, sizes: dict[int, int], k: int) -> list[Check]:
    """Means are finite, told once, about published clusters only, and covariates only where k members have them."""
    checks = []
    for name in KEYS:
        if name not in claim.tables:
            continue
        table = claim.tables[name]
        if not _well_formed(table, name):
            detail = "columns are missing, of another type or hold empty cells or repeats"
            checks.append(Check(name=f"{name} are means", passed=False, detail=detail))
            continue
        clusters = table["cluster"].to_pylist()
        strange = len(set(clusters) - set(sizes))
        people = table["people"].to_pylist() if name == "covariates" else []
        few = sum(p < k for p in people)
        many = sum(p > sizes.get(c, 0) for c, p in zip(clusters, people))
        checks.append(
            Check(
                name=f"{name} are means of at least {k} people",
                passed=strange == few == many == 0,
                detail=f"{strange} unknown clusters, {few} means over fewer than {k} people, "
                f"{many} over more than the cluster has",
            )
        )
    return checks


def _well_formed(table: pa.Table, name: str) -> bool:
    if set(table.column_names) != {*KEYS[name], *NUMBERS[name]} or any(c.null_count for c in table.columns):
        return False
    whole = [c for c in (*KEYS[name], "people") if c in table.column_names and c != "name"]
    if not all(pa.types.is_integer(table[c].type) for c in whole):
        return False
    if "name" in table.column_names and not pa.types.is_string(table["name"].type):
        return False
    mean = table[NUMBERS[name][0]]
    if not pa.types.is_floating(mean.type) or not np.isfinite(mean.to_numpy()).all():
        return False
    keys = list(zip(*(table[c].to_pylist() for c in KEYS[name])))
    return len(set(keys)) == len(keys)


def covariate_means(claim: Claim, source: Activities, groups: np.ndarray, member: np.ndarray) -> Check:
    """Recompute the mean of every numeric covariate per cluster where at least k members have one."""
    table, k = claim.tables["covariates"], claim.guarantee.parameters["k"]
    try:
        keys = zip(table["cluster"].to_pylist(), table["name"].to_pylist())
        told = dict(zip(keys, zip(table["mean"].to_pylist(), table["people"].to_pylist())))
        expected: dict[tuple[int, str], tuple[float, int]] = {}
        for name, column in source.covariates.items():
            if column.dtype.kind not in "fiub":
                continue
            for c in np.unique(groups):
                own = column[member[groups == c]].astype(np.float64)
                own = own[np.isfinite(own)]
                if len(own) >= k:
                    expected[int(c), name] = (math.fsum(own.tolist()) / len(own), len(own))
        off = sum(
            key in told and not (told[key][1] == n and math.isclose(told[key][0], mean, rel_tol=1e-9, abs_tol=1e-9))
            for key, (mean, n) in expected.items()
        )
        unlike = len(expected.keys() ^ told.keys())
    except (KeyError, TypeError):
        return Check(
            name="covariates are the clusters' means", passed=False, detail="columns are missing or no numbers"
        )
    return Check(
        name="covariates are the clusters' means",
        passed=off == 0 and unlike == 0,
        detail=f"{len(expected)} means recomputed, {len(told)} published, {off} differ, {unlike} on one side only",
    )


def centroid_means(claim: Claim, source: Activities, groups: np.ndarray, member: np.ndarray) -> Check:
    """Recompute the mean minutes per cluster, state and day."""
    table = claim.tables["centroids"]
    if not _well_formed(table, "centroids"):
        return Check(name="centroids are the clusters' means", passed=False, detail="the table is not well formed")
    start = (source.start - source.start.astype("datetime64[D]")).astype(np.int64)
    day = (np.arange(source.states.shape[1]) * source.interval_seconds + start) // 86400
    firsts = np.flatnonzero(np.diff(day, prepend=-1))
    worst = 0.0
    keys = zip(*(table[c].to_pylist() for c in ("cluster", "state", "day")))
    told = dict(zip(keys, table["minutes"].to_pylist()))
    n_cells = 0
    for c in np.unique(groups):
        own = source.states[member[groups == c]]
        for a in range(len(source.state_names)):
            means = np.add.reduceat((own == a).sum(axis=0), firsts) / len(own) * (source.interval_seconds / 60)
            for d, mean in enumerate(means):
                n_cells += 1
                worst = max(worst, abs(told.get((int(c), a, d), math.inf) - mean))
    return Check(
        name="centroids are the clusters' means",
        passed=worst < 1e-6 and n_cells == len(told),
        detail=f"{n_cells} means recomputed, {len(told)} published",
    )
