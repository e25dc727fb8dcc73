import gzip

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.bundle.xes import write_xes

CSV = """patient,when,ward,operation
7,2024-03-02 10:00:00,A,admit
7,2024-03-01 09:30:00,B,transfer
007,2024-03-01 09:30:00,B,transfer
9,2024-03-05 00:00:00,,
9,2024-03-05 00:00:00,A,discharge
"""


def written(tmp_path, text, name="log.csv"):
    path = tmp_path / name
    path.write_text(text, "utf-8")
    return path


def states(log):
    return [[log.state_names[s] for s in log.states[a:b]] for a, b in zip(log.offsets, log.offsets[1:], strict=False)]


def test_a_long_table_becomes_sorted_objects(tmp_path):
    log = sq.read_events(written(tmp_path, CSV), person="patient", time="when", state="ward")
    assert log.persons.tolist() == ["7", "007", "9"] and log.time_unit == "second"
    assert states(log) == [["B", "A"], ["B"], ["missing", "A"]]
    assert log.notes == (
        "1 row was earlier than the row before and was sorted",
        "1 event shares its time with the event before and keeps the order of the rows",
        "1 event without a state has the state 'missing'",
        "1 object has a single event",
    )
    assert log.describe().startswith("3 objects, 5 events, 3 states; 1 row was earlier")


def test_several_columns_make_up_a_state(tmp_path):
    log = sq.read_events(
        written(tmp_path, CSV), person="patient", time="when", states=("ward", "operation"), attributes=("operation",)
    )
    assert states(log)[0] == ["B+transfer", "A+admit"] and states(log)[2][0] == "missing"
    assert log.attributes["operation"].tolist() == ["transfer", "admit", "transfer", None, "discharge"]


def test_without_a_time_the_order_of_rows_is_kept(tmp_path):
    log = sq.read_events(written(tmp_path, CSV), person="patient", state="ward")
    assert log.time_unit == "order" and states(log)[0] == ["A", "B"]
    assert log.times.tolist() == [0, 1, 0, 0, 1]


@pytest.mark.parametrize(
    "texts,unit,first",
    [
        (["2024-03-01", "2024-03-02"], "day", "2024-03-01T00:00:00"),
        (["2024-03-01T05:06:07+02:00", "2024-03-01T05:06:08+01:00"], "second", "2024-03-01T05:06:07"),
        (["2024-03-01T05:06:07.250Z", "2024-03-01T05:06:08Z"], "second", "2024-03-01T05:06:07"),
        (["03/14/2024 5:06:07 PM", "03/15/2024 5:06:07 AM"], "second", "2024-03-14T17:06:07"),
        (["14.03.2024", "15.03.2024"], "day", "2024-03-14T00:00:00"),
        (["20240301", "20240302"], "day", "2024-03-01T00:00:00"),
        (["31/01/2024 08:00", "31/01/2024 09:00"], "second", "2024-01-31T08:00:00"),
    ],
)
def test_times_in_many_shapes(texts, unit, first):
    log = sq.read_events(pa.table({"person": ["x", "x"], "time": texts, "state": ["a", "b"]}))
    assert log.time_unit == unit
    assert np.datetime64(int(log.times[0]), "s") == np.datetime64(first)


def test_numbers_are_an_order_unless_told_otherwise():
    table = pa.table({"person": ["x", "x", "x"], "time": [30, 10, 20], "state": ["c", "a", "b"]})
    log = sq.read_events(table)
    assert log.time_unit == "order" and states(log) == [["a", "b", "c"]] and log.times.tolist() == [0, 1, 2]
    assert sq.read_events(table, time_unit="second").times.tolist() == [10, 20, 30]


def test_a_time_with_a_zone_keeps_the_hour_on_the_wall():
    when = pa.array([1_700_000_000], pa.timestamp("s", tz="Europe/Berlin"))
    log = sq.read_events(pa.table({"person": ["x"], "time": when, "state": ["a"]}))
    assert log.times.tolist() == [1_700_000_000 + 3600]


@pytest.mark.parametrize(
    "columns,more,message",
    [
        (
            {"person": ["x", "y", "z"], "time": ["2024-01-01", "soon", "later"], "state": ["a", "b", "c"]},
            {},
            "read_events: 2 of 3 rows lack a time that can be read in column 'time' (first at row 2). "
            "Pass time_format= and say how times are written, such as '%d.%m.%Y %H:%M'.",
        ),
        (
            {"person": ["x", "y"], "time": ["01/02/2024", "03/04/2024"], "state": ["a", "b"]},
            {},
            "read_events: column 'time' can be read with the day or the month first. Pass "
            "time_format='%d/%m/%Y' or whatever it is.",
        ),
        (
            {"patient": ["x"], "object": ["y"], "state": ["a"]},
            {},
            "read_events: which column is the person? It could be patient, object: a person, not a visit or a "
            "row. Pass person=NAME.",
        ),
        (
            {"person": ["x"], "ward": ["y"]},
            {"state": "wards"},
            "read_events: column 'wards' not found; the table has 'person', 'ward'. Pass state='ward'?",
        ),
        (
            {"person": ["x"], "what": ["y"]},
            {},
            "read_events: which column is the state? no column has a usual name for it. Pass state=NAME.",
        ),
        (
            {"person": ["x"], "state": ["y"]},
            {"time_unit": "day"},
            "read_events: time_unit='day' needs a time column. Pass time=NAME.",
        ),
        (
            {"person": ["x"], "state": ["y"]},
            {"state": "state", "states": ("person",)},
            "read_events: pass state= for one column or states= for several, not both.",
        ),
    ],
)
def test_what_cannot_be_read_is_said_in_a_sentence(columns, more, message):
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(pa.table(columns), **more)
    assert str(caught.value) == message


