"""Minutes of activity: people with their own habits, simulated from per-hour Markov chains.

Every number here is a rule of ours, not data: a day has a shape (sleep, commuting, meals, evening), a person tilts
it, shifts it and speeds it up or slows it down, a day tilts it again, and devices go unworn. The chain of an hour is
built so that its long-run shares are that hour's mix and its bouts have the person's pace.
"""

from __future__ import annotations

import numpy as np

from sequester.model import Activities
from sequester.primitives.sorting import spread
from sequester.samples.hourly_chains import Habits, simulate_hours

STATES = ("stationary", "walking", "running", "missing")
BOUT_MINUTES = np.array([9.0, 2.5, 4.0, 60.0])
"""Mean minutes until a person may change what they do, by state."""


def day_shape(weekend: bool) -> np.ndarray:
    """Hours x states: what share of the hour a typical person spends in each state."""
    hour = np.arange(24)
    later = 1.5 if weekend else 0.0

    def bump(centre: float, width: float) -> np.ndarray:
        away = np.abs(hour - centre - later)
        away = np.minimum(away, 24 - away)
        return np.exp(-0.5 * (away / width) ** 2)

    awake = 1.0 / (1.0 + np.exp(-(hour - 6.8 - later) * 1.6)) * (1.0 / (1.0 + np.exp((hour - 23.3) * 1.6)))
    walking = 0.012 + awake * (0.05 + 0.12 * bump(8.5, 0.9) + 0.09 * bump(12.5, 1.0) + 0.11 * bump(17.8, 1.3))
    running = 0.0008 + awake * (0.004 + 0.03 * bump(6.9, 0.7) + 0.022 * bump(18.8, 1.1))
    missing = 0.06 + 0.16 * (1 - awake) + 0.03 * bump(21.0, 1.5)
    if weekend:
        walking, running = walking * 0.8, running * 1.3
    shares = np.stack([1.0 - walking - running - missing, walking, running, missing], axis=1)
    return shares / shares.sum(axis=1, keepdims=True)


def minutes(
    *, n_people: int = 60, seed: int = 0, days: int = 7, start: str = "2024-03-04T00:00:00", threads: int = 1
) -> Activities:
    """A study of `n_people` over `days` days of 1,440 minutes, beginning on a Monday.

    Two covariates travel along: `grade`, a little higher for people who sit more, and `wellbeing`, a little higher
    for people who move more.
    """
    rng = np.random.default_rng(seed)
    shapes = np.stack([day_shape(False), day_shape(True)])
    tilt = rng.normal(0.0, [0.25, 0.45, 0.8, 0.7], size=(n_people, 4))
    shift = rng.normal(0.0, 1.0, n_people)
    pace = np.exp(rng.normal(0.0, 0.25, n_people))
    states = np.empty((n_people, days * 1440), dtype=np.uint8)
    first = np.datetime64(start, "s")
    weekend = np.array([(int((first + np.timedelta64(d, "D")).astype("datetime64[D]").astype(int)) + 3) % 7 >= 5
                        for d in range(days)])  # fmt: skip

    day_tilt = rng.normal(0.0, [0.15, 0.25, 0.6, 0.4], size=(n_people, days, 4))
    seeds = rng.integers(0, 2**64 - 1, size=(n_people, 4), dtype=np.uint64, endpoint=True)
    spread(
        lambda a, b: simulate_hours(
            shapes, weekend.astype(np.int64), Habits(tilt[a:b], day_tilt[a:b], shift[a:b], pace[a:b]), BOUT_MINUTES,
            seeds[a:b], states[a:b],
        ),
        n_people,
        threads,
    )  # fmt: skip
    states.flags.writeable = False
    moving = tilt[:, 1] + 0.5 * tilt[:, 2]
    return Activities(
        names_public=True,
        states=states,
        state_names=STATES,
        interval_seconds=60,
        start=first,
        persons=np.array([f"P{i + 1:05d}" for i in range(n_people)], dtype=object),
        covariates={
            "grade": np.round(np.clip(3.3 + 0.25 * tilt[:, 0] - 0.2 * moving + rng.normal(0, 0.35, n_people), 0, 4), 2),
            "wellbeing": np.round(np.clip(42 + 2.5 * moving + rng.normal(0, 6, n_people), 8, 56)),
        },
    )


def paper_sized(*, seed: int = 0, threads: int = 2) -> Activities:
    """As many people and minutes as the paper's own simulation: 9,800 x 20,160."""
    return minutes(n_people=9800, seed=seed, days=14, threads=threads)
