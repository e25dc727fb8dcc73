"""Rows of an event log, parsed cell by cell, and the log they make.

What a row becomes depends on the row and on what was declared, so some rows give the same log as all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError, counted, left_out, verb_for
from sequester.model import EventLog, Fact, Invented
from sequester.read.cells import WALL, Times, texts, times
from sequester.read.dealing import NoRows

WHO = "read_events"
MISSING = "missing"
NOTHING_USABLE = (
    f"{WHO}: no row has both a person and a time that can be read. Check the roles, and pass ‹time_format=› if "
    "times are written in another way."
)


class Roles(NamedTuple):
    """Which columns say what."""

    person: str
    time: str | None
    states: tuple[str, ...]
    attributes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Clock:
    """How times are to be read, as declared."""

    unit: str = "auto"
    form: str = "auto"
    zone: str = WALL

    def read(self, rows: pa.Table, column: str | None) -> Times | None:
        """When every row was; None where only the order of rows is known."""
        if column is None:
            if self.unit in ("second", "day"):
                raise InputError(f"{WHO}: ‹time_unit='{self.unit}'› needs a time column. Pass ‹time=NAME›.")
            return None
        numbers_are = "seconds" if self.unit in ("second", "day") else "number"
        return times(rows[column], column, WHO, form=self.form, zone=self.zone, numbers_are=numbers_are)

    def settled(self, when: Times | None, whole_days: bool) -> tuple[str, tuple[Fact, ...]]:
        """The precision of the times, and the facts about it; `whole_days`: no time has a clock."""
        if when is None:
            return "order", (Fact("time unit", "order", "declared" if self.unit == "order" else "default"),)
        zone = Fact("time zone", self.zone, "default" if self.zone == WALL else "declared")
        if self.unit == "order" or not when.clock:
            if self.unit in ("second", "day"):
                raise InputError(
                    f"{WHO}: time_unit='{self.unit}' does not fit time_format='number', which is an order only."
                )
            how = "declared" if self.unit == "order" else when.fact.how
            return "order", (when.fact, zone, Fact("time unit", "order", how))
        unit = self.unit if self.unit != "auto" else ("day" if whole_days else "second")
        return unit, (when.fact, zone, Fact("time unit", unit, "found" if self.unit == "auto" else "declared"))


class Rows(NamedTuple):
    """Usable rows: those with a person and, where there is a time column, a time."""

    place: np.ndarray
    """Where they stand among all rows."""
    who: Any
    """Whose they are (Arrow text)."""
    at: np.ndarray | None
    """When, as seconds or as plain numbers."""
    state: Any
    """What happened (Arrow text), `missing` where nothing is said."""
    nothing: int
    """Rows without any state."""
    without_person: int
    without_time: int


def parsed(rows: pa.Table, roles: Roles, when: Times | None) -> Rows:
    """The usable rows of a table, or of a piece of one."""
    who = texts(rows[roles.person])
    named = who.is_valid().to_numpy(zero_copy_only=False)
    usable = named if when is None else named & when.known
    place = np.flatnonzero(usable)
    chosen = None if len(place) == len(usable) else pa.array(place)

    def cells(column: Any) -> Any:
        return column if chosen is None else column.take(chosen)

    written = [cells(texts(rows[c])) for c in roles.states]
    nothing = np.all([p.is_null().to_numpy(zero_copy_only=False) for p in written], axis=0)
    filled = [pc.fill_null(p, MISSING) for p in written]
    state = filled[0] if len(filled) == 1 else pc.binary_join_element_wise(*filled, "+")
    if len(filled) > 1:  # only a state nothing is known about is missing
        state = pc.if_else(pa.array(nothing), MISSING, state)
    return Rows(
        place,
        cells(who),
        None if when is None else when.seconds[place],
        state,
        int(nothing.sum()),
        int((~named).sum()),
        int((named & ~usable).sum()),
    )


class Sorted(NamedTuple):
    """Rows in the order of their owners and times."""

    order: np.ndarray
    offsets: np.ndarray
    times: np.ndarray
    moved: int
    """Rows that were earlier than the row before them of the same person."""
    ties: int
    """Events at the time of the event before them."""
    single: int
    """Objects of one event."""
    cut: int
    """Times that were cut to their day."""


def in_order(owner: np.ndarray, at: np.ndarray | None, unit: str) -> Sorted:
    """Rows by owner, then by time, equal times as they stand; `at` on whole days where that is the precision."""
    row = np.arange(len(owner))
    by_row = _by(owner, row)
    moved = ties = cut = 0
    order = by_row
    if at is not None:
        cut = int((at % 86400 != 0).sum()) if unit == "day" else 0
        at = at // 86400 * 86400 if unit == "day" else at
        own, then = owner[by_row], at[by_row]
        moved = int(((np.diff(then) < 0) & (np.diff(own) == 0)).sum())
        order = by_row[_by(own, then, row)] if moved else by_row
        ties = int(((np.diff(at[order]) == 0) & (np.diff(own) == 0)).sum())
    sizes = np.bincount(owner)
    offsets = np.r_[0, np.cumsum(sizes)]
    seconds = row - np.repeat(offsets[:-1], sizes) if unit == "order" or at is None else at[order]
    return Sorted(order, offsets, np.asarray(seconds, dtype=np.int64), moved, ties, int((sizes == 1).sum()), cut)


def _by(*keys: np.ndarray) -> np.ndarray:
    """The order of rows by several keys, the last of which is the row itself.

    Keys that fit into 63 bits together are sorted as one number, which takes a fifth of the time; those of a part
    mostly do.
    """
    lows = [int(k.min()) if k.dtype.kind == "i" else 0 for k in keys]
    bits = [(int(k.max()) - low).bit_length() if k.dtype.kind == "i" else 64 for k, low in zip(keys, lows)]
    if sum(bits) > 63:
        return np.lexsort(keys[-2::-1])  # stable: rows keep their order
    packed = np.zeros(len(keys[0]), np.int64)
    for key, low, width in zip(keys, lows, bits):
        packed = (packed << width) | (key - low)
    packed.sort()
    return packed & ((1 << bits[-1]) - 1)


class Found(NamedTuple):
    """What the rows of a part show, beside their log."""

    counts: Counter[str]
    when: Times | None = None
    """Without its times."""
    whole_days: bool = True
    """No time has a clock."""


def log_of(rows: Any, number: np.ndarray, notes: list[str], *, roles: Roles, clock: Clock) -> Any:
    """Some rows as a log, where every person first appears, and what was found."""
    when = clock.read(rows, roles.time)
    whole_days = when is None or not when.clock or not np.any(when.seconds[when.known] % 86400)
    unit, _ = clock.settled(when, whole_days)
    found = parsed(rows, roles, when)
    counts = Counter({n: getattr(found, n) for n in ("nothing", "without_person", "without_time")})
    none = np.zeros(0, np.int64)
    stated = None if when is None else when._replace(seconds=none, known=none, ahead=none)
    if not len(found.place):
        raise NoRows(NOTHING_USABLE, Found(counts, stated, whole_days))
    people = found.who.dictionary_encode()
    names, codes = coded(found.state)
    owner = people.indices.to_numpy().astype(np.int64)
    done = in_order(owner, found.at, unit)
    counts.update(moved=done.moved, ties=done.ties, single=done.single, cut=done.cut, n=len(codes))
    first = np.zeros(len(people.dictionary), np.int64)
    first[owner[::-1]] = number[found.place[::-1]]
    log = EventLog(
        offsets=done.offsets,
        states=codes[done.order],
        state_names=names,
        times=done.times,
        time_unit=unit,
        persons=people.dictionary.to_pylist(),
        attributes={c: values(rows[c])[found.place][done.order] for c in roles.attributes},
    )
    return log, first, Found(counts, stated, whole_days)


def notes_of(counts: Mapping[str, int]) -> list[str]:
    """What was done on the way, in counts."""
    moved, ties, nothing = counts["moved"], counts["ties"], counts["nothing"]
    said = {
        "without_person": left_out(counts["without_person"], "row", "without a person"),
        "without_time": left_out(counts["without_time"], "row", "without a time that can be read"),
        "moved": f"{counted(moved, 'row was', 'rows were')} earlier than the row before and "
        f"{verb_for(moved, 'was', 'were')} sorted",
        "ties": f"{counted(f'{ties:,}', 'event shares its', 'events share their')} time with the event before and "
        f"{verb_for(ties, 'keeps', 'keep')} the order of the rows",
        "nothing": f"{counted(nothing, 'event')} without a state {verb_for(nothing, 'has', 'have')} the state "
        f"'{MISSING}'",
        "single": f"{counted(counts['single'], 'object has', 'objects have')} a single event",
    }
    rounded = [Invented("times", "cut to their day", counts["cut"], counts["n"])] if counts["cut"] else []
    return [*(sentence for name, sentence in said.items() if counts[name]), *rounded]


def coded(column: Any) -> tuple[tuple[str, ...], np.ndarray]:
    """Names in sorted order, and the code of every cell."""
    encoded = column.dictionary_encode()
    found = encoded.dictionary.to_pylist()
    order = sorted(range(len(found)), key=lambda i: found[i])
    rank = np.empty(len(found), dtype=np.int64)
    rank[order] = np.arange(len(found))
    return tuple(found[i] for i in order), rank[encoded.indices.to_numpy()]


def values(column: Any) -> np.ndarray:
    """Cells as Python values."""
    out = np.empty(len(column), dtype=object)
    out[:] = column.to_pylist()
    return out
