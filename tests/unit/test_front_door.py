"""What people hand in is understood, asked about, or refused in words; and nobody decides how others are read."""

import json
from types import SimpleNamespace

import numpy as np
import pytest
from experiments.front_door import judged, sections
from experiments.front_door_sources import (
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
    utf16_events,
)
from experiments.front_door_writing import table

import sequester as sq
from sequester.engines import Engine
from sequester.methods.events.markov_dp.design import expected_other
from sequester.pages.panels import envelopes
from sequester.pages.pictures import bin_words, measured

QUICK = (
    "actilife_no_times", "sequences_wide", "mimic_transfers", "order_only", "long_names", "matrix", "notes_csv",
    "covid_wide", "lookups", "hypnogram_table", "biobank_wide", "adt_pipe", "heart_table", "radiology_pipe",
    "withings_sleep", "tidepool", "p21_ops", "patient_register", "epic_flowsheet", "sepsis_hours",
    "case_log_with_ward", "hospital_quality", "fhir_folder", "waiting_times", "samsung_heart", "google_takeout",
    "amsterdam_list", "hirid_observations", "bundle_per_patient", "dutch_pathway", "vaccination", "image_metadata",
    "air_quality", "oura_json", "heartbeat_matrix", "workbook_with_title", "answers_long", "chest_reports",
    "forum_posts", "gps_trace", "trial_register", "oximeter", "french_stays_digits", "days_workbook", "minutes_of_days",
    "drug_trial_sites", "pictures", "force_plates", "lab_each_unit", "gene_counts", "spanish_emergency",
    "health_survey", "weekly_mood", "seizure_periods", "jaw_distances", "plate_reader", "scanner_log", "staged_epochs",
    "gaze", "program_minutes", "lab_chart", "prescribers", "benchmark_runs",
    "cases_by_country",
)  # fmt: skip
"""One source per rule; `python -m experiments front_door` looks at all and runs the printed commands."""
TRUTHS = {make: true for truths in sections().values() for make, true in truths.items()}


@pytest.mark.parametrize("make", [m for m in TRUTHS if m.__name__ in QUICK], ids=lambda m: m.__name__)
def test_a_source_is_what_it_is(make, tmp_path):
    found = sq.inspect(tmp_path / make(tmp_path))
    assert all(judged(vars(found), TRUTHS[make]).values()), str(found)


def test_a_column_named_unlike_the_times_is_asked_about(tmp_path):
    path = tmp_path / "wide.csv"
    names = [f"hr_{i:02d}:00" for i in range(0, 24, 6)]
    path.write_text(
        ",".join(["pid", *names, "died"]) + "\n" + "".join(f"P{i},60,7{i % 9},80,6{i % 7},{i % 2}\n" for i in range(40))
    )
    with pytest.raises(
        sq.InputError, match=r"5 columns of numbers .*: 'died' is named unlike 'hr_00:00' and those like it\."
    ):
        sq.read_series(path, person="pid")
    assert sq.read_series(path, person="pid", sensitive=("died",)).values.shape == (40, 4)


def test_a_table_of_patients_is_no_series_whatever_the_options(tmp_path):
    path = tmp_path / cohort_table(tmp_path)
    assert sq.inspect(path).why.startswith("A table of patients, not sequential data: one row each and 9 columns")
    with pytest.raises(
        sq.InputError, match=r"Name the times with quasi=, .* A table of patients is not sequential data: "
    ):
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


