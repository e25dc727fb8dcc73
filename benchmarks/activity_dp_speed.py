"""How long does activity-dp take, stage by stage, and how does it grow with people?"""

from __future__ import annotations

import time
from collections.abc import Iterator

import numpy as np

from sequester.guarantees.ledger import Ledger
from sequester.guarantees.randomness import Randomness
from sequester.methods.activity.activity_model import first_model
from sequester.methods.activity.calibration import calibrate, draws, simulated
from sequester.methods.activity.measurements import measure
from sequester.primitives.activity_calendar import calendar
from sequester.samples.minutes import STATES, minutes

TITLE = "Speed of activity-dp"
THREADS = 2


def run() -> Iterator[dict]:
    """Two weeks of minutes of 1,000, 5,000 and 10,000 people; noise from opendp; ratio to copying the matrix once."""
    list(stages(20, rounds=1))  # compiles
    for n in (1000, 5000, 10000):
        yield from stages(n)


def stages(n: int, rounds: int = 5) -> Iterator[dict]:
    """Seconds of every stage for `n` people."""
    data = minutes(n_people=n, days=14, threads=THREADS)
    rng = Randomness()
    begun = time.perf_counter()
    np.copy(data.states)
    copying = time.perf_counter() - begun

    def row(what: str, seconds: float) -> dict:
        return {"bench": "activity-dp", "what": what, "n": n, "seconds": round(seconds, 3),
                "ratio": round(seconds / copying, 1)}  # fmt: skip

    cal = calendar(data.states.shape[1], 60, data.start)
    ledger = Ledger.zcdp(epsilon=1.0, delta=1e-6)
    times = [time.perf_counter()]
    released = measure(data.states, len(STATES), cal, ledger=ledger, noise=rng.noise, missing=3, threads=THREADS)
    times.append(time.perf_counter())
    model = calibrate(first_model(released, cal, 3), released, generator=rng.secret, rounds=rounds, threads=THREADS)
    times.append(time.perf_counter())
    simulated(model, draws(n, 14, len(model.chosen), rng.secret), THREADS)
    times.append(time.perf_counter())
    for what, seconds in zip(("measure", "calibrate", "simulate"), np.diff(times)):
        yield row(what, float(seconds))
    yield row("all", times[-1] - times[0])
