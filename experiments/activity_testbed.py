"""A test bed of people who differ as real people do: chains per hour fitted to Fitbit minutes and StudentLife hours.

32 Fitbit people give 4 x 4 matrices per kind of day and hour, smoothed to the population. 49 StudentLife students
give hourly mixes, to which a random Fitbit person's matrices are retargeted. A simulated person mixes two of the 81
by day, tilts their states, shifts their clock and sets their pace; a day tilts again; one hour in a hundred follows
somebody else.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise

import numpy as np
from numba import njit, prange

from experiments.steps import DATA

STATES = ("stationary", "walking", "running", "missing")
UNWORN_MINUTES = 180
FULL_HOUR_SECONDS = 1041.0
"""Seconds of inference in an hour with the phone on: it listens in turns."""


@cache
def fitbit_minutes() -> list[tuple[np.ndarray, np.ndarray]]:
    """Per person: state of every minute and the minute's position in the week (0 = Monday midnight), hours in order."""
    import pandas as pd

    w = pd.read_csv(DATA / "fitbit_minutes" / "minuteIntensitiesWide_merged.csv.gz")
    w["t"] = pd.to_datetime(w.ActivityHour, format="%m/%d/%Y %H:%M")
    w = w.sort_values(["Id", "t"])
    out = []
    for _, person in w.groupby("Id"):
        if len(person) < 100:
            continue
        level = person.filter(like="Intensity").to_numpy().ravel()
        hour = (person.t.dt.dayofweek * 24 + person.t.dt.hour).to_numpy()
        minute = (hour[:, None] * 60 + np.arange(60)).ravel()
        state = np.array([0, 1, 2, 2])[level]
        # Hours without a single counted minute in the daytime: the device lay on a table.
        edges = np.flatnonzero(np.diff(np.r_[-1, state, -1]) != 0)
        for a, b in pairwise(edges):
            clock = minute[a:b] % 1440
            if state[a] == 0 and ((clock >= 540) & (clock < 1260)).sum() >= UNWORN_MINUTES:
                state[a:b] = 3
        out.append((state, minute))
    return out


