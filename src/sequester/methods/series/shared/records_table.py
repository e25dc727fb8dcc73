"""The released table and the custodian's maps, from groups and subgroups."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.methods.series.shared.panel import Panel
from sequester.methods.series.shared.subgroups import Subgroups
from sequester.model import Series


def released_tables(
    data: Series,
    panel: Panel,
    subgroups: Subgroups,
    group_of_subgroup: np.ndarray,
    sensitive: dict[str, np.ndarray],
    *,
    rng: Any,
    values_of: tuple[str, ...],
    patterns_of: tuple[str, ...],
    with_segments: bool,
    borrowed: np.ndarray | None = None,
    changed: dict[str, np.ndarray] | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Public and private tables. Records and groups get new numbers in a secret random order.

    `sensitive`, `borrowed` and `changed` are in the order of the panel's rows.
    """
    import pyarrow as pa

    kept = np.flatnonzero(subgroups.of >= 0)
    shown = kept[rng.secret.permutation(len(kept))]  # row i of the release shows panel row shown[i]
    numbers = np.arange(1, len(shown) + 1)
    subgroup = subgroups.of[shown]
    n_groups = int(group_of_subgroup.max()) + 1
    group = rng.secret.permutation(n_groups)[group_of_subgroup[subgroup]]

    columns: dict[str, Any] = {"record": numbers, "group": group + 1}
    values = panel.values[shown]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(n_groups))
    lo = np.minimum.reduceat(values[order], starts)
    hi = np.maximum.reduceat(values[order], starts)
    for t, name in enumerate(data.times):
        if name in values_of:
            columns[f"{name}_lo"], columns[f"{name}_hi"] = lo[group, t], hi[group, t]
    spelled = [_spell(word, data.times, patterns_of) for word in subgroups.letters]
    columns["pattern"] = pa.array([spelled[s] for s in subgroup], pa.string())
    columns["level"] = subgroups.level[subgroup].astype(np.int64)
    if with_segments:
        columns["segments"] = subgroups.segments[subgroup].astype(np.int64)
    for name, column in sensitive.items():
        columns[name] = sensitive_column(column[shown])

    tables = {"records": pa.table(columns), "columns": columns_table(list(columns), values_of, tuple(sensitive))}
    if data.letters:
        tables["alphabet"] = alphabet_table(data)
    if values_of != data.times or patterns_of != data.times:
        tables["times"] = times_table(data.times, patterns_of)
    origin: dict[str, Any] = {
        "record": numbers,
        "row": panel.rows[shown] + 1,
        "person": pa.array(data.persons[panel.rows[shown]].tolist(), pa.string()),
        "subgroup": subgroup + 1,
    }
    if borrowed is not None:
        origin["borrowed"] = borrowed[shown]
    private = {"origin": pa.table(origin), "suppressed": _suppressed(data, panel, subgroups)}
    if changed:
        number_of = np.zeros(len(panel.rows), dtype=np.int64)
        number_of[shown] = numbers
        cells = [(int(number_of[i]), name) for name, at in changed.items() for i in np.flatnonzero(at)]
        private["changed"] = pa.table(
            {
                "record": pa.array([r for r, _ in cells], pa.int64()),
                "column": pa.array([c for _, c in cells], pa.string()),
            }
        )
    return tables, private


def visible_cells(
    subgroups: Subgroups, group_of_subgroup: np.ndarray, times: tuple[str, ...], patterns_of: tuple[str, ...]
) -> np.ndarray:
    """Cell per record (-1: suppressed): rows that show the same group, pattern, level and segments are one cell."""
    numbers: dict[tuple[Any, ...], int] = {}
    cells = np.empty(len(subgroups.letters), dtype=np.int64)
    for s, word in enumerate(subgroups.letters):
        shown = (int(group_of_subgroup[s]), _spell(word, times, patterns_of), int(subgroups.level[s]))
        cells[s] = numbers.setdefault((*shown, int(subgroups.segments[s])), len(numbers))
    return np.where(subgroups.of >= 0, cells[subgroups.of], -1)


def sensitive_column(column: np.ndarray) -> Any:
    """A sensitive column as Arrow: missing is null."""
    import pyarrow as pa

    if column.dtype == object:
        return pa.array(column.tolist(), pa.string())
    return pa.array(column, pa.float64(), from_pandas=True)


def times_table(times: tuple[str, ...], patterns_of: tuple[str, ...]) -> Any:
    """Names of all times in order, and where in a pattern each one's letter stands (null: not published)."""
    import pyarrow as pa

    letter = [patterns_of.index(t) + 1 if t in patterns_of else None for t in times]
    return pa.table({"time": pa.array(list(times), pa.string()), "letter": pa.array(letter, pa.int64())})


def columns_table(names: list[str], times: tuple[str, ...], sensitive: tuple[str, ...]) -> Any:
    """The role of every column of `records`, so that nothing is released that is not accounted for."""
    import pyarrow as pa

    roles = {"record": "number"} | dict.fromkeys(times, "value")
    roles |= {f"{t}_lo": "low" for t in times} | {f"{t}_hi": "high" for t in times}
    roles |= dict.fromkeys(sensitive, "sensitive")
    role = [roles.get(name, name) for name in names]  # group, pattern, level and segments are named after their role
    return pa.table({"name": pa.array(names, pa.string()), "role": pa.array(role, pa.string())})


def alphabet_table(data: Series) -> Any:
    """What the numbers of an alphabetical sequence stand for."""
    import pyarrow as pa

    return pa.table({"value": pa.array(range(len(data.letters)), pa.int64()), "letter": list(data.letters)})


def _spell(word: np.ndarray, times: tuple[str, ...], patterns_of: tuple[str, ...]) -> str:
    letters = "".join(chr(ord("a") + int(c)) for c in word)
    if len(word) != len(times):
        return letters  # one letter per segment
    return letters if patterns_of == times else "".join(letters[times.index(name)] for name in patterns_of)


def _suppressed(data: Series, panel: Panel, subgroups: Subgroups) -> Any:
    import pyarrow as pa

    alone = panel.rows[np.flatnonzero(subgroups.of < 0)]
    rows = np.concatenate([alone, panel.dropped]).astype(np.int64)
    why = ["fewer than p share a pattern with it"] * len(alone) + ["missing values"] * len(panel.dropped)
    return pa.table(
        {
            "row": pa.array(rows + 1, pa.int64()),
            "person": pa.array(data.persons[rows].tolist(), pa.string()),
            "why": pa.array(why, pa.string()),
        }
    )
