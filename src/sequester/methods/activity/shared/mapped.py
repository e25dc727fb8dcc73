"""People in parts as one matrix in a file: clusters need everybody's rows in any order, but few at a time.

The matrix is a map of a file without a name in the scratch folder. It holds the same bytes as one in memory, in the
order of the source, so that what is computed from it is the same.
"""

from __future__ import annotations

import numpy as np

from sequester.engines import Engine
from sequester.model import Activities, Parts
from sequester.model.part_files import places_of
from sequester.primitives.room import Room, rest


def mapped(parts: Parts, room: Room, engine: Engine) -> Activities:
    """All people of the parts, their states in a file."""
    places = [places_of(path) for path in parts.paths]
    rank = np.argsort(np.argsort(np.concatenate(places), kind="stable"), kind="stable")
    rows = np.split(rank, np.cumsum([len(p) for p in places])[:-1])
    states: np.ndarray | None = None
    persons = np.empty(len(rank), dtype=object)
    beside: dict[str, np.ndarray] = {}
    some: Activities | None = None
    for path, at in engine.track(list(zip(parts.paths, rows)), "Bringing people together"):
        loaded = parts.load(path)
        assert isinstance(loaded, Activities)
        some = loaded
        if states is None:
            width = some.states.shape[1]
            states = room.zeros(len(rank) * width, np.uint8).reshape(len(rank), width)
        states[at] = some.states
        persons[at] = some.persons
        for name, column in some.covariates.items():
            beside.setdefault(name, np.empty(len(rank), dtype=column.dtype))[at] = column
        rest(states)
    assert some is not None and states is not None
    states.flags.writeable = False
    whole = Activities(
        states=np.zeros((len(rank), 0), np.uint8),
        state_names=some.state_names,
        interval_seconds=some.interval_seconds,
        start=some.start,
        persons=persons,
        covariates=beside,
        names_public=some.names_public,
        reading=some.reading,
        notes=some.notes,
    )
    # Every part was checked when it was read; to check all codes at once would bring the whole file into memory.
    object.__setattr__(whole, "states", states)
    return whole
