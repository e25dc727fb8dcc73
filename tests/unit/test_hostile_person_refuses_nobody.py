"""What one person writes, first, in the middle or last, refuses nobody else: their rows are read as they were."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from tests.unit.test_hostile_person import event_rows

PLACES = ("first", "middle", "last")
CLOCK = {"time_format": "iso", "time_unit": "day"}
ROLES = {"person": "person", "time": "time", "state": "state", **CLOCK}
ROWS = [(f"p{i % 5}", f"2024-01-0{1 + i % 9}", "ab"[i % 2]) for i in range(40)]


def put(lines, odd, place):
    at = {"first": 0, "middle": len(lines) // 2, "last": len(lines)}[place]
    return [*lines[:at], *odd, *lines[at:]]


def stored(folder, form, rows):
    path = folder / f"t.{form}"
    table = pa.table(
        {n: pa.array([r[i] for r in rows], pa.string()) for i, n in enumerate(("person", "time", "state"))}
    )
    if form == "csv":
        path.write_text("\n".join(",".join(r) for r in [("person", "time", "state"), *rows]))
    elif form == "jsonl":
        path.write_text("\n".join(json.dumps(dict(zip(("person", "time", "state"), r, strict=True))) for r in rows))
    elif form == "parquet":
        pq.write_table(table, path)
    elif form == "duckdb":
        import duckdb

        with duckdb.connect(str(path)) as connection:
            connection.register("rows", table)
            connection.execute("create table t as select * from rows")
    else:
        book = pytest.importorskip("openpyxl").Workbook()
        for row in [("person", "time", "state"), *rows]:
            book.active.append(list(row))
        book.save(path)
    return path


@pytest.mark.parametrize("form", ["csv", "jsonl", "parquet", "duckdb", "xlsx"])
@pytest.mark.parametrize("place", PLACES)
def test_hundreds_of_foreign_states(form, place, tmp_path):
    told = {"person": "person", "time": "time", "state": "state", "states": ("a", "b"), "time_format": "iso",
            "dates": "2024-01-01..2024-01-09", "interval": 3600}  # fmt: skip
    odd = [("zz", f"2024-01-0{1 + i % 9}", f"s{i}") for i in range(520)]
    alone = sq.read_activities(stored(tmp_path, form, ROWS), **told)
    (tmp_path / f"t.{form}").unlink()
    beside = sq.read_activities(stored(tmp_path, form, put(ROWS, odd, place)), **told)
    others = [i for i, p in enumerate(beside.persons) if p != "zz"]
    order = np.argsort(beside.persons[others].astype(str))
    assert np.array_equal(beside.states[others][order], alone.states[np.argsort(alone.persons.astype(str))])
    assert any("520 cells hold a state that was not told" in note for note in beside.notes)


@pytest.mark.parametrize("odd", ['["x"]', "[", '"x"', "7", "{", '{"person": "zz", "time": 3, "state": "\\ud800"}'])
@pytest.mark.parametrize("place", PLACES)
def test_a_line_that_is_no_object(odd, place, tmp_path):
    lines = [json.dumps(dict(zip(("person", "time", "state"), r, strict=True))) for r in ROWS]
    (tmp_path / "a.jsonl").write_text("\n".join(lines) + "\n")
    (tmp_path / "b.jsonl").write_text("\n".join(put(lines, [odd], place)) + "\n")
    alone, beside = (event_rows(sq.read_events(tmp_path / name, **ROLES)) for name in ("a.jsonl", "b.jsonl"))
    assert {p: beside[p] for p in alone} == alone
    texts = [sq.read_corpus(tmp_path / n, text="state", person="person") for n in ("a.jsonl", "b.jsonl")]
    assert texts[1].n_records - texts[0].n_records == odd.startswith('{"')
    assert bool(texts[1].notes) != odd.startswith('{"')


@pytest.mark.parametrize("place", PLACES)
def test_half_a_letter_in_a_code_of_fhir(place, tmp_path):
    def resource(person, time, state):
        return json.dumps({"resourceType": "Procedure", "code": {"text": state}, "performedDateTime": time,
                           "subject": {"reference": f"Patient/{person}"}})  # fmt: skip

    file = tmp_path / "Procedure.ndjson"
    file.write_text("\n".join(resource(*r) for r in ROWS) + "\n")
    alone = event_rows(sq.read_events(tmp_path, layout="fhir", **CLOCK))
    odd = resource("zz", "2024-01-01", "x\ud800")
    file.write_text("\n".join(put([resource(*r) for r in ROWS], [odd], place)) + "\n")
    beside = event_rows(sq.read_events(tmp_path, layout="fhir", **CLOCK))
    assert {p: beside[p] for p in alone} == alone


@pytest.mark.parametrize("place", PLACES)
def test_a_comma_in_a_line_of_symbols(place, tmp_path):
    lines = ["a b c d a b"] * 6
    (tmp_path / "s.txt").write_text("\n".join(put(lines, ["a, b"], place)) + "\n")
    data = sq.read_symbols(tmp_path / "s.txt", symbolize="none", person="each")
    assert data.n_records == 7 and np.diff(data.offsets).tolist().count(6) == 6


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("form", ["csv", "wfdb", "edf"])
def test_a_recording_that_ends_before_the_stretch(form, place, tmp_path):
    name = {"first": "a", "middle": "m", "last": "z"}[place]
    for who, n in (("b", 400), ("n", 400), (name, 100)):
        signal = np.cumsum(np.random.default_rng(ord(who)).integers(-40, 41, n))
        if form == "csv":
            (tmp_path / f"{who}.csv").write_text("v\n" + "\n".join(map(str, signal)) + "\n")
        elif form == "wfdb":
            pytest.importorskip("wfdb")
            signal.astype("<i2").tofile(tmp_path / f"{who}.dat")
            lead = f"{who}.dat 16 200(0)/mV 16 0 {signal[0]} 0 0 II\n"
            (tmp_path / f"{who}.hea").write_text(f"{who} 1 100 {n}\n{lead}", "utf-8")
        else:
            edf = pytest.importorskip("pyedflib")
            writer = edf.EdfWriter(str(tmp_path / f"{who}.edf"), 1, file_type=edf.FILETYPE_EDF)
            writer.setSignalHeaders([{"label": "II", "dimension": "mV", "sample_frequency": 100, "physical_max": 9000,
                                      "physical_min": -9000, "digital_max": 32767, "digital_min": -32768,
                                      "transducer": "", "prefilter": ""}])  # fmt: skip
            writer.writeSamples([signal.astype(float)])
            writer.close()
    roles = {"person": "file", "value": "v", "rate": 100.0} if form == "csv" else {"person": "each"}
    data = sq.read_symbols(tmp_path, from_=2, to=4, **roles)
    whole = {p: int(n) for p, n in zip(data.persons, np.diff(data.offsets), strict=True)}
    assert {p: n for p, n in whole.items() if p in ("b", "n")} == {"b": 20, "n": 20} and not whole.get(name)
