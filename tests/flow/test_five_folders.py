"""Sources as people have them are read by following `inspect`, and published by typing what it says."""

import shlex
import sys

import pytest

import sequester as sq
from sequester.cli import main
from tests import folders


@pytest.fixture
def say(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)

    def run(line):
        monkeypatch.setattr(sys, "argv", shlex.split(line))
        with pytest.raises(SystemExit) as stopped:
            main()
        out = capsys.readouterr()
        return stopped.value.code or 0, out.out, out.err

    return run


def followed(say, name, *options):
    """Inspect, then type what it says to go on with."""
    code, out, err = say(f"sequester inspect {name} {' '.join(options)}")
    assert code == 0, err
    lines = out.splitlines()
    command = lines[lines.index("Next:") + 1].strip()
    code, _, err = say(f"{command} --no-measure")
    assert code == 0, (command, err)
    bundle = next(iter(sorted(__import__("pathlib").Path(".").glob("*.bundle"))))
    assert say(f"sequester verify {bundle} --source {name}")[0] == 0
    return out, err, sq.open_bundle(bundle)


def test_counts_of_people_recorded_in_different_years(say, tmp_path):
    folders.activity_counts(tmp_path)
    out, err, bundle = followed(say, "cohort")
    assert "cohort: activity data. Counts every minute" in out and "--align monday" in out
    assert "read: Person = file: 12 people" in err
    assert out.lower().count("12 files were joined") == 1 and "--encoding" not in out, "what goes without saying"
    reading = {f["name"]: f for f in bundle.manifest["reading"]}
    assert reading["calendar"]["value"]["align"] == "monday" and reading["calendar"]["how"] == "declared"
    assert reading["bins"]["value"]["names"] == ["still", "light", "moderate", "vigorous"]
    observed = [line for line in err.splitlines() if "Observed" in line]
    assert float(observed[0].split("Observed ")[1].split("%")[0]) > 95, observed
    data = sq.read_activities("cohort", **sq.inspect("cohort").options)
    assert str(data.start) == "2000-01-03T00:00:00", "nobody's own dates are published"


def test_visits_belong_to_patients(say, tmp_path):
    path = folders.visits(tmp_path)
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(path, time="timestamp", state="activity")
    assert str(caught.value) == (
        "read_events: which column is the person? It could be case_id, patient_id: a person, not a visit or a row. "
        "Pass person=NAME."
    )
    out, _, _ = followed(say, "visits.csv")
    assert "Person = patient_id: 40 people" in out and "--person could also be: case_id" in out
    assert "is 'patient_id' a person, or only a visit" in out and "--state activity" in out


def test_japanese_reports_in_a_table(say, tmp_path):
    folders.japanese_reports(tmp_path)
    out, _, bundle = followed(say, "reports.csv", "--encoding", "shift_jis")
    assert "text data. Column 'report' holds sentences" in out and "--person patient" in out
    assert bundle.kind == "text"


def test_a_matrix_without_a_header(say, tmp_path):
    folders.headerless_matrix(tmp_path)
    out, _, bundle = followed(say, "matrix.dat")
    assert "series data. 12 columns of numbers" in out and "--person each" in out and "--no-header" in out
    assert bundle.kind == "series" and len(bundle.times) == 12


def test_recordings_with_two_leads(say, tmp_path):
    pytest.importorskip("wfdb")
    folders.recordings(tmp_path)
    out, _, bundle = followed(say, "ecg")
    assert "symbols data. Recorded signals. It has 2 leads: MLII, V5." in out and "--lead could also be: V5" in out
    assert bundle.kind == "symbols"


def test_a_file_that_fits_no_kind_says_what_each_needs(say, tmp_path):
    (tmp_path / "odd.csv").write_text("a,b\n1,x\n2,y\n")
    code, out, _ = say("sequester inspect odd.csv")
    assert code == 2 and "It fits none of the five kinds" in out
    for kind in sq.KINDS:
        assert f"{kind}: needs " in out


def test_a_matrix_called_txt_is_no_text(say, tmp_path):
    folders.headerless_matrix(tmp_path).rename(tmp_path / "matrix.txt")
    code, _, err = say("sequester assess matrix.txt")
    assert code == 2 and "the kind of data does not show from the source" in err
    assert sq.inspect(tmp_path / "matrix.txt").kind == "series"


def test_activity_is_what_happened_even_beside_a_column_called_state(tmp_path):
    path = tmp_path / "log.csv"
    rows = [f"p{i % 9},2024-03-{1 + i % 28:02d} 10:0{i % 10}:00,{'ABC'[i % 3]},{'XY'[i % 2]}" for i in range(90)]
    path.write_text("patient,timestamp,activity,state\n" + "\n".join(rows) + "\n")
    found = sq.inspect(path)
    assert (found.kind, found.roles["state"], found.roles["person"]) == ("events", "activity", "patient")
    assert found.alternatives["state"] == ("state",)
