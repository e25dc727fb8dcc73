"""What the suite runs a method on: the sample of its kind, and small variations of it."""

from __future__ import annotations

from dataclasses import fields, replace
from functools import cache
from typing import Any

import numpy as np

import sequester as sq
from sequester.engines import Engine
from sequester.method import Method
from sequester.methods import method_class
from sequester.model import Data
from sequester.release import Release

PREFIX = "qxz"
"""Stands in every identifier: where it appears, an identifier has leaked."""


def method(method_id: str, more: Any = ()) -> Method:
    """The method with the parameters of its example."""
    cls = method_class(method_id)
    return cls(**{**cls.example, **dict(more)})


@cache
def sample(kind: str) -> Data:
    """The sample of a kind of data, with identifiers that could not occur by chance."""
    return renamed(sq.sample(kind, seed=1))


@cache
def released(method_id: str) -> Release:
    """The sample as the method releases it, drawn with a seed."""
    chosen = method(method_id)
    return sq.anonymize(sample(chosen.accepts.kind), chosen, seed=7, engine=Engine(threads=2))


def renamed(data: Any) -> Any:
    """The same data under other identifiers."""
    new = {p: f"{PREFIX}{i}{PREFIX}" for i, p in enumerate(dict.fromkeys(data.persons.tolist()))}
    out: dict[str, Any] = {"persons": np.array([new[p] for p in data.persons], dtype=object)}
    if "documents" in {f.name for f in fields(data)}:
        out["documents"] = [f"{PREFIX}doc{i}{PREFIX}" for i in range(data.n_records)]
    return replace(data, **out)


def repeated(data: Data) -> Data:
    """Some records again, at the end."""
    return data.take(np.r_[np.arange(data.n_records), 0, 0, 0, 1])


def blanked(data: Data) -> Data | None:
    """Values missing in some records; None for a kind of data in which nothing can be missing."""
    return data.blanked(np.arange(0, data.n_records, 7))


VARIATIONS = {"repeated": repeated, "missing": blanked}
"""Name, as in `Method.for_odd_data` → what makes such data."""
