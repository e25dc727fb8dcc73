"""People in parts as one matrix in a file: clusters need everybody's rows in any order, but few at a time.

The file lies in the scratch folder. It holds the same bytes as a matrix in memory, in the order of the source, so that
what is computed from it is the same; workers open it by its path.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sequester.engines import Engine
from sequester.model import Activities
from sequester.model.kind import Part
from sequester.primitives.row_file import RowFile


@dataclass(frozen=True, kw_only=True)
class Held:
    """Rows of all people in a file, a folder for more, and who works on them."""

    rows: RowFile
    folder: Path
    engine: Engine

    def like(self, name: str) -> RowFile:
        """A file for as many rows of the same length."""
        return RowFile.new(self.folder / name, self.rows.n, self.rows.width)


@contextmanager
def one_matrix(data: Activities, engine: Engine) -> Iterator[tuple[Activities, Held | None]]:
    """All people as one matrix: as it is in memory, or else in a file that is a map, and outlives its name."""
    if data.in_memory:
        yield data, None
        return
    with engine.workspace() as folder:
        yield brought_together(data, folder, engine)


def brought_together(data: Activities, folder: Path, engine: Engine) -> tuple[Activities, Held]:
    """All people of the parts, their states in a file."""
    n, rows, some = data.n_records, data.numbers_by_part(), next(iter(data))
    held = Held(rows=RowFile.new(folder / "people", n, some.states.shape[1]), folder=folder, engine=engine)
    put = engine.map(partial(_put, held.rows), list(zip(data.parts, rows)), "Bringing people together")
    persons = np.empty(n, dtype=object)
    beside: dict[str, np.ndarray] = {}
    for part, at, columns in zip(data.parts, rows, put):
        persons[at] = part.persons()
        for name, column in columns.items():
            beside.setdefault(name, np.empty(n, dtype=column.dtype))[at] = column
    whole = Activities(
        states=np.zeros((n, 0), np.uint8),
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
    object.__setattr__(whole, "states", held.rows.mapped())
    return whole, held


def _put(file: RowFile, one: tuple[Part, np.ndarray]) -> Mapping[str, np.ndarray]:
    """A task: one part into the file; a part that is put twice leaves the same file. Returns what stands beside."""
    part, at = one
    loaded = part.load()
    file.put(at, loaded.states)
    return dict(loaded.covariates)
