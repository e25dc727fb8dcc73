"""Points that one person alone has, and the points a release shows: the traces an outlier leaves.

Someone who knows everybody else's record (the strongest bystander) looks for what only the target could have caused.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np

from sequester.attacks import activity, events, series, symbols, text
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries
from sequester.model.kind import Data
from sequester.release import Claim

Points = set[Hashable]
MOST = 2000
"""Own points kept per person: enough to recognise somebody."""


def own_points(data: Data) -> list[Points]:
    """For every person, in sorted order, the points nobody else in the data has."""
    people, owner = np.unique(data.persons.astype(str), return_inverse=True)
    if isinstance(data, Activities):
        cells, whose = activity.moments(data, activity.cells(data.states, len(data.state_names)) == 1)
        out: list[Points] = [set() for _ in people]
        for (at, code), row in zip(cells.tolist(), whose.tolist(), strict=True):
            mine = out[owner[row]]
            if len(mine) < MOST:
                mine.add((at, code))
        return out
    held: Counter[Hashable] = Counter()
    sets: list[Points] = [set() for _ in people]
    for row in range(data.n_records):
        sets[owner[row]] |= _points(data, row)
    for mine in sets:
        held.update(mine)
    return [{p for p in mine if held[p] == 1} for mine in sets]


def _points(data: Data, row: int) -> Points:
    if isinstance(data, Series):
        return {(j, float(v)) for j, v in enumerate(data.values[row]) if v == v}
    if isinstance(data, EventLog):
        names = data.state_names
        states = data.states[data.offsets[row] : data.offsets[row + 1]]
        return set(events.grams(tuple(names[s] for s in states)))
    if isinstance(data, SymbolSeries):
        part = data.symbols[data.offsets[row] : data.offsets[row + 1]]
        return {tuple(data.alphabet[s] for s in part[j : j + n]) for n in ORDERS for j in range(len(part) - n + 1)}
    assert isinstance(data, Corpus)
    return set(text.windows_of([data.text(row)]))


ORDERS = (2, 3, 4, 5)
"""Orders of grams looked at in symbol series."""


def shown_points(claim: Claim, data: Data) -> Points:
    """The points a release shows, in the same words as `own_points`."""
    return SHOWN[data.kind](claim, data)


def _in_activity(claim: Claim, data: Any) -> Points:
    rows = activity.released_states(claim)
    if rows is None or rows.shape[1] != data.states.shape[1]:
        return set()
    seen = activity.cells(rows, len(data.state_names)) > 0
    return {(int(at), int(code)) for at, code in np.argwhere(seen)}


def _in_series(claim: Claim, data: Any) -> Points:
    shown = series.read_shown(claim, data)
    if shown is None:
        return set()
    return {
        (int(column), float(v))
        for at, column in enumerate(shown.columns)
        for v in np.unique(np.concatenate([shown.lo[:, at], shown.hi[:, at]]))
    }


def _in_events(claim: Claim, _data: Any) -> Points:
    return {g for t in events.released_traces(claim) or [] for g in events.grams(t)}


def _in_symbols(claim: Claim, _data: Any) -> Points:
    return {g for grams in (symbols.released_grams(claim) or {}).values() for g in grams}


def _in_text(claim: Claim, _data: Any) -> Points:
    return set(text.windows_of((text.released_texts(claim) or {}).values()))


SHOWN: dict[str, Callable[[Claim, Any], Points]] = {
    "activity": _in_activity,
    "series": _in_series,
    "events": _in_events,
    "symbols": _in_symbols,
    "text": _in_text,
}