@cache
def base_people() -> np.ndarray:
    """People x kinds of day x hours x states x states: probability of the next minute's state."""
    import pandas as pd

    counts = []
    for state, minute in fitbit_minutes():
        c = np.zeros((2, 24, 4, 4))
        follows = np.diff(minute) % (7 * 1440) == 1
        at = minute[:-1][follows]
        np.add.at(c, ((at // 1440 >= 5).astype(int), at // 60 % 24, state[:-1][follows], state[1:][follows]), 1)
        counts.append(c)
    everybody = np.sum(counts, axis=0) + 0.5 * np.eye(4) + 0.02
    everybody = everybody / everybody.sum(axis=-1, keepdims=True)
    fitbit = np.array([(c + 30 * everybody) / (c + 30 * everybody).sum(axis=-1, keepdims=True) for c in counts])

    h = pd.read_csv(DATA / "studentlife_hourly" / "activity_hourly.csv.gz")
    seconds = h[["stationary_s", "walking_s", "running_s"]].to_numpy()
    h["kind"] = (h.weekday >= 5).astype(int)
    rng = np.random.default_rng(81)
    students = []
    for _, person in h.groupby("student"):
        mix = np.full((2, 24, 4), 0.0)
        for (kind, hour), rows in person.groupby(["kind", "hour"]).groups.items():
            share = np.minimum(seconds[rows] / FULL_HOUR_SECONDS, 1.0)
            seen = share.sum(axis=1)
            share /= np.maximum(seen, 1.0)[:, None]
            mix[kind, (hour - 1) % 24] = [*share.mean(axis=0), max(0.0, 1 - share.sum(axis=1).mean())]
        empty = mix.sum(axis=-1) == 0
        mix[empty] = (0, 0, 0, 1)
        mix = np.maximum(mix, 0.002)
        mix /= mix.sum(axis=-1, keepdims=True)
        chain = fitbit[rng.integers(len(fitbit))]
        factor = np.sqrt(mix / stationary(chain))
        students.append(retarget(chain, factor))
    return np.concatenate([fitbit, np.array(students)])


def stationary(chain: np.ndarray) -> np.ndarray:
    """Long-run shares of every matrix."""
    share = np.linalg.matrix_power(chain, 4096)[..., 0, :]
    return np.maximum(share, 1e-4)


def retarget(chain: np.ndarray, factor: np.ndarray) -> np.ndarray:
    """Steps a → b times factor_b / factor_a; what is left stays."""
    out = chain * factor[..., None, :] / factor[..., :, None]
    off = out * (1 - np.eye(4))
    left = off.sum(axis=-1, keepdims=True)
    off *= np.minimum(1.0, 0.95 / np.maximum(left, 1e-12))
    return off + np.eye(4) * (1 - off.sum(axis=-1, keepdims=True))


def cohort(n_people: int, *, seed: int, days: int = 14) -> np.ndarray:
    """States of a fresh cohort, people x minutes, beginning on a Monday."""
    rng = np.random.default_rng(seed)
    base = base_people()
    pair = rng.integers(len(base), size=(n_people, 2))
    first = rng.random((n_people, days)) < rng.beta(0.5, 0.5, n_people)[:, None]
    used = np.where(first, pair[:, :1], pair[:, 1:])
    tilt = np.exp(rng.normal(0, 0.35, (n_people, 1, 4)) + rng.normal(0, 0.25, (n_people, days, 4)))
    out = np.empty((n_people, days * 1440), np.uint8)
    stray = np.where(rng.random((n_people, days, 24)) < 0.01, rng.integers(len(base), size=(n_people, days, 24)), -1)
    shift, speed = rng.normal(0, 1, n_people), np.exp(rng.normal(0, 0.25, n_people))
    _walk(base, used, np.sqrt(tilt), stray, shift, speed, rng.integers(0, 2**31, n_people), out)
    return out


@njit(parallel=True, cache=True)
def _walk(base, used, factor, stray, shift, speed, seeds, out):
    n, days = used.shape
    for i in prange(n):
        np.random.seed(seeds[i])
        state = 0
        p = np.empty((4, 4))
        for d in range(days):
            for h in range(24):
                who = used[i, d] if stray[i, d, h] < 0 else stray[i, d, h]
                kind = 1 if d % 7 >= 5 else 0
                late = h - shift[i]
                low = int(np.floor(late))
                part = late - low
                for a in range(4):
                    total = 0.0
                    for b in range(4):
                        v = (1 - part) * base[who, kind, low % 24, a, b] + part * base[who, kind, (low + 1) % 24, a, b]
                        if a != b:
                            v *= speed[i] * factor[i, d, b] / factor[i, d, a]
                            total += v
                        p[a, b] = v
                    if total > 0.95:
                        for b in range(4):
                            p[a, b] *= 0.95 / total
                        total = 0.95
                    p[a, a] = 1 - total
                for t in range(d * 1440 + h * 60, d * 1440 + h * 60 + 60):
                    u = np.random.random()
                    for b in range(4):
                        u -= p[state, b]
                        if u < 0:
                            state = b
                            break
                    out[i, t] = state


def real_days(n_people: int, *, seed: int, days: int = 14) -> np.ndarray:
    """The second test bed: whole real Fitbit days, each person's days drawn from one or two real people."""
    rng = np.random.default_rng(seed)
    whole = []
    for state, minute in fitbit_minutes():
        start = np.flatnonzero(minute % 1440 == 0)
        ok = [s for s in start if s + 1440 <= len(state) and (np.diff(minute[s : s + 1440]) == 1).all()]
        kinds = [[state[s : s + 1440] for s in ok if (minute[s] // 1440 >= 5) == k] for k in (False, True)]
        if min(map(len, kinds)) >= 2:
            whole.append(kinds)
    out = np.empty((n_people, days, 1440), np.uint8)
    for i in range(n_people):
        two, mix = rng.integers(len(whole), size=2), rng.beta(0.5, 0.5)
        for d in range(days):
            pool = whole[two[int(rng.random() > mix)]][int(d % 7 >= 5)]
            out[i, d] = pool[rng.integers(len(pool))]
    return out.reshape(n_people, -1)


def facts(states: np.ndarray, n_states: int = 4, days: int = 14) -> dict[str, np.ndarray]:
    """What two populations are compared by."""
    from sequester.methods.activity.activity_dp.kernels.calendar import N_PARTS, calendar
    from sequester.methods.activity.activity_dp.kernels.features import (
        LENGTH_BIN,
        N_LENGTHS,
        bout_counts,
        cell_counts,
        step_counts,
    )

    cal = calendar(states.shape[1], 60, np.datetime64("2024-03-04T00:00:00"))
    daily = cell_counts(states, cal.day_of, cal.n_days, n_states)
    bins = cell_counts(states, cal.bin_of, cal.n_bins, n_states) / cal.bin_sizes[:, None]
    steps = sum(step_counts(states[i : i + 500], cal.part_of, N_PARTS, n_states).sum(axis=0)
                for i in range(0, len(states), 500))  # fmt: skip
    bouts = bout_counts(states, LENGTH_BIN, N_LENGTHS, n_states).sum(axis=0)
    return {
        "daily": daily,
        "profile": bins.mean(axis=0),
        "bins": bins.reshape(len(states), -1),
        "bouts": bouts / np.maximum(bouts.sum(axis=1, keepdims=True), 1),
        "all bouts": bouts / bouts.sum(),
        "flows": steps / len(states),
    }


def compare(real: dict[str, np.ndarray], synthetic: dict[str, np.ndarray]) -> dict[str, float]:
    """The columns of the accuracy table."""
    n_states = real["daily"].shape[2]
    levels = (np.arange(2000) + 0.5) / 2000
    w1, rd = [], []
    for a in range(n_states):
        x, y = (np.quantile(f["daily"][:, :, a], levels) for f in (real, synthetic))
        w1.append(np.abs(x - y).mean())
        rd.append(np.mean(np.abs(x - y) / np.maximum(np.maximum(x, y), 1e-9)))
    variance = [np.var(f["daily"].mean(axis=1), axis=0) for f in (real, synthetic)]
    kept = variance[1] / np.maximum(variance[0], 1e-12)
    correlation = [np.corrcoef(f["daily"].reshape(-1, n_states).T) for f in (real, synthetic)]
    pairs = np.triu_indices(n_states, 1)
    within = [f["daily"].std(axis=1).mean(axis=0) for f in (real, synthetic)]
    return {
        "W1": float(np.mean(w1)),
        "RD": float(np.mean(rd)),
        "prof": float(np.abs(real["profile"] - synthetic["profile"]).sum(axis=1).mean() / 2),
        "all_bouts": float(np.abs(real["all bouts"] - synthetic["all bouts"]).sum() / 2),
        "bout": float(np.abs(real["bouts"] - synthetic["bouts"]).sum(axis=1).mean() / 2),
        "flow": float(np.abs(real["flows"] - synthetic["flows"]).sum() / real["flows"].sum()),
        "var": float(kept.mean()),
        "var_worst": float(kept[np.argmax(np.abs(np.log(np.maximum(kept, 1e-9))))]),
        "corr": float(np.abs(correlation[0] - correlation[1])[pairs].mean()),
        "within_sd": float(np.mean(within[1] / np.maximum(within[0], 1e-9))),
    }
