"""The layout `log`: a synthetic or filtered event log.

Table `events` has the columns `object`, `time` and `state`, then one per attribute that is carried. Objects are
numbered 1, 2, 3, …, their events stand together in order of time. `time` is a timestamp, a date, or a whole number
where only the order is known. Attributes of a case repeat on all its events; an attribute of events is empty where
an event has none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError
from sequester.release import Claim

TABLE, MODEL = "events", "model"
COLUMNS = ("object", "time", "state")
OTHER = "OTHER"
"""What a release calls the states it does not name."""
DAY = 86400


@dataclass(frozen=True, kw_only=True)
class Log:
    """A released log as arrays; object *i* owns events `offsets[i]:offsets[i+1]`."""

    states: np.ndarray
    """Codes into `names`."""
    names: tuple[str, ...]
    """States that occur."""
    times: np.ndarray
    """Seconds since 1970; places where only the order is known."""
    offsets: np.ndarray
    unit: str
    """Precision of the times: `second`, `day` or `order`."""
    known: tuple[str, ...] = ()
    """States that the model beside the events names, whether they occur or not."""
    attributes: Mapping[str, Any] = field(default_factory=dict)
    """Column → one value per event (Arrow)."""
    codes: Mapping[str, str] = field(default_factory=dict)
    """Code of a public list → what the release calls it."""
    prefixes: tuple[int, ...] = ()
    """Lengths of prefixes that the release uses for rare codes."""

    @classmethod
    def read(cls, claim: Claim, *, who: str = "open", events: int | None = None) -> Log:
        """The log of a release or bundle; `events` reads no more than so many of them."""
        if TABLE not in claim.tables:
            raise InputError(f"{who}: the release has no table 'events'.")
        table = claim.tables[TABLE]
        lacking = [c for c in COLUMNS if c not in table.column_names]
        if lacking:
            raise InputError(f"{who}: table 'events' lacks {', '.join(lacking)}.")
        table = table.slice(0, events)
        coded = table["state"].combine_chunks().dictionary_encode()
        objects = table["object"].to_numpy()
        begins = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]]) if len(objects) else np.zeros(0, np.int64)
        return cls(
            states=np.asarray(coded.indices.to_numpy(), np.int64) if len(objects) else np.zeros(0, np.int64),
            names=tuple(coded.dictionary.to_pylist()),
            times=_seconds(table),
            offsets=np.r_[begins, len(objects)].astype(np.int64),
            unit=unit_of(table),
            known=_named(claim),
            attributes={c: table[c] for c in table.column_names if c not in COLUMNS},
            codes=_listed(claim),
            prefixes=tuple(int(x) for x in str(claim.parameters.get("code_levels") or "").split(",") if x),
        )

    def called(self, state: str) -> str:
        """What a state of the original is called in the release, where it has a hierarchy of codes; else the state."""
        named = {*self.names, *self.known}
        tries = [self.codes.get(state, state), *(f"{state[:k]}*" for k in self.prefixes)]
        return state if state in named else next((name for name in tries if name in named), state)

    @property
    def n_objects(self) -> int:
        return len(self.offsets) - 1

    @property
    def lengths(self) -> np.ndarray:
        return np.diff(self.offsets)

    @cached_property
    def traces(self) -> list[tuple[str, ...]]:
        """States of every object, by name, in their order."""
        named = np.array(self.names, dtype=object)[self.states].tolist() if len(self.states) else []
        return [tuple(named[a:b]) for a, b in zip(self.offsets[:-1].tolist(), self.offsets[1:].tolist(), strict=True)]

    @property
    def inner(self) -> np.ndarray:
        """Events that follow another of the same object."""
        out = np.ones(len(self.states), bool)
        out[self.offsets[:-1]] = False
        return out


def unit_of(table: pa.Table) -> str:
    """Precision of the times of a table of events."""
    kind = table.schema.field("time").type
    return "order" if pa.types.is_integer(kind) else "day" if pa.types.is_date(kind) else "second"


def is_log(table: pa.Table) -> bool:
    """Whether a table is an event log."""
    return tuple(table.column_names[:3]) == COLUMNS


def _seconds(table: pa.Table) -> np.ndarray:
    if pa.types.is_integer(table["time"].type):
        return table["time"].to_numpy().astype(np.int64)
    return table["time"].cast(pa.timestamp("s"), safe=False).cast(pa.int64()).to_numpy()


def _named(claim: Claim) -> tuple[str, ...]:
    model = claim.tables.get(MODEL)
    if model is None or "to" not in model.column_names:
        return ()
    kinds = model["statistic"].to_pylist() if "statistic" in model.column_names else ["transition"] * model.num_rows
    return tuple(dict.fromkeys(x for x, k in zip(model["to"].to_pylist(), kinds) if x and k == "transition"))


def _listed(claim: Claim) -> dict[str, str]:
    model = claim.tables.get(MODEL)
    if model is None or claim.parameters.get("codes") is None:
        return {}
    rows = zip(model["statistic"].to_pylist(), model["from"].to_pylist(), model["to"].to_pylist())
    return {code: name for kind, code, name in rows if kind == "code"}


def write(
    states: np.ndarray,
    times: np.ndarray,
    offsets: np.ndarray,
    names: Sequence[str],
    unit: str,
    shuffle: np.random.Generator,
    attributes: Mapping[str, pa.Array] | None = None,
) -> pa.Table:
    """Table `events`: objects in random order under new numbers, empty ones left out.

    `attributes` has one value per event, in the order of `states`.
    """
    sizes = np.diff(offsets)
    order = shuffle.permutation(np.flatnonzero(sizes > 0))
    sizes = sizes[order]
    ends = np.cumsum(sizes)
    source = np.repeat(offsets[:-1][order] - (ends - sizes), sizes) + np.arange(int(sizes.sum()))
    beside = {name: column.take(pa.array(source)) for name, column in (attributes or {}).items()}
    return table_of(states[source], times[source], np.r_[0, ends], names, unit, beside)


def table_of(
    states: np.ndarray,
    times: np.ndarray,
    offsets: np.ndarray,
    names: Sequence[str],
    unit: str,
    attributes: Mapping[str, pa.Array],
    *,
    first: int = 1,
) -> pa.Table:
    """Rows of table `events`: objects in the order in which they are, numbered from `first`, none of them empty."""
    sizes = np.diff(offsets)
    if unit == "second":
        time = pa.array(times, pa.timestamp("s"))
    elif unit == "day":
        time = pa.array((times // DAY).astype(np.int32), pa.int32()).cast(pa.date32())
    else:
        time = pa.array(np.arange(len(times)) - np.repeat(offsets[:-1], sizes) + 1, pa.int64())
    state = pa.DictionaryArray.from_arrays(pa.array(states.astype(np.int32)), pa.array(list(names), pa.string()))
    number = np.repeat(np.arange(first, first + len(sizes)), sizes)
    columns = {"object": pa.array(number, pa.int64()), "time": time, "state": state.cast(pa.string())}
    return pa.table({**columns, **attributes})


def objects_in(table: Any) -> int:
    """How many objects a table of events has: the largest number."""
    numbers = (pc.max(batch[0]).as_py() or 0 for batch in table.select(["object"]).to_batches())
    return max(numbers, default=0)


def first_objects(table: Any, objects: int) -> pa.Table:
    """The events of the first objects, which are any objects: their order is random."""
    found = []
    for batch in table.to_batches():
        some = int(np.searchsorted(batch["object"].to_numpy(), objects, side="right"))
        found.append(batch.slice(0, some))
        if some < len(batch):
            break
    return pa.Table.from_batches(found, schema=table.schema)
