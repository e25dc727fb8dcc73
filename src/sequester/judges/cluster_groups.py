"""Rows published with their group: no cluster mixes groups, no group is small, and beside the original all is true."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa

from sequester.errors import counted, verb_for
from sequester.model import Activities
from sequester.release import Check, Claim

OTHER = "other"


def group_checks(claim: Claim, cluster: np.ndarray, k: int) -> list[Check]:
    """From the release alone."""
    column = claim.tables["sequences"]["group"]
    if not pa.types.is_string(column.type) or column.null_count:
        return [Check(name="groups", passed=False, detail="the column `group` is not text, or has empty cells")]
    group = np.array(column.to_pylist(), dtype=object)
    mixed = sum(len(set(group[cluster == c])) > 1 for c in np.unique(cluster))
    sizes = [int((group == name).sum()) for name in sorted(set(group))]
    return [
        Check(
            name="no cluster mixes groups",
            passed=mixed == 0,
            detail=f"{counted(mixed, 'cluster')} with rows of two groups",
        ),
        Check(
            name="no group is small",
            passed=min(sizes) >= 2 * k,
            detail=f"{counted(len(sizes), 'group')}, the smallest of {min(sizes)} rows, promised at least {2 * k}",
        ),
    ]


def true_groups(claim: Claim, source: Activities, member: np.ndarray, position: np.ndarray) -> Check:
    """Every row carries the group of the person whose place it took."""
    parameters = claim.guarantee.parameters
    columns, k = list(parameters["by"]), parameters["k"]
    name = "every row carries its members' group"
    if any(c not in source.covariates for c in columns):
        return Check(name=name, passed=False, undecided=True, detail="the columns of the groups were not read")
    labels = [" / ".join(_text(source.covariates[c][i]) for c in columns) for i in range(source.n_records)]
    if parameters.get("merge_small"):
        people = Counter(labels)
        labels = [label if people[label] >= 2 * k else OTHER for label in labels]
    published = claim.tables["sequences"]["group"].to_pylist()
    wrong = sum(published[p] != labels[m] for p, m in zip(position.tolist(), member.tolist()))
    return Check(
        name=name,
        passed=wrong == 0,
        detail=f"{wrong} of {counted(len(published), 'row')} {verb_for(wrong, 'carries', 'carry')} another group",
    )


def _text(value: object) -> str:
    if value is None or value != value:
        return "unknown"
    return f"{value:g}" if isinstance(value, float) else str(value)
