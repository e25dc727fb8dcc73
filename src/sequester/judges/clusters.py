"""Judge of clustered activity releases: sizes, symbols, equal rows, and beside the original the clusters themselves."""

from __future__ import annotations

import hashlib
import math
from itertools import pairwise

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.judges.activity_tables import blocks, column_of, matrix, same_calendar, shape
from sequester.judges.cluster_groups import group_checks, true_groups
from sequester.judges.cluster_means import centroid_means, covariate_means, extras
from sequester.judges.copied_rows import own_rows
from sequester.model import Activities, Data
from sequester.release import Check, Claim, from_release

ALPHA = 1e-9
"""Chance that an honest sample fails a check of its frequencies."""


def judge_mixture(claim: Claim, source: Data | None) -> list[Check]:
    """Rows drawn from mixtures of at least k people."""
    return _judge(claim, source, exact=False)


def judge_exact(claim: Claim, source: Data | None) -> list[Check]:
    """k-anonymity: rows of a cluster are identical."""
    return _judge(claim, source, exact=True)


def judge_noisy(claim: Claim, source: Data | None) -> list[Check]:
    """Clusters with noisy profiles: only sizes and symbols can be seen."""
    return _judge(claim, source, exact=False)


def _judge(claim: Claim, source: Data | None, *, exact: bool) -> list[Check]:
    k = claim.guarantee.parameters.get("k")
    if not isinstance(k, int) or k < 2:
        return [Check(name="promise", passed=False, detail="the promise states no k of at least 2")]
    checks = shape(claim, clusters=True)
    if not all(c.passed for c in checks):
        return checks
    sequences = claim.tables["sequences"]
    column = column_of(sequences, "cluster")
    if not pa.types.is_integer(column.type) or column.null_count:
        detail = f"the column `cluster` is not whole numbers, or has empty cells ({column.null_count})"
        return [*checks, Check(name="cluster sizes", passed=False, detail=detail)]
    cluster = column.to_numpy().astype(np.int64)
    names, inverse, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
    checks.append(
        Check(
            name="cluster sizes",
            passed=bool(sizes.min() >= k and sizes.max() <= 2 * k - 1),
            detail=f"{counted(len(sizes), 'cluster')} of {sizes.min()} to {counted(sizes.max(), 'row')}, "
            f"promised {k} to {2 * k - 1}",
        )
    )
    if claim.guarantee.parameters.get("by"):
        checks += group_checks(claim, cluster, k)
    if exact:
        order = np.argsort(inverse, kind="stable")
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        checks.append(_equal_rows(_digests(sequences), order, bounds, k))
    checks += extras(claim, dict(zip(names.tolist(), sizes.tolist())), k)
    checks = from_release(checks)
    if source is not None:
        record = column_of(sequences, "record").to_numpy().astype(np.int64)
        checks += _beside_original(claim, source, matrix(sequences), record, cluster, exact=exact)
    return checks


def _digests(sequences: pa.Table) -> np.ndarray:
    """A print of every row: rows are compared by it, because all of them need not fit into memory."""
    prints = (hashlib.blake2b(row.tobytes(), digest_size=16).digest() for block in blocks(sequences) for row in block)
    return np.frombuffer(b"".join(prints), np.uint8).reshape(-1, 16)


def _equal_rows(rows: np.ndarray, order: np.ndarray, bounds: np.ndarray, k: int) -> Check:
    uneven = 0
    for first, last in pairwise(bounds):
        group = rows[order[first:last]]
        uneven += bool((group != group[0]).any())
    smallest = int(np.diff(bounds).min())
    return Check(
        name="rows of a cluster are identical",
        passed=uneven == 0 and smallest >= k,
        detail=f"{counted(uneven, 'cluster')} whose rows differ; every row has at least {smallest - 1} equals "
        "otherwise",
    )


def _beside_original(
    claim: Claim, source: Data, rows: np.ndarray, record: np.ndarray, cluster: np.ndarray, *, exact: bool
) -> list[Check]:
    if not isinstance(source, Activities):
        return [Check(name="original", passed=False, detail=f"the original is {source.kind} data")]
    same = (
        source.states.shape == rows.shape
        and tuple(claim.tables["states"]["name"].to_pylist()) == source.state_names
        and same_calendar(claim, source)
    )
    checks = [
        Check(
            name="as many rows, intervals and states as the original",
            passed=bool(same),
            detail="{} x {} published, {} x {} held".format(*rows.shape, *source.states.shape),
        )
    ]
    if same and "records" not in claim.private and "centroids" in claim.tables:
        detail = "no map of the custodian belongs to this bundle, so nobody knows whose means they are"
        name = "centroids are means that k members share"
        return [*checks, Check(name=name, passed=False, undecided=True, detail=detail)]
    if not same or "records" not in claim.private:
        return checks
    found = claim.private["records"]
    row_of = {person: i for i, person in enumerate(source.persons)}
    people = found["person"].to_pylist()
    known = all(p in row_of for p in people)
    fine = known and len(set(people)) == len(people) == source.n_records
    published = dict(zip(record.tolist(), cluster.tolist()))
    fine = fine and dict(zip(found["record"].to_pylist(), found["cluster"].to_pylist())) == published
    checks.append(
        Check(
            name="clusters partition the people",
            passed=fine,
            detail=f"{counted(len(people), 'person', 'people')} in the custodian's map, {source.n_records} in "
            "the original",
        )
    )
    if fine:
        member = np.array([row_of[p] for p in people])
        at = {r: i for i, r in enumerate(record.tolist())}
        position = np.array([at[r] for r in found["record"].to_pylist()])
        groups = np.array(found["cluster"].to_pylist())
        if not exact:  # of a row that all of a cluster share, equality is checked without the original
            checks += _members(claim, source, rows, groups, member, position)
        checks.append(own_rows(claim, source, rows, groups, member, position))
        if claim.guarantee.parameters.get("by"):
            checks.append(true_groups(claim, source, member, position))
        if "centroids" in claim.tables:
            checks.append(centroid_means(claim, source, groups, member))
        if "covariates" in claim.tables:
            checks.append(covariate_means(claim, source, groups, member))
    return checks


