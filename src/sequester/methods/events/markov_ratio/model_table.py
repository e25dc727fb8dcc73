"""The kept statistics as a table, one row each: chain, statistic, model, from, to, and the numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from functools import partial

import numpy as np
import pyarrow as pa

from sequester.methods.events.markov_ratio.ensemble import Ensemble
from sequester.methods.events.markov_ratio.measured import FEW, Counted
from sequester.methods.events.markov_ratio.spans import YEARLY, class_name
from sequester.methods.events.markov_ratio.tallies import Family, Statistics
from sequester.methods.events.shared.attributes import Attribute

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
    counted: Counted | None,
    n_clusters: int,
    declared: tuple[Attribute, ...] = (),
) -> Iterator[pa.Table]:
    """All that was kept, some rows at a time: the statistics of both chains, and what the repaired synthesis adds."""
    state = [*names, END].__getitem__
    for x in (y for whole in inner for y in in_slices(whole)):
        to = _spelt(x.item, str if x.name == "hour" else ("goes on", "ends").__getitem__ if x.name == "end" else state)
        come = _spelt(x.row, state) if x.name in ("move", "near", "end") else None
        yield _part("states", x, inner.families, come, to)
    for x in (y for whole in outer for y in in_slices(whole)):
        # In the law of what follows a cluster, the number after the last one stands for the end.
        end = n_clusters if x.name == "move" and counted is not None else -1
        come = _spelt(x.row, str) if x.name in ("move", "near") else None
        yield _part("sections", x, outer.families, come, _spelt(x.item, partial(_cluster, end)))
    extra = counted.extra.values() if counted is not None else ()
    for x in (y for whole in extra for y in in_slices(whole)):
        come, to = None, None
        kinds = FEW
        if x.name == "gap" and counted is not None:
            kinds = counted.gap_families
            come = _spelt(x.row, lambda c: f"{names[c // len(names)]} > {names[c % len(names)]}")
        elif x.name == "lengths" and counted is not None:
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

    def times(numbers: np.ndarray) -> pa.Array | pa.ChunkedArray:
        return same(pa.scalar(0.0)) if numbers.strides == (0,) else pa.array(numbers, pa.float64())

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
            "mean": times(x.mean),
            "spread": times(x.spread),
            "support": pa.array(x.support, pa.int64()),
        }
    )
