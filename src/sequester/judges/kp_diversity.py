"""The judge of l-diversity inside (k,P)-anonymity: the rule per cell, what is withheld, and truth beside the original.

A cell is what rows with the same group, pattern and level show. Null is no value and -0.0 is 0.0.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.errors import counted, verb_for
from sequester.release import Check


def of_release(
    cells: np.ndarray, columns: Mapping[str, Any], declared: Mapping[str, Any], withheld: Any
) -> list[Check]:
    """Checks on what is shown."""
    odd = _misstated(declared)
    if odd:
        return [Check(name="l-diversity", passed=False, detail=odd)]
    checks = []
    for name, column in columns.items():
        shown = [plain(v) for v in column.to_pylist()]
        worst = sum(not _keeps(members, declared, name) for members in _by_cell(cells, shown).values())
        checks.append(
            Check(
                name=f"l-diversity of '{name}'",
                passed=worst == 0,
                detail=f"in {counted(worst, 'cell')} a protected value is held by more than one in {declared['l']} "
                "of those whose "
                "value is shown",
            )
        )
    return [*checks, _stated(columns, declared, withheld, len(cells))]


def beside_source(
    cells: np.ndarray,
    columns: Mapping[str, Any],
    truth: Mapping[str, np.ndarray],
    declared: Mapping[str, Any],
    withheld: Any,
) -> list[Check]:
    """Checks that need the original values, in the order of the released rows."""
    stated = dict(zip(*withheld.to_pydict().values(), strict=True)) if withheld is not None else {}
    out = []
    for name, column in columns.items():
        shown, true = [plain(v) for v in column.to_pylist()], [plain(v) for v in truth[name].tolist()]
        false = sum(a is not None and a != b for a, b in zip(shown, true, strict=True))
        hidden = np.array([a is None and b is not None for a, b in zip(shown, true, strict=True)], dtype=bool)
        if not declared.get("l"):
            differ = false + int(hidden.sum())
            detail = f"{counted(differ, 'value differs', 'values differ')} from the original"
            out.append(Check(name=f"sensitive column '{name}'", passed=differ == 0, detail=detail))
            continue
        detail = f"{counted(false, 'value differs', 'values differ')} from the original"
        out.append(Check(name=f"sensitive column '{name}'", passed=false == 0, detail=detail))
        known = np.array([b is not None for b in true], dtype=bool)
        halves = sum(0 < hidden[known & (cells == c)].sum() < (known & (cells == c)).sum() for c in set(cells[hidden]))
        together = _keeps([v for v, h in zip(true, hidden, strict=True) if h], declared, name)
        miscounted = int(hidden.sum()) != stated.get(name)
        out.append(
            Check(
                name=f"withheld of '{name}'",
                passed=not halves and together and not miscounted,
                detail=f"{counted(int(hidden.sum()), 'value is', 'values are')} withheld ({stated.get(name)} "
                f"stated), {counted(halves, 'cell')} in part; "
                + ("together they keep the rule" if together else "together they fail the rule"),
            )
        )
    return out


def without_map(
    groups: np.ndarray,
    columns: Mapping[str, Any],
    truth: Mapping[str, np.ndarray],
    inside: Mapping[int, np.ndarray],
    declared: Mapping[str, Any],
    withheld: Any,
) -> list[Check]:
    """Checks beside the original where rows cannot be matched: nothing is shown that nobody inside the envelope has.

    All columns together, unless values may be withheld, which happens column by column; and as often in all as in the
    original, where every record is in the release.
    """
    if not columns:
        return []
    if not declared.get("l"):
        shown = list(zip(*([plain(v) for v in column.to_pylist()] for column in columns.values()), strict=True))
        true = list(zip(*([plain(v) for v in truth[name].tolist()] for name in columns), strict=True))
        return [_of_somebody("sensitive columns", groups, shown, true, inside, 0)]
    stated = dict(zip(*withheld.to_pydict().values(), strict=True)) if withheld is not None else {}
    return [
        _of_somebody(
            f"sensitive column '{name}'", groups, [plain(v) for v in column.to_pylist()],
            [plain(v) for v in truth[name].tolist()], inside, int(stated.get(name) or 0),
        )
        for name, column in columns.items()
    ]  # fmt: skip


def _of_somebody(
    name: str, groups: np.ndarray, shown: list[Any], true: list[Any], inside: Mapping[int, np.ndarray], withheld: int
) -> Check:
    """`withheld` of the shown values are missing although the original has them."""
    by_group: dict[int, Counter[Any]] = {}
    for group, value in zip(groups.tolist(), shown, strict=True):
        by_group.setdefault(group, Counter())[value] += 1
    nobody = 0
    for group, values in by_group.items():
        held = Counter(true[i] for i in inside[group].tolist())
        over = values - held
        nobody += sum(n for value, n in over.items() if not (withheld and value is None))
    # Where every record is released, the values are those of the original but for what is stated as withheld.
    lost = sum((Counter(true) - Counter(shown)).values()) - withheld if len(true) == len(shown) else 0
    return Check(
        name=name,
        passed=nobody == 0 and lost == 0,
        detail=f"{counted(nobody, 'row shows', 'rows show')} what nobody inside their envelope has, "
        f"{counted(abs(lost), 'value')} {'fewer' if lost >= 0 else 'more'} than in the original",
    )


def _misstated(declared: Mapping[str, Any]) -> str | None:
    if not all(
        isinstance(declared.get(n), list) and all(isinstance(v, str) for v in declared[n]) for n in ("harmless", "near")
    ):
        return "the promise does not state which values are harmless and how near numbers may be"
    share = declared.get("withhold_up_to")
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 <= share <= 1:
        return "the promise does not state how many values may be withheld"
    try:
        widths = [float(v.rpartition("=")[2]) for v in declared["near"]]
    except ValueError:
        return "the promise states a nearness that is no number"
    return None if all(0 <= w < np.inf for w in widths) else "the promise states a nearness below 0"


def _stated(columns: Mapping[str, Any], declared: Mapping[str, Any], withheld: Any, n: int) -> Check:
    """The table of withheld values names every sensitive column, and no more than is missing or allowed."""
    if withheld is None:
        return Check(
            name="withheld", passed=False, detail="the table that states how many values are withheld is missing"
        )
    names, counts = withheld.column("column").to_pylist(), withheld.column("records").to_pylist()
    whole = all(isinstance(c, int) and not isinstance(c, bool) and c >= 0 for c in counts)
    if sorted(names) != sorted(columns) or not whole:
        return Check(name="withheld", passed=False, detail="withheld values are not stated for every sensitive column")
    over = sum(c > declared["withhold_up_to"] * n for c in counts)
    unseen = sum(c > columns[name].null_count for name, c in zip(names, counts, strict=True))
    return Check(
        name="withheld",
        passed=not over and not unseen,
        detail=f"{sum(counts)} of {counted(n * len(names), 'value')} {verb_for(sum(counts), 'is', 'are')} "
        f"withheld; {counted(over, 'column')} above "
        f"{declared['withhold_up_to']:.0%}, {unseen} with fewer values missing than stated",
    )


def plain(value: Any) -> Any:
    """Null for what is no value; -0.0 is 0.0."""
    if value is None or value != value:
        return None
    return value + 0.0 if isinstance(value, float) else value


def _by_cell(cells: np.ndarray, shown: list[Any]) -> dict[int, list[Any]]:
    out: dict[int, list[Any]] = {}
    for cell, value in zip(cells.tolist(), shown, strict=True):
        if value is not None:
            out.setdefault(cell, []).append(value)
    return out


def _keeps(members: list[Any], declared: Mapping[str, Any], name: str) -> bool:
    """Whether the known values of a set keep the rule."""
    if not members:
        return True
    harmless = {*declared["harmless"], *(h.removeprefix(f"{name}=") for h in declared["harmless"])}
    protected = [v for v in members if not (isinstance(v, str) and v in harmless)]
    if not protected:
        return True
    if isinstance(protected[0], str):
        most = max(Counter(protected).values())
    else:
        widths = {v.rpartition("=")[0]: float(v.rpartition("=")[2]) for v in declared["near"]}
        reach = widths.get(name, widths.get("", 0.0))
        ordered = sorted(protected)
        most, start = 0, 0
        for end, value in enumerate(ordered):
            while value - ordered[start] > reach:
                start += 1
            most = max(most, end - start + 1)
    return bool(most * declared["l"] <= len(members))
