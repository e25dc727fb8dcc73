"""The released table and the custodian's maps, from groups and subgroups."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import ParameterError
from sequester.layouts.boxes import Boxes
from sequester.methods.series.shared.panel import Panel
from sequester.methods.series.shared.range_ends import least_step, multiples, step_for
from sequester.methods.series.shared.subgroups import Subgroups
from sequester.model import Fact, Series


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
    step: float | None,
    with_segments: bool = False,
    with_patterns: bool = True,
    borrowed: np.ndarray | None = None,
    withheld: dict[str, np.ndarray] | None = None,
) -> tuple[dict[str, Any], dict[str, Any], float]:
    """Public and private tables, and the step of range ends. Records and groups get new numbers in a secret order.

    `sensitive`, `borrowed` and `withheld` are in the order of the panel's rows.
    """
    kept = np.flatnonzero(subgroups.of >= 0)
    shown = kept[rng.secret.permutation(len(kept))]  # row i of the release shows panel row shown[i]
    numbers = np.arange(1, len(shown) + 1)
    subgroup = subgroups.of[shown]
    n_groups = int(group_of_subgroup.max()) + 1
    group = rng.secret.permutation(n_groups)[group_of_subgroup[subgroup]]
    values = panel.values[shown]
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(n_groups))
    lo, hi = np.minimum.reduceat(values[order], starts), np.maximum.reduceat(values[order], starts)
    if step is None:
        step = max(step_for(lo[group], hi[group], panel.values), least_step(lo, hi))
    elif 0 < step < least_step(lo, hi):
        raise ParameterError(
            f"publish: ‹ends_step={step:g}› is below a hundred-millionth of the largest value, so every number would "
            "pass for a multiple. Choose a larger step, or 0 for exact ends."
        )
    lo, hi = multiples(lo, hi, step)
    spelled = [_spell(word, data.times, patterns_of) for word in subgroups.letters] if with_patterns else []
    if withheld:
        sensitive = {name: _without(column, withheld[name]) for name, column in sensitive.items()}
    boxes = Boxes(
        record=numbers,
        group=group + 1,
        times=values_of,
        lo=lo[group][:, [data.times.index(t) for t in values_of]],
        hi=hi[group][:, [data.times.index(t) for t in values_of]],
        pattern=np.array([spelled[s] for s in subgroup], dtype=object) if with_patterns else None,
        level=subgroups.level[subgroup].astype(np.int64) if with_patterns else None,
        segments=subgroups.segments[subgroup].astype(np.int64) if with_segments else None,
        sensitive={name: column[shown] for name, column in sensitive.items()},
        all_times=data.times,
        letters_at=patterns_of,
        alphabet=data.letters,
        withheld=None if withheld is None else {name: int(at[shown].sum()) for name, at in withheld.items()},
    )
    origin: dict[str, Any] = {
        "record": numbers,
        "row": panel.rows[shown] + 1,
        "person": pa.array(data.persons[panel.rows[shown]].tolist(), pa.string()),
        "subgroup": subgroup + 1,
    }
    if borrowed is not None:
        origin["borrowed"] = borrowed[shown]
    return boxes.tables(), {"origin": pa.table(origin), "suppressed": _suppressed(data, panel, subgroups)}, step


def ends_fact(step: float, asked: float | None) -> Fact:
    """What the manifest tells about the ends of ranges."""
    return Fact("ends_step", step, "declared" if asked is not None else "found")


def _without(column: np.ndarray, hidden: np.ndarray) -> np.ndarray:
    out = column.copy()
    out[hidden] = None if column.dtype == object else np.nan
    return out


def visible_cells(
    subgroups: Subgroups,
    group_of_subgroup: np.ndarray,
    times: tuple[str, ...],
    patterns_of: tuple[str, ...],
    *,
    patterns: bool = True,
) -> np.ndarray:
    """Cell per record (-1: suppressed): rows that show the same group, pattern, level and segments are one cell."""
    numbers: dict[tuple[Any, ...], int] = {}
    cells = np.empty(len(subgroups.letters), dtype=np.int64)
    for s, word in enumerate(subgroups.letters):
        shown: tuple[Any, ...] = (int(group_of_subgroup[s]),)
        if patterns:
            shown += (_spell(word, times, patterns_of), int(subgroups.level[s]), int(subgroups.segments[s]))
        cells[s] = numbers.setdefault(shown, len(numbers))
    return np.where(subgroups.of >= 0, cells[subgroups.of], -1)


def _spell(word: np.ndarray, times: tuple[str, ...], patterns_of: tuple[str, ...]) -> str:
    letters = "".join(chr(ord("a") + int(c)) for c in word)
    if len(word) != len(times):
        return letters  # one letter per segment
    return letters if patterns_of == times else "".join(letters[times.index(name)] for name in patterns_of)


def _suppressed(data: Series, panel: Panel, subgroups: Subgroups) -> Any:
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
