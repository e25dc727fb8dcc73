"""What people hand in is understood, asked about, or refused in words; and nobody decides how others are read."""

import json

import numpy as np
import pytest
from experiments import front_door_heldout
from experiments.front_door import judged
from experiments.front_door_sources import (
    TRUTHS,
    challenge,
    clarity,
    clarity_one,
    cohort_table,
    covid_long,
    depresjon,
    eeg_sets,
    fitbit_wide,
    survey,
    synthea,
    table,
    utf16_events,
)

import sequester as sq

HEAVY = {"clarity", "actilife", "actiwatch", "geneactiv", "axivity", "depresjon", "heart_seconds", "libre_mmol"}
"""Sources that take a while to write; the experiment looks at all."""


HELD_OUT = ("hypnogram_files", "hypnogram_table", "biobank_wide", "adt_pipe", "heart_table", "radiology_pipe",
            "withings_sleep", "fitbit_sleep", "empatica_hr", "tidepool")  # fmt: skip
"""Of the sources written after the recognisers those that failed at first."""


@pytest.mark.parametrize("make", [m for m in front_door_heldout.TRUTHS if m.__name__ in HELD_OUT])
def test_what_failed_at_first_is_known_now(make, tmp_path):
    truth, found = front_door_heldout.TRUTHS[make], sq.inspect(tmp_path / make(tmp_path))
    assert all(judged(vars(found), truth).values()), str(found)


@pytest.mark.parametrize("make", [m for m in TRUTHS if m.__name__ not in HEAVY], ids=lambda m: m.__name__)
def test_a_source_is_what_it_is(make, tmp_path):
    truth, found = TRUTHS[make], sq.inspect(tmp_path / make(tmp_path))
    assert (found.kind or "none") in truth["kinds"], found.why
    assert bool(found.command) == truth["run"], found.in_the_way
    if found.kind:
        assert found.roles.get("person", "") in truth["person"]
        asked = " ".join(found.choose)
        assert not truth["ask"] or "whose" in asked or "a person" in asked
        assert {r: found.roles.get(r) for r in truth["roles"]} == {
            r: found.roles.get(r) if found.roles.get(r) in names else names for r, names in truth["roles"].items()
        }
        used = {*found.roles.values(), *found.roles.get("quasi", "").split(",")}
        assert not used & set(truth["never"])


def test_a_table_of_patients_is_no_series_whatever_the_options(tmp_path):
    path = tmp_path / cohort_table(tmp_path)
    assert sq.inspect(path).why.startswith("A table of patients, not sequential data: one row each and 9 columns")
    with pytest.raises(sq.InputError, match=r"A table of patients is not sequential data: .* name them with quasi=\.$"):
        sq.read_series(path, person="patient_id")
    assert sq.read_series(path, person="patient_id", quasi=("sbp", "ldl")).times == ("sbp", "ldl")


def test_years_of_starts_and_stops_are_events_and_lay_no_grid(tmp_path):
    found = sq.inspect(tmp_path / synthea(tmp_path))
    assert found.kind == "events" and found.roles["person"] == "PATIENT" and "ORGANIZATION" not in found.roles.values()


def test_five_folders_of_files_are_asked_about(tmp_path):
    found = sq.inspect(tmp_path / eeg_sets(tmp_path))
    assert "is each file a person? There are 100 files in 5 folders." in found.choose[0]
    assert found.alternatives["person"][0] == "folder"


def test_a_table_of_people_beside_recordings_is_offered_not_read(tmp_path):
    found = sq.inspect(tmp_path / depresjon(tmp_path))
    assert found.kind == "activity" and found.people == 24
    assert any("what 'scores.csv' says about people" in q and "covariates=" in q for q in found.choose)
    with_scores = {**found.options, "people": str(tmp_path / "data" / "scores.csv"), "covariates": ("age", "madrs")}
    with_scores["person"] = "file"
    book = (tmp_path / "data" / "scores.csv").read_text().splitlines()
    named = [book[0], *(f"{r.split('_')[0]}/{r}" for r in book[1:])]
    (tmp_path / "data" / "scores.csv").write_text("\n".join(named) + "\n")
    data = sq.read_activities(tmp_path / "data", **with_scores)
    assert set(data.covariates) == {"age", "madrs"} and data.n_people == 24


def test_one_person_gets_no_command(tmp_path):
    found = sq.inspect(tmp_path / clarity_one(tmp_path))
    assert found.kind == "activity" and not found.command and "one person" in found.in_the_way


def test_names_of_people_in_an_export_are_shown_nowhere(tmp_path):
    said = json.dumps(vars(sq.inspect(tmp_path / clarity(tmp_path))))
    assert "Anna" not in said and "Muster" not in said and "Patient Info" not in said.partition('"lines"')[0]


