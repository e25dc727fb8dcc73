"""The judge of k-boxes: sizes and equality of boxes; for draws, that every value lies in the box of its group."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from sequester.errors import counted, verb_for
from sequester.judges.kp import fill_short_gaps
from sequester.judges.kp_diversity import plain
from sequester.judges.released_columns import misfit, one_record_each
from sequester.model import Data, Series
from sequester.release import Check, Claim, from_release


def judge(claim: Claim, source: Data | None) -> list[Check]:
    """Recompute what `tga` promises; draws need the original."""
    parameters = claim.guarantee.parameters
    k, drawn = parameters.get("k"), parameters.get("drawn")
    if not isinstance(k, int) or k < 2 or not isinstance(drawn, bool):
        return [_bad("the promise states no k of at least 2, or not whether rows were drawn")]
    if "records" not in claim.tables or set(claim.tables) - {"records", "columns", "times", "alphabet"}:
        return [_bad("exactly the tables records, columns, times and alphabet may be released")]
    table = claim.tables["records"]
    try:
        checks = _drawn(claim, table, k, source) if drawn else _boxes(claim, table, k, source)
    except (KeyError, ValueError, TypeError, IndexError) as why:
        return [_bad(f"a column is missing or not numeric ({type(why).__name__})")]
    if isinstance(source, Series) and claim.guarantee.unit == "person":
        checks.append(one_record_each(source))
    return checks


def _bad(detail: str) -> Check:
    return Check(name="table", passed=False, detail=detail)


def _matrix(table: Any, names: list[str]) -> np.ndarray:
    out = np.column_stack([table.column(n).to_numpy().astype(np.float64) for n in names])
    if not np.isfinite(out).all():
        raise ValueError("not finite")
    return out


def _numbered(table: Any) -> Check:
    record = np.sort(table.column("record").to_numpy())
    return Check(
        name="table",
        passed=table.num_rows > 0 and np.array_equal(record, np.arange(1, table.num_rows + 1)),
        detail=f"{counted(table.num_rows, 'record')}, numbered 1..{table.num_rows}",
    )


def _boxes(claim: Claim, table: Any, k: int, source: Data | None) -> list[Check]:
    times = [c[:-3] for c in table.column_names if c.endswith("_lo")]
    if not times:
        return [_bad("no pair of columns '…_lo' and '…_hi'")]
    roles = {"record": "number", "group": "group"}
    for t in times:
        roles |= {f"{t}_lo": "low", f"{t}_hi": "high"}
    odd = misfit(claim, roles)
    if odd:
        return [_bad(odd)]
    lo, hi = _matrix(table, [f"{t}_lo" for t in times]), _matrix(table, [f"{t}_hi" for t in times])
    group = table.column("group").to_numpy()
    cells = np.unique(np.column_stack([group, lo, hi]), axis=0)
    size = np.unique(group, return_counts=True)[1]
    checks = [
        _numbered(table),
        Check(
            name="envelopes",
            passed=len(cells) == len(size) and bool((lo <= hi).all()),
            detail=f"{len(cells)} different boxes in {counted(len(size), 'group')}, {int((lo > hi).sum())} "
            "ranges run backwards",
        ),
        Check(
            name="k",
            passed=bool(size.min() >= k),
            detail=f"{counted(len(size), 'group')}, the smallest holds {size.min()}; promised {k}",
        ),
    ]
    checks = from_release(checks)
    if source is not None:
        checks += _with_original(claim, table, source, times, lo, hi, group)
        checks += _sensitive(claim, table, source, set(roles))
    return checks


def _drawn(claim: Claim, table: Any, k: int, source: Data | None) -> list[Check]:
    if "times" not in claim.tables:
        return [_bad("the table 'times' is missing")]
    times = claim.tables["times"].column("time").to_pylist()
    roles = {"record": "number", **dict.fromkeys(times, "value")}
    odd = misfit(claim, roles)
    if odd:
        return [_bad(odd)]
    values = _matrix(table, times)
    numbered = from_release([_numbered(table)])
    if source is None:
        return [*numbered, _unseen("only the original can tell")]
    checks = [*numbered, *_sensitive(claim, table, source, set(roles))]
    origin = claim.private.get("origin")
    if origin is not None and "group" in origin.column_names:
        place = {r: i for i, r in enumerate(origin.column("record").to_pylist())}
        which = [place.get(r, -1) for r in table.column("record").to_pylist()]
        if min(which) < 0:
            return [*checks, Check(name="origin", passed=False, detail="the custodian's map does not fit the release")]
        group = origin.column("group").to_numpy()[which]
        size = np.unique(group, return_counts=True)[1]
        detail = f"{len(size)} boxes, the smallest covers {size.min()}; promised {k}"
        checks.append(Check(name="k", passed=bool(size.min() >= k), detail=detail))
        return checks + _with_original(claim, table, source, times, values, values, group, drawn=True)
    if not isinstance(source, Series) or not set(times) <= set(source.times):
        return [*checks, Check(name="original", passed=False, detail="the times of the release are not the original's")]
    at = [source.times.index(t) for t in times]
    low, high = np.nanmin(source.values[:, at], axis=0), np.nanmax(source.values[:, at], axis=0)
    out = int(((values < low - 1e-9) | (values > high + 1e-9)).sum())
    detail = (
        f"{counted(out, 'value lies', 'values lie')} outside the original's range (no custodian's map: "
        "boxes were not matched)"
    )
    # Ranges alone say nothing about k: without the map it stays open, as it does without the original.
    return [*checks, Check(name="range", passed=out == 0, detail=detail), _unseen("only the custodian's map can tell")]


def _unseen(who: str) -> Check:
    detail = f"drawn rows do not show which of them share a box; {who}"
    return Check(name="k", passed=False, undecided=True, detail=detail)


def _sensitive(claim: Claim, table: Any, source: Data, known: set[str]) -> list[Check]:
    """Sensitive columns are those of the original, and with the custodian's map their values too."""
    shown = [name for name in table.column_names if name not in known]
    if not isinstance(source, Series) or set(shown) != set(source.sensitive):
        return [Check(name="sensitive columns", passed=False, detail="they are not those of the original")]
    origin = claim.private.get("origin")
    if not shown:
        return []
    if origin is None:
        return [_anywhere(table, source, shown)]
    row_of = dict(zip(origin.column("record").to_pylist(), origin.column("row").to_pylist(), strict=True))
    rows = [row_of[r] - 1 for r in table.column("record").to_pylist()]
    differ = 0
    for name in shown:
        truth = [None if v is None or v != v else v for v in source.sensitive[name][rows].tolist()]
        differ += sum(a != b for a, b in zip(table.column(name).to_pylist(), truth, strict=True))
    detail = (
        f"{counted(differ, 'value')} of {counted(len(shown), 'column')} "
        f"{verb_for(differ, 'differs', 'differ')} from the original"
    )
    return [Check(name="sensitive columns", passed=differ == 0, detail=detail)]


