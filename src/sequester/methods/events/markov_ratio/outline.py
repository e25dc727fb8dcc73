"""What drawing needs of a log beside the tested statistics, and these statistics as a table.

That is how many objects there are, when they start and what never happens; a row of the table holds chain, statistic,
model, from, to, and the numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa

from sequester.methods.events.markov_ratio.ensemble import Ensemble
from sequester.methods.events.markov_ratio.measured import FEW, LONGEST, Counted, length_bins
from sequester.methods.events.markov_ratio.sections import DAY, Sections
from sequester.methods.events.markov_ratio.spans import YEARLY, class_name
from sequester.methods.events.markov_ratio.tallies import Family, Statistics
from sequester.methods.events.shared.attributes import Attribute
from sequester.methods.events.shared.spans import length_edges
from sequester.model import EventLog


@dataclass(frozen=True, kw_only=True)
class Outline:
    """A log, or a part of one, told in whole numbers."""

    state_names: tuple[str, ...]
    unit: str
    """Precision of the times."""
    n_events: int
    n_sections: int
    days: np.ndarray
    """Day of the first event of every object, in the order of the source; 0 without a clock."""
    sections: np.ndarray
    """Sections of every object."""
    followed: np.ndarray
    """States that something ever follows."""
    preceded: np.ndarray
    """States that something ever comes before."""
    lengths: np.ndarray
    """Sections by bin of their length."""

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.days)


def outline_of(log: EventLog, s: Sections) -> Outline:
    """The outline of a log that was cut into sections."""
    followed, preceded = np.zeros((2, len(log.state_names)), bool)
    goes_on = np.ones(len(log.states), bool)
    goes_on[log.offsets[1:] - 1] = False
    followed[log.states[goes_on]] = True
    preceded[log.states[1:][goes_on[:-1]]] = True
    first = s.times[s.bounds[:-1]][s.of_object[:-1]]
    return Outline(
        state_names=log.state_names,
        unit=log.time_unit,
        n_events=len(log.states),
        n_sections=s.n,
        days=first // DAY if s.has_clock else np.zeros(len(first), np.int64),
        sections=np.diff(s.of_object),
        followed=followed,
        preceded=preceded,
        lengths=np.bincount(length_bins(np.diff(s.bounds)), minlength=len(length_edges(LONGEST)) - 1),
    )


def without_objects(log: Outline) -> Outline:
    """What does not grow with the people."""
    none = np.zeros(0, np.int64)
    return replace(log, days=none, sections=none)


def together(outlines: list[Outline], days: np.ndarray, sections: np.ndarray) -> Outline:
    """The outline of all parts; what belongs to objects is told beside them, in the order of the source."""
    return replace(reduce(_plus, outlines), days=days, sections=sections)


def _plus(a: Outline, b: Outline) -> Outline:
    values: dict[str, Any] = {}
    for name in (f.name for f in fields(Outline)):
        x, y = getattr(a, name), getattr(b, name)
        if isinstance(x, (str, tuple)):
            values[name] = x
        elif name in ("followed", "preceded"):
            values[name] = x | y
        else:
            values[name] = x + y
    return Outline(**values)


END = "(end)"
AT_ONCE = 1 << 18
"""Entries of a piece of the table."""
BYTES_PER_ENTRY = 120
"""Of the table in memory."""
PIECE = 1 << 16
"""Rows of a column that share one piece of memory where they are all alike."""


def model_pieces(
    inner: Ensemble,
    outer: Ensemble,
    names: tuple[str, ...],
    counted: Counted,
    n_clusters: int,
    declared: tuple[Attribute, ...] = (),
) -> Iterator[pa.Table]:
    """All that was kept, some rows at a time: the statistics of both chains, and what else was counted."""
    state = [*names, END].__getitem__
    for x in (y for whole in inner for y in in_slices(whole)):
        come = _spelt(x.row, state) if x.name == "move" else None
        yield _part("states", x, inner.families, come, _spelt(x.item, state))
    for x in (y for whole in outer for y in in_slices(whole)):
        # In the law of what follows a cluster, the number after the last one stands for the end.
        end = n_clusters if x.name == "move" else -1
        come = _spelt(x.row, str) if x.name == "move" else None
        yield _part("sections", x, outer.families, come, _spelt(x.item, partial(_cluster, end)))
    for x in (y for whole in counted.extra.values() for y in in_slices(whole)):
        come, to = None, None
        kinds = FEW
        if x.name == "gap":
            kinds = counted.gap_families
            come = _spelt(x.row, lambda c: f"{names[c // len(names)]} > {names[c % len(names)]}")
        elif x.name == "lengths":
            to = _spelt(x.item, counted.ranges.names.__getitem__)
        elif x.name == "length":
            kinds = FEW[1:]
        elif x.name == "clock":
            come = _spelt(x.row, state)
        elif x.name == "span":
            come = _spelt(x.row, class_name)
        elif x.name == "spans":
            kinds = YEARLY
        elif x.name == "attribute":
            come = _spelt(x.row, lambda j: declared[j].name)
            to = pa.array([declared[j].values[v] for j, v in zip(x.row.tolist(), x.item.tolist())], pa.string())
        yield _part("states", x, kinds, come, to if to is not None else _spelt(x.item, str))


def in_slices(x: Statistics) -> Iterator[Statistics]:
    """The same entries, some at a time, at least one slice."""
    arrays = {f.name: getattr(x, f.name) for f in fields(x) if f.name not in ("name", "suppressed")}
    for at in range(0, max(1, len(x.count)), AT_ONCE):
        yield replace(x, **{name: array[at : at + AT_ONCE] for name, array in arrays.items()})


def _cluster(end: int, number: int) -> str:
    return END if number == end else str(number)


def _spelt(codes: np.ndarray, name: Callable[[int], str]) -> pa.Array:
    """The names of codes, each made once."""
    known = np.unique(codes)
    place = np.searchsorted(known, codes).astype(np.int32)
    spelt = pa.DictionaryArray.from_arrays(place, pa.array(list(map(name, known.tolist())), pa.string()))
    return spelt.cast(pa.string())


def _steady(value: pa.Scalar, n: int) -> list[pa.Array]:
    """One value n times, in pieces that share their memory."""
    piece = pa.repeat(value, min(n, PIECE))
    return [piece.slice(0, min(PIECE, n - at)) for at in range(0, n, PIECE)]


def _part(chain: str, x: Statistics, kinds: list[Family], come: pa.Array | None, to: pa.Array) -> pa.Table:
    n, text = len(x.family), pa.string()
    ends = np.searchsorted(x.family, np.arange(len(kinds) + 1))  # families stand one after the other

    def steady(values: list[str | None]) -> pa.ChunkedArray:
        each = zip(values, np.diff(ends).tolist(), strict=True)
        return pa.chunked_array([p for v, size in each for p in _steady(pa.scalar(v, text), size)], text)

    def same(value: pa.Scalar) -> pa.ChunkedArray:
        return pa.chunked_array(_steady(value, n), value.type)

    return pa.table(
        {
            "chain": same(pa.scalar(chain)),
            "statistic": same(pa.scalar(x.name)),
            "level": steady([f.level for f in kinds]),
            "factor": steady([f.factor for f in kinds]),
            "cluster": pa.array(x.cluster, pa.int64(), mask=x.cluster < 0),
            "value": pa.array(x.value, pa.int64(), mask=x.value < 0),
            "from": same(pa.scalar(None, text)) if come is None else come,
            "to": to,
            "count": pa.array(x.count, pa.int64()),
            "out_of": pa.array(x.out_of, pa.int64()),
            "support": pa.array(x.support, pa.int64()),
        }
    )
