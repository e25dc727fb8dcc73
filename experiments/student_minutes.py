"""The paper's data set, rebuilt: 9,800 people x 20,160 minutes from the hourly mixes of 49 students.

The paper simulated minutes from per-student, per-hour Markov chains; its data was never published, and only hourly
totals of the students are at hand. So an hour's chain is the reversible one whose long-run shares are the student's
mix of that hour and whose bouts are as long as those of real minutes (Fitbit intensities, all people pooled).
As in the paper, an hour is taken from another student with probability 0.01, and every student has 200 descendants.
"""

from __future__ import annotations

import numpy as np
from numba import njit

from experiments.steps import DATA
from sequester.model import Activities
from sequester.primitives.sorting import spread
from sequester.primitives.xoshiro import uniform

STATES = ("stationary", "walking", "running", "missing")
SECONDS_OBSERVED = 1041.0
"""Seconds an hour without gaps is counted with: inferences are made one third of the time."""
OTHER_STUDENT = 0.01


def student_hours(n_hours: int = 336) -> tuple[np.ndarray, np.ndarray]:
    """Students x hours x states, beginning on a Monday; and the students' numbers. An hour without rows is missing."""
    import pandas as pd

    table = pd.read_csv(DATA / "studentlife_hourly" / "activity_hourly.csv.gz")
    students = np.sort(table.student.unique())
    weeks = -(-n_hours // 168)
    mixes = np.zeros((len(students), weeks * 168, 4))
    mixes[..., 3] = 1.0
    table["week"] = table.groupby(["student", "weekday", "hour"]).cumcount()
    table = table[table.week < weeks]
    seconds = table[["stationary_s", "walking_s", "running_s"]].to_numpy(float)
    scale = np.maximum(seconds.sum(axis=1), SECONDS_OBSERVED)
    shares = seconds / scale[:, None]
    at = (table.week * 168 + table.weekday * 24 + table.hour).to_numpy()
    row = np.searchsorted(students, table.student.to_numpy())
    mixes[row, at, :3] = shares
    mixes[row, at, 3] = 1.0 - shares.sum(axis=1)
    return mixes[:, :n_hours], students


def leaving_rates() -> np.ndarray:
    """Chance per minute to leave a bout, from the mean bout of real minutes; unworn time lasts an hour."""
    import pandas as pd

    wide = pd.read_csv(DATA / "fitbit_minutes" / "minuteIntensitiesWide_merged.csv.gz")
    minutes = wide.filter(like="Intensity").to_numpy().clip(0, 2)
    rates = []
    for a in range(3):
        here = minutes[:, :-1] == a
        rates.append((minutes[:, 1:] != a)[here].sum() / here.sum())
    return np.array([*rates, 1 / 60])


def covariates(students: np.ndarray) -> dict[str, np.ndarray]:
    """Grade point average (30 students) and flourishing scale (first questionnaire); NaN where there is none."""
    import pandas as pd

    folder = DATA / "studentlife_hourly"
    grades = pd.read_csv(folder / "grades.csv", skipinitialspace=True)
    grades = dict(zip(grades.uid.str[1:].astype(int), grades["gpa all"]))
    scale = pd.read_csv(folder / "FlourishingScale.csv")
    scale = scale[scale.type == "pre"]
    items = scale.columns[2:]
    flourishing = dict(zip(scale.uid.str[1:].astype(int), scale[items].mean(axis=1) * len(items)))
    return {
        "cgpa": np.array([grades.get(int(s), np.nan) for s in students]),
        "flourishing": np.array([flourishing.get(int(s), np.nan) for s in students]),
    }


@njit(cache=True, nogil=True)
def _simulate(mixes: np.ndarray, rates: np.ndarray, student: np.ndarray, seeds: np.ndarray, out: np.ndarray) -> None:
    n_students, n_hours, n_states = mixes.shape
    for i in range(len(out)):
        random = seeds[i].copy()
        state = -1
        for h in range(n_hours):
            who = student[i]
            if uniform(random) <= OTHER_STUDENT:
                who = min(n_students - 1, int(uniform(random) * n_students))
            mix = mixes[who, h]
            flow = 0.0
            for a in range(n_states):
                flow += mix[a] * rates[a]
            for t in range(h * 60, h * 60 + 60):
                # A state this hour does not have is left at once: its chain has no way to stay in it.
                if state < 0 or mix[state] == 0.0 or uniform(random) <= rates[state]:
                    left = uniform(random) * flow
                    for a in range(n_states):
                        if mix[a] > 0:
                            state = a
                            left -= mix[a] * rates[a]
                            if left <= 0:
                                break
                out[i, t] = state


def student_people(n_people: int = 9800, *, days: int = 14, seed: int = 0, threads: int = 2) -> Activities:
    """Descendants of the 49 students; covariates are those of the ancestor."""
    mixes, students = student_hours(days * 24)
    rates = leaving_rates()
    rng = np.random.default_rng(seed)
    student = np.arange(n_people) % len(students)
    seeds = rng.integers(0, 2**64 - 1, (n_people, 4), dtype=np.uint64, endpoint=True)
    states = np.empty((n_people, days * 1440), dtype=np.uint8)
    spread(lambda a, b: _simulate(mixes, rates, student[a:b], seeds[a:b], states[a:b]), n_people, threads)
    states.flags.writeable = False
    beside = {name: column[student] for name, column in covariates(students).items()}
    return Activities(
        names_public=True,
        states=states,
        state_names=STATES,
        start=np.datetime64("2013-04-01T00:00:00", "s"),
        covariates=beside,
    )
