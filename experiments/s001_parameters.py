"""Which k, levels and weights suit which data: people, days and states, with the loss of each choice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import sequester as sq
from experiments.student_minutes import student_people
from sequester.layouts.states import States
from sequester.model import Activities
from sequester.utility.activity_shape import minutes_per_day
from sequester.utility.two_samples import relative_difference

TITLE = "Parameters of mcka by people, days and states"
PAPER = "Parameshwarappa, Chen, Koru 2020 (the paper tries each parameter on one data set)"
NOTE = """Relative difference of daily minutes, the i-th row of a cluster paired with its i-th member, mean over states
and two seeds, drawn minute by minute so that nothing but the clusters differs. `usual` is the default (levels period
and day, equal weights); `best` is the lowest of the six combinations of levels and weights, `worst` the highest. Two
states: whether somebody moves. The people are the rebuilt ones of these pages, which are spread evenly over 49
students: other people may differ more. `sequester tune` does the same on your data."""
LEVELS = {"period, day": ("period", "day"), "period, week, day": ("period", "week", "day"), "day": ("day",)}
PEOPLE, DAYS, KS = (245, 980, 2450), (7, 14), (5, 10, 20)
SEEDS = 2


def run() -> Iterator[dict[str, Any]]:
    """A row per number of people, days and states, and k."""
    for people in PEOPLE:
        for days in DAYS:
            whole = student_people(people, days=days)
            for data in (whole, moving(whole)):
                before = minutes_per_day(data, data.states)
                heavy = tuple(f"{name}=50" for name in data.state_names[1:])
                for k in KS:
                    found = {
                        (levels, weights): lost(data, before, sq.MCKA(k=k, levels=chosen, weights=given,
                                                                       sampler="independent"))
                        for levels, chosen in LEVELS.items()
                        for weights, given in (("equal", ()), ("50 for all but the first", heavy))
                    }  # fmt: skip
                    best = min(found, key=found.__getitem__)
                    yield {
                        "people": people, "days": days, "states": len(data.state_names), "k": k,
                        "usual": found["period, day", "equal"], "best": found[best], "worst": max(found.values()),
                        "best levels": best[0], "best weights": best[1],
                    }  # fmt: skip


def moving(data: Activities) -> Activities:
    """The same people, of whom only is known whether they walk or run."""
    states = np.isin(data.states, (1, 2)).astype(np.uint8)
    return replace(data, states=states, state_names=("other", "moving"))


def lost(data: Activities, before: np.ndarray, method: sq.MCKA) -> float:
    """Mean relative difference of daily minutes."""
    found = []
    for seed in range(SEEDS):
        release = sq.anonymize(data, method, seed=seed)
        shown = States.read(release)
        after = minutes_per_day(data, shown.states)
        found.append(relative_difference(before[shown.members(release, data)], after).mean())
    return round(float(np.mean(found)), 3)
