"""Activity read as parts: the same rows, notes and facts as `read_activities`, whatever the source looks like."""

from __future__ import annotations

import csv
import io
import json
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.engines import Engine
from sequester.errors import InputError
from sequester.read import dealing, streams

COLUMNS = ("who", "from", "to", "what", "count")
WHO = st.sampled_from(["", " ", "p1", "p2", "p3 ", "7", "7.0", "x,y", "é"])
CELLS = st.sampled_from(["", " ", "walk", "sit", "run", "7", "?", "missing", "07", "lie down"])
COUNTS = st.sampled_from(["", "0", "0", "0", "5", "100", "2500", "many", "1e9", "-4"])
HOURS = ["2024-03-04 00:05:00", "2024-03-04 00:10:30", "2024-03-04 01:00", "2024-03-05", "2024-03-03 23:58", "soon", ""]
ENDS = ["2024-03-04 00:09:00", "2024-03-04 00:30:30", "2024-03-04 02:00", "2024-03-06", "2024-03-03 23:59", "late", ""]
DAYS = {"dates": "2024-03-04..2024-03-05", "interval": 600, "time_format": "iso"}
SPANS = {"start": "from", "end": "to", "state": "what"}
ROLES = {
    "spans": SPANS | DAYS,
    "spans, told states": SPANS | DAYS | {"states": ("sit", "walk", "run")},
    "spans, unknown": SPANS | DAYS | {"unknown": ("?", "7")},
    "spans from everybody's own day": SPANS | DAYS | {"dates": None, "align": "start", "days": 2},
    "observations": {"time": "from", "state": "what"} | DAYS,
    "observations from a Monday": {"time": "from", "state": "what"}
    | DAYS
    | {"dates": None, "align": "monday", "days": 1},
    "counts": {"time": "from", "value": "count", "bins": ("1", "100"), "names": ("none", "some", "much")} | DAYS,
    "spans, covariates": SPANS | DAYS | {"covariates": ("count", "what")},
    "counts, worn": {"time": "from", "value": "count", "bins": ("50",), "names": ("low", "high")}
    | DAYS
    | {"nonwear": "2/1", "valid_day": 10, "valid_days": 1, "valid": "0..3000"},
}


def parts_of(source, folder: Path, **roles):
    folder.mkdir(exist_ok=True)
    engine = Engine(threads=2, memory=roles.pop("memory", 400 << 20))
    return sq.read_parts("activity", source, folder, engine=engine, **({"person": "who"} | roles))


