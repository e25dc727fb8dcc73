"""The judge of (k,P)-anonymity: counts from the released rows alone; truth of ranges and patterns beside the original.

Letters are checked by cells, not by recomputing a word bit for bit: the normalised value must lie in the letter's cell
up to 1e-9, so that the last digit of a mean decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from statistics import NormalDist
from typing import Any

import numpy as np

from sequester.judges.released_columns import misfit
from sequester.model import Data, Series
from sequester.release import Check, Claim, from_release

SLACK = 1e-9
FIXED = {"record": "number", "group": "group", "pattern": "pattern", "level": "level", "segments": "segments"}


class Malformed(Exception):
    """The table is not what the promise speaks about."""


class Rows:
    """The released table as arrays."""

    def __init__(self, claim: Claim) -> None:
        if "records" not in claim.tables:
            raise Malformed("there is no table 'records'")
        extra = sorted(set(claim.tables) - {"records", "columns", "alphabet", "times"})
        if extra:
            raise Malformed(f"{len(extra)} tables do not belong to this promise (first: '{extra[0]}')")
        table = claim.tables["records"]
        names = table.column_names
        lacking = [c for c in ("record", "group", "pattern", "level") if c not in names]
        if lacking:
            raise Malformed(f"the column '{lacking[0]}' is missing")
        if len(set(names)) != len(names):
            raise Malformed("a column name occurs twice")
        self.times = [c[:-3] for c in names if c.endswith("_lo") and f"{c[:-3]}_hi" in names]
        if not self.times:
            raise Malformed("no pair of columns '…_lo' and '…_hi'")
        ranges = {f"{t}{end}": role for t in self.times for end, role in (("_lo", "low"), ("_hi", "high"))}
        self.sensitive = [c for c in names if c not in ranges and c not in FIXED]
        if names[: 2 + len(ranges)] != ["record", "group", *(f"{t}{e}" for t in self.times for e in ("_lo", "_hi"))]:
            raise Malformed("columns are not in the order record, group, ranges, pattern, level, sensitive columns")
        odd = misfit(claim, FIXED | ranges)
        if odd:
            raise Malformed(odd)
        self.record = _whole(table, "record")
        self.group = _whole(table, "group")
        self.level = _whole(table, "level")
        self.segments = _whole(table, "segments") if "segments" in names else None
        self.lo = np.column_stack([_number(table, f"{t}_lo") for t in self.times])
        self.hi = np.column_stack([_number(table, f"{t}_hi") for t in self.times])
        words = table.column("pattern").to_pylist()
        if not all(isinstance(w, str) and w for w in words):
            raise Malformed("a pattern is missing or not text")
        self.pattern = np.array(words, dtype=object)
        self.columns: Mapping[str, Any] = {name: table.column(name) for name in self.sensitive}
        if not len(self.record):
            raise Malformed("the table is empty")

    def __len__(self) -> int:
        return len(self.record)

    def subgroup(self) -> np.ndarray:
        """A number per (group, pattern, level, segments)."""
        word = np.unique(self.pattern.astype(str), return_inverse=True)[1]
        keys = [self.group, word, self.level] + ([self.segments] if self.segments is not None else [])
        return np.unique(np.column_stack(keys), axis=0, return_inverse=True)[1].ravel()


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Recompute (k,P)-anonymity and, where promised, l-diversity."""
    try:
        told = _told(claim)
        rows = Rows(claim)
    except Malformed as why:
        return [Check(name="table", passed=False, detail=str(why))]
    checks = [*_shape(rows, claim), *_counts(rows, told)]
    if told.get("l"):
        checks += [_diversity(rows, name, int(told["l"])) for name in rows.sensitive]
    checks = from_release(checks)
    if source is not None:
        checks += _beside_source(rows, claim, told, source)
    return checks


def _told(claim: Claim) -> Mapping[str, Any]:
    told = claim.guarantee.parameters
    if not all(isinstance(told.get(name), int) and told[name] >= 2 for name in ("k", "p")):
        raise Malformed("the promise states no k and p of at least 2")
    if told.get("pattern_of") not in ("record", "subgroup", "neighbour"):
        raise Malformed("the promise does not say whose pattern is shown")
    if told.get("l") is not None and not (isinstance(told["l"], int) and told["l"] >= 2):
        raise Malformed("the promise states an l below 2")
    return told


