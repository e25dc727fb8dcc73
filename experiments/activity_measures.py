"""The measures that users of accelerometers compute, before and after, with every sampler; and who can be told."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.activity_sampling import fitbit_people
from experiments.activity_testbed import STATES, cohort
from sequester.model import Activities

TITLE = "Rest and activity, before and after"
PAPER = "IS, IV, L5, M10, RA: Witting et al. 1990, van Someren et al. 1999; the sampler day-types is ours"
NOTE = """Means over people and seeds; `original` first. Spread is the standard deviation of minutes per day, mean over
states: over a person's days, and between people. Profile, bouts and flows are distances to the original (0 is best).
Copied: longest run of changes a row shares with a member of its cluster, beside as many strangers. Membership: half of
the people are released, the other half are strangers; AUC of the mean distance to the five nearest rows on parts of
days (0.5: nobody can be told). Fitbit: 32 real people, 14 days. Students: simulated from real hours with the same kind
of tilt that the sampler uses, so that this test bed flatters it. The sampler's settings (twelve parts of a day, six
rounds, 160 to 600 rows, bins of age, the pull on day-to-day spread) were chosen on these two data sets and on no
other."""
SHOWN = {
    "IS": "IS, released", "IV": "IV, released", "RA": "RA, released", "L5": "L5, released", "M10": "M10, released",
    "longest rest": "longest rest, released", "day-to-day SD": "day-to-day SD, released",
    "between-person SD": "between-person SD, released", "profile": "time-of-day profile distance",
    "daily W1": "daily minutes Wasserstein", "bouts": "bout length total variation", "flows": "flow difference",
    "copied": "longest copied stretch, own cluster", "by chance": "longest copied stretch, by chance",
}  # fmt: skip
WAYS = {
    "independent (paper)": {"sampler": "independent"},
    "day-types (default)": {"sampler": "day-types"},
}
NEAREST = 5


def students(n_people: int = 980) -> Activities:
    """The simulated test bed."""
    states = cohort(n_people, seed=3)
    return Activities(states=states, state_names=STATES, start=np.datetime64("2024-03-04T00:00:00"))


def run() -> Iterator[dict[str, Any]]:
    """A row per data set and sampler, the original first."""
    for name, data, seeds, splits in (("Fitbit", fitbit_people(), 5, 6), ("students", students(), 2, 2)):
        for way, options in WAYS.items():
            seen = [sq.measure(data, sq.anonymize(data, sq.MCKA(k=5, **options), seed=s)) for s in range(seeds)]
            if way == "independent (paper)":
                truth = {c: seen[0][f.replace("released", "original")] for c, f in SHOWN.items() if "released" in f}
                yield {"data": name, "rows": "original", **_rounded(truth)}
            told = {c: float(np.mean([e[f] for e in seen])) for c, f in SHOWN.items()}
            told["membership AUC"] = float(np.mean([membership(data, options, seed=s) for s in range(splits)]))
            yield {"data": name, "rows": way, **_rounded(told)}


def _rounded(told: dict[str, Any]) -> dict[str, Any]:
    return {name: float(f"{value:.3g}") for name, value in told.items()}


def parts(states: np.ndarray, n_states: int) -> np.ndarray:
    """Rows x (days, parts of three hours, states): shares."""
    cut = states[:, : states.shape[1] // 180 * 180].reshape(len(states), -1, 180)
    return np.stack([(cut == a).mean(axis=2) for a in range(n_states)], axis=2).reshape(len(states), -1)


def membership(data: Activities, options: dict[str, str], *, seed: int) -> float:
    """AUC of being nearer to the release of one's own half."""
    order = np.random.default_rng(seed).permutation(data.n_records)
    inside, outside = np.split(order, [data.n_records // 2])
    release = sq.anonymize(data.take(inside), sq.MCKA(k=5, **options), seed=seed)
    rows = np.stack(release.tables["sequences"]["states"].to_numpy(zero_copy_only=False))
    released = parts(rows, len(data.state_names))

    def near(who: np.ndarray) -> np.ndarray:
        mine = parts(data.states[who], len(data.state_names))
        return -np.sort(_apart(mine, released), axis=1)[:, :NEAREST].mean(axis=1)

    a, b = near(inside), near(outside)
    return float((a[:, None] > b[None]).mean() + 0.5 * (a[:, None] == b[None]).mean())


def _apart(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    square = (x**2).sum(axis=1)[:, None] + (y**2).sum(axis=1)[None] - 2 * x @ y.T
    return np.sqrt(np.maximum(square, 0))