def assert_equal(parts: sq.Parts, data: sq.Activities) -> None:
    whole = parts.whole()
    assert whole.state_names == data.state_names and whole.persons.tolist() == data.persons.tolist()
    assert whole.fingerprint() == data.fingerprint() and np.array_equal(whole.states, data.states)
    assert (parts.notes, parts.reading) == (data.notes, data.reading)
    assert (whole.start, whole.interval_seconds, whole.names_public) == (
        data.start,
        data.interval_seconds,
        data.names_public,
    )
    assert (parts.n_people, parts.n_items) == (data.n_people, data.states.size)
    assert sum(p.n_people for p in parts) == data.n_people


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few rows and a memory estimate that makes many parts."""
    monkeypatch.setattr(streams, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 5 << 20)


def as_csv(rows) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([COLUMNS, *rows])
    return out.getvalue()


def told_by(read):
    """What a reader returns or refuses, and what it warned of."""
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        try:
            return read(), None, [str(w.message) for w in heard if w.category is sq.SequesterWarning]
        except InputError as error:
            return None, str(error), []


@pytest.mark.parametrize("case", ROLES)
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(
        st.tuples(WHO, st.sampled_from(HOURS), st.sampled_from(ENDS), CELLS, COUNTS), min_size=1, max_size=40
    ),
    bytes_per_row=st.sampled_from([1 << 20, 20 << 20, 200 << 20]),
)
def test_every_cell_becomes_what_it_becomes_in_a_whole_table(case, rows, bytes_per_row, tmp_path_factory):
    place = tmp_path_factory.mktemp("minutes")
    path = place / "minutes.csv"
    path.write_text(as_csv(rows), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "ROWS_AT_ONCE", 7)
        patch.setattr(dealing, "BYTES_PER_ROW", bytes_per_row)  # 1 to about 40 parts
        data, error, heard = told_by(lambda: sq.read_activities(path, person="who", **ROLES[case]))
        parts, ours, also = told_by(lambda: parts_of(path, place / "parts", **ROLES[case]))
        assert ours == error and also == heard
        if data is not None:
            assert_equal(parts, data)


def simulated(n=300, seed=0):
    rng = np.random.default_rng(seed)
    begin = np.datetime64("2024-03-04T00:00:00") + rng.integers(0, 40 * 3600, n) * np.timedelta64(1, "s")
    last = begin + rng.integers(1, 5000, n) * np.timedelta64(1, "s")
    return [
        (
            f"p{rng.integers(0, 37)}",
            str(a),
            str(b),
            ("sit", "walk", "run")[rng.integers(0, 3)],
            str(rng.integers(0, 999)),
        )
        for a, b in zip(begin, last)
    ]


@pytest.mark.parametrize("told", [{}, {"states": ("sit", "walk", "7"), "days": 1, "interval": 21600}])
@settings(max_examples=15, deadline=None)
@given(
    rows=st.lists(st.tuples(WHO, CELLS, CELLS, CELLS, COUNTS), min_size=1, max_size=30),
    lists=st.booleans(),
    bytes_per_row=st.sampled_from([1 << 20, 200 << 20]),
)
def test_a_row_per_person_becomes_what_it_becomes_in_a_whole_table(told, rows, lists, bytes_per_row, tmp_path_factory):
    """A column per interval, or lists of any length; what stands beside; people who have several rows."""
    place = tmp_path_factory.mktemp("weeks")
    path, roles = place / "weeks.csv", {"covariates": ("count",), **told}
    cells = [[(r[0], json.dumps([x for x in r[1:4] if x != "?"]), r[4])] if lists else [r] for r in rows]
    with path.open("w", encoding="utf-8", newline="") as file:
        header = ("who", "list", "count") if lists else ("who", "t1", "t2", "t3", "count")
        csv.writer(file).writerows([header, *(row for some in cells for row in some)])
    roles |= {"state": "list"} if lists else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "ROWS_AT_ONCE", 7)
        patch.setattr(dealing, "BYTES_PER_ROW", bytes_per_row)
        data, error, _ = told_by(lambda: sq.read_activities(path, person="who", **roles))
        parts, ours, _ = told_by(lambda: parts_of(path, place / "parts", **roles))
        assert ours == error
        if data is not None:
            assert_equal(parts, data)


@pytest.mark.parametrize("kind", [pa.uint8(), pa.int64(), pa.string()])
@pytest.mark.parametrize("shape", ["wide", "lists", "fixed lists"])
def test_rows_of_people_in_parquet(shape, kind, small, tmp_path):
    rng = np.random.default_rng(3)
    codes = rng.integers(0, 12, (90, 5))
    columns = {"who": [f"p{i}" for i in range(90)]}
    if shape == "wide":
        columns |= {f"t{j}": pa.array(codes[:, j].tolist()).cast(kind) for j in range(5)}
    else:
        of = pa.list_(kind) if shape == "lists" else pa.list_(kind, 5)
        columns["day"] = pa.array(codes.tolist(), pa.list_(pa.int64())).cast(
            of if kind != pa.string() else pa.list_(kind)
        )
    pq.write_table(pa.table(columns), tmp_path / "w.parquet", row_group_size=20)
    parts, data = (
        parts_of(tmp_path / "w.parquet", tmp_path / "parts"),
        sq.read_activities(tmp_path / "w.parquet", person="who"),
    )
    assert len(parts.paths) > 2
    assert_equal(parts, data)


def test_many_rows_per_person_are_told_before_too_many_states(small, tmp_path):
    path = tmp_path / "m.csv"
    path.write_text(as_csv(simulated(600)), "utf-8")
    said = {
        told_by(read)[1]
        for read in (lambda: sq.read_activities(path, person="who"), lambda: parts_of(path, tmp_path / "p"))
    }
    assert said == {
        "read_activities: 563 people have more than one row. If a row is one observation, pass time= and state=."
    }


def test_columns_with_types_need_no_declared_format(small, tmp_path):
    rows = simulated()
    table = pa.table(
        {
            "who": [int(r[0][1:]) for r in rows],
            "from": pa.array([np.datetime64(r[1]) for r in rows]),
            "to": pa.array([np.datetime64(r[2]) for r in rows]),
            "what": [len(r[3]) for r in rows],
        }
    )
    pq.write_table(table, tmp_path / "m.parquet")
    roles = SPANS | {"dates": "2024-03-04..2024-03-05"}
    parts, _, _ = told_by(lambda: parts_of(tmp_path / "m.parquet", tmp_path / "parts", **roles))
    data, _, _ = told_by(lambda: sq.read_activities(tmp_path / "m.parquet", person="who", **roles))
    assert len(parts.paths) > 2 and not list((tmp_path / "parts" / "buckets").iterdir())
    assert_equal(parts, data)


def test_files_of_whole_people_are_taken_and_a_person_in_two_is_refused(small, tmp_path):
    rows, folder = simulated(), tmp_path / "hospitals"
    folder.mkdir()
    for i in range(3):
        (folder / f"h{i}.csv").write_text(as_csv([r for r in rows if int(r[0][1:]) % 3 == i]), "utf-8")
    parts, _, _ = told_by(lambda: parts_of(folder, tmp_path / "parts", by_file=True, **ROLES["spans"]))
    data, _, _ = told_by(lambda: sq.read_activities(folder, person="who", **ROLES["spans"]))
    assert len(parts.paths) == 3
    assert_equal(parts, data)
    with (folder / "h0.csv").open("a") as file:
        file.write("p1,2024-03-04 00:00,2024-03-04 00:30,sit,3\n")
    _, error, _ = told_by(lambda: parts_of(folder, tmp_path / "again", by_file=True, **ROLES["spans"]))
    assert error == (
        "read_activities: 1 person is in more than one part. A part must hold whole people: put all rows of a person "
        "into one file, or leave by_file=True out and let the rows be dealt out."
    )


REFUSED = {
    "days not told": (
        SPANS | {"time_format": "iso"},
        "read_activities: with a memory limit the file is read in pieces, so the days to keep must be told. Pass "
        "dates=FROM..TO, or align='monday' and days=.",
    ),
    "a format not told": (
        SPANS | DAYS | {"time_format": "auto"},
        "read_activities: with a memory limit the file is read in pieces, so the format of column 'from' must be told. "
        "Pass time_format=: iso, seconds, milliseconds, minutes, hours, days, clock, number, "
        "or a pattern such as '%d.%m.%Y %H:%M'.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_in_parts_is_refused(case, tmp_path):
    (tmp_path / "m.csv").write_text(as_csv(simulated(20)), "utf-8")
    roles, words = REFUSED[case]
    assert told_by(lambda: parts_of(tmp_path / "m.csv", tmp_path / "parts", **roles))[1] == words


def test_a_column_that_holds_no_states_is_refused_on_the_way(tmp_path):
    (tmp_path / "m.csv").write_text(as_csv(simulated(600)), "utf-8")
    roles = SPANS | DAYS | {"state": "count"}
    said = told_by(lambda: parts_of(tmp_path / "m.csv", tmp_path / "parts", **roles))[1]
    assert said == "read_activities: more than 256 states were found. Check the state column."


def test_a_span_that_began_before_the_days_contradicts_nobody_else(tmp_path):
    days = "2024-03-04 00:05", "2024-03-03 23:58"
    rows = [(f"p{i}", day, "2024-03-04 00:09", what, "") for i, (day, what) in enumerate(zip(days, ("walk", "sit")))]
    (tmp_path / "m.csv").write_text(as_csv(rows), "utf-8")
    assert told_by(lambda: sq.read_activities(tmp_path / "m.csv", person="who", **ROLES["spans"]))[2] == []


def test_spans_that_begin_before_the_kept_days_contradict_nobody():
    from sequester.read.activity_matrix import contradictions

    person, state = np.array([0, 0, 1]), np.array([0, 0, 1])
    begins, ends = np.array([-120, -120, 300]), np.array([540, 540, 540])
    assert len(contradictions(person, begins, ends, state)) == 0
    assert contradictions(person, begins, ends, np.array([0, 1, 1])).tolist() == [1]
