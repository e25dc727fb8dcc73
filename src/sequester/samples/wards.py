"""Stays in a small hospital: wards, procedures and discharges with realistic hours, gaps and readmissions."""

from __future__ import annotations

import numpy as np

from sequester.model import EventLog

STATES = ("ARRIVAL", "TRIAGE", "LAB", "IMAGING", "MEDICINE", "SURGERY", "ICU", "STEP-DOWN", "REHAB", "DISCHARGE")
_FIRST = np.datetime64("2024-01-01", "D").astype(int)
_HOURS = np.array([2, 1, 1, 1, 1, 2, 3, 5, 8, 10, 10, 9, 8, 8, 8, 8, 7, 7, 6, 6, 5, 4, 3, 2], float)
_WEEKDAYS = np.array([1.25, 1.1, 1.0, 1.0, 1.05, 0.8, 0.75])
_GAP_MEDIAN_HOURS = {"TRIAGE": 0.2, "LAB": 1.0, "IMAGING": 2.0, "MEDICINE": 5.0, "SURGERY": 20.0, "ICU": 4.0,
                     "STEP-DOWN": 50.0, "REHAB": 90.0, "DISCHARGE": 60.0}  # fmt: skip
_NEXT = {
    "ARRIVAL": {"TRIAGE": 1.0},
    "TRIAGE": {"LAB": 0.7, "IMAGING": 0.2, "MEDICINE": 0.1},
    "LAB": {"LAB": 0.25, "IMAGING": 0.2, "MEDICINE": 0.35, "SURGERY": 0.08, "ICU": 0.04, "DISCHARGE": 0.08},
    "IMAGING": {"LAB": 0.2, "MEDICINE": 0.4, "SURGERY": 0.25, "DISCHARGE": 0.15},
    "MEDICINE": {"LAB": 0.45, "IMAGING": 0.1, "STEP-DOWN": 0.05, "REHAB": 0.05, "DISCHARGE": 0.35},
    "SURGERY": {"ICU": 0.35, "STEP-DOWN": 0.45, "MEDICINE": 0.2},
    "ICU": {"LAB": 0.3, "STEP-DOWN": 0.6, "DISCHARGE": 0.1},
    "STEP-DOWN": {"MEDICINE": 0.5, "REHAB": 0.2, "DISCHARGE": 0.3},
    "REHAB": {"DISCHARGE": 0.8, "LAB": 0.2},
}


def wards(*, n_people: int = 400, seed: int = 0) -> EventLog:
    """One or more stays per patient over two years; nothing follows a discharge until the patient arrives again."""
    rng = np.random.default_rng(seed)
    code = {name: i for i, name in enumerate(STATES)}
    states: list[int] = []
    times: list[int] = []
    offsets = [0]
    for _ in range(n_people):
        day = _FIRST + int(rng.integers(0, 600))
        for _ in range(1 + int(rng.random() < 0.2) + int(rng.random() < 0.05)):
            weights = _WEEKDAYS[(day + np.arange(7) + 3) % 7]
            day += int(rng.choice(7, p=weights / weights.sum()))
            t = day * 86400 + int(rng.choice(24, p=_HOURS / _HOURS.sum())) * 3600 + int(rng.integers(3600))
            now = "ARRIVAL"
            while True:
                states.append(code[now])
                times.append(t)
                if now == "DISCHARGE":
                    break
                choices = _NEXT[now]
                now = str(rng.choice(list(choices), p=list(choices.values())))
                t += max(60, int(3600 * _GAP_MEDIAN_HOURS[now] * rng.lognormal(0.0, 0.8)))
            day = t // 86400 + 30 + int(rng.exponential(60))
            if day > _FIRST + 690:
                break
        offsets.append(len(states))
    return EventLog(
        names_public=True,
        offsets=np.array(offsets),
        states=np.array(states),
        state_names=STATES,
        times=np.array(times),
        persons=np.array([f"patient-{i:04d}" for i in range(n_people)], dtype=object),
    )
