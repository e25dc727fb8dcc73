"""A published event log as the field loads it: OMOP CDM tables, a FHIR bulk export, MEDS shards.

Objects, times and states are written, no other column. What a state is called in a vocabulary comes from a mapping file
of the custodian, such as the table `concept` of an OMOP database. A state that the file does not name becomes an
observation with a number of its own, as OMOP asks for (2,000,000,000 and above). No number stands for two states.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import count
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sequester.errors import BundleError, InputError
from sequester.layouts.log import unit_of
from sequester.stored_tables import labelled, write_parquet

STANDARDS = ("omop", "fhir", "meds")
OWN_NUMBERS, MOST = 2_000_000_000, 2**31
"""OMOP leaves the numbers between to whoever has concepts of their own."""


class _Domain(NamedTuple):
    table: str
    """Of OMOP."""
    word: str
    """What its columns begin with."""
    start: str
    """What its columns of time begin with."""
    end: str
    """A column for the date of the end, which OMOP does not leave empty; none where there is no such column."""
    resource: str
    """Of FHIR."""
    moment: str
    code: str
    """Where the resource keeps its time and its code."""


DOMAINS = {
    "Visit": _Domain("visit_occurrence", "visit", "visit_start", "visit_end_date", "Encounter", "period", "type"),
    "Condition": _Domain(
        "condition_occurrence", "condition", "condition_start", "", "Condition", "onsetDateTime", "code"
    ),
    "Procedure": _Domain(
        "procedure_occurrence", "procedure", "procedure", "", "Procedure", "performedDateTime", "code"
    ),
    "Drug": _Domain(
        "drug_exposure", "drug", "drug_exposure_start", "drug_exposure_end_date", "MedicationAdministration",
        "effectiveDateTime", "medicationCodeableConcept",
    ),
    "Measurement": _Domain(
        "measurement", "measurement", "measurement", "", "Observation", "effectiveDateTime", "code"
    ),
    "Observation": _Domain(
        "observation", "observation", "observation", "", "Observation", "effectiveDateTime", "code"
    ),
}  # fmt: skip
STATUS = {"Encounter": "finished", "Observation": "final", "Procedure": "completed",
          "MedicationAdministration": "completed"}  # fmt: skip
SYSTEMS = {"SNOMED": "http://snomed.info/sct", "LOINC": "http://loinc.org"}
"""As FHIR calls vocabularies of OMOP; others are called `urn:omop:NAME`."""
PLACES = {
    "omop": {f"{name}.csv" for name in ("person", "concept", "cdm_source", *(d.table for d in DOMAINS.values()))},
    "fhir": {f"{name}.ndjson" for name in ("Patient", *(d.resource for d in DOMAINS.values()))},
    "meds": {"data/0.parquet", "metadata/codes.parquet", "metadata/dataset.json"},
}
"""Files below `data/NAME/` that each standard may have."""
WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9 ._:/-]{0,49}|", re.ASCII)
"""A vocabulary, or a code in it."""
Writer = Callable[[IO[bytes]], int]
"""Writes a file and returns its rows."""


class Concept(NamedTuple):
    """What a state is called in a vocabulary."""

    number: int
    domain: str = "Observation"
    vocabulary: str = ""
    code: str = ""


def read_mapping(path: Path) -> dict[str, Concept]:
    """State → concept, from a table with `concept_name`, `concept_id` and, where there are, the columns beside them.

    Of several rows with one name the first standard concept counts, else the first: vocabularies share names.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            head = file.readline()
            delimiter = "\t" if "\t" in head else ";" if head.count(";") > head.count(",") else ","
            names = [name.strip().lower() for name in next(csv.reader([head], delimiter=delimiter), [])]
            rows = [dict(zip(names, row)) for row in csv.reader(file, delimiter=delimiter)]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"mapping: '{path.name}' cannot be read as a table in UTF-8. Check the path.") from error
    lacking = [name for name in ("concept_name", "concept_id") if name not in names]
    if lacking:
        raise InputError(f"mapping: '{path.name}' lacks {', '.join(lacking)}. It must be like OMOP's table 'concept'.")
    out: dict[str, Concept] = {}
    standard: set[str] = set()
    odd = 0
    for row in rows:
        name, number, domain = row.get("concept_name", ""), row.get("concept_id", ""), row.get("domain_id", "")
        words = [row.get("vocabulary_id") or "", row.get("concept_code") or ""]
        right = bool(name) and number.isdecimal() and int(number) < MOST
        if not right or not all(WORD.fullmatch(word) for word in words):
            odd += 1
        else:
            domain = domain if domain in DOMAINS else "Observation"
            found = Concept(int(number), domain, *words)
            out[name] = found if row.get("standard_concept") == "S" and name not in standard else out.get(name, found)
            standard |= {name} if row.get("standard_concept") == "S" else set()
    if odd:
        raise InputError(
            f"mapping: {odd} of {len(rows)} rows of '{path.name}' have no concept_name, no number below 2,147,483,648 "
            "in concept_id, or signs in vocabulary_id or concept_code that no vocabulary uses. Correct them."
        )
    again = len(rows) - len({int(row["concept_id"]) for row in rows})
    if again:
        raise InputError(
            f"mapping: {again} of {len(rows)} rows of '{path.name}' repeat a concept_id. Give every state a number of "
            "its own, or leave its row out: then it gets one."
        )
    return out


