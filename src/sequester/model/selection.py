"""Some records of a data set, as a data set of the same kind."""

from __future__ import annotations

from typing import TypeVar

import numpy as np

from sequester.model.kind import Data

D = TypeVar("D", bound=Data)


def take(data: D, rows: np.ndarray) -> D:
    """The records `rows`, in that order; one that is taken again is a record of its own."""
    return data.take(np.asarray(rows, dtype=np.int64))


def rows_of_people(data: Data, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the chosen people (numbers into the sorted distinct persons), and the rows of all others."""
    _, owner = np.unique(data.persons.astype(str), return_inverse=True)
    inside = np.isin(owner, chosen)
    return np.flatnonzero(inside), np.flatnonzero(~inside)
