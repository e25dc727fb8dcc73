"""Everybody's rows as one matrix: clusters need them in any order, but few at a time.

Data of one part is its own matrix. Several parts become a file in the scratch folder that holds the same bytes, in the
order of the source, so that what is computed is the same; workers open it by its path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from sequester.engines import Engine
from sequester.engines.stages import silent
from sequester.model import Activities
from sequester.model.kind import Part
from sequester.primitives.row_file import RowFile, RowsInMemory


@dataclass(frozen=True, kw_only=True)
class Everybody:
    """All people, their rows, and who works on them."""

    data: Activities
    """Its states are a map where the rows are in a file."""
    rows: RowFile | RowsInMemory
    engine: Engine
    folder: Path | None = None
    """Where workers find what is handed to them; nowhere, if rows are in memory."""

    @classmethod
    def of(cls, data: Activities, engine: Engine) -> Everybody:
        """People in memory: their rows never leave this process."""
        here = Engine(threads=engine.threads, progress=silent, memory=engine.memory, scratch=engine.scratch)
        return cls(data=data, rows=RowsInMemory.of(data.states), engine=here)

    @property
    def threads(self) -> int:
        """Of one piece of work."""
        return self.engine.threads

    @property
    def n_states(self) -> int:
        """How many states there are."""
        return len(self.data.state_names)

    def room(self) -> RowFile | RowsInMemory:
        """As many rows of the same length, to be written."""
        n, width = self.data.states.shape
        return self.rows.like(n, width)


@contextmanager
def everybody(data: Activities, engine: Engine) -> Iterator[Everybody]:
    """All people as one matrix; a file outlives its name as a map."""
    if len(data.parts) == 1:
        yield Everybody.of(next(iter(data)), engine)
        return
    with engine.workspace() as folder:
        yield _brought_together(data, folder, engine)


def _brought_together(data: Activities, folder: Path, engine: Engine) -> Everybody:
    n, numbers, some = data.n_records, data.numbers_by_part(), next(iter(data))
    rows = RowFile.new(folder / "people", n, some.states.shape[1])
    put = engine.map(partial(_put, rows), list(zip(data.parts, numbers)), "Bringing people together")
    persons = np.empty(n, dtype=object)
    beside: dict[str, np.ndarray] = {}
    for part, at, columns in zip(data.parts, numbers, put):
        persons[at] = part.persons()
        for name, column in columns.items():
            beside.setdefault(name, np.empty(n, dtype=column.dtype))[at] = column
    whole = replace(some, states=np.zeros((n, 0), np.uint8), persons=persons, covariates=beside)
    # Every part was checked when it was read; to check all codes at once would bring the whole file into memory.
    object.__setattr__(whole, "states", rows.mapped())
    return Everybody(data=whole, rows=rows, engine=replace(engine, progress=silent), folder=folder)


def _put(file: RowFile, one: tuple[Part, np.ndarray]) -> Mapping[str, np.ndarray]:
    """A task: one part into the file; a part that is put twice leaves the same file. Returns what stands beside."""
    part, at = one
    loaded = part.load()
    file.put(at, loaded.states)
    return dict(loaded.covariates)