def _shape(rows: Rows, claim: Claim) -> list[Check]:
    n = len(rows)
    numbered = np.array_equal(np.sort(rows.record), np.arange(1, n + 1))
    crossed = int((rows.lo > rows.hi).any(axis=1).sum())
    order = np.argsort(rows.group, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(rows.group[order]) != 0]))
    uneven = 0
    for side in (rows.lo, rows.hi):
        spread = np.maximum.reduceat(side[order], starts) - np.minimum.reduceat(side[order], starts)
        uneven += int((spread != 0).any(axis=1).sum())
    length = np.array([len(w) for w in rows.pattern])
    letters = np.array([max(w) for w in rows.pattern])
    lowest = np.array([min(w) for w in rows.pattern])
    finest = claim.parameters.get("max_level", 26)
    wrong = (rows.level < 1) | (rows.level > finest)
    wrong |= lowest < "a"
    wrong |= np.array([ord(c) for c in letters]) >= ord("a") + rows.level
    named = claim.parameters.get("publish_patterns") or []
    if rows.segments is not None:
        wrong |= length != rows.segments
        wrong |= rows.segments > len(rows.times)
    elif named:
        wrong |= length != len(named)
    elif not claim.parameters.get("publish_values"):
        wrong |= length != len(rows.times)
    else:
        wrong |= length != length[0]
    published = claim.parameters.get("publish_values") or rows.times
    return [
        Check(
            name="table",
            passed=numbered and len(published) == len(rows.times) and set(published) == set(rows.times),
            detail=f"{n} records numbered 1..{n}, ranges at {len(rows.times)} times, "
            f"{len(rows.sensitive)} sensitive columns",
        ),
        Check(
            name="envelopes",
            passed=crossed == 0 and uneven == 0,
            detail=f"{crossed} ranges run backwards, {uneven} groups have more than one envelope",
        ),
        Check(
            name="patterns",
            passed=not wrong.any(),
            detail=f"{int(wrong.sum())} patterns use a letter, length or level they may not",
        ),
    ]


def _counts(rows: Rows, told: Mapping[str, Any]) -> list[Check]:
    groups = np.unique(rows.group, return_counts=True)[1]
    subgroups = np.bincount(rows.subgroup())
    # the same envelope under two group numbers is one group to an attacker; more only helps, so numbers decide
    return [
        Check(
            name="k",
            passed=bool(groups.min() >= told["k"]),
            detail=f"{len(groups)} groups, the smallest holds {groups.min()}; promised {told['k']}",
        ),
        Check(
            name="p",
            passed=bool(subgroups.min() >= told["p"]),
            detail=f"{len(subgroups)} patterns inside groups, the rarest is shown by {subgroups.min()}; "
            f"promised {told['p']}",
        ),
    ]


def _diversity(rows: Rows, name: str, l: int) -> Check:  # noqa: E741
    column = np.array([np.nan if v is None else v for v in rows.columns[name].to_pylist()], dtype=object)
    known = np.array([v == v for v in column], dtype=bool)
    subgroup = rows.subgroup()
    size = np.bincount(subgroup)
    worst = 0
    if known.any():
        code = np.unique(column[known].astype(str), return_inverse=True)[1]
        cells, count = np.unique(np.column_stack([subgroup[known], code]), axis=0, return_counts=True)
        worst = int((count * l > size[cells[:, 0]]).sum())
    return Check(
        name=f"l-diversity of '{name}'",
        passed=worst == 0,
        detail=f"{worst} values are held by more than one in {l} of those who share a pattern",
    )


def _beside_source(rows: Rows, claim: Claim, told: Mapping[str, Any], source: Data) -> list[Check]:
    if not isinstance(source, Series):
        return [Check(name="original", passed=False, detail=f"the original is {source.kind} data, not series")]
    unknown = [t for t in rows.times if t not in source.times]
    strangers = sorted(set(rows.sensitive) ^ set(source.sensitive))
    if unknown or strangers:
        odd = (
            f"{len(unknown)} times and {len(strangers)} sensitive columns of the release are not those of the original"
        )
        return [Check(name="original", passed=False, detail=odd)]
    values, present = _as_published(source, claim)
    missing = len(present) - len(rows)
    few = missing < told["p"] if told["pattern_of"] == "record" else missing == 0
    checks = [
        Check(
            name="suppressed",
            passed=missing >= 0 and few,
            detail=f"{missing} of {len(present)} records are not in the release",
        )
    ]
    if claim.guarantee.unit == "person":
        people = len({source.persons[i] for i in present})
        detail = f"{len(present)} records belong to {people} people"
        if not source.people_known:
            detail = "the original does not say whose record each is; name the person column"
        one_each = source.people_known and people == len(present)
        checks.append(Check(name="one record per person", passed=one_each, detail=detail))
    at = [source.times.index(t) for t in rows.times]
    origin = claim.private.get("origin")
    if origin is None:
        return [*checks, *_without_map(rows, values[present][:, at])]
    row = _matched(rows, origin, source, present)
    if row is None:
        return [*checks, Check(name="origin", passed=False, detail="the custodian's map does not fit the original")]
    mine = values[row]
    checks.append(_tight(rows, mine[:, at]))
    checks.append(_true_words(rows, mine, source.times, claim, told, origin))
    checks += [_sensitive(rows, name, source.sensitive[name][row], told) for name in rows.sensitive]
    return checks


