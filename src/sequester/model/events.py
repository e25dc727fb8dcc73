"""Event logs: who was in which state, and when."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from sequester.errors import InputError, counted
from sequester.model.kind import Data, Fact, apart, columns, frozen, identifiers, stretches

TIME_UNITS = ("second", "day", "order")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class EventLog(Data):
    """Events sorted by object and time; object *i* owns events `offsets[i]:offsets[i+1]`."""

    offsets: np.ndarray
    """First event of every object and the end of the last (`int64`)."""
    states: np.ndarray
    """State of every event (`int32`), codes into `state_names`."""
    state_names: tuple[str, ...]
    """What the codes mean."""
    times: np.ndarray
    """Seconds since 1970 (`int64`), non-decreasing inside an object; the index where only order is known."""
    time_unit: str = "second"
    """Precision of `times`: `second`, `day`, or `order` when the log carries no clock."""
    persons: np.ndarray = field(default=None)  # type: ignore[arg-type]
    """One identifier per object, distinct: all events of a person are one object."""
    attributes: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Columns per event beside the state."""
    notes: tuple[str, ...] = ()
    """What a reader did on the way, in counts: rows sorted, equal times, missing states."""
    names_public: bool = False
    """Whether the state names were declared; found in the data, a rare one betrays that somebody has it."""
    reading: tuple[Fact, ...] = ()
    """How it was read, as far as readers of a release must know."""

    kind: ClassVar[str] = "events"
    grows_with: ClassVar[str] = "states"
    travels: ClassVar[str] = "attributes"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "offsets", frozen(self.offsets, np.int64))
        set_(self, "states", frozen(self.states, np.int32))
        set_(self, "times", frozen(self.times, np.int64))
        set_(self, "state_names", tuple(str(s) for s in self.state_names))
        n, m = len(self.offsets) - 1, len(self.states)
        if n < 0 or self.offsets[0] != 0 or self.offsets[-1] != m or np.any(np.diff(self.offsets) < 1):
            raise InputError("EventLog: offsets must rise from 0 to the number of events, no object empty.")
        if len(self.times) != m:
            raise InputError(f"EventLog: {counted(len(self.times), 'time')} for {counted(m, 'event')}.")
        if self.time_unit not in TIME_UNITS:
            raise InputError(f"EventLog: time_unit must be one of {', '.join(TIME_UNITS)}, got '{self.time_unit}'.")
        if m and not 0 <= int(self.states.min()) <= int(self.states.max()) < len(self.state_names):
            raise InputError(f"EventLog: a state code outside the {len(self.state_names)} state names.")
        falls = np.diff(self.times) < 0
        falls[self.offsets[1:-1] - 1] = False
        if falls.any():
            raise InputError(
                f"EventLog: {counted(int(falls.sum()), 'event is', 'events are')} earlier than the one before."
            )
        set_(self, "persons", identifiers(self.persons, n, "EventLog"))
        if n != self.n_people:
            raise InputError(f"EventLog: {counted(n - self.n_people, 'person', 'people')} own more than one object.")
        set_(self, "attributes", columns(self.attributes, m, "EventLog"))

    @property
    def n_events(self) -> int:
        return len(self.states)

    def describe(self) -> str:
        said = (
            f"{counted(self.n_records, 'object')}, {counted(len(self.states), 'event')}, "
            f"{counted(len(self.state_names), 'state')}"
        )
        return "; ".join((said, *self.notes))

    def take(self, rows: np.ndarray) -> Self:
        """The records `rows`, in that order; one that is taken again is a record of its own."""
        inside, offsets = stretches(self.offsets, rows)
        return replace(
            self,
            states=self.states[inside],
            times=self.times[inside],
            offsets=offsets,
            persons=apart(self.persons[rows]),
            attributes={name: column[inside] for name, column in self.attributes.items()},
        )
