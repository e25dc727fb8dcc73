"""People in parts as one matrix in a file: clusters need everybody's rows in any order, but few at a time.

The file lies in the scratch folder. It holds the same bytes as a matrix in memory, in the order of the source, so that
what is computed from it is the same; workers open it by its path.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np

from sequester.engines import Engine
from sequester.model import Activities, Parts
from sequester.model.part_files import persons_of, places_of, read_beside
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


def brought_together(parts: Parts, folder: Path, engine: Engine) -> tuple[Activities, Held]:
    """All people of the parts, their states in a file."""
    places = [places_of(path) for path in parts.paths]
    rank = np.argsort(np.argsort(np.concatenate(places), kind="stable"), kind="stable")
    rows = np.split(rank, np.cumsum([len(p) for p in places])[:-1])
    some = parts.load(parts.paths[0])
    assert isinstance(some, Activities)
    held = Held(rows=RowFile.new(folder / "people", len(rank), some.states.shape[1]), folder=folder, engine=engine)
    engine.map(partial(_put, parts, held.rows), list(zip(parts.paths, rows)), "Bringing people together")
    persons = np.empty(len(rank), dtype=object)
    beside: dict[str, np.ndarray] = {}
    for path, at in zip(parts.paths, rows):
        persons[at] = persons_of(path)
        for name, column in read_beside(path).items():
            beside.setdefault(name, np.empty(len(rank), dtype=column.dtype))[at] = column
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
    object.__setattr__(whole, "states", held.rows.mapped())
    return whole, held


def _put(parts: Parts, file: RowFile, part: tuple[Path, np.ndarray]) -> int:
    """A task: one part into the file; a part that is put twice leaves the same file."""
    path, at = part
    loaded = parts.load(path)
    assert isinstance(loaded, Activities)
    file.put(at, loaded.states)
    return len(at)