def _members(
    claim: Claim,
    source: Activities,
    rows: np.ndarray,
    groups: np.ndarray,
    member: np.ndarray,
    position: np.ndarray,
) -> list[Check]:
    """Per cluster: what was published against what its members did."""
    parameters = claim.guarantee.parameters
    independent = parameters.get("sampler") == "independent"
    if not independent:
        return [_visited(claim, source, rows), _changed(claim, source, rows)] if "sampler" in parameters else []
    n_states = len(source.state_names)
    order = np.argsort(groups, kind="stable")
    cuts = np.flatnonzero(np.diff(groups[order])) + 1
    foreign = 0
    drawn, expected, spread = np.zeros(n_states), np.zeros(n_states), np.zeros(n_states)
    for part in np.split(order, cuts):
        own, shown = source.states[member[part]], rows[position[part]]
        counts = np.stack([np.add.reduce(own == a, axis=0, dtype=np.int32) for a in range(n_states)])
        held = np.zeros(shown.shape, dtype=bool)
        for row in own:
            held |= shown == row
        foreign += int(held.size - np.count_nonzero(held))
        for a in range(n_states):
            share = counts[a] / len(part)
            drawn[a] += np.count_nonzero(shown == a)
            expected[a] += counts[a].sum()
            spread[a] += (share * (1 - share)).sum() * len(part)
    reach = math.sqrt(2 * math.log(2 * n_states / ALPHA))
    # Bernstein's inequality: a sum of independent 0/1 draws strays by this much with chance below ALPHA.
    allowed = reach * np.sqrt(spread) + reach * reach / 3
    off = int((np.abs(drawn - expected) > allowed).sum())
    return [
        Check(
            name="every shown state was a member's at that interval",
            passed=foreign == 0,
            detail=f"{counted(foreign, 'interval shows', 'intervals show')} a state no member of the cluster had",
        ),
        Check(
            name="state frequencies follow the clusters' shares",
            passed=off == 0,
            detail=f"{off} of {counted(n_states, 'state')} appear more or less often than chance allows",
        ),
    ]


def _visited(claim: Claim, source: Activities, rows: np.ndarray) -> Check:
    """The pooled sampler never shows a state that fewer than k people had at any time."""
    k = claim.guarantee.parameters["k"]
    n = len(source.state_names)
    visitors = np.zeros(n, np.int64)
    for row in source.states:
        visitors += np.bincount(row, minlength=n) > 0
    rare = np.flatnonzero((visitors > 0) & (visitors < k))
    shown = sum(bool((rows == a).any()) for a in rare)
    return Check(
        name="no state of fewer than k people is shown",
        passed=shown == 0,
        detail=f"{counted(len(rare), 'state was', 'states were')} visited by fewer than "
        f"{counted(k, 'person', 'people')}, {shown} of them are shown",
    )


def _changed(claim: Claim, source: Activities, rows: np.ndarray) -> Check:
    """The sampler day-types never shows a change from state to state that fewer than k people made."""
    k, n = claim.guarantee.parameters["k"], len(source.state_names)
    made, shown = np.zeros(n * n, np.int64), np.zeros(n * n, np.int64)
    for count, matrix_ in ((made, source.states), (shown, rows)):
        for row in matrix_:
            at = np.flatnonzero(row[1:] != row[:-1])
            count += np.bincount(row[at].astype(np.int64) * n + row[at + 1], minlength=n * n) > 0
    rare = (made < k) & ~np.eye(n, dtype=bool).ravel()
    return Check(
        name="no change of fewer than k people is shown",
        passed=not (shown[rare] > 0).any(),
        detail=f"{int((rare & (made > 0)).sum())} changes were made by 1 to {counted(k - 1, 'person', 'people')}, "
        f"{int((shown[rare] > 0).sum())} of those that fewer than {k} made are shown",
    )
