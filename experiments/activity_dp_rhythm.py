"""Rest and activity under differential privacy: what `activity-dp` keeps of IS, IV, RA and spreads."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.activity_testbed import STATES, cohort
from sequester.model import Activities
from sequester.utility.activity_rhythm import rhythm_compared

TITLE = "activity-dp: rest and activity"
PAPER = "measures: Witting et al. 1990, van Someren et al. 1999"
NOTE = """Simulated students, epsilon 1, delta 1e-6, one run each. The method measures daily totals, the profile of
hours and changes, and not when each person is active: rest and activity differ less than they should (RA and IS too
small, L5 too large), most with few people."""
SHOWN = ("IS", "IV", "RA", "L5", "M10", "longest rest")


def run() -> Iterator[dict[str, Any]]:
    """Original and release, by number of people."""
    for n in (1000, 4000):
        states = cohort(n, seed=1000)
        states.flags.writeable = False
        data = Activities(
            states=states, state_names=STATES, start=np.datetime64("2024-03-04T00:00:00"), names_public=True
        )
        method = sq.ActivityDP(epsilon=1.0, delta=1e-6, people_at_least=n, force=True)
        made = sq.anonymize(data, method, seed=1).tables["sequences"]["states"].combine_chunks()
        rows = made.flatten().to_numpy().reshape(len(made), -1)
        _, figures = rhythm_compared(data, rows)
        told = {f.name: f.value for f in figures}
        for when in ("original", "released"):
            line = {name: float(f"{told[f'{name}, {when}']:.3g}") for name in SHOWN}
            line |= {f"{w} SD": float(f"{told[f'{w} SD, {when}']:.3g}") for w in ("day-to-day", "between-person")}
            yield {"people": n, "rows": when, **line}
