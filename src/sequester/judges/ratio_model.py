"""The published statistics of the ratio test, checked as columns: a large model has millions of rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from sequester.errors import counted
from sequester.release import Check

COLUMNS = (
    "chain", "statistic", "level", "factor", "cluster", "value", "from", "to",
    "count", "out_of", "support",
)  # fmt: skip


def model_checks(model: pa.Table, epsilon: float, mode: str) -> list[Check]:
    """Every kept count passes the test, and supports and sums of rows agree."""
    if tuple(model.column_names) != COLUMNS:
        return [
            Check(
                name="columns of model", passed=False, detail=f"{counted(model.num_columns, 'column')}, not as expected"
            )
        ]
    model = model.slice(0)  # in memory, wherever it lies
    whole = all(pa.types.is_integer(model[c].type) for c in ("count", "out_of", "support"))
    if not whole or any(model[c].null_count for c in ("chain", "statistic", "count", "out_of", "support")):
        return [Check(name="columns of model", passed=False, detail="counts must be whole numbers without gaps")]
    count, out_of, support = (model[c].to_numpy() for c in ("count", "out_of", "support"))
    of_model = _numbered(model, COLUMNS[:6])
    of_row = _numbered(model, (COLUMNS[6],), of_model)
    row_sum, model_sum = _sums(of_row, count)[of_row], _sums(of_model, count)[of_model]
    failed = 0
    if mode != "off":
        failed = int((~_all_pass(count, row_sum if mode == "sequential" else out_of, epsilon)).sum())
    wrong, over = int((support != model_sum).sum()), int((row_sum > out_of).sum())
    rows, different = len(count), _numbered(model, (COLUMNS[7],), of_row)
    twice = rows - (int(different.max()) + 1 if rows else 0)
    return [
        Check(
            name="every kept statistic passes the test",
            passed=failed == 0,
            detail=f"{failed} of {rows} kept statistics fail the ratio test ({mode})",
        ),
        Check(
            name="supports and sums agree",
            passed=wrong == 0 and twice == 0 and over == 0,
            detail=f"{wrong} wrong supports, {counted(twice, 'statistic')} listed twice, {counted(over, 'row')} "
            "above their sum",
        ),
    ]


def _numbered(model: pa.Table, columns: Sequence[str], within: np.ndarray | None = None) -> np.ndarray:
    """A number for every different (group, columns…), from 0 without a gap; a row of dicts each would be too large."""
    out = np.zeros(model.num_rows, np.int64) if within is None else within
    for name in columns:
        coded = model[name].combine_chunks().dictionary_encode(null_encoding="encode")
        coded = coded.combine_chunks() if isinstance(coded, pa.ChunkedArray) else coded
        codes = coded.indices.to_numpy(zero_copy_only=False).astype(np.int64)
        out = np.unique(out * (len(coded.dictionary) + 1) + codes, return_inverse=True)[1].ravel()
    return out


def _sums(of: np.ndarray, count: np.ndarray) -> np.ndarray:
    out = np.zeros(int(of.max(initial=-1)) + 1, np.int64)
    np.add.at(out, of, count)
    return out


def _all_pass(count: np.ndarray, out_of: np.ndarray, epsilon: float) -> np.ndarray:
    """`passes`, of many."""
    c, n = np.maximum(count, 2).astype(np.float64), np.maximum(out_of, 1).astype(np.float64)
    log_ratio = np.log(c) + np.log(np.maximum(n - 1, 1)) - np.log(n) - np.log(c - 1)
    out: np.ndarray = (count >= 2) & (log_ratio <= epsilon + 1e-12)
    return out
