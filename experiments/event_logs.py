"""The event logs of the experiments: two tables of the MIMIC-III demo, and two hospital logs of the paper's size."""

from __future__ import annotations

from functools import cache
from typing import Any

import sequester as sq
from experiments.steps import DATA

LOGS = ("TRANSFERS", "CPTEVENTS", "Sepsis", "BPIC 2011")
DATES = {
    "TRANSFERS": "2100-01-01..2210-12-31",
    "Sepsis": "2013-01-01..2015-12-31",
    "BPIC 2011": "2005-01-01..2008-12-31",
    "CPTEVENTS": None,
}
"""Ranges anyone may know from the descriptions of the data."""
PEOPLE = {"TRANSFERS": 100, "CPTEVENTS": 90, "Sepsis": 1000, "BPIC 2011": 1100}


@cache
def event_log(name: str) -> sq.EventLog:
    """One of `LOGS`, read with the package's own reader."""
    mimic, hospital = DATA / "mimic3_demo", DATA / "hospital_event_logs"
    if name == "TRANSFERS":
        states = ("curr_wardid", "eventtype")  # unit + operation, as in the paper
        return sq.read_events(mimic / "TRANSFERS.csv.gz", person="subject_id", time="intime", states=states)
    if name == "CPTEVENTS":
        return sq.read_events(_procedures(mimic / "CPTEVENTS.csv.gz"), person="subject_id", state="cpt_cd")
    if name == "Sepsis":
        path = hospital / "sepsis.csv.gz"
        return sq.read_events(path, person="case_id", time="timestamp", state="activity")
    return sq.read_events(hospital / "hospital_bpic2011.csv.gz", person="case_id", time="date", state="activity")


def _procedures(path: Any) -> Any:
    """Procedures in the order of their ticket, the paper's fabricated time; those without one come last."""
    import pandas as pd

    return pd.read_csv(path, dtype=str).assign(
        ticket=lambda t: pd.to_numeric(t["ticket_id_seq"])
    ).sort_values(["subject_id", "ticket"], kind="stable")[["subject_id", "cpt_cd"]]  # fmt: skip


def figures(log: sq.EventLog, method: sq.Method, seed: int, **options: Any) -> dict[str, Any]:
    """Run a method once and measure it."""
    release = sq.anonymize(log, method, seed=seed)
    return {f.name: f.value for f in sq.measure(log, release, **options).figures}
