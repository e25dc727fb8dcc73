"""Rows of an activity table on their way to a matrix: their states in codes, and what some of them become.

Codes are given as pieces come by, in the order in which states are found; when all rows were seen, every state gets the
code that one look at the whole table gives it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, counted
from sequester.model import Activities, Fact
from sequester.read.activity_calendar import Calendar, fitted
from sequester.read.activity_matrix import Codes, from_lists, from_wide, listed
from sequester.read.activity_timed import CODES, WHO, Clash, States, Timed, from_timed
from sequester.read.cells import is_text, numbers, texts
from sequester.read.dealing import Dealt, NoRows, emptied
from sequester.read.note_counts import Counted, rows_left_out
from sequester.read.roles import Owners, owners, per_person, typed
from sequester.read.table import pick


class Rowed(NamedTuple):
    """What was told about a table with a row per person."""

    columns: tuple[str, ...]
    """One column of lists, or a column per interval."""
    lists: bool
    plan: Calendar

    @classmethod
    def of(
        cls, head: Any, person: str, state: str | None, beside: tuple[str, ...], quasi: tuple[str, ...], plan: Calendar
    ) -> Rowed:
        """The columns that hold states."""

        def is_list(name: str) -> bool:
            kind = head.schema.field(name).type
            return pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind)

        if state:
            name = pick(head, state, WHO, "state")
            if not is_list(name) and not is_text(head.schema.field(name).type):
                raise _not_a_list(state)
            return cls((name,), True, plan)
        if quasi:
            found = tuple(pick(head, name, WHO, "quasi") for name in quasi)
            if len({person, *beside, *found}) < 1 + len(beside) + len(found):
                raise InputError(f"{WHO}: quasi names a column twice, or one with another role. Name intervals only.")
            return cls(found, False, plan)
        others = [c for c in head.column_names if c not in (person, *beside)]
        lists = [c for c in others if is_list(c)]
        if len(lists) > 1:
            raise InputError(
                f"{WHO}: {counted(len(lists), 'column')} hold lists: {', '.join(lists[:6])}. Pass ‹state=› one of them."
            )
        if not others:
            raise InputError(f"{WHO}: no column is left for the states beside '{person}'. Check the roles.")
        return cls(tuple(lists or others), bool(lists), plan)


@dataclass
class Ready:
    """What becomes of every piece on the way."""

    asked: Timed | Rowed
    codes: Codes
    person: str
    beside: tuple[str, ...]
    longest: int = 0
    """Intervals of the longest row."""
    any_list: bool = False
    numeric: dict[str, bool] = field(default_factory=dict)
    """Columns that travel with the data: whether all that was found in them are numbers."""
    refused: InputError | None = None
    """Why the cells cannot be states."""

    @property
    def columns(self) -> list[str]:
        """Those that a piece has when it is ready."""
        timed = self.asked.columns if isinstance(self.asked, Timed) else ()
        return [*timed, *self.beside, *([CODES] if self._has_states else [])]

    @property
    def _has_states(self) -> bool:
        return isinstance(self.asked, Rowed) or self.asked.state is not None

    def __call__(self, piece: Any) -> Any:
        for name in self.beside:
            values, bad = numbers(piece[name])
            if bad:
                self.numeric[name] = False
            elif not np.isnan(values).all():
                self.numeric.setdefault(name, True)
        if isinstance(self.asked, Timed):
            return self._timed(piece, self.asked.state)
        kept = piece.select(list(dict.fromkeys((self.person, *self.beside))))
        return kept.append_column(CODES, self._rowed(piece, self.asked))

    def _timed(self, piece: Any, name: str | None) -> Any:
        if name is None:
            return piece
        column = piece[name]
        plain = pa.types.is_integer(column.type) and not column.null_count
        return piece.append_column(CODES, pa.array(self.codes.encode(column if plain else texts(column))))

    def _rowed(self, piece: Any, asked: Rowed) -> Any:
        try:
            if self.refused is None:
                matrix = self._matrix(piece, asked)
                self.longest = max(self.longest, matrix.shape[1])
                return packed(matrix)
        except InputError as error:  # more than one row per person explains it better, if that is what it is
            self.refused = error
        return packed(np.zeros((len(piece), 0), np.uint8))

    def _matrix(self, piece: Any, asked: Rowed) -> np.ndarray:
        if not asked.lists:
            return from_wide(piece, list(asked.columns), self.codes)
        column = piece[asked.columns[0]]
        if is_text(column.type):
            self.any_list |= any(str(c or "").lstrip().startswith("[") for c in column.to_pylist())
            column = listed(column)
        else:
            self.any_list = True
        return from_lists(column, self.codes)

    def require_rows_of_people(self, dealt: Dealt) -> None:
        """Refuse a table that has no row per person, or no states in it."""
        if self.refused is not None:
            tables = [dealt.rows.table] if not dealt.buckets else [emptied(b) for b in dealt.buckets]  # type: ignore[union-attr]
            require_one_row(sum(owners(t, self.person, WHO).twice for t in tables), dealt.n_rows)
            raise self.refused
        if isinstance(self.asked, Rowed) and self.asked.lists and not self.any_list:
            raise _not_a_list(self.asked.columns[0])
        if isinstance(self.asked, Rowed) and not self.longest:
            raise InputError(f"{WHO}: the list column holds no states.")


def _not_a_list(name: str) -> InputError:
    return InputError(f"{WHO}: column '{name}' holds one state per row, so rows need times. Pass ‹time=› or ‹start=›.")


def require_one_row(twice: int, n_rows: int) -> None:
    """Refuse a table in which most people have several rows."""
    if 2 * twice >= n_rows:
        raise InputError(
            f"{WHO}: {counted(twice, 'person has', 'people have')} more than one row. If a row is one "
            "observation, pass ‹time=› and ‹state=›."
        )


def packed(matrix: np.ndarray) -> Any:
    """Rows of bytes as one value each."""
    n, width = matrix.shape
    ends = pa.py_buffer(np.arange(n + 1, dtype=np.int64) * width)
    return pa.LargeBinaryArray.from_buffers(
        pa.large_binary(), n, [None, ends, pa.py_buffer(np.ascontiguousarray(matrix))]
    )


def unpacked(column: Any) -> tuple[np.ndarray, np.ndarray]:
    """All bytes of `packed` rows, and how many each has."""
    whole = pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], pa.large_binary())
    _, at, inside = whole.buffers()
    ends = np.frombuffer(at, np.int64)[whole.offset : whole.offset + len(whole) + 1] if at else np.zeros(1, np.int64)
    return np.frombuffer(inside, np.uint8)[ends[0] : ends[-1]] if inside else np.zeros(0, np.uint8), np.diff(ends)


class Found(NamedTuple):
    """What the rows of a part show, beside their matrix."""

    twice: int = 0
    observed: bool = False
    begins: np.datetime64 | None = None
    facts: tuple[Fact, ...] = ()
    time: Fact | None = None
    clash: Clash | None = None


@dataclass(frozen=True, kw_only=True)
class Making:
    """What is known when the last row was seen: how some rows of whole people become a part."""

    asked: Timed | Rowed
    person: str
    codes: Codes
    recoded: np.ndarray
    """What was given as a code on the way → the code it has."""
    beside: Mapping[str, bool]
    """Columns that travel with the data, and whether they hold numbers."""
    longest: int

    def __call__(self, table: Any, number: np.ndarray, notes: list[str]) -> Any:
        who = owners(table, self.person, WHO)
        notes.append(Counted(int((~who.known).sum()), rows_left_out("without a person")))
        codes = self.codes.copy()
        if isinstance(self.asked, Timed):
            if self.asked.state is not None:
                coded = pa.array(self._coded(table[CODES].to_numpy()))
                table = table.set_column(table.column_names.index(CODES), CODES, coded)
            found = from_timed(table, who, self.asked, codes, notes)
        else:
            found = self._of_people(table, who, self.asked, codes, notes)
        data = Activities(
            states=found.matrix,
            state_names=codes.names,
            interval_seconds=self.asked.plan.interval,
            start=found.begins,
            persons=np.array(found.persons, dtype=object),
            covariates={c: typed(per_person(table, c, who, found.rows, notes), n) for c, n in self.beside.items()},
        )
        seen = np.flatnonzero(who.known)
        appears = dict(zip(who.names, number[who.first_of(who.code[seen], seen, len(who.names))].tolist()))
        place = np.array([appears[name] for name in found.persons])
        gap = codes.names.index("missing") if "missing" in codes.names else None
        observed = gap is None or any((row != gap).any() for row in found.matrix)
        clash = found.clash and found.clash._replace(first=int(number[found.clash.first]))
        return data, place, Found(who.twice, observed, found.begins, found.facts, found.time, clash)

    def _coded(self, matrix: np.ndarray) -> np.ndarray:
        same = np.array_equal(self.recoded, np.arange(len(self.recoded)))
        return matrix if same else self.recoded[matrix]

    def _of_people(self, table: Any, who: Owners, asked: Rowed, codes: Codes, notes: list[str]) -> States:
        seen = np.flatnonzero(who.known)
        notes.append(Counted(who.twice, rows_left_out("of people who had a row already")))
        if not len(seen):
            raise NoRows(f"{WHO}: no row has a person. Check the column '{who.column}'.", Found())
        flat, lengths = unpacked(table[CODES])
        flat = self._coded(flat)
        if (lengths == self.longest).all():
            matrix = flat.reshape(len(lengths), self.longest)
        else:
            matrix = np.full((len(lengths), self.longest), codes.missing(), dtype=np.uint8)
            matrix[np.arange(self.longest) < lengths[:, None]] = flat
        rows = who.first_of(who.code[seen], seen, len(who.names))
        matrix = matrix if np.array_equal(rows, np.arange(len(matrix))) else matrix[rows]
        matrix, begins, facts = fitted(matrix, codes, asked.plan, "found" if asked.lists else "default")
        return States(matrix, who.names, rows, begins, facts)
