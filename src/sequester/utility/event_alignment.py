"""Two event logs in the same codes of states, so that they can be compared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.errors import InputError
from sequester.model import EventLog
from sequester.release import Claim

OTHER = "OTHER"
"""What a release calls the states it does not name."""


@dataclass(frozen=True, kw_only=True)
class Log:
    """States coded alike on both sides; START and END are the two codes after the last state."""

    states: np.ndarray
    times: np.ndarray
    offsets: np.ndarray
    n_states: int

    @property
    def lengths(self) -> np.ndarray:
        """Events per object."""
        return np.diff(self.offsets)

    def padded(self, width: int) -> np.ndarray:
        """All windows of `width` events as rows, over traces with one END and `width - 1` STARTs added."""
        n = len(self.offsets) - 1
        before = width - 1
        size = len(self.states) + n * (before + 1)
        flat = np.full(size, self.n_states)
        shift = np.arange(n) * (before + 1)
        flat[np.arange(len(self.states)) + np.repeat(shift + before, self.lengths)] = self.states
        ends = self.offsets[1:] + shift + before
        flat[ends] = self.n_states + 1
        starts = np.arange(size - before)
        inside = np.ones(size, bool)  # a window that begins at an END spans two traces
        for k in range(before):
            inside[np.maximum(ends - k, 0)] = False
        rows = starts[inside[: size - before]] if before else starts
        return np.stack([flat[rows + k] for k in range(width)], axis=1)


def aligned(original: EventLog, claim: Claim, fold: bool) -> tuple[Log, Log]:
    """The original and the release with states in the same codes; with `fold` unnamed states become OTHER."""
    if "events" not in claim.tables:
        raise InputError("measure: the release has no table 'events' to compare the log with.")
    table = claim.tables["events"]
    lacking = [c for c in ("object", "time", "state") if c not in table.column_names]
    if lacking:
        raise InputError(f"measure: table 'events' lacks {', '.join(lacking)}.")
    coded = table["state"].combine_chunks().dictionary_encode()
    names = {name: i for i, name in enumerate(original.state_names)}
    theirs = coded.dictionary.to_pylist()
    for name in theirs:
        names.setdefault(name, len(names))
    of = np.array([names[name] for name in theirs] or [0])
    objects = table["object"].to_numpy()
    begins = np.flatnonzero(np.r_[True, objects[1:] != objects[:-1]]) if len(objects) else np.zeros(0, np.int64)
    states = of[coded.indices.to_numpy()] if len(objects) else np.zeros(0, np.int64)
    own = original.states.astype(np.int64)
    if fold and OTHER in names:
        known = set(theirs) | set(known_states(claim))
        into = np.array([names[n] if n in known else names[OTHER] for n in original.state_names])
        own = into[own]
    n_states = len(names)
    synthetic = Log(states=states, times=_seconds(table), offsets=np.r_[begins, len(objects)], n_states=n_states)
    return Log(states=own, times=original.times, offsets=original.offsets, n_states=n_states), synthetic


def has_clock(claim: Claim) -> bool:
    """Whether the release has times, or only an order."""
    import pyarrow as pa

    return not pa.types.is_integer(claim.tables["events"]["time"].type)


def known_states(claim: Claim) -> list[str]:
    """States that the model beside the events names."""
    model = claim.tables.get("model")
    return [] if model is None or "to" not in model.column_names else [x for x in model["to"].to_pylist() if x]


def _seconds(table: Any) -> np.ndarray:
    import pyarrow as pa

    kind = table["time"].type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return table["time"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy()
    return table["time"].to_numpy()