def test_a_folder_of_one_table_is_that_table(tmp_path):
    path = tmp_path / "export" / "notes.jsonl"
    path.parent.mkdir()
    rows = [
        {"patient_id": f"P{i}", "text": f"The patient came in the morning with pain number {i} in the chest."}
        for i in range(30)
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    found = sq.inspect(path.parent)
    assert found.kind == "text" and f"publish k-repeats {path} " in found.command


def test_two_tables_alike_among_others_are_not_the_data(tmp_path):
    for name in ("diagnoses", "procedures"):
        table(tmp_path / f"{name}.csv", [["subject_id", "icd9_code"], *([i % 20, f"{i % 7}"] for i in range(100))])
    table(tmp_path / "patients.csv", [["subject_id", "sex"], *([i, "mf"[i % 2]] for i in range(20))])
    table(tmp_path / "codes.csv", [["code", "title"], *([i, f"title {i}"] for i in range(20))])
    found = sq.inspect(tmp_path)
    assert found.kind is None and "4 tables of different columns, so one has to be chosen" in found.why


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
    """Whoever tries a sample meets a command; only what is said once about everybody is asked about."""
    sq.write_sample(kind, tmp_path / name, n_people=30, seed=1)
    found = sq.inspect(tmp_path / name)
    assert found.kind == kind and found.command and not found.in_the_way, found.why
    assert roles.items() <= found.roles.items()
    beside = {"series": "left out, because they are no times: stay_days, outcome. Is one of them ‹sensitive=›?",
              "activity": "left out, because they never change over time: grade, wellbeing. Keep them with "
                          "‹covariates='grade,wellbeing'›?"}  # fmt: skip
    assert found.choose == ((beside[kind],) if kind in beside else ())


def test_numbers_called_symbols_stay_what_they_are_and_others_are_a_signal(tmp_path):
    for name in ("symbol", "mV"):
        rows = [[f"p{i}", 1 + (i * j + j // 3) % 4] for i in range(12) for j in range(80)]
        table(tmp_path / f"{name}.csv", [["person", name], *rows])
    assert sq.inspect(tmp_path / "symbol.csv").roles.get("symbolize") == "none"
    found = sq.inspect(tmp_path / "mV.csv")
    assert found.kind == "symbols" and found.roles["value"] == "mV" and "symbolize" not in found.roles


def _recordings(folder, *, epoch="Epoch Period (hh:mm:ss) 00:01:00"):
    """Three people whose watches began on different days, without a column of times."""
    for p in range(3):
        before = ["--- Data File Created By ActiGraph date format M/d/yyyy ---", "Start Time 00:00:00",
                  f"Start Date 5/{2 + p}/2022", epoch]  # fmt: skip
        table(folder / f"p{p}.csv", [["Axis1"], *([900 if i // 60 == p else 0] for i in range(1440))], before=before)
    return folder


TIMED = {
    "person": "file", "time": "header", "time_format": "%m/%d/%Y %H:%M:%S", "value": "Axis1", "bins": ("1",),
    "names": ("still", "moving"), "interval": 3600, "dates": "2022-05-02..2022-05-04", "skip_lines": 4,
}  # fmt: skip


@pytest.mark.parametrize("engine", ["memory", "parts"])
def test_a_recording_begins_where_its_own_first_lines_say(engine, tmp_path):
    source = _recordings(tmp_path / "watches")
    if engine == "memory":
        data = sq.read_activities(source, **TIMED)
    else:
        (tmp_path / "parts").mkdir()
        data = sq.read_parts("activity", source, tmp_path / "parts", engine=Engine(memory=1 << 28), **TIMED)
    moving = {}
    for part in data:
        code = part.state_names.index("moving")
        moving |= {p: np.flatnonzero(row == code).tolist() for p, row in zip(part.persons, part.states, strict=True)}
    assert moving == {"p0": [0], "p1": [24 + 1], "p2": [48 + 2]}


def test_a_recording_that_does_not_say_when_it_begins_is_refused(tmp_path):
    source = _recordings(tmp_path / "watches", epoch="Mode = 12")
    with pytest.raises(sq.InputError, match="asks for a start and an epoch, and the 4 lines before the table of 'p0"):
        sq.read_activities(source, **TIMED)
    with pytest.raises(sq.InputError, match="needs to know how the date is written"):
        sq.read_activities(source, **{**TIMED, "time_format": "auto"})
    with pytest.raises(sq.InputError, match="but not as "):
        sq.read_activities(_recordings(tmp_path / "again"), **{**TIMED, "time_format": "%d.%m.%Y %H:%M"})


def test_whose_file_it_is_is_asked_once(tmp_path):
    found = sq.inspect(tmp_path / eeg_sets(tmp_path))
    assert sum("a person" in q for q in found.choose) == 1


def test_rows_that_sum_up_others_are_nobody(tmp_path):
    rows = [[f"P{i}", 60 + i % 9, 61 + i % 7, 62 + i % 5] for i in range(20)]
    table(
        tmp_path / "t.csv",
        [["patient", "t1", "t2", "t3"], *rows, ["Total", 1280, 1290, 1300], ["Durchschnitt:", 64, 64, 65]],
    )
    data = sq.read_series(tmp_path / "t.csv", person="patient")
    assert data.n_people == 20 and data.values.max() < 100
    assert "2 rows that sum up others (called Total, Mean and so on) were left out" in map(str, data.notes)


def test_what_stands_inside_an_object_is_named_by_a_point(tmp_path):
    rows = [
        {"who": f"u{p}", "at": f"2024-03-04T{h:02d}:00:00", "value": {"bpm": 60 + 30 * (h % 2)}}
        for p in range(9)
        for h in range(24)
    ]
    (tmp_path / "t.jsonl").write_text("\n".join(map(json.dumps, rows)) + "\n")
    roles = {
        "person": "who",
        "time": "at",
        "time_format": "iso",
        "bins": ("80",),
        "names": ("low", "high"),
        "interval": 3600,
    }
    data = sq.read_activities(tmp_path / "t.jsonl", value="value.bpm", dates="2024-03-04..2024-03-04", **roles)
    assert [data.state_names[c] for c in data.states[0, :3]] == ["low", "high", "low"]


def test_a_table_about_the_recording_is_not_the_table(tmp_path):
    before = ["Name,Sport,Duration", "Somebody,RUNNING,00:30:00"]
    rows = [
        ["Time", "HR (bpm)", "Speed"],
        *([f"00:{i // 60:02d}:{i % 60:02d}", 90 + 7 * i % 40, i % 9] for i in range(600)),
    ]
    for p in range(9):
        table(tmp_path / "runs" / f"r{p}.csv", rows, before=before)
    found = sq.inspect(tmp_path / "runs")
    assert found.roles["skip-lines"] == "2" and found.roles["value"] == "HR (bpm)" and "Somebody" not in str(found)


def test_quantity_and_unit_stand_on_axes():
    described = {"describes": {"quantity": "sugar", "unit": "g"}}
    claim = SimpleNamespace(
        manifest={
            "reading": [
                {"name": "unit", "value": "mg/dL"}, {"name": "quantity", "value": "glucose"},
                {"name": "bins", "value": {"ends": [70.0, 181.0], "names": ["low", "in-range", "high"]}},
            ],
            "publication": described,
        }
    )  # fmt: skip
    by_words = SimpleNamespace(manifest={"reading": [], "publication": described})
    assert measured(claim) == "glucose, mg/dL" and measured(by_words) == "sugar, g"
    assert bin_words(claim)["in-range"] == "in-range (70 to 181 mg/dL)" and bin_words(by_words) == {}
    panel = {"title": "group 1", "low": [1.0, 2.0], "high": [2.0, 3.0], "curves": []}
    assert "glucose, mg/dL" in envelopes([panel], ("a", "b"), measured(claim))


def test_more_people_leave_less_to_other():
    shares = [expected_other(strength, "day", 200) for strength in (40.0, 400.0, 40_000.0)]
    assert shares == sorted(shares, reverse=True) and shares[0] > 0.5 and shares[-1] == 0


@pytest.mark.parametrize("quasi", [("person", "m1"), ("m1", "m1")])
def test_intervals_are_named_once_and_are_nobodys_name(quasi, tmp_path):
    path = table(tmp_path / "days.csv", [["person", "m1", "m2"], *[[f"p{i}", "a", "b"] for i in range(6)]])
    with pytest.raises(sq.InputError, match="quasi names a column twice, or one with another role"):
        sq.read_activities(tmp_path / path, person="person", quasi=quasi)


def test_a_method_is_tried_where_time_is_missing(tmp_path):
    from experiments.front_door_third import oura_json

    from sequester.proposal import objection

    path = tmp_path / oura_json(tmp_path)
    found = sq.inspect(path)
    assert found.command and found.roles["align"] == "monday" and found.roles["days"] == "42"
    options = {n: v for n, v in found.options.items() if n not in ("align", "days")}
    data = sq.read_activities(path, **options, dates="2022-05-02..2022-07-01")
    assert "would be missing, because people were observed at different times" in objection(data, found.roles, 12)
