"""The released log, drawn in blocks of objects: no more than one block of events is in memory.

Which object is how long, or repeats which variant, is settled first, and put into random order; so the objects of a
block are any objects, and blocks can be written one after the other. The blocks follow from the released numbers alone:
the log is the same whether they are gathered in memory or in a file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Protocol

import numpy as np

from sequester.layouts.log import table_of
from sequester.methods.events.markov_dp.attributes import MOST, attribute_laws
from sequester.methods.events.markov_dp.event_values import value_laws, written_values
from sequester.methods.events.markov_dp.generate import Wanted
from sequester.methods.events.shared.attributes import written

if TYPE_CHECKING:
    import pyarrow as pa

    from sequester.methods.events.markov_dp.design import Design
    from sequester.methods.events.markov_dp.measured import Measured

EVENTS_AT_ONCE = 1 << 18
"""Events of a block, unless a single object has more."""
BYTES_PER_EVENT = 100
"""Of a released event as a table in memory, with a name of some twenty letters, and of what writes it."""

Drawn = tuple[np.ndarray, np.ndarray, np.ndarray]
Columns = Callable[[np.ndarray, np.ndarray], "dict[str, pa.Array]"]


class Source(Protocol):
    """What draws objects: the plain laws, or the time model."""

    def draw(self, wanted: Wanted, generator: np.random.Generator) -> Drawn:
        """States, times and offsets."""
        ...


def shuffled(wanted: Wanted, generator: np.random.Generator) -> Wanted:
    """The objects in random order: that of the release."""
    return wanted.take(generator.permutation(len(wanted.lengths)))


def log_blocks(
    source: Source, wanted: Wanted, measured: Measured, plan: Design, generator: np.random.Generator
) -> Iterator[pa.Table]:
    """Table `events`, one block after the other, with the declared columns."""
    number, columns = 1, None
    for block in blocks(wanted):
        states, times, offsets = source.draw(block, generator)
        if columns is None:
            columns = _columns(source, wanted, (states, times, offsets), measured, plan, generator)
        beside = columns(states, offsets)
        yield table_of(states, times, offsets, measured.names, plan.unit, beside, first=number)
        number += len(offsets) - 1


def blocks(wanted: Wanted) -> Iterator[Wanted]:
    """Objects one after the other, as many as have `EVENTS_AT_ONCE` events together."""
    ends, begin, n = np.cumsum(wanted.lengths), 0, len(wanted.lengths)
    while begin < n:
        before = int(ends[begin - 1]) if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + EVENTS_AT_ONCE, side="right")))
        yield wanted.take(slice(begin, end))
        begin = end


def _columns(
    source: Source, wanted: Wanted, first: Drawn, measured: Measured, plan: Design, generator: np.random.Generator
) -> Columns:
    """What draws the declared columns. Its laws are fitted on the first block, or on more objects if it has few."""
    if not plan.attributes and not plan.event_values:
        return lambda _states, _offsets: {}
    n = len(first[2]) - 1
    if n < min(MOST, len(wanted.lengths)):
        first = source.draw(wanted.take(slice(MOST)), generator)
    states, _, offsets = first
    of_cases = attribute_laws(measured, plan, states, offsets, generator) if plan.attributes else None
    of_events = value_laws(measured, plan, states, offsets, generator) if plan.event_values else None

    def drawn(states: np.ndarray, offsets: np.ndarray) -> dict[str, pa.Array]:
        out: dict[str, pa.Array] = {}
        if of_cases is not None:
            codes = np.stack(of_cases.draw(states, offsets, generator), axis=1)
            out = written(plan.attributes, codes, offsets)
        if of_events is not None:
            out |= written_values(plan.event_values, of_events.draw(states, offsets, generator))
        return out

    return drawn