def _anywhere(table: Any, source: Series, shown: list[str]) -> Check:
    """Without the map: every row shows the sensitive values of some record, no record's more than once."""
    rows = Counter(zip(*(map(plain, table.column(name).to_pylist()) for name in shown), strict=True))
    true = Counter(zip(*(map(plain, source.sensitive[name].tolist()) for name in shown), strict=True))
    strange = (rows - true).total()
    detail = f"{counted(strange, 'row shows', 'rows show')} values that no record left over has (no custodian's map)"
    return Check(name="sensitive columns", passed=strange == 0, detail=detail)


def _with_original(
    claim: Claim,
    table: Any,
    source: Data,
    times: list[str],
    lo: np.ndarray,
    hi: np.ndarray,
    group: np.ndarray,
    drawn: bool = False,
) -> list[Check]:
    origin = claim.private.get("origin")
    if not isinstance(source, Series) or not set(times) <= set(source.times):
        return [Check(name="original", passed=False, detail="the times of the release are not the original's")]
    if origin is None:
        return [Check(name="original", passed=True, detail="no custodian's map: boxes were not matched with records")]
    place = {r: i for i, r in enumerate(origin.column("record").to_pylist())}
    row = origin.column("row").to_numpy()[[place[r] for r in table.column("record").to_pylist()]] - 1
    values = np.array(source.values)
    if claim.parameters.get("missing") == "fill":
        fill_short_gaps(values, np.isnan(values), int(claim.parameters.get("gap", 2)))
    mine = values[np.ix_(row, [source.times.index(t) for t in times])]
    order = np.argsort(group, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(group[order]) != 0]))
    which = np.unique(group, return_inverse=True)[1]
    low, high = np.minimum.reduceat(mine[order], starts)[which], np.maximum.reduceat(mine[order], starts)[which]
    if drawn:
        bad = int(((lo < low - 1e-9) | (hi > high + 1e-9)).any(axis=1).sum())
        return [
            Check(
                name="drawn from the box", passed=bad == 0, detail=f"{counted(bad, 'row')} leave the box of their group"
            )
        ]
    bad = int(((lo != low) | (hi != high)).any(axis=1).sum())
    return [
        Check(
            name="tight boxes",
            passed=bad == 0,
            detail=f"{counted(bad, 'row shows', 'rows show')} a box that is not their group's range",
        )
    ]