def concepts_of(table: Any, mapping: Mapping[str, Concept]) -> dict[str, Concept]:
    """Every state of a log, in their order, and what it is called."""
    batches = table.select(["state"]).to_batches(max_chunksize=50_000)
    states = sorted({state for batch in batches for state in pc.unique(batch[0]).to_pylist()})
    domains = {d.table: name for name, d in DOMAINS.items()}
    taken = {concept.number for concept in mapping.values()}
    out = {}
    for state in states:
        kind, _, digits = state.rpartition(" ")  # as the reader calls a concept of OMOP that has no name
        known = kind in domains and digits.isdecimal() and int(digits) < MOST
        number = int(digits) if known else OWN_NUMBERS
        if state not in mapping:
            number = number if number not in taken else next(n for n in count(OWN_NUMBERS) if n not in taken)
            taken.add(number)
        out[state] = mapping.get(state, Concept(number, domains[kind] if known else "Observation"))
    return out


def write_standard(
    form: str, table: Any, folder: Path, mapping: Mapping[str, Concept], label: str
) -> list[tuple[Path, int]]:
    """Write a log as one of the standards; returns the files and their rows."""
    if unit_of(table) == "order":
        raise BundleError(
            f"publish: {form} needs times, and of these events only the order is known. Leave ‹format='{form}'› out."
        )
    out = []
    for name, writer in files_of(form, table, concepts_of(table, mapping), label).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            out.append((path, writer(file)))
    return out


def files_of(form: str, table: Any, concepts: Mapping[str, Concept], label: str) -> dict[str, Writer]:
    """Every file of a standard, and what writes it."""
    return {"omop": _omop, "fhir": _fhir, "meds": _meds}[form](table, concepts, label)


def concepts_in(form: str, folder: Path) -> dict[str, Concept]:
    """What a copy calls its states; `ValueError` where it says anything that no mapping could."""
    out: dict[str, Concept] = {}
    if form == "omop":
        out = read_mapping(folder / "concept.csv")
    for path in sorted(folder.glob("*.ndjson")) if form == "fhir" else ():
        domain = next((name for name, d in reversed(DOMAINS.items()) if f"{d.resource}.ndjson" == path.name), None)
        with path.open("rb") as file:
            for line in file if domain else ():
                row = json.loads(line)
                found = row[DOMAINS[str(domain)].code]
                found = found[0] if isinstance(found, list) else found
                first = found.get("coding", [{}])[0]
                systems = {uri: name for name, uri in SYSTEMS.items()}
                system = str(first.get("system", ""))
                words = [systems.get(system, system.removeprefix("urn:omop:")), str(first.get("code", ""))]
                if not all(WORD.fullmatch(word) for word in words):
                    raise ValueError("a code that no vocabulary has")
                out[found["text"]] = Concept(0, str(domain), *words)
    return out


def _events(table: Any) -> Iterator[tuple[int, int, str, str]]:
    """Number of the event, object, time as text and state."""
    n = 0
    day = unit_of(table) == "day"
    for batch in table.select(["object", "time", "state"]).to_batches(max_chunksize=50_000):
        times = batch["time"] if day else batch["time"].cast(pa.timestamp("s"))
        for number, time, state in zip(batch["object"].to_pylist(), times.to_pylist(), batch["state"].to_pylist()):
            n += 1
            yield n, number, time.isoformat(), state


def _written(lines: Iterable[bytes], head: bytes = b"") -> Writer:
    def write(file: IO[bytes]) -> int:
        n = 0
        file.write(head)
        for line in lines:
            file.write(line)
            n += 1
        return n

    return write


def _csv(header: Iterable[str], rows: Iterable[Iterable[Any]]) -> Writer:
    def line(cells: Iterable[Any]) -> bytes:
        text = io.StringIO()
        csv.writer(text, lineterminator="\n").writerow(cells)
        return text.getvalue().encode("utf-8")

    return _written(map(line, rows), line(header))


def _parquet(pieces: Iterable[pa.Table], label: str) -> Writer:
    return lambda file: write_parquet((piece for table in pieces for piece in labelled(table, label)), file)


