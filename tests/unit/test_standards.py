"""Event sources as the field keeps them: read, and the same log as the plain table."""

import json

import duckdb
import pytest

import sequester as sq


@pytest.mark.parametrize("form", ["omop", "meds", "fhir"])
def test_a_standard_holds_the_same_log_as_the_table(form, tmp_path):
    plain = sq.sample("events", n_people=30, seed=2)
    folder = sq.write_sample("events", tmp_path / form, form=form, n_people=30, seed=2)
    log = sq.read_events(folder, layout=form, time_format="iso", time_unit="second")
    assert (log.n_people, len(log.states)) == (30, len(plain.states))
    order = [log.persons.tolist().index(str(i + 1)) for i in range(30)]
    again = log.take(order)
    assert again.times.tolist() == plain.times.tolist()
    plainly = [plain.state_names[s] for s in plain.states]
    # Events of one table come before those of another at equal times only; the sample has none.
    assert [again.state_names[s].upper() for s in again.states] == plainly
    assert not [f for f in log.reading if f.how == "found" and f.name != "states"]
    found = sq.inspect(folder)
    assert found.kind == "events" and found.roles["layout"] == form


def test_omop_in_a_duckdb_file_and_without_names(tmp_path):
    folder = sq.write_sample("events", tmp_path / "cdm", form="omop", n_people=5)
    path = tmp_path / "cdm.duckdb"
    base = duckdb.connect(str(path))
    for name in ("visit_occurrence", "procedure_occurrence"):
        base.execute(f"create table {name} as select * from read_csv('{folder / name}.csv')")
    base.close()
    log = sq.read_events(path, layout="omop")
    assert log.n_people == 5 and log.notes[0] == "no table 'concept' with names: states are concept numbers"
    assert all(name.startswith(("visit_occurrence 90", "procedure_occurrence 90")) for name in log.state_names)


def test_a_fhir_line_that_is_no_resource_is_left_out(tmp_path):
    folder = sq.write_sample("events", tmp_path / "bulk", form="fhir", n_people=3)
    with (folder / "Encounter.ndjson").open("a") as file:
        file.write("{broken\n" + "[" * 100_000 + "\n" + '{"resourceType": "Patient", "id": "1"}\n')
    log = sq.read_events(folder, layout="fhir")
    assert log.n_people == 3 and log.notes[0] == "2 lines are not JSON objects and were left out"


def test_refusals(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(tmp_path / "empty", layout="meds")
    assert str(caught.value) == (
        "read_events: 'empty' holds no events of this layout. Check the folder and the layout."
    )
    with pytest.raises(sq.InputError) as caught:
        sq.write_sample("text", tmp_path / "x", form="omop")
    assert str(caught.value) == "sample: omop is a form of event logs; text data has none. Leave it out."


@pytest.mark.parametrize("place", ["a", "m", "z"])
@pytest.mark.parametrize(
    "hostile", ["{", "[1, 2]", '{"resourceType": "Bundle", "entry": [7, {"resource": 8}]}', "\n\n"]
)
def test_bundles_of_resources_are_read_and_one_damaged_file_changes_nobody_elses(place, hostile, tmp_path):
    def write(folder):
        folder.mkdir()
        for who in ("b", "n"):
            when = [f"2024-01-0{d}T00:00:00Z" for d in (1, 2, 3)]
            rows = [{"resource": {"resourceType": "Patient", "id": who}}]
            rows += [
                {"resource": {"resourceType": "Condition", "code": {"text": f"c{t[9]}"}, "onsetDateTime": t,
                              "subject": {"reference": f"urn:uuid:{who}"}}} for t in when
            ]  # fmt: skip
            whole = {"resourceType": "Bundle", "entry": rows}
            (folder / f"{who}.json").write_text(json.dumps(whole, indent=1))
        return folder

    plain, odd = write(tmp_path / "plain"), write(tmp_path / "odd")
    (odd / f"{place}.json").write_text(hostile)
    roles = {"layout": "fhir", "time_format": "iso", "time_unit": "second"}
    first, second = sq.read_events(plain, **roles), sq.read_events(odd, **roles)
    assert first.n_people == second.n_people == 2 and first.state_names == second.state_names == ("c1", "c2", "c3")
    assert first.states.tolist() == second.states.tolist() and first.times.tolist() == second.times.tolist()
