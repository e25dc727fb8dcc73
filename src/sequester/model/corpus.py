"""Free text: documents of people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Self

import numpy as np

from sequester.errors import InputError, counted
from sequester.model.kind import Data, Fact, apart, frozen, identifiers, stretches


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Corpus(Data):
    """Documents as one UTF-8 byte array with offsets; document *i* is `utf8[offsets[i]:offsets[i+1]]`."""

    utf8: np.ndarray
    """All documents, UTF-8, one after the other (`uint8`)."""
    offsets: np.ndarray
    """Start of every document and the end of the last (`int64`, one more than documents)."""
    documents: np.ndarray = field(default=None)  # type: ignore[arg-type]
    """Document identifiers (`object` array of `str`), distinct."""
    persons: np.ndarray = field(default=None)  # type: ignore[arg-type]
    """Whose document it is; by default every document is a person of its own."""
    people_known: bool = True
    """Whether the source says whose document it is; if not, `persons` is only a guess and promises nothing."""
    shape: str = "jsonl"
    """How it came and how it leaves: `file`, `folder`, `jsonl`, `csv` or `parquet`."""
    text_column: str = "text"
    """Name of the text column where the shape is a table."""
    columns: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Further columns of the source, as text; published only where a method is asked to keep them."""
    reading: tuple[Fact, ...] = ()
    """How it was read, as far as readers of a release must know."""
    notes: tuple[str, ...] = ()
    """What a reader did on the way, in counts: rows left out, cells that could not be read."""

    kind: ClassVar[str] = "text"
    grows_with: ClassVar[str] = "utf8"
    travels: ClassVar[str] = "columns"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "utf8", frozen(self.utf8, np.uint8))
        set_(self, "offsets", frozen(self.offsets, np.int64))
        n = len(self.offsets) - 1
        if n < 0 or self.offsets[0] != 0 or self.offsets[-1] != len(self.utf8) or np.any(np.diff(self.offsets) < 0):
            raise InputError("Corpus: offsets must rise from 0 to the number of bytes.")
        names = [str(i + 1) for i in range(n)] if self.documents is None else [str(d) for d in self.documents]
        if len(names) != n:
            raise InputError(f"Corpus: {len(names)} document identifiers for {counted(n, 'document')}.")
        if len(set(names)) != n:
            seen: set[str] = set()
            row = next(i for i, d in enumerate(names) if d in seen or seen.add(d))  # type: ignore[func-returns-value]
            raise InputError(
                f"Corpus: {n - len(set(names))} document identifiers occur twice (first at row {row + 1}). "
                "Give every document an identifier of its own, or leave ‹document=› out."
            )
        documents = np.array(names, dtype=object)
        documents.flags.writeable = False
        set_(self, "documents", documents)
        persons = documents if self.persons is None else self.persons
        set_(self, "persons", identifiers(persons, n, "Corpus"))
        columns = {
            str(name): np.array([_cell(v) for v in values], dtype=object) for name, values in self.columns.items()
        }
        for name, values in columns.items():
            if len(values) != n:
                raise InputError(
                    f"Corpus: column '{name}' has {counted(len(values), 'value')} for {counted(n, 'document')}."
                )
            values.flags.writeable = False
        set_(self, "columns", columns)

    @classmethod
    def from_texts(cls, texts: Iterable[str], **more: Any) -> Corpus:
        """A corpus of Python strings."""
        encoded = [t.encode("utf-8") for t in texts]
        offsets = np.concatenate([[0], np.cumsum([len(e) for e in encoded], dtype=np.int64)]).astype(np.int64)
        return cls(utf8=np.frombuffer(b"".join(encoded), dtype=np.uint8), offsets=offsets, **more)

    def text(self, i: int) -> str:
        """Document *i* as a string."""
        return self.utf8[self.offsets[i] : self.offsets[i + 1]].tobytes().decode("utf-8")

    @property
    def texts(self) -> Sequence[str]:
        """All documents as strings (decoded anew at every call)."""
        return [self.text(i) for i in range(self.n_records)]

    def columns_named(self, names: Iterable[str]) -> dict[str, np.ndarray]:
        """Columns of the source by name; one that is not there is an error."""
        lacking = [name for name in names if name not in self.columns]
        if lacking:
            has = ", ".join(f"'{c}'" for c in self.columns) or "no other columns"
            raise InputError(f"keep: the source has no column '{lacking[0]}' beside the text; it has {has}.")
        return {name: self.columns[name] for name in names}

    def describe(self) -> str:
        return (
            f"{counted(self.n_records, 'document')} of {counted(self.n_people, 'person', 'people')}, "
            f"{counted(len(self.utf8), 'byte')}"
        )

    def take(self, rows: np.ndarray) -> Self:
        """The records `rows`, in that order; one that is taken again is a record of its own."""
        inside, offsets = stretches(self.offsets, rows)
        return replace(
            self,
            utf8=self.utf8[inside],
            offsets=offsets,
            documents=apart(self.documents[rows]),
            persons=self.persons[rows],
            columns={name: values[rows] for name, values in self.columns.items()},
        )


def _cell(value: Any) -> str | None:
    return None if value is None or value != value else str(value)
