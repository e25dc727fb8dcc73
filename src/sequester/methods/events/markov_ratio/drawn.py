"""A log as it is drawn: held in memory, or in files of the scratch folder until its objects have their random order.

Objects are drawn in a fixed number of parts with random numbers of their own, whatever the machine: a seed repeats the
run anywhere. A part that goes to a file is drawn some objects at a time; its random numbers run on from one call to
the next, so that the log is the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from sequester.layouts.log import table_of
from sequester.layouts.log import write as event_table
from sequester.methods.events.shared.attributes import Attribute, written
from sequester.methods.events.shared.kernels import span_fit
from sequester.primitives.row_file import RowFile
from sequester.primitives.xoshiro import state_from

PARTS = 8
OBJECTS_AT_ONCE = 1 << 12
"""Of a part that goes to a file."""
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


Some = Callable[[slice, np.ndarray, int], Walked]
"""Draws the objects of a slice from the words of a generator; told how many events its part has before them."""


class Drawn(Protocol):
    """What was drawn."""

    @property
    def offsets(self) -> np.ndarray:
        """First event of every object and the end of the last."""
        ...

    @property
    def n_events(self) -> int:
        """How many events there are."""
        ...

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last time of every object, 0 of an empty one."""
        ...

    def spanning(self, spans: np.ndarray, grain: int) -> Drawn:
        """The same objects, the last event of each so many seconds after its first; times are multiples of `grain`."""
        ...

    def tables(
        self, names: tuple[str, ...], unit: str, declared: tuple[Attribute, ...], shuffle: np.random.Generator
    ) -> Iterator[pa.Table]:
        """Table `events` in pieces, objects in random order."""
        ...


Draw = Callable[[int, Some, np.random.Generator], Drawn]
"""Draws so many objects."""


@dataclass(frozen=True, kw_only=True)
class Held:
    """A log in memory."""

    states: np.ndarray
    times: np.ndarray
    offsets: np.ndarray
    codes: np.ndarray

    @property
    def n_events(self) -> int:
        """How many events there are."""
        return len(self.states)

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last time of every object, 0 of an empty one."""
        return _ends(self.times, self.offsets)

    def spanning(self, spans: np.ndarray, grain: int) -> Held:
        """With other times."""
        return replace(self, times=_fitted(self.times, self.offsets, spans, grain))

    def tables(
        self, names: tuple[str, ...], unit: str, declared: tuple[Attribute, ...], shuffle: np.random.Generator
    ) -> Iterator[pa.Table]:
        """One piece."""
        beside = written(declared, self.codes, self.offsets) if declared else {}
        yield event_table(self.states, self.times, self.offsets, names, unit, shuffle, beside)


@dataclass(frozen=True, kw_only=True)
class Filed:
    """A log in files; in memory are some numbers per object."""

    files: tuple[RowFile, ...]
    offsets: np.ndarray
    first: np.ndarray
    last: np.ndarray
    codes: np.ndarray
    spans: np.ndarray | None = None
    grain: int = 1

    @property
    def n_events(self) -> int:
        """How many events there are."""
        return int(self.offsets[-1])

    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """First and last time of every object, 0 of an empty one."""
        return self.first, self.last

    def spanning(self, spans: np.ndarray, grain: int) -> Filed:
        """Fitted when they are written."""
        return replace(self, spans=spans, grain=grain)

    def tables(
        self, names: tuple[str, ...], unit: str, declared: tuple[Attribute, ...], shuffle: np.random.Generator
    ) -> Iterator[pa.Table]:
        """Some objects at a time."""
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
        begins = np.cumsum([0, *(f.n for f in self.files)])
        source = np.repeat(self.offsets[:-1][objects] - offsets[:-1], sizes) + np.arange(offsets[-1])
        of_file = np.repeat(np.searchsorted(begins, self.offsets[:-1][objects], side="right") - 1, sizes)
        rows = np.empty(len(source), ROW)
        for number in np.unique(of_file).tolist():
            own = np.flatnonzero(of_file == number)
            rows[own] = self.files[number].take(source[own] - begins[number]).view(ROW).ravel()
        times = np.ascontiguousarray(rows["time"])
        if self.spans is not None:
            times = _fitted(times, offsets, self.spans[objects], self.grain)
        return np.ascontiguousarray(rows["state"]), times, offsets


def in_memory(n: int, some: Some, generator: np.random.Generator, *, threads: int) -> Held:
    """Draw all objects and hold them."""
    edges = _edges(n)

    def part(i: int, own: np.random.Generator) -> Walked:
        return some(slice(edges[i], edges[i + 1]), state_from(own), 0)

    with ThreadPoolExecutor(threads) as pool:
        states, times, bounds, codes = zip(*pool.map(part, range(PARTS), generator.spawn(PARTS)), strict=True)
    return Held(
        states=np.concatenate(states), times=np.concatenate(times), offsets=_joined(bounds), codes=np.concatenate(codes)
    )


def in_files(n: int, some: Some, generator: np.random.Generator, *, threads: int, folder: Path) -> Filed:
    """Draw all objects into files of a folder, which must stay until the table was written."""
    edges = _edges(n)
    part = partial(_into_file, some, edges, folder)
    with ThreadPoolExecutor(threads) as pool:
        files, bounds, first, last, codes = zip(*pool.map(part, range(PARTS), generator.spawn(PARTS)), strict=True)
    return Filed(
        files=files, offsets=_joined(bounds), first=np.concatenate(first), last=np.concatenate(last),
        codes=np.concatenate(codes),
    )  # fmt: skip


def _into_file(some: Some, edges: list[int], folder: Path, i: int, own: np.random.Generator) -> tuple:
    state, written_ = state_from(own), 0
    path = folder / f"drawn-{i}.rows"
    bounds, ends, codes = [], [], []
    with path.open("xb") as file:
        for at in range(edges[i], max(edges[i + 1], edges[i] + 1), OBJECTS_AT_ONCE):
            walked = some(slice(at, min(edges[i + 1], at + OBJECTS_AT_ONCE)), state, written_)
            rows = np.empty(len(walked.states), ROW)
            rows["time"], rows["state"] = walked.times, walked.states
            file.write(rows.tobytes())
            written_ += len(rows)
            bounds.append(walked.offsets)
            ends.append(_ends(walked.times, walked.offsets))
            codes.append(walked.codes)
    first, last = (np.concatenate(x) for x in zip(*ends, strict=True))
    return RowFile(path, written_, ROW.itemsize), _joined(bounds), first, last, np.concatenate(codes)


def _edges(n: int) -> list[int]:
    return np.linspace(0, n, PARTS + 1).astype(int).tolist()


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
