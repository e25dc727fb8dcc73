"""A sample log as the field keeps logs: OMOP tables, MEDS shards, a FHIR bulk export. Invented people and codes."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from sequester.errors import InputError
from sequester.model import EventLog

VISITS = ("ARRIVAL", "TRIAGE", "DISCHARGE")
PROCEDURES = ("SURGERY", "IMAGING", "LAB")
FORMS = ("omop", "meds", "fhir")


def write_standard(log: EventLog, path: Path, form: str) -> Path:
    """Write a log as a folder of one of the standards; never over an existing one."""
    if form not in FORMS:
        raise InputError(f"sample: no form '{form}'; there are {', '.join(FORMS)}.")
    if path.exists():
        raise InputError(f"sample: '{path.name}' exists. Choose another name or remove it first.")
    path.mkdir(parents=True)
    rows = [
        (i + 1, np.datetime64(int(log.times[at]), "s"), log.state_names[log.states[at]])
        for i in range(log.n_records)
        for at in range(int(log.offsets[i]), int(log.offsets[i + 1]))
    ]
    {"omop": _omop, "meds": _meds, "fhir": _fhir}[form](rows, log.state_names, path)
    return path


def _table(path: Path, header: list[str], rows: list[Any]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header)
        out.writerows(rows)


def _omop(rows: list[Any], names: tuple[str, ...], folder: Path) -> None:
    concept = {name: 9000 + i for i, name in enumerate(names)}
    _table(folder / "concept.csv", ["concept_id", "concept_name"], [(c, n.title()) for n, c in concept.items()])
    visits = [(k, p, concept[s], t, t.astype("datetime64[D]")) for k, (p, t, s) in enumerate(rows, 1) if s in VISITS]
    header = ["visit_occurrence_id", "person_id", "visit_concept_id", "visit_start_datetime", "visit_start_date"]
    _table(folder / "visit_occurrence.csv", header, visits)
    done = [(k, p, concept[s], t, t.astype("datetime64[D]")) for k, (p, t, s) in enumerate(rows, 1) if s not in VISITS]
    header = ["procedure_occurrence_id", "person_id", "procedure_concept_id", "procedure_datetime", "procedure_date"]
    _table(folder / "procedure_occurrence.csv", header, done)


def _meds(rows: list[Any], names: tuple[str, ...], folder: Path) -> None:
    place = folder / "data" / "train"
    place.mkdir(parents=True)
    half = rows[len(rows) // 2][0]
    for shard, mine in enumerate(([r for r in rows if r[0] <= half], [r for r in rows if r[0] > half])):
        table = pa.table(
            {
                "subject_id": pa.array([r[0] for r in mine], pa.int64()),
                "time": pa.array([r[1].astype("datetime64[us]") for r in mine], pa.timestamp("us")),
                "code": pa.array([f"WARD//{r[2]}" for r in mine], pa.string()),
                "numeric_value": pa.nulls(len(mine), pa.float32()),
            }
        )
        pq.write_table(table, place / f"{shard}.parquet")


def _fhir(rows: list[Any], names: tuple[str, ...], folder: Path) -> None:
    visits, done = [], []
    for k, (person, at, state) in enumerate(rows):
        whose = {"reference": f"Patient/{person}"}
        code = {"coding": [{"system": "urn:sample", "code": state, "display": state.title()}]}
        if state in VISITS:
            visits.append({"resourceType": "Encounter", "id": f"e{k}", "subject": whose, "type": [code],
                           "period": {"start": f"{at}Z"}})  # fmt: skip
        else:
            done.append({"resourceType": "Procedure", "id": f"p{k}", "subject": whose, "code": code,
                         "performedDateTime": f"{at}Z"})  # fmt: skip
    for name, resources in (("Encounter", visits), ("Procedure", done)):
        lines = "".join(json.dumps(r) + "\n" for r in resources)
        (folder / f"{name}.ndjson").write_text(lines, "utf-8")
