"""What drawing needs of a log beside the tested statistics: how many there are, when they start, what never happens."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import reduce
from typing import Any

import numpy as np

from sequester.methods.events.markov_ratio.measured import LONGEST, length_bins
from sequester.methods.events.markov_ratio.sections import DAY, HOUR, Sections
from sequester.methods.events.markov_ratio.tallies import Sums
from sequester.methods.events.shared.bins import length_edges
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
    leaves: np.ndarray
    """States from which a section ever goes on."""
    lengths: np.ndarray
    """Sections by bin of their length."""
    hours: np.ndarray
    """Sections by the hour in which they start."""
    at_once: bool
    """Whether two events of a section ever have the same time."""
    durations: Sums
    """From first to last event of a section."""
    gaps: Sums
    """Between events of a section."""
    steps: Sums
    """From the start of a section to that of the next one of its object."""

    @property
    def has_clock(self) -> bool:
        """Whether the times are more than an order."""
        return self.unit != "order"

    @property
    def n_objects(self) -> int:
        """How many objects there are."""
        return len(self.days)


def outline_of(log: EventLog, s: Sections) -> Outline:
    """The outline of a log that was cut into sections."""
    followed, preceded, leaves = np.zeros((3, len(log.state_names)), bool)
    goes_on = np.ones(len(log.states), bool)
    goes_on[log.offsets[1:] - 1] = False
    followed[log.states[goes_on]] = True
    preceded[log.states[1:][goes_on[:-1]]] = True
    goes_on[s.bounds[1:] - 1] = False
    leaves[log.states[goes_on]] = True
    gaps = np.diff(s.times, append=0)[goes_on]
    begin = s.times[s.bounds[:-1]]
    moved = np.ones(s.n, bool)
    moved[s.of_object[1:] - 1] = False
    first = begin[s.of_object[:-1]]
    hours = begin % DAY // HOUR if s.has_clock else np.zeros(s.n, np.int64)
    return Outline(
        state_names=log.state_names,
        unit=log.time_unit,
        n_events=len(log.states),
        n_sections=s.n,
        days=first // DAY if s.has_clock else np.zeros(len(first), np.int64),
        sections=np.diff(s.of_object),
        followed=followed,
        preceded=preceded,
        leaves=leaves,
        lengths=np.bincount(length_bins(np.diff(s.bounds)), minlength=len(length_edges(LONGEST)) - 1),
        hours=np.bincount(hours, minlength=24),
        at_once=bool((gaps == 0).any()),
        durations=Sums.of(s.durations),
        gaps=Sums.of(gaps),
        steps=Sums.of(np.diff(begin, append=0)[moved]),
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
        if isinstance(x, Sums):
            values[name] = x.plus(y)
        elif isinstance(x, (str, tuple)):
            values[name] = x
        elif name in ("followed", "preceded", "leaves", "at_once"):
            values[name] = x | y
        else:
            values[name] = x + y
    return Outline(**values)
