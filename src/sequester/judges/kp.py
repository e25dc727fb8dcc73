"""The judge of (k,P)-anonymity: counts from the released rows alone; truth of ranges and patterns beside the original.

Ends of ranges are multiples of the published step; beside the original they are exactly the group's smallest and
largest value rounded outward.

Letters are checked by cells, not by recomputing a word bit for bit: the normalised value must lie in the letter's cell
up to 1e-9, so that the last digit of a mean decides nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.errors import counted, verb_for
from sequester.judges import kp_diversity as diversity
from sequester.judges.kp_patterns import SLACK, around_the_mean, true_words
from sequester.judges.released_columns import misfit
from sequester.model import Data, Series
from sequester.release import Check, Claim, from_release

FIXED = {"record": "number", "group": "group", "pattern": "pattern", "level": "level"}


MOST_STEPS = 1e8
"""No end lies further from 0: with a smaller step every number would pass for a multiple."""


class Malformed(Exception):
    """The table is not what the promise speaks about."""


class Rows:
    """The released table as arrays."""

    def __init__(self, claim: Claim) -> None:
        if "records" not in claim.tables:
            raise Malformed("there is no table 'records'")
        extra = sorted(set(claim.tables) - {"records", "columns", "alphabet", "times", "withheld"})
        if extra:
            raise Malformed(
                f"{counted(len(extra), 'table does', 'tables do')} not belong to this promise (first: '{extra[0]}')"
            )
        table = claim.tables["records"]
        names = table.column_names
        shown = claim.guarantee.parameters.get("pattern_of") != "nobody"
        patterns = ("pattern", "level") if shown else ()
        lacking = [c for c in ("record", "group", *patterns) if c not in names]
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
        if not shown and {"pattern", "level"} & set(names):
            raise Malformed("the promise says that no pattern is shown, and there is one")
        odd = misfit(claim, FIXED | ranges)
        if odd:
            raise Malformed(odd)
        self.record = _whole(table, "record")
        self.group = _whole(table, "group")
        self.level = _whole(table, "level") if shown else np.ones(table.num_rows, dtype=np.int64)
        self.lo = np.column_stack([_number(table, f"{t}_lo") for t in self.times])
        self.hi = np.column_stack([_number(table, f"{t}_hi") for t in self.times])
        words = table.column("pattern").to_pylist() if shown else ["a"] * table.num_rows
        if not all(isinstance(w, str) and w for w in words):
            raise Malformed("a pattern is missing or not text")
        if "times" in claim.tables and words:
            _require_times(claim, self.times, len(words[0]) if shown else 0)
        self.pattern = np.array(words, dtype=object)
        self.shows_patterns = shown
        self.step = _step(claim)
        self.columns: Mapping[str, Any] = {name: table.column(name) for name in self.sensitive}
        if not len(self.record):
            raise Malformed("the table is empty")

    def __len__(self) -> int:
        return len(self.record)

    def subgroup(self) -> np.ndarray:
        """A number per (group, pattern, level)."""
        word = np.unique(self.pattern.astype(str), return_inverse=True)[1]
        return np.unique(np.column_stack([self.group, word, self.level]), axis=0, return_inverse=True)[1].ravel()


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Recompute (k,P)-anonymity and, where promised, l-diversity."""
    try:
        found = _told(claim)
        rows = Rows(claim)
    except Malformed as why:
        return [Check(name="table", passed=False, detail=str(why))]
    checks = [*_shape(rows, claim), *_counts(rows, found)]
    if rows.step:
        checks.append(_multiples(rows))
    if rows.shows_patterns and not claim.parameters.get("publish_patterns"):
        checks.append(around_the_mean(rows))
    if found.get("l"):
        checks += diversity.of_release(rows.subgroup(), rows.columns, found, claim.tables.get("withheld"))
    elif "withheld" in claim.tables:
        checks.append(Check(name="withheld", passed=False, detail="nothing may be withheld without l-diversity"))
    checks = from_release(checks)
    if source is not None:
        checks += _beside_source(rows, claim, found, source)
    return checks


def _told(claim: Claim) -> Mapping[str, Any]:
    parameters = claim.guarantee.parameters
    nobody = parameters.get("pattern_of") == "nobody"
    least = {"k": 2, "p": 1 if nobody else 2}
    if not all(isinstance(parameters.get(name), int) and parameters[name] >= low for name, low in least.items()):
        raise Malformed("the promise states no k and p of at least 2")
    if parameters.get("pattern_of") not in ("record", "subgroup", "neighbour", "nobody"):
        raise Malformed("the promise does not say whose pattern is shown")
    if nobody and parameters["p"] != 1:
        raise Malformed("the promise counts patterns and says that none is shown")
    if parameters.get("l") is not None and not (isinstance(parameters["l"], int) and parameters["l"] >= 2):
        raise Malformed("the promise states an l below 2")
    return parameters


