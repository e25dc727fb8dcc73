"""A log as it is drawn: its events in parts, in memory or in files of scratch, until objects get their order.

Objects are drawn in a fixed number of parts with random numbers of their own, whatever the machine: a seed repeats the
run anywhere. A part is drawn some objects at a time; its random numbers run on from one call to the next, so that the
log is the same however many there are at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.layouts.log import table_of
from sequester.methods.events.shared.attributes import Attribute, written
from sequester.methods.events.shared.kernels import span_fit
from sequester.primitives.row_file import RowFile
from sequester.primitives.xoshiro import state_from

PARTS = 8
OBJECTS_AT_ONCE = 1 << 12
"""Drawn together."""
EVENTS_AT_ONCE = 1 << 18
"""Of a block of the table."""
BYTES_PER_EVENT = 100
"""Of a released event as a table in memory, and of what writes it."""
ROW = np.dtype([("time", "<i8"), ("state", "<i4")])


class Walked(NamedTuple):
    """Some objects."""

    states: np.ndarray
    times: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray
    """A row per object, a column per declared attribute."""


Some = Callable[[slice, np.ndarray], Walked]
"""Draws the objects of a slice from the words of a generator."""


@dataclass(frozen=True, kw_only=True)
class Drawn:
    """What was drawn."""

    parts: tuple[np.ndarray | RowFile, ...]
    """Events as `ROW`."""
    offsets: np.ndarray
    """First event of every object and the end of the last."""
    first: np.ndarray
    last: np.ndarray
    """First and last time of every object, 0 of an empty one."""
    codes: np.ndarray
    spans: np.ndarray | None = None
    grain: int = 1

    @property
    def n_events(self) -> int:
        return int(self.offsets[-1])

    def spanning(self, spans: np.ndarray, grain: int) -> Drawn:
        """The same objects, the last event of each so many seconds after its first; times are multiples of `grain`."""
        return replace(self, spans=spans, grain=grain)  # fitted when they are written

    def tables(
        self, names: tuple[str, ...], unit: str, declared: tuple[Attribute, ...], shuffle: np.random.Generator
    ) -> Iterator[pa.Table]:
        """Table `events` in pieces, objects in random order."""
        sizes = np.diff(self.offsets)
        order = shuffle.permutation(np.flatnonzero(sizes > 0))
        ends = np.cumsum(sizes[order])
        at = 0
        while at < len(order):
            before = int(ends[at - 1]) if at else 0
            stop = max(at + 1, int(np.searchsorted(ends, before + EVENTS_AT_ONCE, side="right")))
            here = order[at:stop]
            states, times, offsets = self._events(here)
            beside = written(declared, self.codes[here], offsets) if declared else {}
            yield table_of(states, times, offsets, names, unit, beside, first=at + 1)
            at = stop

    def _events(self, objects: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """States, times and offsets of some objects."""
        sizes = np.diff(self.offsets)[objects]
        offsets = np.r_[0, np.cumsum(sizes)]
        begins = np.cumsum([0, *(len(x) if isinstance(x, np.ndarray) else x.n for x in self.parts)])
        source = np.repeat(self.offsets[:-1][objects] - offsets[:-1], sizes) + np.arange(offsets[-1])
        of_part = np.repeat(np.searchsorted(begins, self.offsets[:-1][objects], side="right") - 1, sizes)
        rows = np.empty(len(source), ROW)
        for number in np.unique(of_part).tolist():
            own, part = np.flatnonzero(of_part == number), self.parts[number]
            at = source[own] - begins[number]
            rows[own] = part[at] if isinstance(part, np.ndarray) else part.take(at).view(ROW).ravel()
        times = np.ascontiguousarray(rows["time"])
        if self.spans is not None:
            times = _fitted(times, offsets, self.spans[objects], self.grain)
        return np.ascontiguousarray(rows["state"]), times, offsets


def draw(n: int, some: Some, generator: np.random.Generator, *, threads: int, folder: Path | None = None) -> Drawn:
    """Draw so many objects: into memory, or into files of a folder, which must stay until the table was written."""
    part = partial(_part, some, np.linspace(0, n, PARTS + 1).astype(int).tolist(), folder)
    with ThreadPoolExecutor(threads) as pool:
        parts, bounds, first, last, codes = zip(*pool.map(part, range(PARTS), generator.spawn(PARTS)), strict=True)
    return Drawn(
        parts=parts, offsets=_joined(bounds), first=np.concatenate(first), last=np.concatenate(last),
        codes=np.concatenate(codes),
    )  # fmt: skip


def _part(some: Some, edges: list[int], folder: Path | None, i: int, own: np.random.Generator) -> tuple:
    state, held = state_from(own), []
    bounds, ends, codes = [], [], []
    path = None if folder is None else folder / f"drawn-{i}.rows"
    with nullcontext() if path is None else path.open("xb") as file:
        for at in range(edges[i], max(edges[i + 1], edges[i] + 1), OBJECTS_AT_ONCE):
            walked = some(slice(at, min(edges[i + 1], at + OBJECTS_AT_ONCE)), state)
            rows = np.empty(len(walked.states), ROW)
            rows["time"], rows["state"] = walked.times, walked.states
            held.append(rows) if file is None else file.write(rows.tobytes())
            bounds.append(walked.offsets)
            ends.append(_ends(walked.times, walked.offsets))
            codes.append(walked.codes)
    offsets = _joined(bounds)
    part = np.concatenate(held) if path is None else RowFile(path, int(offsets[-1]), ROW.itemsize)
    first, last = (np.concatenate(x) for x in zip(*ends, strict=True))
    return part, offsets, first, last, np.concatenate(codes)


def _joined(bounds) -> np.ndarray:
    return np.r_[0, np.cumsum(np.concatenate([np.diff(b) for b in bounds]))]


def _ends(times: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    some = np.flatnonzero(np.diff(offsets))
    first, last = np.zeros((2, len(offsets) - 1), np.int64)
    first[some], last[some] = times[offsets[some]], times[offsets[some + 1] - 1]
    return first, last


def _fitted(times: np.ndarray, offsets: np.ndarray, spans: np.ndarray, grain: int) -> np.ndarray:
    bounds, aims = np.ascontiguousarray(offsets, np.int64), np.ascontiguousarray(spans, np.int64)
    # Without weights of weekdays nothing is drawn: an object comes out alike wherever it is written.
    return span_fit.fitted(
        np.ones(4, np.uint64), np.ascontiguousarray(times, np.int64), bounds, aims, grain, np.zeros(7)
    )
