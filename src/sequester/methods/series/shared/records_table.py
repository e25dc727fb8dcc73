"""The released table and the custodian's maps, from groups and subgroups.

More records than one search can hold are cut into cells at medians and grouped inside each.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import ParameterError
from sequester.layouts.boxes import Boxes
from sequester.methods.series.shared.kernels.greedy_partition import Diversity
from sequester.methods.series.shared.panel import Panel
from sequester.methods.series.shared.prototypes import Grouping, grouping, least_step, multiples, step_for
from sequester.methods.series.shared.subgroups import Subgroups, unit_range
from sequester.model import Fact, Invented, Series
from sequester.primitives.sax import segment_means


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
    with_patterns: bool = True,
    borrowed: np.ndarray | None = None,
    withheld: dict[str, np.ndarray] | None = None,
) -> tuple[dict[str, Any], dict[str, Any], float, tuple[Invented, ...]]:
    """Public and private tables, the step of range ends, and how many values were filled and ends rounded.

    Records and groups get new numbers in a secret order.

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
    exact = lo, hi
    lo, hi = multiples(lo, hi, step)
    moved = int((lo != exact[0]).sum() + (hi != exact[1]).sum())
    invented = (*panel.invented, Invented("ends of ranges", "rounded outward", moved, 2 * lo.size))
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
    private = {"origin": pa.table(origin), "suppressed": _suppressed(data, panel, subgroups)}
    return boxes.tables(), private, step, tuple(i for i in invented if i.n)


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
    """Cell per record (-1: suppressed): rows that show the same group, pattern and level are one cell."""
    numbers: dict[tuple[Any, ...], int] = {}
    cells = np.empty(len(subgroups.letters), dtype=np.int64)
    for s, word in enumerate(subgroups.letters):
        shown: tuple[Any, ...] = (int(group_of_subgroup[s]),)
        if patterns:
            shown += (_spell(word, times, patterns_of), int(subgroups.level[s]))
        cells[s] = numbers.setdefault(shown, len(numbers))
    return np.where(subgroups.of >= 0, cells[subgroups.of], -1)


def _spell(word: np.ndarray, times: tuple[str, ...], patterns_of: tuple[str, ...]) -> str:
    letters = "".join(chr(ord("a") + int(c)) for c in word)
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


UNCUT = 1_000_000
"""Up to this many records nothing is cut unless it is asked for."""
CELL = 200_000
"""Records per cell beyond that, at most."""
PIECES = 8
"""Pieces of the series whose means are cut at."""


def cell_size(n: int, asked: int | None) -> int:
    """Most records in a cell."""
    if asked is not None:
        return asked
    return n if n <= UNCUT else CELL


def median_cells(values: np.ndarray, most: int) -> list[np.ndarray]:
    """Rows of every cell: halves, at the median of the piece whose means differ most, until none holds more."""
    means = segment_means(values, min(PIECES, values.shape[1]))
    done, waiting = [], [np.arange(len(values))]
    while waiting:
        rows = waiting.pop()
        if len(rows) <= most:
            done.append(np.sort(rows))
            continue
        widest = int(np.argmax(means[rows].var(axis=0)))
        order = rows[np.argsort(means[rows, widest], kind="stable")]
        half = len(order) // 2
        waiting += [order[half:], order[:half]]
    return done


def groups_in_cells(
    values: np.ndarray,
    shapes: np.ndarray,
    k: int,
    p: int,
    weight: float,
    rule: Diversity | None = None,
    cells: int | None = None,
) -> Grouping:
    """`grouping` inside every cell; values are compared on the scale of all records."""
    unit = unit_range(values)
    most = cell_size(len(values), cells)
    if len(values) <= most:
        return grouping(unit, shapes, k, p, weight, rule)
    group, subgroup = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    cost, failing, n_groups, n_subgroups = 0.0, 0, 0, 0
    for rows in median_cells(unit, most):
        mine = rule and Diversity(
            np.ascontiguousarray(rule.values[:, rows]), np.ascontiguousarray(rule.free[:, rows]), rule.near, rule.l
        )
        found = grouping(np.ascontiguousarray(unit[rows]), np.ascontiguousarray(shapes[rows]), k, p, weight, mine)
        group[rows], subgroup[rows] = found.group + n_groups, found.subgroup + n_subgroups
        n_groups += int(found.group.max()) + 1
        n_subgroups += int(found.subgroup.max()) + 1
        cost, failing = cost + found.cost, failing + found.failing
    return Grouping(group, subgroup, cost, failing)
