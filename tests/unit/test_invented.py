"""Whatever is filled, merged, moved or rounded is a number: on the screen, in the manifest and in both reports."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import sequester as sq
from sequester.errors import InputError
from sequester.model import Invented

TIMES = tuple(f"h{i}" for i in range(8))


def holes():
    rng = np.random.default_rng(5)
    values = rng.normal(100, 10, (40, 8)).round(1)
    values[:6, 2] = np.nan  # one step
    values[6:9, 3:5] = np.nan  # two
    values[9, 1:4] = np.nan  # three: too long a gap
    return sq.Series(values=values, times=TIMES, persons=[f"p{i}" for i in range(40)])


@pytest.mark.parametrize(("gap", "filled", "kept"), [(1, 6, 36), (2, 12, 39), (3, 15, 40)])
def test_gaps_are_filled_up_to_a_length_and_counted(gap, filled, kept):
    release = sq.anonymize(holes(), sq.Kapra(k=4, p=2, missing="fill", gap=gap), seed=1)
    facts = {f.name: f.value for f in release.reading}
    assert facts["invented: values filled along time"] == {"n": filled, "of": 8 * kept}
    assert release.tables["records"].num_rows <= kept
    assert f"{filled} of {8 * kept} values ({filled / 8 / kept:.1%}) were filled along time." in map(str, release.notes)
    assert sq.verify(release, holes()).holds


def test_both_reports_say_what_was_invented_and_the_manifest_counts_it(tmp_path):
    out, said = tmp_path / "s.bundle", []
    request = sq.Request(method=sq.Kapra(k=4, p=2, missing="fill"), target=out)
    bundle = sq.publish_data(holes(), request, say=said.append).bundle
    words = "12 of 312 (4\N{NO-BREAK SPACE}%) values filled along time"
    for page in (out / "report.html", tmp_path / "s.private" / "report.html"):
        text = page.read_text("utf-8")
        assert words in text and "Invented: nothing" not in text
    counted = [f for f in bundle.manifest["reading"] if f["name"].startswith("invented: ")]
    assert {f["name"] for f in counted} == {
        "invented: values filled along time",
        "invented: ends of ranges rounded outward",
    }
    assert any("were filled along time" in line for line in said)
    assert sq.verify(out, holes()).holds


def test_lines_are_drawn_only_along_declared_times(tmp_path):
    source = tmp_path / "wide.csv"
    rows = ["person,a1,a2,a3", *(f"p{i},{i},{'' if i == 3 else i + 1},{i + 2}" for i in range(12))]
    source.write_text("\n".join(rows))
    method = sq.Kapra(k=3, p=2, missing="fill")
    with pytest.raises(InputError) as error:
        sq.anonymize(sq.read_series(source, person="person"), method, seed=1)
    assert str(error.value) == (
        "Kapra: missing='fill' draws lines along time, and nobody declared which columns are times of one quantity. "
        "Name them with quasi=."
    )
    assert sq.anonymize(sq.read_series(source, person="person", quasi=("a1", "a2", "a3")), method, seed=1)


def _counts(tmp_path, seconds):
    source = tmp_path / "counts.csv"
    rows = ["person,time,value"]
    for p in range(8):
        rows += [
            f"p{p},2024-03-0{1 + p % 3}T{h:02d}:{m:02d}:{s:02d},{(h * 7 + p + m) % 9}"
            for h in range(24)
            for m in range(0, 60, 10)
            for s in seconds
        ]
    source.write_text("\n".join(rows))
    return sq.read_activities(
        source,
        person="person",
        time="time",
        value="value",
        bins=("3", "6"),
        names=("low", "middle", "high"),
        time_format="iso",
        interval=600,
        align="start",
        days=1,
    )


def test_a_reader_counts_what_it_merges_and_moves(tmp_path):
    data = _counts(tmp_path, (0, 30))
    notes = {n.name: (n.n, n.of) for n in data.notes if isinstance(n, Invented)}
    assert notes == {
        "rows moved to days of a common calendar": (2304, 2304),
        "values added to others of their interval": (1152, 2304),
    }
    release = sq.anonymize(data, sq.method_class("mcka")(k=4), seed=1)
    assert {"invented: " + name for name in notes} <= {f.name for f in release.reading}
    alone = [n for n in _counts(tmp_path, (0,)).notes if isinstance(n, Invented)]
    assert [n.name for n in alone] == ["rows moved to days of a common calendar"]


def test_a_private_release_publishes_no_such_count(tmp_path):
    data = _counts(tmp_path, (0, 30))
    method = sq.method_class("activity-dp")(epsilon=4.0, delta=1e-6, force=True, calibration_people=128)
    release = sq.anonymize(data, method, seed=1)
    assert not [f for f in release.reading if f.name.startswith("invented: ")]


def test_days_of_events_are_times_cut(tmp_path):
    source = tmp_path / "log.csv"
    source.write_text("person,time,state\np,2024-01-01T10:00:00,a\np,2024-01-02,b\nq,2024-01-01T00:00:01,a\n")
    data = sq.read_events(source, person="person", time="time", state="state", time_format="iso", time_unit="day")
    assert "2 of 3 times (66.7%) were cut to their day" in data.notes


def test_the_note_survives_a_journey():
    note = Invented("values", "filled along time", 12, 480)
    again = pickle.loads(pickle.dumps(note))
    assert (again, again.fact) == (note, note.fact)
