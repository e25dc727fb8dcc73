"""Data that does not fit into memory: files of whole people, each of which does."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from sequester.errors import InputError, counted, verb_for
from sequester.model.kind import Data
from sequester.model.part_files import (
    SHAPES,
    columns_beside,
    n_rows,
    persons_of,
    places_of,
    read_part,
    write_part,
)
from sequester.platform import remove

OF_RECORDS = {
    "persons", "offsets", "states", "times", "symbols", "attributes", "covariates", "values", "sensitive", "utf8",
    "documents", "columns",
}  # fmt: skip
"""Fields of models that belong to records; the others are facts about all of them."""


@dataclass(frozen=True, eq=False)
class StoredPart:
    """One part of the people in a Parquet file, as `write_part` makes it."""

    path: Path
    kind: str
    facts: Mapping[str, Any]
    in_memory: bool = False

    @property
    def name(self) -> str:
        """Differs between the parts of a data set."""
        return self.path.stem

    def load(self) -> Any:
        return read_part(self.path, self.kind, self.facts)

    def persons(self) -> np.ndarray:
        """Whose records they are; nothing else is read."""
        return persons_of(self.path)

    def places(self) -> np.ndarray:
        """Where in the source every record first appears; nothing else is read."""
        return places_of(self.path)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Parts(Data):
    """Data on disk: files of whole people. Nobody is in two of them: what is clipped and counted per person stays so.

    Methods compute on each part alone and add integers; the split never changes a result.
    """

    kind: str  # type: ignore[misc]
    """The kind of data, as the models name it."""
    paths: tuple[Path, ...]
    """One Parquet file per part, as `write_part` makes it."""
    n_people: int = field()
    """Over all parts."""
    n_records: int = field()
    """Over all parts."""
    n_items: int = 0
    """Over all parts."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the model that are the same for all parts; attributes of the data as they are of a model."""

    def __post_init__(self) -> None:
        if self.kind not in SHAPES:
            raise InputError(f"Parts: {self.kind} data cannot be split into parts. Available: {', '.join(SHAPES)}.")
        if not self.paths:
            raise InputError("Parts: there is no part. At least one file is needed.")
        self.__dict__.update(self.facts)

    if TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any: ...

    @property
    def parts(self) -> tuple[StoredPart, ...]:
        """The files, each to be loaded by whoever works on it."""
        return tuple(StoredPart(path, self.kind, self.facts) for path in self.paths)

    def load(self, path: Path) -> Any:
        return read_part(path, self.kind, self.facts)

    @property
    def in_memory(self) -> bool:
        return False

    def whole(self) -> Any:
        """Everything in memory, in the order of the source."""
        return joined(list(self)).take(np.argsort(np.concatenate(self.numbers_by_part())))

    def some(self, most: int) -> Any:
        """At most so many people, drawn at random: one part is in memory at a time."""
        if self.n_people <= most:
            return self.whole()
        generator = np.random.default_rng()
        taken = []
        for part in self.parts:
            people, owner = np.unique(part.persons().astype(str), return_inverse=True)
            rows = np.flatnonzero((generator.random(len(people)) < most / self.n_people)[owner])
            if len(rows):
                taken.append(part.load().take(rows))
        return joined(taken) if taken else self.parts[0].load()

    def discard(self) -> None:
        for path in self.paths:
            remove(path)

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the columns that travel with the data."""
        return columns_beside(self.paths[0])

    @property
    def persons(self) -> np.ndarray:  # type: ignore[override]
        """One identifier per record, part by part: a column of it fits into memory where the data does not."""
        return np.concatenate(list(self.persons_by_part()))

    def describe(self) -> str:
        """Size in words; never a value or an identifier."""
        size = (
            f"{self.n_records} {self.kind} {verb_for(self.n_records, 'record', 'records')} of "
            f"{counted(self.n_people, 'person', 'people')} in {counted(len(self.paths), 'part')}"
        )
        return "; ".join((size, *self.notes))


def split(data: Data, folder: Path, of_people: Iterable[np.ndarray]) -> Parts:
    """Write a data set as parts: the people (numbers into the sorted distinct persons) of each; for tests, mostly."""
    _, owner = np.unique(data.persons.astype(str), return_inverse=True)
    paths = []
    for i, people in enumerate(of_people):
        rows = np.flatnonzero(np.isin(owner, people))
        if len(rows):
            part = data.take(rows)
            paths.append(write_part(part, folder / f"part-{i:05d}.parquet", rows))
    return Parts(
        kind=data.kind,
        paths=tuple(paths),
        n_people=data.n_people,
        n_records=sum(n_rows(p) for p in paths),
        n_items=data.n_items,
        facts=facts_of(data),
    )


def facts_of(data: Data) -> dict[str, Any]:
    """The fields of a model that say nothing about a single record."""
    return {f.name: getattr(data, f.name) for f in fields(data) if f.name not in OF_RECORDS or _is_public(data, f.name)}  # type: ignore[arg-type]


def _is_public(data: Data, name: str) -> bool:
    return name == "times" and data.kind == "series"  # there they are the names of the columns


def joined(parts: list[Any]) -> Data:
    """Parts one after the other as one data set."""
    one = parts[0]
    stated: dict[str, Any] = {}
    for f in fields(one):
        values = [getattr(p, f.name) for p in parts]
        if f.name not in OF_RECORDS or _is_public(one, f.name):
            stated[f.name] = values[0]
        elif f.name == "offsets":
            ends = np.cumsum([0, *(int(v[-1]) for v in values)])
            stated["offsets"] = np.concatenate([[0], *(v[1:] + e for v, e in zip(values, ends))])
        elif isinstance(values[0], Mapping):
            stated[f.name] = {n: np.concatenate([v[n] for v in values]) for n in values[0]}
        else:
            stated[f.name] = np.concatenate(values)
    made: Data = type(one)(**stated)
    return made
