"""Event sources as the field keeps them: OMOP CDM, MEDS and FHIR bulk exports → who, when, what."""

from __future__ import annotations

import gzip
import json
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import InputError, counted
from sequester.read.cells import texts
from sequester.read.engine import own_engine
from sequester.read.gather import walked
from sequester.read.table import Loaded, ending, load

OMOP = {
    "visit_occurrence": ("visit_concept_id", "visit_start_datetime", "visit_start_date"),
    "condition_occurrence": ("condition_concept_id", "condition_start_datetime", "condition_start_date"),
    "procedure_occurrence": ("procedure_concept_id", "procedure_datetime", "procedure_date"),
    "drug_exposure": ("drug_concept_id", "drug_exposure_start_datetime", "drug_exposure_start_date"),
    "measurement": ("measurement_concept_id", "measurement_datetime", "measurement_date"),
    "observation": ("observation_concept_id", "observation_datetime", "observation_date"),
}
"""Table → concept, start time, start date. The person is `person_id` in all of them."""
FHIR = {
    "Encounter": ("period.start", "subject"),
    "Condition": ("onsetDateTime,recordedDate", "subject"),
    "Procedure": ("performedDateTime,performedPeriod.start", "subject"),
    "MedicationAdministration": ("effectiveDateTime,effectivePeriod.start", "subject"),
    "MedicationRequest": ("authoredOn", "subject"),
    "Observation": ("effectiveDateTime,effectivePeriod.start,issued", "subject"),
    "Immunization": ("occurrenceDateTime", "patient"),
}
"""Resource → where its time stands (the first that is there), and whose it is."""
MEDS = ("subject_id", "time", "code")
LONGEST_LINE, LARGEST_BUNDLE = 1 << 24, 1 << 26


def standard_of(path: Path) -> str | None:
    """Which standard a source follows, by names alone; None if none."""
    try:
        inside = _files(path)
        stems = {_stem(p) for p in inside}
        if {s.partition(".")[0] for s in stems} & {r.lower() for r in FHIR} and any(
            ending(p) in (".ndjson", ".jsonl") for p in inside
        ):
            return "fhir"
        if stems & set(OMOP):
            return "omop"
        records = [p for p in inside if ending(p) == ".json"]
        if records:
            with gzip.open(records[0]) if records[0].suffix == ".gz" else records[0].open("rb") as file:
                if b'"resourceType"' in file.read(1 << 12):
                    return "fhir"
        shards = [p for p in inside if p.suffix.lower() == ".parquet"]
        if shards:
            import pyarrow.parquet as pq

            if set(MEDS) <= set(pq.read_schema(shards[0]).names):
                return "meds"
    except (OSError, ValueError):
        pass
    return None


def load_standard(name: str, source: Any, who: str) -> Loaded:
    """Rows with the columns person, time, state and table, in the order of the files."""
    if not isinstance(source, (str, Path)):
        raise InputError(f"{who}: layout='{name}' reads a folder or a file; pass a path.")
    path = Path(source)
    if not path.exists():
        raise InputError(f"{who}: '{path.name}' does not exist. Check the path.")
    return {"omop": _omop, "meds": _meds, "fhir": _fhir}[name](path, who)


def _stem(path: Path) -> str:
    name = path.name.lower()
    for last in (".gz", ".zip"):
        name = name.removesuffix(last)
    return name.rpartition(".")[0]


def _files(path: Path) -> list[Path]:
    return sorted(walked(path, "read_events")) if path.is_dir() else [path]


def _rows(parts: list[tuple[Any, Any, Any, str]], who: str, path: Path, notes: list[str]) -> Loaded:
    if not parts or not sum(len(p[0]) for p in parts):
        raise InputError(f"{who}: '{path.name}' holds no events of this layout. Check the folder and the layout.")
    joined = {
        "person": pa.concat_arrays([p[0] for p in parts]),
        "time": pa.concat_arrays([p[1] for p in parts]),
        "state": pa.concat_arrays([p[2] for p in parts]),
        "table": pa.concat_arrays([pa.array([p[3]] * len(p[0]), pa.string()) for p in parts]),
    }
    return Loaded(pa.table(joined), tuple(notes))


def _omop(path: Path, who: str) -> Loaded:
    tables = _omop_tables(path, who)
    notes: list[str] = []
    concepts: dict[str, str] = {}
    if "concept" in tables:
        book = _lower(tables["concept"]())
        if {"concept_id", "concept_name"} <= set(book.column_names):
            concepts = {
                k: v
                for k, v in zip(texts(book["concept_id"]).to_pylist(), texts(book["concept_name"]).to_pylist())
                if k and v
            }
    parts = []
    for name, (concept, moment, date) in OMOP.items():
        if name not in tables:
            continue
        rows = _lower(tables[name]())
        lacking = [c for c in ("person_id", concept) if c not in rows.column_names]
        if lacking or (moment not in rows.column_names and date not in rows.column_names):
            raise InputError(f"{who}: the OMOP table '{name}' lacks {', '.join(lacking) or moment}. Export it whole.")
        when = pa.nulls(rows.num_rows, pa.string())
        for column in (moment, date):
            if column in rows.column_names:
                when = pc.coalesce(when, texts(rows[column]))
        code = texts(rows[concept]).dictionary_encode()
        known = pa.array([concepts.get(c, f"{name} {c}") for c in code.dictionary.to_pylist()], pa.string())
        parts.append((texts(rows["person_id"]), when, known.take(code.indices), name))
    if not concepts and parts:
        notes.append("no table 'concept' with names: states are concept numbers")
    return _rows(parts, who, path, notes)


