"""The event logs of the experiments: two tables of the MIMIC-III demo, and two hospital logs of the paper's size."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import sequester as sq
from experiments.steps import DATA

LOGS = ("TRANSFERS", "CPTEVENTS", "Sepsis", "BPIC 2011")
SIMULATED = {"TRANSFERS x 44": 4370, "CPTEVENTS x 35": 3171}
"""Logs of the paper's size, drawn from the demo's: the number of objects in the paper's Table 1."""
DATES = {
    "TRANSFERS": "2100-01-01..2210-12-31",
    "Sepsis": "2013-01-01..2015-12-31",
    "BPIC 2011": "2005-01-01..2008-12-31",
    "CPTEVENTS": None,
    "TRANSFERS x 44": "2100-01-01..2210-12-31",
    "CPTEVENTS x 35": None,
}
"""Ranges anyone may know from the descriptions of the data."""
PEOPLE = {"TRANSFERS": 100, "CPTEVENTS": 90, "Sepsis": 1000, "BPIC 2011": 1100} | SIMULATED

SECONDS: Any = {"time_format": "iso", "time_unit": "second"}


@cache
def event_log(name: str) -> sq.EventLog:
    """One of `LOGS`, read with the package's own reader."""
    if name in SIMULATED:
        return _enlarged(event_log(name.partition(" ")[0]), SIMULATED[name])
    mimic, hospital = DATA / "mimic3_demo", DATA / "hospital_event_logs"
    if name == "TRANSFERS":
        states = ("curr_wardid", "eventtype")  # unit + operation, as in the paper
        return sq.read_events(mimic / "TRANSFERS.csv.gz", person="subject_id", time="intime", states=states, **SECONDS)
    if name == "CPTEVENTS":
        return sq.read_events(_procedures(mimic / "CPTEVENTS.csv.gz"), person="subject_id", state="cpt_cd")
    if name == "Sepsis":
        path = hospital / "sepsis.csv.gz"
        return sq.read_events(path, person="case_id", time="timestamp", state="activity", **SECONDS)
    path = hospital / "hospital_bpic2011.csv.gz"
    return sq.read_events(path, person="case_id", time="date", state="activity", time_format="iso", time_unit="day")


def _procedures(path: Any) -> Any:
    """Procedures in the order of their ticket, the paper's fabricated time; those without one come last."""
    import pandas as pd

    return pd.read_csv(path, dtype=str).assign(
        ticket=lambda t: pd.to_numeric(t["ticket_id_seq"])
    ).sort_values(["subject_id", "ticket"], kind="stable")[["subject_id", "cpt_cd"]]  # fmt: skip


def _enlarged(log: sq.EventLog, n: int) -> sq.EventLog:
    """Objects walked through the log's own contexts of up to three states, with its own starts and gaps."""
    rng = np.random.default_rng(0)
    moves: dict[tuple[int, ...], list[tuple[int, int]]] = {}
    starts = []
    for a, b in zip(log.offsets[:-1].tolist(), log.offsets[1:].tolist(), strict=True):
        trace, times = log.states[a:b].tolist(), log.times[a:b].tolist()
        starts.append((trace[0], times[0]))
        for i in range(1, len(trace) + 1):
            after = (trace[i], times[i] - times[i - 1]) if i < len(trace) else (-1, 0)
            for order in (1, 2, 3):
                moves.setdefault(tuple(trace[max(0, i - order) : i]), []).append(after)
    states, times_, offsets = [], [], [0]
    for _ in range(n):
        state, t = starts[rng.integers(len(starts))]
        trace = []
        while state >= 0 and len(trace) < 300:
            trace.append(state)
            states.append(state)
            times_.append(t)
            # A context seen once would copy its object to the end: go back to the last state now and then.
            known = moves.get(tuple(trace[-3:]), [])
            if len(known) < 3 or rng.random() < 0.2:
                known = moves[tuple(trace[-1:])]
            state, gap = known[rng.integers(len(known))]
            t += gap
        offsets.append(len(states))
    return sq.EventLog(
        names_public=True,
        offsets=np.array(offsets),
        states=np.array(states),
        state_names=log.state_names,
        times=np.array(times_) if log.time_unit != "order" else np.arange(len(states)),
        time_unit=log.time_unit,
    )


def figures(log: sq.EventLog, method: sq.Method, seed: int, **options: Any) -> dict[str, Any]:
    """Run a method once and measure it."""
    release = sq.anonymize(log, method, seed=seed)
    return {f.name: f.value for f in sq.measure(log, release, **options).figures}