def test_rows_that_cannot_be_read_are_left_out_and_counted():
    rows = {
        "person": ["x", None, "y", "x"],
        "time": ["2024-01-01", "2024-01-02", "soon", "2024-01-03"],
        "state": list("abcd"),
    }
    log = sq.read_events(pa.table(rows), time_format="iso", time_unit="day")
    assert log.persons.tolist() == ["x"] and states(log) == [["a", "d"]]
    assert log.notes == (
        "1 row without a person was left out",
        "1 row without a time that can be read was left out",
    )
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(pa.table(rows), time_format="%d/%m/%Y")
    assert str(caught.value) == (
        "read_events: no row has both a person and a time that can be read. Check the roles, and pass time_format= if "
        "times are written in another way."
    )


def test_a_table_without_rows_is_refused():
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(pa.table({"person": pa.array([], pa.string()), "state": pa.array([], pa.string())}))
    assert str(caught.value) == "read_events: the table has no rows. At least one event is needed."


def test_xes_in(tmp_path):
    text = """<?xml version="1.0"?><log xmlns="http://www.xes-standard.org/">
    <trace><string key="concept:name" value="case &amp; 1"/>
      <event><string key="concept:name" value="b"/>
        <date key="time:timestamp" value="2024-03-02T10:00:00.000+01:00"/></event>
      <event><string key="concept:name" value="a"/>
        <date key="time:timestamp" value="2024-03-01T10:00:00.000+01:00"/></event>
    </trace>
    <trace><event><string key="concept:name" value="a"/><string key="org:resource" value="r"/>
      <date key="time:timestamp" value="2024-03-01T10:00:00.000+01:00"/></event></trace></log>"""
    path = tmp_path / "log.xes.gz"
    path.write_bytes(gzip.compress(text.encode()))
    log = sq.read_events(path, person="case", attributes=("org:resource",))
    assert log.persons.tolist() == ["case & 1", "trace 2"] and states(log) == [["a", "b"], ["a"]]
    assert log.attributes["org:resource"].tolist() == [None, None, "r"]
    assert log.times[0] == int(np.datetime64("2024-03-01T10:00:00", "s").astype(int))


@pytest.mark.parametrize(
    "text,message",
    [
        ("<log><trace>", "read_events: 'log.xes' is not well-formed XES at line 1. Check the file."),
        ("<log></log>", "read_events: 'log.xes' has no events. Check that it is an XES log."),
    ],
)
def test_broken_xes(tmp_path, text, message):
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(written(tmp_path, text, "log.xes"))
    assert str(caught.value) == message


@settings(max_examples=25, deadline=None)
@given(
    st.lists(
        st.tuples(
            st.integers(0, 4),
            st.integers(0, 2_000_000_000),
            st.text(st.characters(exclude_categories=["Cs", "Cc"]), max_size=6),
        ),
        min_size=1,
        max_size=20,
    ),
)
def test_reading_sorts_and_keeps_every_event(rows):
    table = pa.table(
        {
            "person": [str(p) for p, _, _ in rows],
            "time": pa.array([t for _, t, _ in rows], pa.timestamp("s")),
            "state": [s for _, _, s in rows],
        }
    )
    log = sq.read_events(table, time_unit="second")
    expected = {}
    for p, t, s in rows:
        expected.setdefault(str(p), []).append((t, s.strip() or "missing"))
    for person, a, b in zip(log.persons, log.offsets, log.offsets[1:], strict=False):
        want = sorted(expected[person], key=lambda x: x[0])
        assert log.times[a:b].tolist() == [t for t, _ in want]
        assert [log.state_names[s] for s in log.states[a:b]] == [s for _, s in want]


@settings(max_examples=15, deadline=None)
@given(st.lists(st.lists(st.sampled_from(["a", 'b"<&', "ü x"]), min_size=1, max_size=4), min_size=1, max_size=5))
def test_xes_out_and_in_again(tmp_path_factory, traces):
    number = [i + 1 for i, t in enumerate(traces) for _ in t]
    flat = [s for t in traces for s in t]
    table = pa.table({"object": number, "time": pa.array(range(len(flat)), pa.timestamp("s")), "state": flat})
    path = tmp_path_factory.mktemp("xes") / "log.xes"
    assert write_xes(table, path, "words") == len(flat)
    assert states(sq.read_events(path, person="case")) == traces


def test_the_xes_of_an_order_only_log_has_no_times(tmp_path):
    path = tmp_path / "log.xes"
    write_xes(pa.table({"object": [1, 1], "time": [1, 2], "state": ["a", "\x00b"]}), path, "words")
    log = sq.read_events(path, person="case")
    assert log.time_unit == "order" and states(log) == [["a", "\ufffdb"]]


def test_publishing_xes_beside_parquet(tmp_path):
    release = sq.anonymize(sq.sample("events", n_people=80), sq.MarkovRatio(epsilon=0.65), seed=1)
    bundle = sq.publish(release, tmp_path / "x.bundle", formats=["xes"])
    log = sq.read_events(bundle.path / "data" / "events.xes", person="case")
    assert len(log.states) == bundle.tables["events"].num_rows
