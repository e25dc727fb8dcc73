"""Small variations of data of every kind: rows chosen, people renamed, values missing, nothing at all."""

from dataclasses import replace

import numpy as np

from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.model.kind import Data

EMPTY = {
    "text": lambda: Corpus.from_texts([]),
    "series": lambda: Series(values=np.zeros((0, 4))),
    "activity": lambda: Activities(states=np.zeros((0, 10), np.uint8), state_names=("rest", "walk")),
    "events": lambda: EventLog(offsets=[0], states=[], state_names=("in", "out"), times=[]),
    "symbols": lambda: SymbolSeries(symbols=[], offsets=[0], alphabet=("a", "b")),
}


def rows(data: Data, index) -> Data:
    """The records of `index`, in that order; repeated ones become people of their own."""
    index = np.asarray(index, dtype=np.int64)
    names, seen = [], set()
    for i in index:
        name = str(data.persons[i])
        while name in seen and data.kind in ("activity", "events"):
            name += "'"
        seen.add(name)
        names.append(name)
    persons = np.array(names, dtype=object)
    if isinstance(data, Series):
        sensitive = {n: c[index] for n, c in data.sensitive.items()}
        return replace(data, values=data.values[index], persons=persons, sensitive=sensitive)
    if isinstance(data, Activities):
        covariates = {n: c[index] for n, c in data.covariates.items()}
        return replace(data, states=data.states[index], persons=persons, covariates=covariates)
    if isinstance(data, Corpus):
        documents = [f"{data.documents[i]}-{at}" for at, i in enumerate(index)]
        utf8, offsets = _parts(data.utf8, data.offsets, index)
        return replace(data, utf8=utf8, offsets=offsets, documents=documents, persons=persons)
    if isinstance(data, EventLog):
        states, offsets = _parts(data.states, data.offsets, index)
        times, _ = _parts(data.times, data.offsets, index)
        attributes = {n: _parts(c, data.offsets, index)[0] for n, c in data.attributes.items()}
        return replace(data, states=states, offsets=offsets, times=times, persons=persons, attributes=attributes)
    assert isinstance(data, SymbolSeries)
    symbols, offsets = _parts(data.symbols, data.offsets, index)
    return replace(data, symbols=symbols, offsets=offsets, persons=persons)


def _parts(values, offsets, index):
    pieces = [values[offsets[i] : offsets[i + 1]] for i in index]
    lengths = np.array([len(p) for p in pieces], dtype=np.int64)
    joined = np.concatenate(pieces) if pieces else values[:0]
    return joined, np.concatenate([[0], np.cumsum(lengths)])


def renamed(data: Data, prefix: str) -> Data:
    """The same data with identifiers that could not occur by chance."""
    new = {p: f"{prefix}{i}{prefix}" for i, p in enumerate(dict.fromkeys(data.persons.tolist()))}
    persons = np.array([new[p] for p in data.persons], dtype=object)
    if isinstance(data, Corpus):
        documents = [f"{prefix}doc{i}{prefix}" for i in range(data.n_records)]
        return replace(data, persons=persons, documents=documents)
    return replace(data, persons=persons)


def with_missing(data: Data) -> Data | None:
    """The same data with some values missing, where the model has such a thing."""
    if isinstance(data, Series):
        values = data.values.copy()
        values[::7, 0] = np.nan
        values[3, :] = np.nan
        return replace(data, values=values)
    if isinstance(data, Activities) and data.missing is not None:
        states = data.states.copy()
        states[::5] = data.missing
        return replace(data, states=states)
    return None
