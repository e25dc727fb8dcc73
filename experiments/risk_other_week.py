"""Who holds another week of a person's activity: do they find the person in the published week?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments import risk_data
from sequester.model import Activities
from sequester.model.kind import take
from sequester.primitives.intervals import wilson

TITLE = "Re-identification by another week"
PAPER = "the setting of Na et al. 2018 (NHANES accelerometry, 20-minute sums), on Fitbit minutes"
NOTE = """An attacker has one week of everybody, with names, and the release of another week. Both are turned into mean
20-minute profiles of the day, and every person is given the nearest published row; in a cluster of s people the right
cluster counts as 1/s. The first row is the risk of publishing the week as it is; afterwards 1/k is the most there can
be."""
BIN_MINUTES = 20
METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("mcka", {"k": 3}),
    ("mcka", {"k": 5}),
    ("mcka", {"k": 5, "literal": True}),
    ("mcka", {"k": 5, "exact": True}),
    ("mdav-ka", {"k": 5}),
    ("mcdp", {"k": 5, "epsilon": 1.0}),
)


def run() -> Iterator[dict[str, Any]]:
    """Rows: the original, then each method."""
    known, published = two_weeks(risk_data.fitbit_weeks())
    n = published.n_people
    theirs = profiles(known.states, len(known.state_names))
    found = nearest(theirs, profiles(published.states, len(published.state_names))) == np.arange(n)
    yield _row("original", "", float(found.sum()), n, 1 / n, None)
    for method_id, parameters in METHODS:
        scores = []
        for seed in range(5):
            release = sq.anonymize(published, sq.method_class(method_id)(**parameters), seed=seed)
            scores.append(_found(theirs, release, published))
        shown = " ".join(f"{k}={v}" for k, v in parameters.items())
        yield _row(method_id, shown, float(np.mean(scores)) * n, n, 1 / n, 1 / parameters["k"])


def _found(theirs: np.ndarray, release: Any, published: Activities) -> float:
    table, told = release.tables["sequences"], release.private["records"]
    flat = table.column("states").combine_chunks().flatten().to_numpy()
    rows = flat.reshape(table.num_rows, -1)
    cluster = table.column("cluster").to_numpy()
    own = dict(zip(told.column("row").to_pylist(), told.column("cluster").to_pylist(), strict=True))
    picked = cluster[nearest(theirs, profiles(rows, len(published.state_names)))]
    sizes = np.bincount(cluster)
    return float(np.mean([(picked[i] == own[i]) / sizes[own[i]] for i in range(len(theirs))]))


def two_weeks(weeks: Activities) -> tuple[Activities, Activities]:
    """The first and the last whole week of everybody who has two."""
    owner = np.array([p.split("-")[0] for p in weeks.persons])
    first, last = [], []
    for person in dict.fromkeys(owner):
        at = np.flatnonzero(owner == person)
        if len(at) > 1:
            first.append(at[0])
            last.append(at[-1])
    return take(weeks, np.array(first)), take(weeks, np.array(last))


def profiles(states: np.ndarray, n_states: int) -> np.ndarray:
    """Share of every state in each 20 minutes of the day, over all days."""
    days = states[:, : states.shape[1] // 1440 * 1440].reshape(len(states), -1, 1440 // BIN_MINUTES, BIN_MINUTES)
    return np.stack([(days == s).mean(axis=(1, 3)) for s in range(n_states)], axis=2).reshape(len(states), -1)


def nearest(people: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Row nearest to every person."""
    return ((people[:, None] - rows[None]) ** 2).sum(axis=2).argmin(axis=1)


def _row(method: str, parameters: str, won: float, n: int, blind: float, bound: float | None) -> dict[str, Any]:
    low, high = wilson(won, n)
    return {"method": method, "parameters": parameters, "people": n, "re-identified": won / n, "low": low, "high": high,
            "blind guess": blind, "1/k": bound}  # fmt: skip


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
