"""XES, read and written: attributes of traces and events, lifecycle, classifiers."""

import datetime as dt

import pyarrow as pa
import pytest

import sequester as sq
from sequester.bundle.xes import write_xes
from sequester.read.xes import load_xes

LOG = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <classifier name="Both" keys="concept:name lifecycle:transition"/>
  <classifier name="Quoted" keys="'concept:name' 'org resource'"/>
  <trace>
    <string key="concept:name" value="7"/>
    <int key="age" value="61"/>
    <event><string key="concept:name" value="Surgery"/><string key="lifecycle:transition" value="start"/>
      <string key="org resource" value="B 2"/><date key="time:timestamp" value="2024-01-02T08:00:00"/></event>
    <event><string key="concept:name" value="Surgery"/><string key="lifecycle:transition" value="start"/>
      <date key="time:timestamp" value="2024-01-02T09:00:00"/></event>
    <event><string key="concept:name" value="Surgery"/><string key="lifecycle:transition" value="complete"/>
      <date key="time:timestamp" value="2024-01-02T10:00:00"/></event>
  </trace>
  <trace>
    <event><string key="concept:name" value="Visit"/><string key="lifecycle:transition" value="complete"/>
      <float key="crp" value="4.5"/><date key="time:timestamp" value="2024-01-03T10:00:00"/></event>
  </trace>
</log>
"""


@pytest.fixture
def path(tmp_path):
    out = tmp_path / "log.xes"
    out.write_text(LOG, "utf-8")
    return out


def test_trace_attributes_classifiers_and_pairs_are_read(path):
    rows = load_xes(path, "read_events").to_pydict()
    assert rows["case"] == ["7", "7", "7", "trace 2"]
    assert rows["case:age"] == ["61", "61", "61", None]
    assert rows["crp"] == [None, None, None, "4.5"]
    assert rows["classifier:Both"] == ["Surgery+start", "Surgery+start", "Surgery+complete", "Visit+complete"]
    assert rows["classifier:Quoted"][0] == "Surgery+B 2"
    assert rows["start"] == [None, None, "2024-01-02T08:00:00", None]


def test_both_ends_of_an_activity_become_states(path):
    log = sq.read_events(path, person="case", state="classifier:Both", attributes=("case:age",))
    assert set(log.state_names) == {"Surgery+start", "Surgery+complete", "Visit+complete"}
    assert log.attributes["case:age"].tolist()[0] in ("61", 61.0)


def table(**more):
    day = dt.datetime(2024, 1, 2)
    return pa.table(
        {
            "object": [1, 1, 2],
            "time": pa.array([day, day + dt.timedelta(hours=1), day], pa.timestamp("s")),
            "state": ["A & B", "C", "A & B"],
            **more,
        }
    )


def test_what_is_written_is_read_again(tmp_path):
    out = tmp_path / "out.xes"
    told = table(sex=["f", "f", "m"], crp=pa.array([1.5, None, 2.0]), ward=["x", "y", "x"], new=[True, True, False])
    assert write_xes(told, out, "words") == 3
    rows = load_xes(out, "read_events").to_pydict()
    assert rows["case"] == ["1", "1", "2"] and rows["concept:name"] == ["A & B", "C", "A & B"]
    assert rows["case:sex"] == ["f", "f", "m"] and rows["case:new"] == ["true", "true", "false"]
    assert rows["crp"] == ["1.5", None, "2.0"] and rows["ward"] == ["x", "y", "x"]
    assert "lifecycle" not in out.read_text("utf-8")


def test_lifecycles_are_written_as_such(tmp_path):
    out = tmp_path / "out.xes"
    staged = table().set_column(2, "state", pa.array(["A+B+start", "A+B+complete", "C+complete"]))
    write_xes(staged, out, "words")
    rows = load_xes(out, "read_events").to_pydict()
    assert rows["concept:name"] == ["A+B", "A+B", "C"]
    assert rows["lifecycle:transition"] == ["start", "complete", "complete"]
    assert rows["classifier:Event"] == ["A+B+start", "A+B+complete", "C+complete"]


@pytest.mark.filterwarnings("ignore")  # pm4py recommends other packages
def test_pm4py_opens_what_we_write(tmp_path):
    pm4py = pytest.importorskip("pm4py")
    out = tmp_path / "out.xes"
    write_xes(table(sex=["f", "f", "m"]), out, "words")
    frame = pm4py.read_xes(str(out))
    assert len(frame) == 3 and "case:sex" in frame.columns
