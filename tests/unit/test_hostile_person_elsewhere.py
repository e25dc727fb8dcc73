"""The same for sources that are no plain table: XES, OMOP, MEDS, FHIR, workbooks, archives, folders, signals and text.

One more person, however odd, leaves everybody else's rows as they were.
"""

import csv
import gzip
import json
import zipfile
from datetime import datetime
from xml.sax.saxutils import quoteattr

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from tests.unit.test_hostile_person import ODD, event_rows, long_rows, odd, places, series_rows, stored, symbol_rows

FEW = settings(max_examples=2, deadline=None)
PLAIN = st.sampled_from(ODD) | st.text(st.characters(codec="utf-8", exclude_categories=["Cs", "Cc"]), max_size=12)
CLOCK = {"time_format": "iso", "time_unit": "second"}
TWO = "2024-03-06 10:00:00"
"""A moment at which everybody has two events: which comes first must not depend on anybody else."""


def rows_with_ties():
    return sorted([*long_rows(), *((f"p{i}", TWO, s) for i in range(4) for s in ("A", "b c"))])


def xes(folder, rows):
    whose = {}
    for person, time, state in rows:
        whose.setdefault(person, []).append((time, state))
    traces = "".join(
        f"<trace><string key='patient' value={quoteattr(p)}/>" + "".join(
            f"<event><string key='concept:name' value={quoteattr(s)}/>"
            f"<date key='time:timestamp' value={quoteattr(t)}/></event>" for t, s in mine
        ) + "</trace>"
        for p, mine in whose.items()
    )  # fmt: skip
    path = folder / "log.xes"
    path.write_text(f"<log>{traces}</log>", "utf-8")
    return path


def omop(folder, rows):
    for name, column, moment, chosen in (
        ("visit_occurrence", "visit_concept_id", "visit_start_datetime", ("1.0", "true")),
        ("procedure_occurrence", "procedure_concept_id", "procedure_datetime", None),
    ):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            mine = [r for r in rows if (r[2] in chosen if chosen else r[2] not in ("1.0", "true"))]
            csv.writer(file).writerows([["person_id", column, moment], *([p, s, t] for p, t, s in mine)])
    return folder


def meds(folder, rows):
    """Typed shards: a time that is no time is a null, as a writer of MEDS has it. The odd person has a shard alone."""
    odd_last = rows[-1][0] not in KNOWN
    for shard, mine in (
        ("1" if odd_last else "0", [r for r in rows if r[0] not in KNOWN]),
        ("0" if odd_last else "1", [r for r in rows if r[0] in KNOWN]),
    ):
        times = [_moment(t) for _, t, _ in mine]
        table = pa.table({
            "subject_id": pa.array([int(p[1:]) if p in KNOWN else 99 for p, _, _ in mine], pa.int64()),
            "time": pa.array(times, pa.timestamp("us")),
            "code": pa.array([s for _, _, s in mine], pa.string()),
        })  # fmt: skip
        pq.write_table(table, folder / f"{shard}.parquet")
    return folder


def _moment(text):
    try:
        return datetime.strptime(text, "%Y-%m-%d %H:%M:%S")
    except ValueError:
        return None


def fhir(folder, rows):
    """All kinds of resources in one file."""
    lines = []
    for person, time, state in rows:
        code = {"coding": [{"code": state}]}
        visit = {"resourceType": "Encounter", "type": [code], "period": {"start": time}}
        done = {"resourceType": "Procedure", "code": code, "performedDateTime": time}
        made = visit if state in ("1.0", "A") else done
        lines.append(json.dumps({**made, "subject": {"reference": f"Patient/{person}"}}))
    (folder / "all.ndjson").write_text("\n".join(lines) + "\n", "utf-8")
    return folder


def workbook(folder, rows):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in (("person", "time", "state"), *rows):
        book.active.append([_typed(cell) for cell in row])
    book.save(folder / "t.xlsx")
    return folder / "t.xlsx"


def _typed(cell):
    """A cell as a workbook may hold it: a number or a truth value where it reads as one, and no formula."""
    return {"-1": -1, "nan": None, "1": 1, "off": False}.get(cell, f" {cell}" if cell.startswith("=") else cell)


def zipped(folder, rows):
    inside = stored(folder, "csv", ("person", "time", "state"), rows)
    with zipfile.ZipFile(folder / "t.zip", "w") as archive:
        archive.write(inside, "t.csv")
    return folder / "t.zip"


def gzipped(folder, rows):
    inside = stored(folder, "csv", ("person", "time", "state"), rows)
    (folder / "t.csv.gz").write_bytes(gzip.compress(inside.read_bytes()))
    return folder / "t.csv.gz"


