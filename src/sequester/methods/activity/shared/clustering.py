"""From the parameters of a clustering method, its windows, weights and levels, to cluster labels.

Everybody's rows are one matrix here: clusters need them in any order, but few at a time.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from sequester.engines import Engine
from sequester.engines.steps import silent
from sequester.errors import InputError, counted
from sequester.method import Method
from sequester.methods.activity.shared.kernels.mdav import mdav
from sequester.methods.activity.shared.kernels.multilevel import multilevel, partition_sizes, window_counts
from sequester.methods.activity.shared.kernels.refine import refine
from sequester.model import Activities
from sequester.model.kind import Part
from sequester.primitives.row_file import RowFile, RowsInMemory


@dataclass(frozen=True, kw_only=True)
class Everybody:
    """All people, their rows, and who works on them."""

    data: Activities
    """Its states are a map where the rows are in a file."""
    rows: RowFile | RowsInMemory
    engine: Engine
    folder: Path | None = None
    """Where workers find what is handed to them; nowhere, if rows are in memory."""

    @classmethod
    def of(cls, data: Activities, engine: Engine) -> Everybody:
        """People in memory: their rows never leave this process."""
        here = Engine(threads=engine.threads, progress=silent, memory=engine.memory, scratch=engine.scratch)
        return cls(data=data, rows=RowsInMemory.of(data.states), engine=here)

    @property
    def threads(self) -> int:
        """Of one piece of work."""
        return self.engine.threads

    @property
    def n_states(self) -> int:
        """How many states there are."""
        return len(self.data.state_names)

    def room(self) -> RowFile | RowsInMemory:
        """As many rows of the same length, to be written."""
        n, width = self.data.states.shape
        return self.rows.like(n, width)


@contextmanager
def everybody(data: Activities, engine: Engine) -> Iterator[Everybody]:
    """All people as one matrix; a file outlives its name as a map."""
    if len(data.parts) == 1:
        yield Everybody.of(next(iter(data)), engine)
        return
    with engine.workspace() as folder:
        yield _brought_together(data, folder, engine)


def _brought_together(data: Activities, folder: Path, engine: Engine) -> Everybody:
    n, numbers, some = data.n_records, data.numbers_by_part(), next(iter(data))
    rows = RowFile.new(folder / "people", n, some.states.shape[1])
    put = engine.map(partial(_put, rows), list(zip(data.parts, numbers)), "Bringing people together")
    persons = np.empty(n, dtype=object)
    beside: dict[str, np.ndarray] = {}
    for part, at, columns in zip(data.parts, numbers, put):
        persons[at] = part.persons()
        for name, column in columns.items():
            beside.setdefault(name, np.empty(n, dtype=column.dtype))[at] = column
    whole = replace(some, states=np.zeros((n, 0), np.uint8), persons=persons, covariates=beside)
    # Every part was checked when it was read; to check all codes at once would bring the whole file into memory.
    object.__setattr__(whole, "states", rows.mapped())
    return Everybody(data=whole, rows=rows, engine=replace(engine, progress=silent), folder=folder)


def _put(file: RowFile, one: tuple[Part, np.ndarray]) -> Mapping[str, np.ndarray]:
    """A task: one part into the file; a part that is put twice leaves the same file. Returns what stands beside."""
    part, at = one
    loaded = part.load()
    file.put(at, loaded.states)
    return dict(loaded.covariates)


LARGEST_WEIGHT = 1_000_000
"""Squares of weighted distances must stay numbers."""
LEVEL = re.compile(r"period|week|day|hour|[1-9][0-9]*min")


def check_levels(method: Method, levels: tuple[str, ...]) -> None:
    """Levels must be known words, at least one."""
    bad = [level for level in levels if not LEVEL.fullmatch(level)]
    if bad or not levels:
        raise method.refuse(
            f"levels must be period, week, day, hour or a number of minutes such as 15min, got {', '.join(levels)!r}."
        )


def check_level(method: Method, level: str) -> None:
    """One level must be a known word."""
    if not LEVEL.fullmatch(level):
        raise method.refuse(
            f"level must be period, week, day, hour or a number of minutes such as 15min, got {level!r}."
        )


def check_weights(method: Method, weights: tuple[str, ...]) -> dict[str, float]:
    """`walking=50` pairs as numbers."""
    out = {}
    for pair in weights:
        name, _, number = pair.rpartition("=")
        try:
            out[name] = float(number)
        except ValueError:
            out[name] = -1.0
        if not name or not 0 <= out[name] <= LARGEST_WEIGHT:
            raise method.refuse(f"weights must look like 'walking=50', the number in 0..{LARGEST_WEIGHT}.")
    return out


def weights_of(data: Activities, weights: dict[str, float]) -> np.ndarray:
    """One weight per state, 1 where none was given."""
    strange = [name for name in weights if name not in data.state_names]
    if strange:
        raise InputError(
            f"anonymize: {len(strange)} weights name a state the data does not have; it has "
            f"{counted(len(data.state_names), 'state')}: {', '.join(data.state_names)}."
        )
    return np.array([weights.get(name, 1.0) for name in data.state_names])


TOGETHER, PART = 1_000_000, 200_000
"""People up to which clusters are sought among all of them, and people per part beyond that, at least."""


def window_edges(data: Activities, level: str) -> np.ndarray:
    """First interval of every window of a level, and the end."""
    n = data.states.shape[1]
    if level == "period":
        return np.array([0, n])
    at = np.arange(n) * data.interval_seconds
    clock = at + (data.start - data.start.astype("datetime64[D]")).astype(np.int64)
    if level.endswith("min"):
        window = at // (60 * int(level[:-3]))
    elif level == "week":
        window = at // (7 * 86400)
    else:
        window = clock // {"day": 86400, "hour": 3600}[level]
    return np.append(np.flatnonzero(np.diff(window, prepend=-1)), n)


@dataclass(frozen=True, kw_only=True)
class Clusters:
    """A partition: cluster c holds people `order[bounds[c]:bounds[c + 1]]`."""

    order: np.ndarray
    bounds: np.ndarray

    @classmethod
    def of(cls, labels: np.ndarray) -> Clusters:
        """From dense labels."""
        return cls(
            order=np.argsort(labels, kind="stable"),
            bounds=np.concatenate([[0], np.cumsum(np.bincount(labels))]).astype(np.int64),
        )

    @property
    def sizes(self) -> np.ndarray:
        """People per cluster."""
        return np.diff(self.bounds)


def multilevel_clusters(
    people: Everybody,
    *,
    k: int,
    levels: tuple[str, ...],
    fan_out: int,
    weights: dict[str, float],
    passes: int,
    neighbours: int = 16,
) -> Clusters:
    """Multi-level clustering of the paper, then refinement on the finest level.

    More than `TOGETHER` people are first cut by MDAV on the coarsest level into parts of at least `PART`, and all the
    rest happens inside each part. This is a rule of the method, the same on every machine.
    """
    weight, threads = weights_of(people.data, weights)[None, :, None], people.threads
    features = [f * weight for f in _features(people, levels)]
    n = len(features[0])
    part = np.zeros(n, dtype=np.int64)
    if passes and n > TOGETHER:
        part = multilevel(features[:1], [PART], threads=threads)
    labels, found = np.empty(n, dtype=np.int64), 0
    for rows in np.split(np.argsort(part, kind="stable"), np.cumsum(np.bincount(part))[:-1]):
        mine = features if len(rows) == n else [np.ascontiguousarray(f[rows]) for f in features]
        inside = multilevel(mine, partition_sizes(len(rows), k, len(levels), fan_out), threads=threads)
        if passes:
            inside = refine(
                mine[-1], inside, smallest=k, largest=2 * k - 1, passes=passes, candidates=neighbours, threads=threads
            )
        labels[rows] = inside + found
        found += int(inside.max()) + 1
    return Clusters.of(labels)


def mdav_clusters(people: Everybody, *, k: int, level: str, weights: dict[str, float]) -> Clusters:
    """Plain MDAV on one level of windows."""
    counts = counts_of(people, window_edges(people.data, level))
    return Clusters.of(mdav(counts * weights_of(people.data, weights)[None, :, None], k))


def _features(people: Everybody, levels: tuple[str, ...]) -> list[np.ndarray]:
    """Counts per level; coarse windows add up the finest ones where their edges agree."""
    edges = [window_edges(people.data, level) for level in levels]
    finest = max(edges, key=len)
    counts = counts_of(people, finest)
    out = []
    for e in edges:
        if len(e) == len(finest):
            out.append(counts)
        elif np.isin(e, finest).all():
            out.append(np.add.reduceat(counts, np.searchsorted(finest, e[:-1]), axis=2))
        else:
            out.append(counts_of(people, e))
    return out


BLOCK = 2_048
"""People counted at a time: of a matrix in a file, no more of it is held."""


def counts_of(people: Everybody, edges: np.ndarray) -> np.ndarray:
    """Intervals of every person by state and window; blocks of rows are counted by whoever works on them."""
    n = people.data.n_records
    blocks = [np.arange(at, min(at + BLOCK, n)) for at in range(0, max(1, n), BLOCK)]
    inside = people.threads if len(blocks) == 1 else 1
    done = people.engine.map(partial(_counts_of_block, people.rows, people.n_states, edges, inside), blocks)
    return done[0] if len(done) == 1 else np.concatenate(done)


def _counts_of_block(
    rows: RowFile | RowsInMemory, n_states: int, edges: np.ndarray, threads: int, which: np.ndarray
) -> np.ndarray:
    """A task: one block of people."""
    return window_counts(rows.take(which), n_states, edges, threads=threads)
