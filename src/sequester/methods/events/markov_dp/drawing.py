"""The released log, drawn in blocks of objects: no more than some blocks of events are in memory.

Which object is how long, or repeats which variant, is settled first, and put into random order; so the objects of a
block are any objects, and blocks can be written one after the other. The blocks follow from the released numbers alone,
and every block has random numbers of its own: the log is the same however many threads draw it, and whether it is
gathered in memory or in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import NamedTuple, Protocol

import numpy as np
import pyarrow as pa

from sequester.engines import Engine
from sequester.layouts.log import table_of
from sequester.methods.events.markov_dp.attributes import MOST, attribute_laws
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.event_values import value_laws, written_values
from sequester.methods.events.markov_dp.generate import Wanted
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.shared.attributes import written

EVENTS_AT_ONCE = 1 << 18
"""Events of a block, unless a single object has more."""
BYTES_PER_EVENT = 100
"""Of a released event as a table in memory, with a name of some twenty letters, and of what writes it."""

SHARE = 8
"""Blocks being drawn take no more than this part of a limit of memory, unless there is only one."""

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
Columns = Callable[[np.ndarray, np.ndarray, np.random.Generator], "dict[str, pa.Array]"]


class Source(Protocol):
    """What draws objects: the plain laws, or the time model."""

    def draw(self, wanted: Wanted, generator: np.random.Generator) -> Drawn:
        """States, times and offsets."""
        ...


def shuffled(wanted: Wanted, generator: np.random.Generator) -> Wanted:
    """The objects in random order: that of the release."""
    return wanted.take(generator.permutation(len(wanted.lengths)))


def log_blocks(
    source: Source,
    wanted: Wanted,
    measured: Measured,
    plan: Design,
    generator: np.random.Generator,
    engine: Engine,
) -> Iterator[pa.Table]:
    """Table `events`, one block after the other, with the declared columns; drawn on the threads of this machine."""
    seed = tuple(generator.integers(0, 2**32, size=8).tolist())
    columns = _columns(source, wanted, measured, plan, generator)
    task = partial(_block, source, wanted, columns, measured.names, plan.unit, seed)
    return _here(engine).each(task, cuts(wanted.lengths), "Drawing the log")


def _here(engine: Engine) -> Engine:
    """The threads of this machine, as many as the memory has room for; rows never travel to workers and back."""
    own = engine if engine.workers == engine.threads else Engine(progress=engine.progress, memory=engine.memory)
    if own.memory is None:
        return own
    return replace(own, threads=max(1, min(own.threads, own.memory // (SHARE * EVENTS_AT_ONCE * BYTES_PER_EVENT))))


class Cut(NamedTuple):
    """Objects `begin` to `end` are block `number`."""

    number: int
    begin: int
    end: int


def cuts(lengths: np.ndarray) -> list[Cut]:
    """Objects one after the other, as many as have `EVENTS_AT_ONCE` events together."""
    ends, begin = np.cumsum(lengths), 0
    out: list[Cut] = []
    while begin < len(lengths):
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + EVENTS_AT_ONCE, side="right")))
        out.append(Cut(len(out), begin, end))
        begin = end
    return out


def _block(
    source: Source,
    wanted: Wanted,
    columns: Columns | None,
    names: tuple[str, ...],
    unit: str,
    seed: tuple[int, ...],
    cut: Cut,
) -> pa.Table:
    """A task: one block, from a stream of its own."""
    generator = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(cut.number,)))
    states, times, offsets = source.draw(wanted.take(slice(cut.begin, cut.end)), generator)
    beside = columns(states, offsets, generator) if columns is not None else {}
    return table_of(states, times, offsets, names, unit, beside, first=cut.begin + 1)


def _columns(
    source: Source, wanted: Wanted, measured: Measured, plan: Design, generator: np.random.Generator
) -> Columns | None:
    """What draws the declared columns. Its laws are fitted on objects drawn for this alone, a block or `MOST`."""
    if not plan.attributes and not plan.event_values:
        return None
    first = cuts(wanted.lengths)[0].end
    states, _, offsets = source.draw(wanted.take(slice(max(first, MOST))), generator)
    of_cases = attribute_laws(measured, plan, states, offsets, generator) if plan.attributes else None
    of_events = value_laws(measured, plan, states, offsets, generator) if plan.event_values else None

    def drawn(states: np.ndarray, offsets: np.ndarray, generator: np.random.Generator) -> dict[str, pa.Array]:
        out: dict[str, pa.Array] = {}
        if of_cases is not None:
            codes = np.stack(of_cases.draw(states, offsets, generator), axis=1)
            out = written(plan.attributes, codes, offsets)
        if of_events is not None:
            out |= written_values(plan.event_values, of_events.draw(states, offsets, generator))
        return out

    return drawn