def files(folder, rows):
    """A file per person; the odd one's name stands where the rows do."""
    begin = "0" if rows[0][0] not in KNOWN else "z" if rows[-1][0] not in KNOWN else "p1"
    place = folder / "cohort"
    place.mkdir(exist_ok=True)
    for old in place.iterdir():
        old.unlink()
    for i, person in enumerate(dict.fromkeys(r[0] for r in rows)):
        name = person if person in KNOWN else f"{begin}-odd-{i}"
        with (place / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            csv.writer(file).writerows([["time", "state"], *([t, s] for p, t, s in rows if p == person)])
    return place


KNOWN = {f"p{i}" for i in range(4)}
EVENTS = {
    "xes": (xes, {"person": "case:patient", "time": "time:timestamp", "state": "concept:name"}),
    "omop": (omop, {"layout": "omop"}),
    "meds": (meds, {"layout": "meds"}),
    "fhir": (fhir, {"layout": "fhir"}),
    "workbook": (workbook, {"person": "person", "time": "time", "state": "state"}),
    "zip": (zipped, {"person": "person", "time": "time", "state": "state"}),
    "gzip": (gzipped, {"person": "person", "time": "time", "state": "state"}),
    "a file per person": (files, {"person": "file", "time": "time", "state": "state"}),
}


@pytest.mark.parametrize("form", EVENTS)
def test_events_of_others_stay_as_they_were(form, tmp_path_factory):
    write, roles = EVENTS[form]
    folder, rows = tmp_path_factory.mktemp("hostile"), rows_with_ties()

    @FEW
    @given(st.lists(st.tuples(PLAIN, PLAIN), min_size=1, max_size=8))
    def check(cells):
        alone = sq.read_events(write(folder, rows), **roles, **CLOCK)
        here = event_rows(alone)
        for at in places(rows):
            more = [*rows[:at], *(("odd", t, s) for t, s in cells), *rows[at:]]
            beside = sq.read_events(write(folder, more), **roles, **CLOCK)
            there = event_rows(beside)
            assert len(here) == 4 and {p: there[p] for p in here} == here
            assert beside.reading == alone.reading

    check()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "sqlite", "frame"])
def test_signals_of_others_stay_as_they_were(form, tmp_path_factory):
    folder, names = tmp_path_factory.mktemp("hostile"), ("person", "time", "value")
    rows = [(f"p{i}", str(j), str((j * j + i) % 17)) for i in range(3) for j in range(40)]
    told = {"person": "person", "time": "time", "value": ("value",), "time_format": "number"}

    @FEW
    @given(st.lists(st.tuples(odd, odd), min_size=1, max_size=8))
    def check(cells):
        alone = sq.read_symbols(stored(folder, form, names, rows), **told)
        here = symbol_rows(alone)
        for at in places(rows):
            more = [*rows[:at], *(("odd", t, v) for t, v in cells), *rows[at:]]
            beside = sq.read_symbols(stored(folder, form, names, more), **told)
            there = symbol_rows(beside)
            assert {p: there[p] for p in here} == here and beside.alphabet == alone.alphabet
            assert beside.reading == alone.reading

    check()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "sqlite", "frame"])
def test_long_series_of_others_stay_as_they_were(form, tmp_path_factory):
    """Of a panel the times are those of everybody: they are told, and an odd time is nobody's."""
    folder, names = tmp_path_factory.mktemp("hostile"), ("person", "time", "value")
    rows = [(f"p{i}", f"t{j}", str(i * j)) for i in range(4) for j in range(3)]
    told = {"person": "person", "time": "time", "value": "value", "quasi": ("t0", "t1", "t2")}

    @FEW
    @given(st.lists(odd, min_size=3, max_size=3))
    def check(cells):
        here = series_rows(sq.read_series(stored(folder, form, names, rows), **told))
        for at in places(rows):
            more = [*rows[:at], *(("odd", f"t{j}", v) for j, v in enumerate(cells)), *rows[at:]]
            there = series_rows(sq.read_series(stored(folder, form, names, more), **told))
            assert {p: there[p] for p in here} == here

    check()


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "sqlite"])
def test_documents_of_others_stay_as_they_were(form, tmp_path_factory):
    folder, names = tmp_path_factory.mktemp("hostile"), ("document", "person", "text")
    rows = [(f"d{i}", f"p{i % 3}", f"A note {i}, 1.0 mg") for i in range(6)]

    @FEW
    @given(odd)
    def check(words):
        alone = sq.read_corpus(stored(folder, form, names, rows))
        for at in places(rows):
            beside = sq.read_corpus(stored(folder, form, names, [*rows[:at], ("odd", "odd", words), *rows[at:]]))
            here, there = (dict(zip(c.documents, c.texts, strict=True)) for c in (alone, beside))
            assert {d: there[d] for d in here} == here

    check()