def _omop_tables(path: Path, who: str) -> dict[str, Any]:
    """Names of the tables here → how to load each."""
    if path.is_file() and ending(path) in (".duckdb", ".db", ".ddb"):
        try:
            connection = own_engine(str(path), read_only=True, sealed=True)
            names = [row[0] for row in connection.execute("select table_name from duckdb_tables()").fetchall()]
            connection.close()
        except Exception as error:
            raise InputError(f"{who}: '{path.name}' is not a database that can be opened.") from error
        return {n.lower(): (lambda n=n: load(path, who, table=n).table) for n in names}
    return {_stem(p): (lambda p=p: load(p, who).table) for p in _files(path)}


def _lower(table: Any) -> Any:
    names = [n.lower() for n in table.column_names]
    return table.rename_columns(names) if len(set(names)) == len(names) else table


def _meds(path: Path, who: str) -> Loaded:
    parts = []
    for file in _files(path):
        if file.suffix.lower() != ".parquet":
            continue
        rows = load(file, who).table
        if not set(MEDS) <= set(rows.column_names):
            continue  # codes.parquet and other tables beside the shards
        parts.append((texts(rows["subject_id"]), texts(rows["time"]), texts(rows["code"]), file.parent.name))
    return _rows(parts, who, path, ["rows without a time (birth, static facts) are left out"] if parts else [])


def _fhir(path: Path, who: str) -> Loaded:
    notes: list[str] = []
    # In the order of this list, not of the files: one person's first resource must not decide what of everybody's
    # events of one moment comes first.
    columns: dict[str, list[tuple[Any, Any, Any]]] = {kind: [] for kind in FHIR}
    bad = 0
    for file in _files(path):
        if ending(file) not in (".ndjson", ".jsonl", ".json"):
            continue
        try:
            with gzip.open(file) if file.suffix.lower() == ".gz" else file.open("rb") as lines:
                for row in _resources(lines, whole=ending(file) == ".json"):
                    bad += row is None
                    kind = row.get("resourceType") if row else None
                    if row and isinstance(kind, str) and kind in FHIR:
                        columns[kind].append(_event(row, kind))
        except (OSError, EOFError, zlib.error) as error:
            raise InputError(f"{who}: '{file.name}' is not a whole file. Check how it was exported.") from error
    if bad:
        notes.append(
            counted(bad, "line is not a JSON object and was left out", "lines are not JSON objects and were left out")
        )
    parts = [
        (*(pa.array([whole_letters(row[i]) for row in rows], pa.string()) for i in range(3)), kind)
        for kind, rows in columns.items()
        if rows
    ]
    return _rows(parts, who, path, notes)


def _resources(lines: Any, *, whole: bool) -> Iterator[dict[str, Any] | None]:
    """Resources of a file: a line each, or those of a bundle, which may be a file of many lines; None: no resource."""
    found = _parsed(lines.read(LARGEST_BUNDLE)) if whole else None
    if found is None:
        lines.seek(0)
    rows = (
        [found]
        if found
        else (_parsed(line) for line in iter(lambda: lines.readline(LONGEST_LINE), b"") if line.strip())
    )
    for row in rows:
        entries = row.get("entry") if row and row.get("resourceType") == "Bundle" else None
        if not isinstance(entries, list):
            yield row
            continue
        inside = (e.get("resource") if isinstance(e, dict) else None for e in entries)
        yield from (r if isinstance(r, dict) else None for r in inside)


def whole_letters(text: str | None) -> str | None:
    """Text in which half a surrogate pair, which no file can hold, is a question mark."""
    return None if text is None else text.encode("utf-8", "replace").decode("utf-8")


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
        if b"\\ud" in line.lower():  # half of a character written as an escape is no text
            json.dumps(found, ensure_ascii=False).encode("utf-8")
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _event(row: dict[str, Any], kind: str) -> tuple[str | None, str | None, str | None]:
    places, whose = FHIR[kind]
    subject = _at(row, f"{whose}.reference")
    when = next((t for t in (_at(row, p) for p in places.split(",")) if t), None)
    return (subject.rpartition("/")[2] if subject else None), when, _called(row, kind)


def _called(row: dict[str, Any], kind: str) -> str | None:
    """What happened: the words of the code, its display, or the code; an encounter's class and type."""
    for place in ("code", "medicationCodeableConcept", "vaccineCode", "type", "class"):
        found = row.get(place)
        found = found[0] if isinstance(found, list) and found else found
        if not isinstance(found, dict):
            continue
        coding = found.get("coding")
        first = coding[0] if isinstance(coding, list) and coding and isinstance(coding[0], dict) else found
        for name in (found.get("text"), first.get("display"), first.get("code")):
            if isinstance(name, str) and name.strip():
                return name
    return kind


def _at(row: Any, place: str) -> str | None:
    for key in place.split("."):
        row = row.get(key) if isinstance(row, dict) else None
    return row if isinstance(row, str) and row else None