def _objects(table: Any) -> Iterator[int]:
    """Every object once; the events of one stand together."""
    before = None
    for batch in table.select(["object"]).to_batches(max_chunksize=50_000):
        for number in pc.unique(batch[0]).to_pylist():
            if number != before:
                yield number
            before = number


def _omop(table: Any, concepts: Mapping[str, Concept], label: str) -> dict[str, Writer]:
    people = ((number, 0, 0, 0, 0) for number in _objects(table))
    book = (
        (c.number, state, c.domain, c.vocabulary or "None", "", "", c.code, "1970-01-01", "2099-12-31")
        for state, c in concepts.items()
    )
    out = {
        "person.csv": _csv(
            ["person_id", "gender_concept_id", "year_of_birth", "race_concept_id", "ethnicity_concept_id"], people
        ),
        "concept.csv": _csv(
            ["concept_id", "concept_name", "domain_id", "vocabulary_id", "concept_class_id", "standard_concept",
             "concept_code", "valid_start_date", "valid_end_date"], book
        ),
        "cdm_source.csv": _csv(
            ["cdm_source_name", "cdm_source_abbreviation", "source_description"], [("sequester", "sequester", label)]
        ),
    }  # fmt: skip

    def rows(domain: str, end: bool) -> Iterator[tuple[Any, ...]]:
        for n, who, time, state in _events(table):
            if concepts[state].domain == domain:
                last = (time[:10],) if end else ()
                yield (n, who, concepts[state].number, time[:10], time if "T" in time else "", *last, 0, state)

    for domain in sorted({c.domain for c in concepts.values()}):
        of = DOMAINS[domain]
        header = [f"{of.table}_id", "person_id", f"{of.word}_concept_id", f"{of.start}_date", f"{of.start}_datetime"]
        header += [of.end] * bool(of.end) + [f"{of.word}_type_concept_id", f"{of.word}_source_value"]
        out[f"{of.table}.csv"] = _csv(header, rows(domain, bool(of.end)))
    return out


def _fhir(table: Any, concepts: Mapping[str, Concept], label: str) -> dict[str, Writer]:
    about = {"tag": [{"system": "urn:sequester:protected", "display": label}]}

    def line(row: Mapping[str, Any]) -> bytes:
        return (json.dumps(row, ensure_ascii=False) + "\n").encode("utf-8")

    def resources(kind: str) -> Iterator[bytes]:
        for n, who, time, state in _events(table):
            concept = concepts[state]
            of = DOMAINS[concept.domain]
            if of.resource != kind:
                continue
            code: Any = {"text": state}
            if concept.vocabulary and concept.code:
                system = SYSTEMS.get(concept.vocabulary, f"urn:omop:{concept.vocabulary}")
                code = {"coding": [{"system": system, "code": concept.code}], **code}
            when: Any = f"{time}Z" if "T" in time else time  # FHIR knows no time without a zone
            row = {"resourceType": kind, "id": str(n), "meta": about}
            row |= {"status": STATUS[kind]} if kind in STATUS else {}
            row |= {"class": {"code": "UNK"}} if kind == "Encounter" else {}
            row |= {of.code: [code] if kind == "Encounter" else code, "subject": {"reference": f"Patient/{who}"}}
            yield line(row | {of.moment: {"start": when} if kind == "Encounter" else when})

    patients = (line({"resourceType": "Patient", "id": str(who), "meta": about}) for who in _objects(table))
    kinds = sorted({DOMAINS[c.domain].resource for c in concepts.values()})
    return {"Patient.ndjson": _written(patients)} | {f"{kind}.ndjson": _written(resources(kind)) for kind in kinds}


def _meds(table: Any, concepts: Mapping[str, Concept], label: str) -> dict[str, Writer]:
    def pieces() -> Iterator[pa.Table]:
        for batch in table.select(["object", "time", "state"]).to_batches():
            columns = {
                "subject_id": batch["object"].cast(pa.int64()), "time": batch["time"].cast(pa.timestamp("us")),
                "code": batch["state"].cast(pa.string()), "numeric_value": pa.nulls(len(batch), pa.float32()),
            }  # fmt: skip
            yield pa.table(columns)

    nothing = pa.nulls(len(concepts), pa.string())
    codes = pa.table({"code": pa.array(list(concepts), pa.string()), "description": nothing})
    about = {"dataset_name": "sequester", "etl_name": "sequester", "meds_version": "0.4", "description": label}
    return {
        "data/0.parquet": _parquet(pieces(), label),
        "metadata/codes.parquet": _parquet([codes], label),
        "metadata/dataset.json": _written([(json.dumps(about, indent=2) + "\n").encode("utf-8")]),
    }
