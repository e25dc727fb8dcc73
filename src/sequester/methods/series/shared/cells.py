"""More records than one search can hold: cut them into cells at medians, and group inside each.

Groups of at least k people inside cells are groups of at least k people, so nothing changes in what is promised. Which
records fall into a cell depends on the data and on the number asked for, never on the machine.
"""

from __future__ import annotations

import numpy as np

from sequester.methods.series.shared.kernels.diversity_rule import Diversity
from sequester.methods.series.shared.prototypes import Grouping, grouping, unit_range
from sequester.primitives.sax import segment_means

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
    """`prototype_groups` inside every cell; values are compared on the scale of all records."""
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
