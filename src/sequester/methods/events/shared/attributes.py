"""Attributes beside the states: what a custodian declares about them, and what cannot be carried."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.errors import InputError, ParameterError, counted
from sequester.methods.events.shared.codebook import read_codebook
from sequester.model import EventLog

MISSING, ELSE = "missing", "other"
"""No value, and a value that was not declared."""


def refuse_attributes(read: Collection[str], who: str) -> None:
    """Stop where a method would silently drop columns the custodian asked for."""
    if read:
        raise InputError(
            f"{who}: attributes ({counted(len(read), 'column')}) are not carried by this method. Leave "
            "attributes out, "
            "or use markov-dp and declare their values."
        )


def undeclared(n_read: int, who: str) -> InputError:
    """Attributes were read whose values nobody declared."""
    return InputError(
        f"{who}: {counted(n_read, 'attribute was', 'attributes were')} read; pass ‹attributes=NAME:VALUES› to the "
        "method with the "
        "values anyone may know, or read none."
    )


@dataclass(frozen=True, kw_only=True)
class Attribute:
    """A column of cases with values that are known in public."""

    name: str
    values: tuple[str, ...]
    """What may be published, `missing` last."""
    edges: tuple[float, ...] = ()
    """Where numbers are cut; without them the values are words."""

    def coded(self, column: np.ndarray) -> np.ndarray:
        """Code of every value of a column; numbers may be written as text."""
        code = {value: i for i, value in enumerate(self.values)}
        out = np.empty(len(column), np.int64)
        for i, x in enumerate(column.tolist()):
            if x is None or x != x or str(x).strip() == "":
                out[i] = code[MISSING]
            elif self.edges:
                out[i] = self._bin(x)
            else:
                word = str(int(x)) if isinstance(x, float) and x.is_integer() else str(x).strip()
                out[i] = code.get(word, code[ELSE])
        return out

    def _bin(self, x: object) -> int:
        try:
            number = float(str(x))
        except ValueError:
            return len(self.values) - 1
        if number != number:
            return len(self.values) - 1
        return int(np.searchsorted(self.edges, number, side="right"))


def parse(pieces: tuple[str, ...], who: str, option: str = "attributes") -> tuple[str, ...]:
    """Declarations, one text per column, from pieces that a list of values may have been cut into."""
    out: list[str] = []
    for piece in pieces:
        if ":" in piece:
            out.append(piece.strip())
        elif out:
            out[-1] += f",{piece.strip()}"
        else:
            raise ParameterError(f"{who}: {option} needs COLUMN:VALUES, such as sex:f,m; got {piece!r}.")
    names = [text.partition(":")[0] for text in out]
    if len(set(names)) != len(names) or not all(names):
        raise ParameterError(f"{who}: {option} names a column twice, or not at all: {', '.join(names)}.")
    if set(names) & {"object", "time", "state"}:
        raise ParameterError(f"{who}: {option} cannot name a column object, time or state; a log has them already.")
    return tuple(out)


def columns_of(declared: tuple[str, ...]) -> tuple[str, ...]:
    """The columns that declarations name."""
    return tuple(text.partition(":")[0] for text in declared)


def roles_with(roles: Mapping[str, Any], declared: tuple[str, ...]) -> dict[str, Any]:
    """The roles of a source, the declared columns among those that are read."""
    together = tuple(dict.fromkeys((*(roles.get("attributes") or ()), *columns_of(declared))))
    return {**roles, "attributes": together} if together else dict(roles)


def read_attribute(text: str, who: str) -> Attribute:
    """One declared column: `age:0,18,40` cuts numbers, `sex:f,m` lists words, `code:@file.txt` has one per line."""
    name, _, found = text.partition(":")
    if found.startswith("@"):
        values = read_codebook(found[1:], who) or ()
    else:
        values = tuple(v.strip() for v in found.split(",") if v.strip())
    try:
        edges = tuple(float(v) for v in values)
    except ValueError:
        edges = ()
    if edges and not found.startswith("@"):
        if any(a >= b for a, b in pairwise(edges)) or not np.isfinite(edges).all():
            raise InputError(f"{who}: the cuts of '{name}' must rise, such as {name}:0,18,40.")
        labels = [f"{e:g}" for e in edges]
        bins = [f"below {labels[0]}", *(f"{a} to {b}" for a, b in pairwise(labels))]
        return Attribute(name=name, values=(*bins, f"{labels[-1]} or more", MISSING), edges=edges)
    words = tuple(v for v in dict.fromkeys(values) if v not in (ELSE, MISSING))
    if not words:
        raise InputError(f"{who}: '{name}' is declared without a value. Write {name}:A,B or {name}:@file.txt.")
    return Attribute(name=name, values=(*words, ELSE, MISSING))


def require_columns(read: Iterable[str], declared: tuple[Attribute, ...], who: str) -> None:
    """Every column that was read is declared, and the other way round."""
    fields = {a.name for a in declared}
    extra, lacking = set(read) - fields, fields - set(read)
    if extra or lacking:
        raise InputError(
            f"{who}: {counted(len(extra), 'attribute was', 'attributes were')} read and not declared, {len(lacking)} "
            "declared and not read "
            f"({', '.join(sorted(extra | lacking))}). The reader's attributes=NAMES and the method's "
            "attributes=NAME:VALUES must name the same columns."
        )


def case_values(
    data: EventLog, declared: tuple[Attribute, ...], who: str, *, beside: tuple[Attribute, ...] = ()
) -> np.ndarray:
    """Code of every object in every declared column (objects x columns): the first of its events that has a value.

    `beside` are columns that are declared for something else.
    """
    require_columns(tuple(data.attributes), (*declared, *beside), who)
    out = np.empty((data.n_records, len(declared)), np.int64)
    owner = np.repeat(np.arange(data.n_records), np.diff(data.offsets))
    for j, attribute in enumerate(declared):
        codes = attribute.coded(data.attributes[attribute.name])
        missing = len(attribute.values) - 1
        known = np.flatnonzero(codes != missing)
        out[:, j] = missing
        out[owner[known[::-1]], j] = codes[known[::-1]]  # the earliest is written last
    return out


def shown(text: str) -> str:
    """A declaration without the folder of its file."""
    name, colon, found = text.partition(":")
    return f"{name}{colon}@{Path(found[1:]).name}" if found.startswith("@") else text


def written(declared: tuple[Attribute, ...], codes: np.ndarray, offsets: np.ndarray) -> dict[str, pa.Array]:
    """Columns of the events: the value of the object on each of its events; a code of -1 is written as missing."""
    owner = np.repeat(np.arange(len(offsets) - 1), np.diff(offsets))
    out = {}
    for j, attribute in enumerate(declared):
        code = np.where(codes[:, j] < 0, len(attribute.values) - 1, codes[:, j])
        coded = pa.DictionaryArray.from_arrays(
            pa.array(code[owner].astype(np.int32)), pa.array(list(attribute.values), pa.string())
        )
        out[attribute.name] = coded.cast(pa.string())
    return out


def case_tables(persons: np.ndarray, declared: tuple[Attribute, ...], codes: np.ndarray) -> dict[str, pa.Table]:
    """For the custodian: the code of every person's value, and what the codes stand for."""
    cases = {"person": pa.array(persons.tolist(), pa.string())}
    cases |= {a.name: pa.array(codes[:, j], pa.int64()) for j, a in enumerate(declared)}
    values = [(a.name, i, v) for a in declared for i, v in enumerate(a.values)]
    column, code, value = zip(*values, strict=True)
    return {
        "cases": pa.table(cases),
        "case_values": pa.table({"column": column, "code": pa.array(code, pa.int64()), "value": value}),
    }