def _as_published(source: Series, claim: Claim) -> tuple[np.ndarray, np.ndarray]:
    """Values with the stated rule on missing ones applied, and the rows that had to take part."""
    values = np.array(source.values)
    hole = np.isnan(values)
    if claim.parameters.get("missing") != "fill":
        return values, np.flatnonzero(~hole.any(axis=1))
    at = np.arange(values.shape[1])
    for i in np.flatnonzero(hole.any(axis=1) & ~hole.all(axis=1)):
        values[i] = np.interp(at, at[~hole[i]], values[i, ~hole[i]])
    return values, np.flatnonzero(~hole.all(axis=1))


def _matched(rows: Rows, origin: Any, source: Series, present: np.ndarray) -> np.ndarray | None:
    """Source row of every released row, or None if the map is not one."""
    if not {"record", "row", "person"} <= set(origin.column_names) or origin.num_rows != len(rows):
        return None
    record, row = origin.column("record").to_numpy(), origin.column("row").to_numpy() - 1
    if len(set(row.tolist())) != len(row) or not set(row.tolist()) <= set(present.tolist()):
        return None
    if source.persons[row].tolist() != origin.column("person").to_pylist():
        return None
    place = {int(r): i for i, r in enumerate(record)}
    if set(place) != set(rows.record.tolist()):
        return None
    matched: np.ndarray = row[[place[int(r)] for r in rows.record]]
    return matched


def _without_map(rows: Rows, values: np.ndarray) -> list[Check]:
    """Without the map: every end of a range must be some record's value, and envelopes must hold enough records."""
    ends = 0
    for j in range(values.shape[1]):
        for side in (rows.lo, rows.hi):
            ends += int((~np.isin(side[:, j], values[:, j])).any())
    first = np.unique(rows.group, return_index=True)[1]
    size = np.unique(rows.group, return_counts=True)[1]
    short = sum(
        int(((values >= rows.lo[i]) & (values <= rows.hi[i])).all(axis=1).sum()) < n
        for i, n in zip(first, size, strict=True)
    )
    return [
        Check(
            name="envelopes hold the original",
            passed=ends == 0 and short == 0,
            detail=f"{ends} columns have ends nobody has, {short} envelopes hold fewer originals than rows "
            "(no custodian's map: records were not matched)",
        )
    ]


def _tight(rows: Rows, values: np.ndarray) -> Check:
    order = np.argsort(rows.group, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(rows.group[order]) != 0]))
    low, high = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
    loose = (low != rows.lo[order][starts]) | (high != rows.hi[order][starts])
    return Check(
        name="tight envelopes",
        passed=not loose.any(),
        detail=f"{int(loose.any(axis=1).sum())} of {len(starts)} envelopes are not the range of their members",
    )