def _require_times(claim: Claim, ranges: list[str], letters: int) -> None:
    """The table of all times stands where some of them are not shown, and numbers the letters of a pattern."""
    if not (claim.parameters.get("publish_values") or claim.parameters.get("publish_patterns")):
        raise Malformed("the table 'times' stands where every time is shown")
    times, places = (claim.tables["times"].column(name).to_pylist() for name in ("time", "letter"))
    shown = {*ranges, *(claim.parameters.get("publish_patterns") or ())}
    if len(set(times)) != len(times) or not shown <= set(times):
        raise Malformed("the table 'times' does not name every time once")
    if sorted(place for place in places if place) != list(range(1, letters + 1)):
        raise Malformed("the table 'times' does not number the letters of a pattern")


def _step(claim: Claim) -> float:
    """The published step of range ends; 0 where the promise says that they are exact."""
    if claim.guarantee.parameters.get("ends") == "exact":
        return 0.0
    step = claim.parameters.get("ends_step")
    if isinstance(step, bool) or not isinstance(step, (int, float)) or not 0 < step < np.inf:
        raise Malformed("ends of ranges are said to be rounded, and no step above 0 is published")
    return float(step)


def _multiples(rows: Rows) -> Check:
    """Every end is a whole number of steps, up to how numbers are written."""
    off = 0
    for side in (rows.lo, rows.hi):
        at = side / rows.step
        odd = (np.abs(at - np.round(at)) > SLACK * np.maximum(1.0, np.abs(at))) | (np.abs(at) > MOST_STEPS)
        off += int(odd.any(axis=1).sum())
    return Check(
        name="rounded ends",
        passed=off == 0,
        detail=f"{counted(off, 'row has', 'rows have')} an end that is not a multiple of the step {rows.step:g}",
    )


def _outward(low: np.ndarray, high: np.ndarray, step: float) -> tuple[np.ndarray, np.ndarray]:
    """Smallest and largest values as numbers of steps, rounded outward; a multiple up to rounding stays one."""
    out = []
    for side, way in ((low, np.floor), (high, np.ceil)):
        at = side / step
        whole = np.round(at)
        out.append(np.where(np.abs(at - whole) <= SLACK * np.maximum(1.0, np.abs(whole)), whole, way(at)))
    return out[0], out[1]


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
    if named:
        wrong |= length != len(named)
    elif not claim.parameters.get("publish_values"):
        wrong |= length != len(rows.times)
    else:
        wrong |= length != length[0]
    published = claim.parameters.get("publish_values") or rows.times
    shapes = Check(
        name="patterns",
        passed=not wrong.any(),
        detail=f"{counted(int(wrong.sum()), 'pattern')} use a letter, length or level they may not",
    )
    return [
        Check(
            name="table",
            passed=numbered and len(published) == len(rows.times) and set(published) == set(rows.times),
            detail=f"{counted(n, 'record')} numbered 1..{n}, ranges at {counted(len(rows.times), 'time')}, "
            f"{len(rows.sensitive)} sensitive columns",
        ),
        Check(
            name="envelopes",
            passed=crossed == 0 and uneven == 0,
            detail=f"{crossed} ranges run backwards, {counted(uneven, 'group has', 'groups have')} more than one "
            "envelope",
        ),
        *([shapes] if rows.shows_patterns else []),
    ]


def _counts(rows: Rows, declared: Mapping[str, Any]) -> list[Check]:
    groups = np.unique(rows.group, return_counts=True)[1]
    subgroups = np.bincount(rows.subgroup())
    # the same envelope under two group numbers is one group to an attacker; more only helps, so numbers decide
    big = Check(
        name="k",
        passed=bool(groups.min() >= declared["k"]),
        detail=f"{counted(len(groups), 'group')}, the smallest holds {groups.min()}; promised {declared['k']}",
    )
    if not rows.shows_patterns:
        return [big]
    return [
        big,
        Check(
            name="p",
            passed=bool(subgroups.min() >= declared["p"]),
            detail=f"{counted(len(subgroups), 'pattern')} inside groups, the rarest is shown by {subgroups.min()}; "
            f"promised {declared['p']}",
        ),
    ]


