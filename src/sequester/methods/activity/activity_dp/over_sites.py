"""People of `activity-dp` who stay at several sites: the same questions, answered elsewhere."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sequester.dp.gate import bound
from sequester.dp.sites import Ask, Item, Sites
from sequester.errors import InputError
from sequester.methods.activity.activity_dp.kernels.calendar import Calendar
from sequester.methods.activity.activity_dp.people import People, Vector, answer_block
from sequester.model import Activities
from sequester.model.activities import MISSING

DAY = 86400
MOST_INTERVALS = 2_000_000


def nobody(reading: Mapping[str, Any]) -> Activities:
    """Data of nobody in the calendar and the states that all sites declare; refuses what they must declare."""
    states, dates, interval = reading.get("states") or (), reading.get("dates"), reading.get("interval")
    try:
        first, last = (np.datetime64(day.strip(), "D") for day in str(dates).split(".."))
        intervals = int((last - first).astype(int) + 1) * DAY / int(interval or 0)
    except (ValueError, ZeroDivisionError):
        intervals = 0
    if len(states) < 2 or not 2 <= intervals <= MOST_INTERVALS or intervals % 1:
        raise InputError(
            "federation: all sites read the same states, days and intervals. Pass ‹states=A,B,…›, ‹dates=FROM..TO› and "
            "‹interval=SECONDS› that divide a day."
        )
    names = tuple(states) if MISSING in states else (*states, MISSING)
    return Activities(
        states=np.zeros((0, int(intervals)), np.uint8), state_names=names, interval_seconds=int(interval or 0),
        start=first, names_public=True,
    )  # fmt: skip


@dataclass(frozen=True)
class PeopleElsewhere(People):
    """Asked like people here; each question goes to all sites."""

    ask: Ask | None = None

    def count(self, rho: float) -> np.ndarray:
        """How many people there are at all sites."""
        return self._sum(Item({"name": "activity-dp people", "rho": rho}, 1, "gaussian", 1.0, rho))

    def asked(self, vector: Vector, rho: float, **how: Any) -> np.ndarray:
        """What all sites answer."""
        about = {
            "name": "activity-dp sums", "vector": vector.name, "cells": vector.size, "rho": rho,
            "numbers": {k: _plain(v) for k, v in vector.numbers.items() if not isinstance(v, Calendar)},
            **{k: _plain(v) for k, v in how.items()},
        }  # fmt: skip
        if "grid" in how:
            return self._sum(Item(about, len(how["grid"]) + 1, "gaussian", 1.0, rho, (vector, how)))
        return self._sum(Item(about, vector.size, "gaussian", float(bound(how["clip"])), rho, (vector, how)))

    def _sum(self, item: Item) -> np.ndarray:
        assert self.ask is not None
        return self.ask([item])[0]


def answers_of(data: Activities, sites: Sites, shared: Activities) -> Callable[[Sequence[Item]], list[np.ndarray]]:
    """What the people of one site answer; refuses data in another calendar or other states."""
    same = (data.state_names, data.interval_seconds, data.states.shape[1]) == (
        shared.state_names, shared.interval_seconds, shared.states.shape[1],
    )  # fmt: skip
    if not same or data.start != shared.start or not data.names_public:
        raise InputError("federation: the source was not read in the states, days and intervals of the study.")

    def answers(items: Sequence[Item]) -> list[np.ndarray]:
        return [_answer(data, sites, item) for item in items]

    return answers


def _answer(data: Activities, sites: Sites, item: Item) -> np.ndarray:
    if item.local is None:
        return np.array([data.n_people], np.int64)
    vector, how = item.local
    if not data.n_people:
        return np.zeros(item.size, np.int64)
    found = answer_block(data.states, vector, **how)
    # In shares of noise a person counts between two points of the grid, and not at all those above.
    return np.diff(found, prepend=0) if "grid" in how and not sites.trusted else found


def _plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return value.tolist()
    return None if isinstance(value, float) and not math.isfinite(value) else value
