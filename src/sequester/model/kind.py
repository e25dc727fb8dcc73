"""What all kinds of data have in common, and how some records of a data set become one of the same kind."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar, Protocol, Self, TypeVar

import numpy as np

from sequester.errors import InputError, counted


@dataclass(frozen=True)
class Fact:
    """Something about how the data was read that a reader of the release must know: a window, bins, a time unit.

    It is published under `reading` in the manifest, so it is never computed on people unless `how` says `found`, and a
    differentially private method refuses data with a found fact before it spends anything.
    """

    name: str
    value: Any
    """Plain JSON."""
    how: str
    """`declared` by the custodian, the reader's own `default`, or `found` in the data."""


class Invented(str):
    """A note on what a release shows and the source does not hold as it stands: filled, merged, moved, rounded."""

    n: int
    of: int
    name: str

    def __new__(cls, noun: str, done: str, n: int, of: int) -> Invented:
        """`Invented("values", "filled along time", 12, 480)`: 12 of 480 values (2.5 %) were filled along time."""
        made = super().__new__(cls, f"{n:,} of {of:,} {noun} ({n / max(1, of):.1%}) were {done}")
        made.n, made.of, made.name, made._given = n, of, f"{noun} {done}", (noun, done, n, of)
        return made

    _given: tuple[str, str, int, int]

    def __getnewargs__(self) -> tuple[str, str, int, int]:  # type: ignore[override]
        return self._given

    @property
    def fact(self) -> Fact:
        """What the manifest says of it; a differentially private release leaves it out, because it counts people's."""
        return Fact(f"{INVENTED}{self.name}", {"n": self.n, "of": self.of}, "found")


INVENTED = "invented: "
"""How the names of such facts begin."""


class Part(Protocol):
    """One part of the people, not yet loaded: small enough to be sent to whoever works on it."""

    @property
    def name(self) -> str:
        """Differs between the parts of a data set: for files about this part."""
        ...

    @property
    def in_memory(self) -> bool:
        """Whether it is loaded already; such a part never leaves this process."""
        ...

    def load(self) -> Any:
        """The part as its model."""
        ...

    def persons(self) -> np.ndarray:
        """Whose records they are; nothing else is loaded."""
        ...

    def places(self) -> np.ndarray:
        """Where in the source every record first appears; nothing else is loaded."""
        ...


@dataclass(frozen=True, eq=False)
class LoadedPart:
    """Data in memory as its own only part."""

    data: Data
    name: str = "part-00000"
    in_memory: bool = True

    def load(self) -> Data:
        return self.data

    def persons(self) -> np.ndarray:
        """Whose records they are."""
        return self.data.persons

    def places(self) -> np.ndarray:
        """Records in memory stand in the order of the source."""
        return np.arange(self.data.n_records)


class Data:
    """Data of any kind: a sequence of parts of whole people. What is in memory is one part, itself.

    `for part in data` loads one part at a time. What all parts share (names of states, how it was read) is an attribute
    of the data, in memory or not; what belongs to records (states, times, text) is an attribute of a part.
    """

    kind: ClassVar[str]
    grows_with: ClassVar[str] = "persons"
    """The field that holds events, symbols, intervals or bytes."""
    travels: ClassVar[str] = ""
    """The field of columns that travel with the data: attributes of events, covariates, sensitive values."""
    persons: np.ndarray
    """One identifier per record (`object` array of `str`); two records may share a person."""
    reading: tuple[Fact, ...] = ()
    """What a reader of a release must know about how this was read; models made by hand have nothing to tell."""
    notes: tuple[str, ...] = ()
    """What a reader did on the way, in counts."""
    people_known: bool = True
    """Whether the source says whose records they are."""

    @cached_property
    def n_records(self) -> int:
        """Number of records (documents, series, rows, objects)."""
        return len(self.persons)

    @cached_property
    def n_people(self) -> int:
        """Number of distinct people."""
        return len(set(self.persons.tolist()))

    @cached_property
    def n_items(self) -> int:
        """Events, symbols, intervals or bytes: what the work grows with."""
        return int(getattr(self, self.grows_with).size)

    @property
    def parts(self) -> Sequence[Part]:
        """Parts of whole people, to be loaded by whoever works on them."""
        return (LoadedPart(self),)

    def __iter__(self) -> Iterator[Self]:
        return (part.load() for part in self.parts)

    def persons_by_part(self) -> Iterator[np.ndarray]:
        """Whose records they are, one part at a time."""
        return (part.persons() for part in self.parts)

    def numbers_by_part(self) -> list[np.ndarray]:
        """Per part, the number of every record in the order of the source."""
        places = [part.places() for part in self.parts]
        rank = np.argsort(np.argsort(np.concatenate(places), kind="stable"), kind="stable")
        return np.split(rank, np.cumsum([len(p) for p in places])[:-1])

    @property
    def in_memory(self) -> bool:
        """Whether it is loaded, as one part."""
        return True

    def whole(self) -> Self:
        """Everything in memory, in the order of the source."""
        return self

    def some(self, most: int) -> Self:
        """At most so many people, drawn at random; what is in memory already comes whole."""
        return self

    def discard(self) -> None:
        """Nobody needs it any more: files of parts are removed."""

    @property
    def beside(self) -> tuple[str, ...]:
        """Names of the columns that travel with the data."""
        return tuple(getattr(self, self.travels)) if self.travels else ()

    def take(self, rows: np.ndarray) -> Self:
        """The records `rows`, in that order; one that is taken again is a record of its own."""
        raise AttributeError(f"{type(self).__name__} cannot be selected from")

    def blanked(self, rows: np.ndarray) -> Self | None:
        """The same records with values missing in `rows`; None for a kind of data in which no value can be missing."""
        return None

    def fingerprint(self) -> str:
        """SHA-256 of the whole content, identifiers included: private, for tests and the custodian."""
        digest = hashlib.sha256(self.kind.encode())
        for field in fields(self):  # type: ignore[arg-type]
            if field.name in ("reading", "notes"):  # how it was read is not what was read
                continue
            digest.update(field.name.encode())
            _absorb(digest, getattr(self, field.name))
        return digest.hexdigest()

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.describe()})"

    def describe(self) -> str:
        """Size in words; never a value or an identifier."""
        return f"{counted(self.n_records, 'record')} of {counted(self.n_people, 'person', 'people')}"


