"""A data set that does not fit into memory: files of whole people, each of which does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np

from sequester.errors import InputError, agreed, counted
from sequester.model.kind import Data, Fact
from sequester.model.part_files import (
    SHAPES,
    columns_beside,
    n_rows,
    persons_of,
    read_part,
    read_placed,
    write_part,
)

OF_RECORDS = {
    "persons", "offsets", "states", "times", "symbols", "attributes", "covariates", "values", "sensitive", "utf8",
    "documents", "columns",
}  # fmt: skip
"""Fields of models that belong to records; the others are facts about all of them."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Parts:
    """Files, one part of the people each. Nobody is in two of them: what is clipped and counted per person stays so.

    Methods that take parts compute on each alone and add integers; the split never changes a result.
    """

    kind: str
    """The kind of data, as the models name it."""
    paths: tuple[Path, ...]
    """One Parquet file per part, as `write_part` makes it."""
    n_people: int
    """Over all parts."""
    n_records: int
    """Over all parts."""
    n_items: int = 0
    """Events, symbols, intervals or bytes over all parts: what the work grows with."""
    facts: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the model that are the same for all parts: names of states, time unit, how it was read."""

    def __post_init__(self) -> None:
        if self.kind not in SHAPES:
            raise InputError(f"Parts: {self.kind} data cannot be split into parts. Available: {', '.join(SHAPES)}.")
        if not self.paths:
            raise InputError("Parts: there is no part. At least one file is needed.")

    def load(self, path: Path) -> Data:
        """One part as its model."""
        return read_part(path, self.kind, self.facts)

    def __iter__(self) -> Iterator[Data]:
        return (self.load(path) for path in self.paths)

    def whole(self) -> Data:
        """Everything as one model, in the order of the source: for tests and data that fits into memory."""
        loaded = [read_placed(path, self.kind, self.facts) for path in self.paths]
        places = np.concatenate([place for _, place in loaded])
        return joined([data for data, _ in loaded]).take(np.argsort(places, kind="stable"))

    def some(self, most: int) -> Data:
        """At most so many people, drawn at random: one part is in memory at a time."""
        generator = np.random.default_rng()
        sizes = np.array([n_rows(path) for path in self.paths])
        share = min(1.0, most / max(1, int(sizes.sum())))
        taken = []
        for path, n in zip(self.paths, sizes.tolist()):
            rows = np.flatnonzero(generator.random(n) < share)
            if len(rows):
                taken.append(self.load(path).take(rows))
        return joined(taken) if taken else self.load(self.paths[0])

    @property
    def reading(self) -> tuple[Fact, ...]:
        """How it was read, as far as readers of a release must know."""
        return tuple(self.facts.get("reading", ()))

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader did on the way, in counts."""
        return tuple(self.facts.get("notes", ()))

    @property
    def people_known(self) -> bool:
        """Whether the source says whose records they are."""
        return bool(self.facts.get("people_known", True))

    @property
    def beside(self) -> tuple[str, ...]:
        """Columns that travel with the data: attributes of events, covariates, sensitive values."""
        return columns_beside(self.paths[0])

    @property
    def persons(self) -> np.ndarray:
        """One identifier per record, part by part: a column of it fits into memory where the data does not."""
        return np.concatenate([persons_of(path) for path in self.paths])

    def persons_by_part(self) -> Iterator[np.ndarray]:
        """The same, one part at a time."""
        return (persons_of(path) for path in self.paths)

    def __repr__(self) -> str:
        return f"Parts({self.describe()})"

    def describe(self) -> str:
        """Size in words; never a value or an identifier."""
        said = (
            f"{self.n_records} {self.kind} {agreed(self.n_records, 'record', 'records')} of "
            f"{counted(self.n_people, 'person', 'people')} in "
            f"{counted(len(self.paths), 'part')}"
        )
        return "; ".join((said, *self.notes))


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
        n_items=n_items(data),
        facts=facts_of(data),
    )


def facts_of(data: Data) -> dict[str, Any]:
    """The fields of a model that say nothing about a single record."""
    return {f.name: getattr(data, f.name) for f in fields(data) if f.name not in OF_RECORDS or _is_public(data, f.name)}  # type: ignore[arg-type]


def _is_public(data: Data, name: str) -> bool:
    return name == "times" and data.kind == "series"  # there they are the names of the columns


def n_items(data: Any) -> int:
    """Events, symbols, intervals or bytes."""
    for name in ("symbols", "utf8", "values", "states"):
        if hasattr(data, name):
            return int(getattr(data, name).size)
    return int(data.n_records)


def joined(parts: list[Any]) -> Data:
    """Parts one after the other as one data set."""
    one = parts[0]
    told: dict[str, Any] = {}
    for f in fields(one):
        values = [getattr(p, f.name) for p in parts]
        if f.name not in OF_RECORDS or _is_public(one, f.name):
            told[f.name] = values[0]
        elif f.name == "offsets":
            ends = np.cumsum([0, *(int(v[-1]) for v in values)])
            told["offsets"] = np.concatenate([[0], *(v[1:] + e for v, e in zip(values, ends))])
        elif isinstance(values[0], Mapping):
            told[f.name] = {n: np.concatenate([v[n] for v in values]) for n in values[0]}
        else:
            told[f.name] = np.concatenate(values)
    made: Data = type(one)(**told)
    return made
