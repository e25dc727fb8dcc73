"""Means published about clusters: well formed from the release alone, recomputed beside the original."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.model import Activities
from sequester.release import Check, Claim

KEYS = {"centroids": ("cluster", "state", "day"), "covariates": ("cluster", "name")}
NUMBERS = {"centroids": ("minutes",), "covariates": ("mean", "people")}


def extras(claim: Claim, sizes: dict[int, int], k: int) -> list[Check]:
    """Means are finite, stand once, are of published clusters only; covariates only where k members have them."""
    checks = []
    for name in KEYS:
        if name not in claim.tables:
            continue
        table = claim.tables[name]
        if not _well_formed(table, name):
            detail = "columns are missing, of another type or hold empty cells or repeats"
            checks.append(Check(name=f"{name} are means", passed=False, detail=detail))
            continue
        if name == "centroids":
            checks += [*centroid_cells(claim, set(sizes)), _whole_intervals(claim, sizes)]
        clusters = table["cluster"].to_pylist()
        strange = len(set(clusters) - set(sizes))
        people = table["people"].to_pylist() if name == "covariates" else []
        few = sum(p < k for p in people)
        many = sum(p > sizes.get(c, 0) for c, p in zip(clusters, people))
        checks.append(
            Check(
                name=f"{name} are means of at least {counted(k, 'person', 'people')}",
                passed=strange == few == many == 0,
                detail=f"{strange} unknown clusters, {few} means over fewer than {counted(k, 'person', 'people')}, "
                f"{many} over more than the cluster has",
            )
        )
    return checks


def _well_formed(table: pa.Table, name: str) -> bool:
    if set(table.column_names) != {*KEYS[name], *NUMBERS[name]}:
        return False
    if any(table[c].null_count for c in table.column_names if (name, c) != ("centroids", "minutes")):
        return False
    whole = [c for c in (*KEYS[name], "people") if c in table.column_names and c != "name"]
    if not all(pa.types.is_integer(table[c].type) for c in whole):
        return False
    if "name" in table.column_names and not pa.types.is_string(table["name"].type):
        return False
    mean = table[NUMBERS[name][0]]
    if not pa.types.is_floating(mean.type) or not np.isfinite(mean.drop_null().to_numpy()).all():
        return False
    keys = list(zip(*(table[c].to_pylist() for c in KEYS[name])))
    return len(set(keys)) == len(keys)


def covariate_means(claim: Claim, source: Activities, groups: np.ndarray, member: np.ndarray) -> Check:
    """Recompute the mean of every numeric covariate per cluster where at least k members have one."""
    table, k = claim.tables["covariates"], claim.guarantee.parameters["k"]
    try:
        keys = zip(table["cluster"].to_pylist(), table["name"].to_pylist())
        fields = dict(zip(keys, zip(table["mean"].to_pylist(), table["people"].to_pylist())))
        expected: dict[tuple[int, str], tuple[float, int]] = {}
        for name, column in source.covariates.items():
            known = column[np.isfinite(column)] if column.dtype.kind in "fiub" else ()
            if len(set(known)) <= 2:  # a mean of a yes-or-no column counts people
                continue
            for c in np.unique(groups):
                own = column[member[groups == c]].astype(np.float64)
                own = own[np.isfinite(own)]
                if len(own) >= k:
                    expected[int(c), name] = (math.fsum(own.tolist()) / len(own), len(own))
        off = sum(
            key in fields
            and not (fields[key][1] == n and math.isclose(fields[key][0], mean, rel_tol=1e-9, abs_tol=1e-9))
            for key, (mean, n) in expected.items()
        )
        unlike = len(expected.keys() ^ fields.keys())
    except (KeyError, TypeError):
        return Check(
            name="covariates are the clusters' means", passed=False, detail="columns are missing or no numbers"
        )
    return Check(
        name="covariates are the clusters' means",
        passed=off == 0 and unlike == 0,
        detail=f"{len(expected)} means recomputed, {len(fields)} published, {off} differ, {unlike} on one side only",
    )


def centroid_cells(claim: Claim, clusters: set[int]) -> list[Check]:
    """A mean per cluster, state and day; of a day none is hidden, or at least two, for states of a day add up."""
    table = claim.tables["centroids"]
    cells = list(zip(*(table[c].to_pylist() for c in ("cluster", "state", "day", "minutes"))))
    n_states = claim.tables["states"].num_rows
    hidden: dict[tuple[int, int], int] = {}
    shown_zero = 0
    for cluster, _, day, minutes in cells:
        hidden.setdefault((cluster, day), 0)
        hidden[cluster, day] += minutes is None
        shown_zero += minutes is not None and minutes <= 0
    single = sum(n == 1 for n in hidden.values())
    days = {day for _, day in hidden}
    whole = len(cells) == len(clusters) * n_states * len(days) and days == set(range(len(days)))
    whole &= all(0 <= state < n_states for _, state, _, _ in cells)
    return [
        Check(
            name="hidden centroids cannot be reckoned",
            passed=bool(whole and single == 0 and shown_zero == 0),
            detail=f"{len(cells)} means, {sum(hidden.values())} hidden, {counted(single, 'day')} with a single "
            "hidden one, "
            f"{shown_zero} shown that nobody shares",
        )
    ]


def _whole_intervals(claim: Claim, sizes: dict[int, int]) -> Check:
    """Members spend whole intervals, and states of a day add up to it: other minutes are nobody's mean."""
    table, calendar = claim.tables["centroids"], claim.tables["calendar"].to_pylist()[0]
    seconds, begin = int(calendar["interval_seconds"]), calendar["start"]
    start = begin.hour * 3600 + begin.minute * 60 + begin.second
    lengths = np.bincount((np.arange(int(calendar["intervals"])) * seconds + start) // 86400)
    odd, spent, hidden = 0, dict[tuple[int, int], float](), set[tuple[int, int]]()
    for cluster, day, minutes in zip(*(table[c].to_pylist() for c in ("cluster", "day", "minutes"))):
        at = (cluster, day)
        spent.setdefault(at, 0.0)
        if minutes is None:
            hidden.add(at)
            continue
        intervals = minutes * 60 / seconds * sizes.get(cluster, 0)
        odd += abs(intervals - round(intervals)) > 1e-6 * max(1.0, abs(intervals))
        spent[at] += minutes
    over = 0
    for (cluster, day), minutes in spent.items():
        whole = float(lengths[day]) * seconds / 60 if 0 <= day < len(lengths) else 0.0
        over += minutes > whole + 1e-6 if (cluster, day) in hidden else abs(minutes - whole) > 1e-6
    return Check(
        name="centroids are means of whole intervals",
        passed=odd == 0 and over == 0,
        detail=f"{counted(odd, 'mean')} of no whole number of intervals, {counted(over, 'day')} whose states do not "
        "add up to it",
    )


def _shared(spent: np.ndarray, k: int) -> np.ndarray:
    """By day: at least k members (the first axis) have some, and those beyond the two largest a fifth of the most."""
    falling = -np.sort(-spent, axis=0)
    fine: np.ndarray = ((falling > 0).sum(axis=0) >= k) & (falling[2:].sum(axis=0) >= 0.2 * falling[0])
    return fine


def centroid_means(claim: Claim, source: Activities, groups: np.ndarray, member: np.ndarray) -> Check:
    """Recompute the mean minutes per cluster, state and day, and who shares what is shown and what is hidden."""
    name = "centroids are means that k members share"
    table, k = claim.tables["centroids"], claim.guarantee.parameters["k"]
    if not _well_formed(table, "centroids"):
        return Check(name=name, passed=False, detail="the table is not well formed")
    start = (source.start - source.start.astype("datetime64[D]")).astype(np.int64)
    day = (np.arange(source.states.shape[1]) * source.interval_seconds + start) // 86400
    firsts = np.flatnonzero(np.diff(day, prepend=-1))
    n_states = len(source.state_names)
    cells = zip(*(table[c].to_pylist() for c in ("cluster", "state", "day")))
    shown = dict(zip(cells, table["minutes"].to_pylist()))
    off = alone = absent = 0
    for c in np.unique(groups):
        own = source.states[member[groups == c]]
        spent = [np.add.reduceat(own == a, firsts, axis=1, dtype=np.int64) for a in range(n_states)]
        left, hidden = np.zeros(spent[0].shape, np.int64), np.zeros(len(firsts), np.int64)
        for a, mine in enumerate(spent):
            own_row = [shown.get((int(c), a, d), math.inf) for d in range(len(firsts))]
            absent += own_row.count(math.inf)
            minutes = np.array([math.nan if v is None else v for v in own_row])
            open_ = ~np.isnan(minutes)
            mean = mine.sum(axis=0) / len(own) * (source.interval_seconds / 60)
            off += int((np.abs(minutes - mean)[open_] > 1e-6).sum())
            alone += int((open_ & ~_shared(mine, k)).sum())
            left += mine * ~open_
            hidden += ~open_
        alone += int(((hidden > 0) & (hidden < n_states) & ~_shared(left, k)).sum())
    return Check(
        name=name,
        passed=off == 0 and absent == 0 and alone == 0,
        detail=f"{len(shown)} means recomputed: {off} differ, {absent} missing, {alone} shown or left over that fewer "
        f"than {k} members share",
    )