def apart(names: np.ndarray) -> np.ndarray:
    """Names that must differ: one that stands there again gets a prime."""
    if len(set(names.tolist())) == len(names):
        return names
    seen: set[str] = set()
    out = names.copy()
    for i, name in enumerate(names.tolist()):
        while name in seen:
            name += "'"
        seen.add(name)
        out[i] = name
    return out


def stretches(offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions of everything inside the stretches `rows`, and the offsets of the selection."""
    lengths = (offsets[1:] - offsets[:-1])[rows]
    ends = np.cumsum(lengths)
    new = np.concatenate([[0], ends]).astype(np.int64)
    shift = np.repeat(offsets[:-1][rows] - new[:-1], lengths)
    return np.arange(int(new[-1])) + shift, new


def _absorb(digest: Any, value: Any) -> None:
    if isinstance(value, np.ndarray):
        digest.update(str(value.shape).encode())
        if value.dtype == object:
            for item in value.ravel():
                digest.update(repr(item).encode() + b"\0")
        else:
            digest.update(value.dtype.str.encode())
            digest.update(np.ascontiguousarray(value).view(np.uint8).data)
    elif isinstance(value, Mapping):
        for key in sorted(value):
            digest.update(key.encode() + b"\0")
            _absorb(digest, value[key])
    else:
        digest.update(repr(value).encode())


def frozen(array: Any, dtype: Any = None) -> np.ndarray:
    """A read-only array of `dtype`; copies only when the caller could still write to it.

    A number that the narrower type cannot hold is refused: wrapped around, 256 would pass as state 0.
    """
    given = np.asarray(array)
    out = given if dtype is None else given.astype(dtype, copy=False)
    if out.dtype.kind in "iu" and given.dtype != out.dtype and not np.array_equal(out, given):
        low, high = np.iinfo(out.dtype).min, np.iinfo(out.dtype).max
        raise InputError(f"a code must be a whole number in {low}..{high}; at least one is not.")
    if out.flags.writeable:
        out = out.copy() if (out is array or out.base is not None) else out
        out.flags.writeable = False
    return out


def identifiers(persons: Any, n_records: int, who: str) -> np.ndarray:
    """Person identifiers as a read-only object array of `str`, one per record."""
    if persons is None:
        persons = range(1, n_records + 1)
    ids = np.array([None if _is_missing(p) else str(p) for p in persons], dtype=object)
    if len(ids) != n_records:
        raise InputError(f"{who}: {len(ids)} person identifiers for {counted(n_records, 'record')}.")
    lacking = [i for i, p in enumerate(ids) if p is None or p == ""]
    if lacking:
        raise InputError(
            f"{who}: {counted(len(lacking), 'record lacks', 'records lack')} a person (first at row {lacking[0] + 1}). "
            "Fill the person column or leave those rows out."
        )
    ids.flags.writeable = False
    return ids


def columns(table: Mapping[str, Any] | None, n_records: int, who: str) -> dict[str, np.ndarray]:
    """Named columns beside the data (sensitive values, covariates), one value per record.

    Numbers become float64 with NaN for missing; anything else an object array of `str` or None.
    """
    out: dict[str, np.ndarray] = {}
    for name, values in (table or {}).items():
        column = _as_column(values)
        if len(column) != n_records:
            raise InputError(
                f"{who}: column '{name}' has {counted(len(column), 'value')} for {counted(n_records, 'record')}."
            )
        column.flags.writeable = False
        out[str(name)] = column
    return out


def _as_column(values: Sequence[Any]) -> np.ndarray:
    array = np.asarray(values)
    if array.dtype.kind in "iufb":
        return array.astype(np.float64)
    items = [None if _is_missing(v) else v for v in values]
    if items and all(v is None or isinstance(v, (int, float, np.number)) for v in items):
        return np.array([np.nan if v is None else float(v) for v in items])
    return np.array([None if v is None else str(v) for v in items], dtype=object)


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, float) and value != value)


D = TypeVar("D", bound=Data)


def take(data: D, rows: np.ndarray) -> D:
    """The records `rows`, in that order; one that is taken again is a record of its own."""
    return data.take(np.asarray(rows, dtype=np.int64))


def rows_of_people(data: Data, chosen: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rows of the chosen people (numbers into the sorted distinct persons), and the rows of all others."""
    _, owner = np.unique(data.persons.astype(str), return_inverse=True)
    inside = np.isin(owner, chosen)
    return np.flatnonzero(inside), np.flatnonzero(~inside)
