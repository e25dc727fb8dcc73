"""Worst-case neighbours: a small population, and the same with one person who stands out as much as one can."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np

from sequester.kinds import kind_named
from sequester.model import Activities, EventLog, SymbolSeries
from sequester.model.kind import Data, take

SECONDS_PER_DAY = 86400


def neighbours(kind: str, *, people: int, method: Any) -> tuple[Data, Data]:
    """Data without and with the adversarial person, of a kind that a noisy method works on."""
    made = kind_named(kind).load("neighbours")(people, method)
    return take(made, np.arange(people)), made


def activity(people: int, method: Any) -> Activities:
    """Everybody alternates by their own rhythm; the last one flips at every interval, opposite to the profile."""
    hours = 48
    at = np.arange(hours)
    states = np.array([(at // (2 + i % 5)) % 2 for i in range(people)], dtype=np.uint8).reshape(people, hours)
    adversary = (at % 2).astype(np.uint8)
    return Activities(
        names_public=True,
        states=np.vstack([states, adversary]), state_names=("rest", "move"), interval_seconds=3600,
    )  # fmt: skip


def events(people: int, method: Any) -> EventLog:
    """Everybody passes three wards; the last one goes back and forth between two that nobody else sees so often."""
    names = ("admission", "ward", "theatre", "discharge")
    usual = [0, 1, 3]
    longest = min(60, int(getattr(method, "max_events", 60)))
    odd = [1, 2] * (longest // 2)
    traces = [[*usual] if i % 3 else [0, 2, 1, 3] for i in range(people)] + [odd]
    lengths = np.array([len(t) for t in traces])
    first = _first_day(method) * SECONDS_PER_DAY
    times = np.concatenate([first + (i % 200) * SECONDS_PER_DAY + np.arange(n) * 3600 for i, n in enumerate(lengths)])
    return EventLog(
        names_public=True,
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        states=np.concatenate(traces),
        state_names=names,
        times=times,
        attributes=_declared_columns(method, lengths),
    )


def _declared_columns(method: Any, lengths: np.ndarray) -> dict[str, np.ndarray]:
    """Columns a method of events has declared: one value for all, another for the last one; of events only theirs."""
    odd = np.repeat(np.arange(len(lengths)) == len(lengths) - 1, lengths)
    out = {}
    for parameter in ("attributes", "event_values"):
        for text in getattr(method, parameter, ()):
            name, _, found = str(text).partition(":")
            words = ["one", "another"] if found.startswith("@") else [w for w in found.split(",") if w]
            usual, other = words[0], words[-1]
            with suppress(ValueError):  # cuts of numbers
                usual, other = f"{float(words[0]) - 1:g}", f"{float(words[-1]) + 1:g}"
            out[name] = np.where(odd, other, "" if parameter == "event_values" else usual).astype(object)
    return out


def _first_day(method: Any) -> int:
    days = getattr(method, "day_range", None)
    return int(days[0]) if days else int(np.datetime64("2024-01-01", "D").astype(int))


def symbols(people: int, method: Any) -> SymbolSeries:
    """Everybody mixes two symbols; the last one repeats a third for as long as a person counts."""
    longest = int(getattr(method, "l_max", 20))
    series = [[(i + j) % 2 for j in range(longest)] for i in range(people)] + [[2] * longest]
    return SymbolSeries(
        names_public=True,
        symbols=np.concatenate(series),
        offsets=np.arange(people + 2) * longest,
        alphabet=("a", "b", "c"),
    )
