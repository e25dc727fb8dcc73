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
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from sequester.engines import Engine
from sequester.layouts.log import table_of
from sequester.methods.events.markov_dp.attributes import MOST, attribute_laws
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.event_values import value_laws, written_values
from sequester.methods.events.markov_dp.generate import Wanted, inside_range
from sequester.methods.events.markov_dp.measured import Measured
from sequester.methods.events.markov_dp.timed import Model
from sequester.methods.events.shared.attributes import written
from sequester.methods.events.shared.kernels.span_fit import fitted
from sequester.methods.events.shared.spans import DAY, span_law, span_targets
from sequester.primitives.xoshiro import state_from

EVENTS_AT_ONCE = 1 << 18
"""Events of a block, unless a single object has more."""
BYTES_PER_EVENT = 100
"""Of a released event as a table in memory, with a name of some twenty letters, and of what writes it."""

SHARE = 8
"""Blocks being drawn take no more than this part of a limit of memory, unless there is only one."""

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
Columns = Callable[[np.ndarray, np.ndarray, np.random.Generator], dict[str, pa.Array]]


def shuffled(wanted: Wanted, generator: np.random.Generator) -> Wanted:
    """The objects in random order: that of the release."""
    return wanted.take(generator.permutation(len(wanted.lengths)))


def log_blocks(
    source: Model,
    wanted: Wanted,
    measured: Measured,
    plan: Design,
    generator: np.random.Generator,
    engine: Engine,
) -> Iterator[pa.Table]:
    """Table `events`, one block after the other, with the declared columns; drawn on the threads of this machine.

    How long a case shall last depends on its rank among all of them. So all blocks are drawn twice from the same random
    numbers: the first time to see how long cases come out, the second time to fit them and write them down.
    """
    drawing = Drawing(source, wanted, plan, tuple(generator.integers(0, 2**32, size=8).tolist()))
    columns = _columns(source, wanted, measured, plan, generator)
    here, blocks = _here(engine), cuts(wanted.lengths)
    fit = _span_fit(drawing, measured, here.each(drawing.spans, blocks, "Drawing cases"), blocks, generator)
    return here.each(partial(_block, drawing, fit, columns, measured.names), blocks, "Drawing the log")


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


class Drawing(NamedTuple):
    """What a block needs to be drawn, from a stream of its own."""

    source: Model
    wanted: Wanted
    plan: Design
    seed: tuple[int, ...]

    def block(self, cut: Cut) -> tuple[Drawn, np.random.Generator]:
        """States, times and offsets as they come, and the rest of the stream."""
        generator = np.random.default_rng(np.random.SeedSequence(self.seed, spawn_key=(cut.number,)))
        return self.source.draw(self.wanted.take(slice(cut.begin, cut.end)), generator), generator

    def spans(self, cut: Cut) -> tuple[np.ndarray, np.ndarray]:
        """Seconds from first to last event of every case, and its number of events."""
        (_, times, offsets), _ = self.block(cut)
        return times[offsets[1:] - 1] - times[offsets[:-1]], np.diff(offsets)


class SpanFit(NamedTuple):
    """How long every case shall last, and weights of the weekdays on which changed gaps end."""

    targets: np.ndarray
    weekdays: np.ndarray

    def apply(self, drawing: Drawing, drawn: Drawn, cut: Cut, generator: np.random.Generator) -> np.ndarray:
        """Fitted times of a block."""
        _, times, offsets = drawn
        grain = DAY if drawing.plan.unit == "day" else 1
        own = self.targets[cut.begin : cut.end]
        return inside_range(
            fitted(state_from(generator), times, offsets, own, grain, self.weekdays), offsets, drawing.plan
        )


def _span_fit(
    drawing: Drawing,
    measured: Measured,
    drawn: Iterator[tuple[np.ndarray, np.ndarray]],
    blocks: list[Cut],
    generator: np.random.Generator,
) -> SpanFit | None:
    """Spans by the released law; weekdays corrected twice by those that come out in the first block."""
    if measured.spans is None or measured.span_moments is None:
        return None
    plan, weekdays = drawing.plan, drawing.source.laws.weekdays
    spans, sizes = (np.concatenate(x) for x in zip(*drawn, strict=True))
    law = span_law(measured.spans.values, measured.spans.sd, plan.span_edges)
    moments = (measured.span_moments.values, measured.span_moments.sd)
    grain = DAY if plan.unit == "day" else 1
    fit = SpanFit(span_targets(spans, sizes, law, plan.span_edges, moments, generator, grain), weekdays)
    for _ in range(2):
        block, own = drawing.block(blocks[0])
        times = fit.apply(drawing, block, blocks[0], own)
        seen = np.bincount((times // DAY + 3) % 7, minlength=7) / len(times)
        change = np.clip((weekdays / 7 + 0.01) / (seen + 0.01), 0.2, 5.0)
        fit = fit._replace(weekdays=fit.weekdays * change)
    return fit


def _block(
    drawing: Drawing, fit: SpanFit | None, columns: Columns | None, names: tuple[str, ...], cut: Cut
) -> pa.Table:
    """A task: one block, fitted and written down."""
    drawn, generator = drawing.block(cut)
    states, times, offsets = drawn
    if fit is not None:
        times = fit.apply(drawing, drawn, cut, generator)
    beside = columns(states, offsets, generator) if columns is not None else {}
    return table_of(states, times, offsets, names, drawing.plan.unit, beside, first=cut.begin + 1)


def _columns(
    source: Model, wanted: Wanted, measured: Measured, plan: Design, generator: np.random.Generator
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
