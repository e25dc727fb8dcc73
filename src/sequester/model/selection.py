"""Some records of a data set, as a data set of the same kind."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

import numpy as np

from sequester.model.activities import Activities
from sequester.model.corpus import Corpus
from sequester.model.events import EventLog
from sequester.model.kind import Data
from sequester.model.series import Series
from sequester.model.symbols import SymbolSeries

D = TypeVar("D", bound=Data)


def take(data: D, rows: np.ndarray) -> D:
    """The records `rows`, in that order; each at most once."""
    rows = np.asarray(rows, dtype=np.int64)
    persons = data.persons[rows]
    if isinstance(data, Series):
        beside = {name: column[rows] for name, column in data.sensitive.items()}
        return replace(data, values=data.values[rows], persons=persons, sensitive=beside)
    if isinstance(data, Activities):
        beside = {name: column[rows] for name, column in data.covariates.items()}
        return replace(data, states=data.states[rows], persons=persons, covariates=beside)
    assert isinstance(data, (Corpus, EventLog, SymbolSeries))
    inside, offsets = parts(data.offsets, rows)
    if isinstance(data, Corpus):
        return replace(data, utf8=data.utf8[inside], offsets=offsets, documents=data.documents[rows], persons=persons)
    if isinstance(data, EventLog):
        return replace(
            data,
            states=data.states[inside],
            times=data.times[inside],
            offsets=offsets,
            persons=persons,
            attributes={name: column[inside] for name, column in data.attributes.items()},
        )
    return replace(data, symbols=data.symbols[inside], offsets=offsets, persons=persons)


def parts(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of everything inside the stretches `rows`, and the offsets of the selection."""
    lengths = (offsets[1:] - offsets[:-1])[rows]
    ends = np.cumsum(lengths)
    new = np.concatenate([[0], ends]).astype(np.int64)
    shift = np.repeat(offsets[:-1][rows] - new[:-1], lengths)
    return np.arange(int(new[-1])) + shift, new


def rows_of_people(data: Data, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the chosen people (numbers into the sorted distinct persons), and the rows of all others."""
    _, owner = np.unique(data.persons.astype(str), return_inverse=True)
    inside = np.isin(owner, chosen)
    return np.flatnonzero(inside), np.flatnonzero(~inside)
