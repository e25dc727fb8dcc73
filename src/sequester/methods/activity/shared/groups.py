"""Groups of people by columns that travel beside the data: their crossing, and what becomes of small groups."""

from __future__ import annotations

from typing import Any

import numpy as np

from sequester.errors import InputError, nearest
from sequester.model import Activities

OTHER = "other"
"""Name of the group that small groups join."""
UNKNOWN = "unknown"
"""Stands for an empty cell."""
BETWEEN = " / "


def group_labels(data: Activities, columns: tuple[str, ...]) -> np.ndarray:
    """One label per person: the values of the columns, crossed."""
    for name in columns:
        if name not in data.covariates:
            close = nearest(name, data.covariates)
            hint = f" Did you mean '{close}'?" if close else ""
            raise InputError(
                f"anonymize: the groups need the column '{name}' beside the data, and it was not read. "
                f"Pass ‹covariates='{name}'›.{hint}"
            )
    covariates = [[_text(v) for v in data.covariates[name]] for name in columns]
    return np.array([BETWEEN.join(values) for values in zip(*covariates, strict=True)], dtype=object)


def _text(value: Any) -> str:
    if value is None or (isinstance(value, float) and value != value):
        return UNKNOWN
    if isinstance(value, (float, np.floating)):
        return f"{value:g}"
    return str(value)
