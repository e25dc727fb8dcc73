"""People of a log who stay at several sites: the same questions, answered elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from sequester.dp.gate import bound
from sequester.dp.sites import Ask, Item
from sequester.methods.events.markov_dp.design import Design
from sequester.methods.events.markov_dp.people import People
from sequester.methods.events.markov_dp.pieces import Answer, Frame, Question, median_grid
from sequester.methods.events.markov_dp.state_names import with_other
from sequester.methods.events.markov_dp.tables import grid_of
from sequester.model import EventLog


class PeopleElsewhere(People):
    """Asked in rounds like people here; each round goes to all sites."""

    def __init__(self, plan: Design, ask: Ask) -> None:
        assert plan.codebook is not None
        self._plan, self._ask_sites = plan, ask
        self.state_names = plan.codebook

    def outside_dates(self) -> tuple[int, int]:
        """An exact count stays at its site."""
        return 0, 1

    def ask(self, frame: Frame, **questions: Question) -> dict[str, Answer]:
        """Every question's answer over all sites."""
        sums = self._ask_sites([_item(q, frame) for q in questions.values()])
        return {name: Answer(q, total) for (name, q), total in zip(questions.items(), sums, strict=True)}


def answers_of(log: EventLog, plan: Design) -> Callable[[Sequence[Item]], list[np.ndarray]]:
    """What the people of one site answer; they are folded into the code book once."""
    assert plan.codebook is not None
    names = with_other(plan.codebook)
    people, frame = People(log, plan), Frame(len(names), grid_of(plan.unit), plan)
    people.fold_into(names)

    def answers(items: Sequence[Item]) -> list[np.ndarray]:
        asked = people.ask(frame, **{str(i): item.local for i, item in enumerate(items)})
        return [answer.total for answer in asked.values()]

    return answers


def _item(q: Question, frame: Frame) -> Item:
    about = {
        "name": "markov-dp sums", "family": q.about, "states": frame.n_states, "cells": q.size, "clip": q.clip,
        "largest": q.largest, "told": _plain(q.told), "rho": q.rho,
    }  # fmt: skip
    if q.about == "people":
        return Item(about, 1, "gaussian", 1.0, q.rho, q)
    if q.clip is None:
        return Item(about, len(median_grid(q.largest)) + 1, "gaussian", 1.0, q.rho, q)
    return Item(about, q.size, "gaussian", float(bound(q.clip)), q.rho, q)


def _plain(told: Any) -> Any:
    """Released numbers as JSON has them."""
    if isinstance(told, tuple):
        return [_plain(x) for x in told]
    return told.tolist() if isinstance(told, np.ndarray) else told