@pytest.mark.parametrize(
    ("make", "option"), [(utf16_events, ("encoding", "utf-16")), (challenge, ("time_format", "clock"))]
)
def test_how_a_file_is_written_is_found_and_declared(make, option, tmp_path):
    assert sq.inspect(tmp_path / make(tmp_path)).options[option[0]] == option[1]


def test_lines_before_the_header_units_and_commas(tmp_path):
    rows = [["id", "0 min", "30 min", "60 min"], ["", "mmol/l", "mmol/l", "mmol/l"]]
    rows += [[f"P{i}", f"{5 + i % 7},1", f"{6 + i % 5},4", f"5,{i % 9}"] for i in range(20)]
    table(tmp_path / "t.csv", rows, by=";", before=["Export of a device", "Serial: 7"])
    found = sq.inspect(tmp_path / "t.csv")
    assert found.options["skip_lines"] == 2 and found.options["units_row"] and found.options["decimal"] == ","
    data = sq.read_series(tmp_path / "t.csv", **found.options)
    assert data.values.shape == (20, 3) and data.values[3].tolist() == [8.1, 9.4, 5.3]
    assert {f.name: f.value for f in data.reading}["unit"] == "mmol/l"


def test_a_level_is_averaged_and_counts_add_up():
    rows = [{"person": p, "at": f"2024-03-04T00:0{m}:00", "v": 100} for p in "ab" for m in range(4)]
    import pyarrow as pa

    roles = {
        "person": "person",
        "time": "at",
        "value": "v",
        "interval": 240,
        "names": ("low", "high"),
        "bins": ("200",),
    }
    names = {}
    for quantity in ("glucose", "steps"):
        data = sq.read_activities(pa.Table.from_pylist(rows), quantity=quantity, time_format="iso", **roles)
        names[quantity] = data.state_names[data.states[0, 0]]
    assert names == {"glucose": "low", "steps": "high"}


@pytest.mark.parametrize("place", [0, 20, 39])
def test_a_cell_that_looks_like_a_list_is_a_cell(place, tmp_path):
    """C1: a wide table once became a list column when its first cell began with a bracket."""
    rows = [[f"p{i}", "a", "b", "a"] for i in range(40)]
    rows[place] = ["odd", "[", "[1]", "[x"]
    table(tmp_path / "t.csv", [["person", "m1", "m2", "m3"], *rows])
    data = sq.read_activities(tmp_path / "t.csv", states=("a", "b"))
    others = [i for i, p in enumerate(data.persons) if p != "odd"]
    assert np.array_equal(data.states[others], np.tile([0, 1, 0], (39, 1)))


@pytest.mark.parametrize("place", [0, 3, 5])
def test_the_first_file_does_not_order_the_hours_of_others(place, tmp_path):
    """C2: one file with its columns in another order is refused, wherever it stands."""
    for i in range(6):
        names = ["m2", "m1", "m3"] if i == place else ["m1", "m2", "m3"]
        table(tmp_path / "wide" / f"p{i}.csv", [["person", *names], [f"q{i}", "a", "b", "a"]])
    with pytest.raises(sq.InputError, match="the files have different columns, or the same in another order"):
        sq.read_activities(tmp_path / "wide", person="person", states=("a", "b"))


@pytest.mark.parametrize("make", [survey, covid_long, fitbit_wide])
def test_nothing_is_proposed_that_would_be_nonsense(make, tmp_path):
    assert not sq.inspect(tmp_path / make(tmp_path)).command


@pytest.mark.parametrize(
    ("kind", "name", "roles"),
    [
        ("text", "notes.jsonl", {"person": "person", "text": "text"}),
        ("series", "vitals.csv", {"person": "person"}),
        ("activity", "minutes.csv", {"person": "person", "start": "start", "end": "end", "state": "state"}),
        ("events", "wards.csv", {"person": "person", "time": "time", "state": "state"}),
        ("symbols", "ecg.csv", {"person": "person", "value": "symbol", "symbolize": "none"}),
    ],
)
def test_our_own_samples_are_recognised(kind, name, roles, tmp_path):
    """Whoever tries a sample meets a command; only what lies beside a series is asked about."""
    sq.write_sample(kind, tmp_path / name, n_people=30, seed=1)
    found = sq.inspect(tmp_path / name)
    assert found.kind == kind and found.command and not found.in_the_way, found.why
    assert roles.items() <= found.roles.items()
    assert kind == "series" or found.choose == ()


def test_numbers_called_symbols_stay_what_they_are_and_others_are_a_signal(tmp_path):
    for name in ("symbol", "mV"):
        rows = [[f"p{i}", 1 + (i * j + j // 3) % 4] for i in range(12) for j in range(80)]
        table(tmp_path / f"{name}.csv", [["person", name], *rows])
    assert sq.inspect(tmp_path / "symbol.csv").roles.get("symbolize") == "none"
    found = sq.inspect(tmp_path / "mV.csv")
    assert found.kind == "symbols" and found.roles["value"] == "mV" and "symbolize" not in found.roles
