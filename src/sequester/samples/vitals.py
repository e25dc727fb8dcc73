"""Sample of regular series: heart rate every four hours over the first two days in hospital, with the outcome."""

from __future__ import annotations

import numpy as np

from sequester.model import Series

OUTCOMES = ("home", "rehabilitation", "another ward", "died")


def vitals(*, n_people: int = 240, seed: int = 0) -> Series:
    """Twelve heart rates per person, the length of stay and the outcome.

    Four courses (recovering, stable, worsening, night and day) with personal level, speed and noise; a worse course
    makes a longer stay and a worse outcome likelier.
    """
    rng = np.random.default_rng(seed)
    hours = np.arange(4, 52, 4)
    course = rng.choice(4, size=n_people, p=(0.4, 0.3, 0.15, 0.15))
    level = rng.normal(84, 9, n_people)
    speed = rng.gamma(4.0, 0.25, n_people)
    u = hours / hours[-1]
    recovering = 22 * np.exp(-3 * u)
    worsening = 24 * u**2
    daily = 7 * np.sin(2 * np.pi * (hours - 8) / 24)
    shapes = np.stack([recovering, np.zeros_like(u), worsening, daily])
    noise = rng.normal(0, 1.6, (n_people, len(hours))).cumsum(axis=1) * 0.5 + rng.normal(0, 1.2, (n_people, len(hours)))
    values = np.round(level[:, None] + speed[:, None] * shapes[course] + noise).clip(38, 190)
    bad = course == 2
    chance = np.where(bad[:, None], (0.25, 0.25, 0.35, 0.15), (0.72, 0.15, 0.12, 0.01))
    outcome = [OUTCOMES[i] for i in (rng.random(n_people)[:, None] > chance.cumsum(axis=1)).sum(axis=1).clip(0, 3)]
    stay = np.round(rng.gamma(3.0, 1.6, n_people) + 4 * bad + 1, 1)
    return Series(
        values=values,
        times=tuple(f"h{h:02d}" for h in hours),
        persons=np.array([f"patient-{i + 1:04d}" for i in rng.permutation(n_people)], dtype=object),
        sensitive={"stay_days": stay, "outcome": np.array(outcome, dtype=object)},
    )