def _true_words(
    rows: Rows, values: np.ndarray, times: tuple[str, ...], claim: Claim, told: Mapping[str, Any], origin: Any
) -> Check:
    z = _normal(values, 1 if claim.parameters.get("std") == "sample" else 0)
    if told["pattern_of"] == "subgroup":
        if "subgroup" not in origin.column_names:
            return Check(name="true patterns", passed=False, detail="the custodian's map lacks the subgroups")
        of = dict(zip(origin.column("record").to_pylist(), origin.column("subgroup").to_pylist(), strict=True))
        which = np.unique([of[int(r)] for r in rows.record], return_inverse=True)[1]
        mean = np.zeros((which.max() + 1, z.shape[1]))
        np.add.at(mean, which, z)
        z = _normal(mean / np.bincount(which)[:, None], 0)[which]
    width = z.shape[1]
    columns = list(range(width))
    names = claim.parameters.get("publish_patterns") or []
    if names:  # letters stand in the order of the original's times
        columns = [j for j, t in enumerate(times) if t in names]
    false = np.zeros(len(rows), dtype=bool)
    length = np.array([len(w) for w in rows.pattern])
    for level, letters in sorted(set(zip(rows.level.tolist(), length.tolist(), strict=True))):
        at = np.flatnonzero((rows.level == level) & (length == letters))
        if rows.segments is not None and letters != width:
            edges = [i * width // letters for i in range(letters + 1)]
            seen = np.column_stack([z[at, a:b].mean(axis=1) for a, b in pairwise(edges)])
        elif letters == len(columns):
            seen = z[at][:, columns]
        else:
            false[at] = True
            continue
        word = np.array([[ord(c) - ord("a") for c in w] for w in rows.pattern[at]])
        cuts = np.array([-np.inf, *[NormalDist().inv_cdf(j / level) for j in range(1, level)], np.inf])
        if word.max() >= level or word.min() < 0:
            false[at] = True
            continue
        false[at] = ((seen < cuts[word] - SLACK) | (seen > cuts[word + 1] + SLACK)).any(axis=1)
    if told["pattern_of"] == "neighbour":
        if "borrowed" not in origin.column_names:
            return Check(
                name="true patterns", passed=False, detail="the custodian's map does not say what was borrowed"
            )
        lent = dict(zip(origin.column("record").to_pylist(), origin.column("borrowed").to_pylist(), strict=True))
        logged = np.array([bool(lent[int(r)]) for r in rows.record])
        detail = f"{int((false & ~logged).sum())} patterns are false and not logged; {int(logged.sum())} are borrowed"
        return Check(name="true patterns", passed=not (false & ~logged).any(), detail=detail)
    whose = "their record's own" if told["pattern_of"] == "record" else "their subgroup's mean shape"
    return Check(
        name="true patterns", passed=not false.any(), detail=f"{int(false.sum())} patterns are not {whose} word"
    )


def _sensitive(rows: Rows, name: str, truth: np.ndarray, told: Mapping[str, Any]) -> Check:
    shown = rows.columns[name].to_pylist()
    numeric = truth.dtype != object
    true = [None if (v is None or v != v) else v for v in truth.tolist()]
    differs = np.array([a != b for a, b in zip(shown, true, strict=True)])
    allowed = 0
    too_far = 0
    if told.get("l"):
        subgroup = rows.subgroup()
        size = np.bincount(subgroup)
        known = np.array([v is not None for v in true])
        code = np.unique(np.array([str(v) for v in true]), return_inverse=True)[1]
        cells, count = np.unique(np.column_stack([subgroup[known], code[known]]), axis=0, return_counts=True)
        allowed = int(np.maximum(0, count - size[cells[:, 0]] // told["l"]).sum()) if len(cells) else 0
        if numeric and differs.any():
            reach = float(told["tolerance"] or 0.0) * (1 + 1e-9)
            gaps = [abs(a - b) if a is not None and b is not None else np.inf for a, b in zip(shown, true, strict=True)]
            too_far = int((np.array(gaps)[differs] > reach).sum())
    return Check(
        name=f"sensitive column '{name}'",
        passed=int(differs.sum()) <= allowed and too_far == 0,
        detail=f"{int(differs.sum())} values differ from the original ({allowed} may), "
        f"{too_far} by more than the tolerance",
    )


def _normal(x: np.ndarray, ddof: int) -> np.ndarray:
    out = np.zeros_like(x)
    if x.shape[1] <= ddof:
        return out
    mean, deviation = x.mean(axis=1), x.std(axis=1, ddof=ddof)
    moves = deviation > 1e-12 * np.maximum(1.0, np.abs(mean))
    out[moves] = (x[moves] - mean[moves, None]) / deviation[moves, None]
    return out


def _whole(table: Any, name: str) -> np.ndarray:
    column = table.column(name)
    if not str(column.type).startswith(("int", "uint")) or column.null_count:
        raise Malformed(f"the column '{name}' must hold whole numbers and nothing missing")
    out: np.ndarray = column.to_numpy().astype(np.int64)
    return out


def _number(table: Any, name: str) -> np.ndarray:
    column = table.column(name)
    if not str(column.type).startswith(("int", "uint", "float", "double")) or column.null_count:
        raise Malformed(f"the column '{name}' must hold numbers and nothing missing")
    out: np.ndarray = column.to_numpy().astype(np.float64)
    if not np.isfinite(out).all():
        raise Malformed(f"the column '{name}' holds a value that is not finite")
    return out
