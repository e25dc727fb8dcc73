"""Activity data: one small integer per person and interval."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from sequester.errors import InputError, counted
from sequester.model.kind import Data, Fact, apart, columns, frozen, identifiers

MISSING = "missing"
"""The name of the state that stands for time without an observation."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Activities(Data):
    """A person x time matrix of states; time without an observation is a state named `missing`."""

    states: np.ndarray
    """People x intervals (`uint8`), codes into `state_names`."""
    state_names: tuple[str, ...]
    """What the codes mean, at most 256."""
    interval_seconds: int = 60
    """Length of an interval."""
    start: np.datetime64 = field(default=np.datetime64("2000-01-03T00:00:00", "s"))
    """When the first interval begins, the same for everybody (the default is a Monday)."""
    persons: np.ndarray = field(default=None)  # type: ignore[arg-type]
    """One identifier per row, distinct."""
    covariates: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Columns per person that travel beside the data (a grade, a score)."""
    names_public: bool = False
    """Whether the state names were declared; found in the data, a rare one betrays that somebody has it."""
    reading: tuple[Fact, ...] = ()
    """How it was read, as far as readers of a release must know."""
    notes: tuple[str, ...] = ()
    """What a reader did on the way, in counts: rows left out, cells that could not be read."""

    kind: ClassVar[str] = "activity"
    grows_with: ClassVar[str] = "states"
    travels: ClassVar[str] = "covariates"

    def __post_init__(self) -> None:
        set_ = object.__setattr__
        set_(self, "states", frozen(self.states, np.uint8))
        set_(self, "state_names", tuple(str(s) for s in self.state_names))
        set_(self, "start", np.datetime64(str(self.start), "s"))
        if self.states.ndim != 2:
            raise InputError("Activities: states must be a matrix of people x intervals.")
        n_states = len(self.state_names)
        if not 1 <= n_states <= 256 or len(set(self.state_names)) != n_states:
            raise InputError(f"Activities: state names must be 1..256 and distinct, got {n_states}.")
        if self.states.size and int(self.states.max()) >= n_states:
            raise InputError(f"Activities: a code of {int(self.states.max())} for {n_states} state names.")
        if self.interval_seconds < 1:
            raise InputError(f"Activities: an interval lasts at least a second, got {self.interval_seconds}.")
        n = len(self.states)
        set_(self, "persons", identifiers(self.persons, n, "Activities"))
        twice = n - self.n_people
        if twice:
            raise InputError(
                f"Activities: {counted(twice, 'person has', 'people have')} more than one row. Join their rows first."
            )
        set_(self, "covariates", columns(self.covariates, n, "Activities"))

    @property
    def intervals_per_day(self) -> int:
        """Intervals in 24 hours (at least 1)."""
        return max(1, 86400 // self.interval_seconds)

    @property
    def missing(self) -> int | None:
        """Code of the state `missing`, or None if everything was observed."""
        return self.state_names.index(MISSING) if MISSING in self.state_names else None

    @property
    def observed(self) -> float:
        """Share of the people's time with an observation (a device that was not worn observes nothing)."""
        nothing = [c for c, name in enumerate(self.state_names) if name in (MISSING, "not worn")]
        if not nothing or not self.states.size:
            return 1.0
        return 1.0 - sum(int((self.states == c).sum()) for c in nothing) / self.states.size

    def recoded(self, names: tuple[str, ...]) -> Activities:
        """The same time in other codes; a state that `names` lacks becomes `missing`, or else the first of them."""
        if names == self.state_names:
            return self
        known = {name: code for code, name in enumerate(names)}
        other = known.get(MISSING, 0)
        table = np.array([known.get(name, other) for name in self.state_names], dtype=np.uint8)
        return replace(self, states=table[self.states], state_names=names, names_public=True)

    def describe(self) -> str:
        n, m = self.states.shape
        return (
            f"{counted(n, 'person', 'people')} x {counted(m, 'interval')} of {self.interval_seconds} s, "
            f"{counted(len(self.state_names), 'state')}"
        )

    def take(self, rows: np.ndarray) -> Self:
        """The records `rows`, in that order; one that is taken again is a record of its own."""
        beside = {name: column[rows] for name, column in self.covariates.items()}
        return replace(self, states=self.states[rows], persons=apart(self.persons[rows]), covariates=beside)

    def blanked(self, rows: np.ndarray) -> Self | None:
        """All intervals of `rows` missing, where a state stands for that."""
        if self.missing is None:
            return None
        states = self.states.copy()
        states[rows] = self.missing
        return replace(self, states=states)
