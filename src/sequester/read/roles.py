"""Whose row is it, and what stands beside it: roles that all readers share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, left_out
from sequester.read.cells import numbers, texts
from sequester.read.note_counts import Counted, Words
from sequester.read.table import pick

PERSON = "person"
PERHAPS = (
    "patient", "patient_id", "person_id", "subject", "subject_id", "participant", "participant_id", "user", "user_id",
    "student", "object", "case_id", "case", "visit_id", "id", "file", "folder",
)  # fmt: skip
"""Columns that may tell people, or only visits, cases and rows: offered, never taken."""


@dataclass(frozen=True, kw_only=True)
class Owners:
    """The person of every row; rows without one are not known."""

    column: str
    names: list[str]
    """People in the order in which they first appear."""
    code: np.ndarray
    """Per row a number into `names`, -1 where nobody is named."""
    notes: tuple[str, ...] = ()

    @property
    def known(self) -> np.ndarray:
        """Rows with a person."""
        return self.code >= 0

    def kept(self, rows: np.ndarray, who: str) -> tuple[np.ndarray, list[str], np.ndarray]:
        """Numbers and names of the people who keep at least one row, and those rows."""
        at = np.flatnonzero(rows)
        if not len(at):
            raise InputError(
                f"{who}: no row has a person and a time that can be read. Check the roles and ‹time_format=›."
            )
        codes = self.code[at]
        stay = np.zeros(len(self.names), dtype=bool)
        stay[codes] = True
        new = np.cumsum(stay) - 1
        return new[codes], [n for n, s in zip(self.names, stay) if s], at

    def first_of(self, person: np.ndarray, rows: np.ndarray, n_people: int) -> np.ndarray:
        """The first kept row of every person."""
        out = np.zeros(n_people, dtype=np.int64)
        out[person[::-1]] = rows[::-1]
        return out

    @property
    def twice(self) -> int:
        """Rows of people who had a row already."""
        return int(self.known.sum()) - len(self.names)


def which_person(table: Any, who: str) -> InputError:
    """Nobody but the custodian knows whether a number means a person, a visit or a row."""
    perhaps = [c for c in table.column_names if c.lower() in PERHAPS]
    found = f"It could be {', '.join(perhaps)}: a person, not a visit or a row" if perhaps else "No column says so"
    return InputError(f"{who}: which column is the person? {found}. Pass ‹person=NAME›.")


def person_column(table: Any, person: str | None, who: str) -> str:
    """The column the custodian named; a column named `person` counts as named."""
    if person is not None:
        return pick(table, person, who, PERSON)
    if PERSON in table.column_names:
        return PERSON
    raise which_person(table, who)


def owners(table: Any, person: str | None, who: str) -> Owners:
    """Whose row it is, row by row."""
    column = person_column(table, person, who)
    coded = texts(table[column]).dictionary_encode()
    code = coded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    lacking = int((code < 0).sum())
    notes = (left_out(lacking, "row", "without a person"),) if lacking else ()
    return Owners(column=column, names=coded.dictionary.to_pylist(), code=code, notes=notes)


def per_person(table: Any, name: str, who: Owners, rows: np.ndarray, notes: list[str]) -> Any:
    """One value per person: that of the first row; where other rows disagree, a note says how many people."""
    column = texts(table[name])
    codes = column.dictionary_encode("encode").indices.to_numpy(zero_copy_only=False)
    first = {int(who.code[r]): int(codes[r]) for r in rows}
    wanted = np.full(len(who.names), -2, dtype=np.int64)
    for p, c in first.items():
        wanted[p] = c
    mine = (who.code >= 0) & (wanted[who.code] >= -1)
    varies = int(np.unique(who.code[mine & (codes != wanted[who.code])]).size)
    taken = "the value of their first row is taken"
    notes.append(
        Counted(f"the covariate '{name}' changes within ", varies, Words(f"person; {taken}", f"people; {taken}"))
    )
    return table[name].take(pa.array(rows))


def typed(column: Any, numeric: bool | None = None) -> Any:
    """A column beside the data: numbers if all of it is (or `numeric` says so), else text."""
    values, bad = numbers(column)
    numeric = not bad and not np.isnan(values).all() if numeric is None else numeric
    return values.tolist() if numeric else list(texts(column).to_pylist())
