"""How close is a differentially private population to the real one? `activity-dp` on two test beds, beside MCKA."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

import sequester as sq
from experiments.activity_testbed import STATES, cohort, compare, facts, real_days
from sequester.model import Activities

TITLE = "activity-dp: accuracy by people and budget"
PAPER = "sound variant of MCDP (Parameshwarappa, Chen, Koru 2020)"
NOTE = """W1: Wasserstein distance of daily minutes, mean of four states. RD: relative difference of daily minutes
paired by rank. prof: total variation of the weekday/weekend x hour profile. bout: total variation of bout lengths per
state, mean of four; all_bouts: the same over states and lengths together. flow: changes between states per day part,
relative L1. var: spread between people kept (mean, and worst state). corr: error of correlations between states.
within_sd: day-to-day spread kept. delta is 1e-6. A fresh cohort and fresh noise every run; columns `reference` are
figures of an earlier prototype on a test bed of the same construction; no script here prints them. MCKA is not
differentially private."""
CHART = {"x": "epsilon", "y": "W1", "color": "n", "scale": "log", "rows": {"what": "activity-dp"}}

SCORED = 1500
"""Synthetic people looked at."""
REFERENCE = {
    (1000, 0.5): (31, 0.15, 0.042, 0.22, 0.14, 1.9, 0.44, 0.24),
    (1000, 1.0): (20, 0.11, 0.025, 0.16, 0.11, 1.3, 0.50, 0.20),
    (1000, 4.0): (9.8, 0.07, 0.014, 0.09, 0.04, 1.0, 0.69, 0.11),
    (10000, 0.5): (11, 0.08, 0.015, 0.08, 0.03, 1.1, 0.65, 0.09),
    (10000, 1.0): (11, 0.08, 0.014, 0.05, 0.03, 1.1, 0.76, 0.08),
    (10000, 4.0): (7.9, 0.07, 0.012, 0.03, 0.03, 1.0, 0.84, 0.07),
    (50000, 1.0): (7.7, 0.07, 0.013, 0.03, 0.04, 0.94, 0.86, 0.07),
}
"""(people, epsilon) → figures of the prototype."""
REFERRED = ("W1", "RD", "prof", "bout", "flow", "var", "var_worst", "corr")
RUNS = {1000: 6, 10000: 3}
START = np.datetime64("2024-03-04T00:00:00", "s")


def run() -> Iterator[dict]:
    """Rows by people and epsilon, then what they are to be compared with."""
    for n, runs in RUNS.items():
        for epsilon in (0.5, 1.0, 4.0):
            yield scored("activity-dp", n, runs, cohort, private(epsilon, n), epsilon)
    yield scored("activity-dp", 50_000, 1, cohort, private(1.0, 50_000), 1.0)
    for n in RUNS:
        yield scored("activity-dp, real days", n, 1, real_days, private(1.0, n), 1.0)
    literal, best = sq.MCKA(k=5, literal=True), sq.MCKA(k=5)
    for what, method in (("mcka k=5, as printed", literal), ("mcka k=5, our sampler", best)):
        yield scored(what, 10000, 1, cohort, method, None)
    figures = compare(facts(cohort(10000, seed=1)), facts(cohort(1000, seed=2)))
    yield {"what": "two true cohorts (1,000 v 10,000)", "n": 10000, "epsilon": None, "runs": 1, **rounded(figures)}


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """All figures, then those that have a reference."""
    figures = [{c: v for c, v in r.items() if not c.startswith("reference_")} for r in rows]
    known = [r for r in rows if "reference_W1" in r]
    beside = [
        {"n": r["n"], "epsilon": r["epsilon"]} | {k: r[k] for c in REFERRED for k in (c, f"reference_{c}")}
        for r in known
    ]
    return {"Accuracy": figures, "Beside the reference": beside}


def private(epsilon: float, n: int) -> sq.Method:
    """The method as a user would call it; at n = 1,000 and epsilon .5 it must be forced."""
    return sq.ActivityDP(epsilon=epsilon, delta=1e-6, people_at_least=n, force=True)


def scored(
    what: str, n: int, runs: int, bed: Callable[..., np.ndarray], method: sq.Method, epsilon: float | None
) -> dict:
    """Mean figures of several runs, with the scatter of W1."""
    found = []
    for r in range(runs):
        states = bed(n, seed=1000 + r)
        real = facts(states)
        states.flags.writeable = False
        data = Activities(names_public=True, states=states, state_names=STATES, start=START)
        made = sq.anonymize(data, method, seed=r).tables["sequences"]["states"].combine_chunks()
        rows = made.flatten().to_numpy().reshape(len(made), -1)
        some = np.random.default_rng(r).permutation(len(rows))[: min(n, SCORED)]
        found.append(compare(real, facts(np.ascontiguousarray(rows[some]))))
    mean = {name: float(np.mean([f[name] for f in found])) for name in found[0]}
    row = {"what": what, "n": n, "epsilon": epsilon, "runs": runs, **rounded(mean)}
    row["W1_sd"] = round(float(np.std([f["W1"] for f in found])), 1) if runs > 1 else None
    if epsilon is not None:
        index = method.index(len(STATES))  # type: ignore[attr-defined]
        row["index"] = round(index)
        if what == "activity-dp":
            row |= {f"reference_{c}": v for c, v in zip(REFERRED, REFERENCE[n, epsilon], strict=True)}
    return row


def rounded(figures: dict[str, float]) -> dict[str, float]:
    """Three digits are enough for a table."""
    return {name: float(f"{value:.3g}") for name, value in figures.items()}