def _beside_source(rows: Rows, claim: Claim, declared: Mapping[str, Any], source: Data) -> list[Check]:
    if not isinstance(source, Series):
        return [Check(name="original", passed=False, detail=f"the original is {source.kind} data, not series")]
    unknown = [t for t in rows.times if t not in source.times]
    strangers = sorted(set(rows.sensitive) ^ set(source.sensitive))
    if unknown or strangers:
        odd = (
            f"{counted(len(unknown), 'time')} and {len(strangers)} sensitive columns of the release are not those of "
            "the original"
        )
        return [Check(name="original", passed=False, detail=odd)]
    values, present = _as_published(source, claim)
    missing = len(present) - len(rows)
    few = missing < declared["p"] if declared["pattern_of"] == "record" else missing == 0
    checks = [
        Check(
            name="suppressed",
            passed=missing >= 0 and few,
            detail=f"{missing} of {counted(len(present), 'record')} {verb_for(missing, 'is', 'are')} not in "
            "the release",
        )
    ]
    if claim.guarantee.unit == "person":
        people = len({source.persons[i] for i in present})
        detail = f"{counted(len(present), 'record belongs', 'records belong')} to {counted(people, 'person', 'people')}"
        if not source.people_known:
            detail = "the original does not say whose record each is; name the person column"
        one_each = source.people_known and people == len(present)
        checks.append(Check(name="one record per person", passed=one_each, detail=detail))
    at = [source.times.index(t) for t in rows.times]
    origin = claim.private.get("origin")
    if origin is None:
        inside, held = _without_map(rows, values[present][:, at])
        mine = {name: source.sensitive[name][present] for name in rows.sensitive}
        withheld = claim.tables.get("withheld")
        return [*checks, held, *diversity.without_map(rows.group, rows.columns, mine, inside, declared, withheld)]
    row = _matched(rows, origin, source, present)
    if row is None:
        return [*checks, Check(name="origin", passed=False, detail="the custodian's map does not fit the original")]
    mine = values[row]
    checks.append(_tight(rows, mine[:, at]))
    if rows.shows_patterns:
        checks.append(true_words(rows, mine, source.times, claim, declared, origin))
    truth = {name: source.sensitive[name][row] for name in rows.sensitive}
    checks += diversity.beside_source(rows.subgroup(), rows.columns, truth, declared, claim.tables.get("withheld"))
    return checks


def _as_published(source: Series, claim: Claim) -> tuple[np.ndarray, np.ndarray]:
    """Values with the stated rule on missing ones applied, and the rows that had to take part."""
    values = np.array(source.values)
    hole = np.isnan(values)
    if claim.parameters.get("missing") != "fill":
        return values, np.flatnonzero(~hole.any(axis=1))
    fill_short_gaps(values, hole, int(claim.parameters.get("gap", 2)))
    return values, np.flatnonzero(~np.isnan(values).any(axis=1))


def fill_short_gaps(values: np.ndarray, hole: np.ndarray, gap: int) -> None:
    """Lines in time over at most so many missing values one after the other; a row with a longer gap stays."""
    at = np.arange(values.shape[1])
    for i in np.flatnonzero(hole.any(axis=1) & ~hole.all(axis=1)):
        known = at[~hole[i]]
        ends = np.concatenate([[-1], known, [values.shape[1]]])
        if (np.diff(ends) - 1).max() <= gap:
            values[i] = np.interp(at, known, values[i, ~hole[i]])


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


def _without_map(rows: Rows, values: np.ndarray) -> tuple[dict[int, np.ndarray], Check]:
    """Without the map: every end of a range must be some record's value, and envelopes must hold enough records.

    Returns which originals lie inside the envelope of each group, too.
    """
    ends = 0
    low, high = _outward(values, values, rows.step) if rows.step else (values, values)
    for j in range(values.shape[1]):
        for side, theirs in ((rows.lo, low), (rows.hi, high)):
            mine = np.round(side[:, j] / rows.step) if rows.step else side[:, j]
            ends += int((~np.isin(mine, theirs[:, j])).any())
    groups, first, size = np.unique(rows.group, return_index=True, return_counts=True)
    slack = SLACK * rows.step
    inside = {
        group: np.flatnonzero(((values >= rows.lo[i] - slack) & (values <= rows.hi[i] + slack)).all(axis=1))
        for group, i in zip(groups.tolist(), first, strict=True)
    }
    short = sum(len(inside[group]) < n for group, n in zip(groups.tolist(), size, strict=True))
    held = Check(
        name="envelopes hold the original",
        passed=ends == 0 and short == 0,
        detail=f"{counted(ends, 'column has', 'columns have')} ends nobody has, {short} envelopes hold fewer "
        "originals than rows "
        "(no custodian's map: records were not matched)",
    )
    return inside, held


def _tight(rows: Rows, values: np.ndarray) -> Check:
    order = np.argsort(rows.group, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(rows.group[order]) != 0]))
    low, high = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
    lo, hi = rows.lo[order][starts], rows.hi[order][starts]
    if rows.step:
        low, high = _outward(low, high, rows.step)
        lo, hi = np.round(lo / rows.step), np.round(hi / rows.step)
    loose = (low != lo) | (high != hi)
    return Check(
        name="tight envelopes",
        passed=not loose.any(),
        detail=f"{int(loose.any(axis=1).sum())} of {len(starts)} envelopes are not the range of their members"
        + (f", rounded outward to {rows.step:g}" if rows.step else ""),
    )


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
