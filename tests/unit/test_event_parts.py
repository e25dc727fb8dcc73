"""Event logs read as parts: the same rows, notes and facts as `read_events`, whatever the source looks like."""

from __future__ import annotations

import csv
import gzip
import io
import json
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

ROLES = {"person": "who", "time": "when", "state": "what"}
ISO = ROLES | {"time_format": "iso"}
CELLS = st.sampled_from(["", " ", "a", "b ", "7", "007", "7.0", "NA", "missing", "x,y", 'q"q', "two\nlines", "é"])
TIMES = st.sampled_from(
    [
        "2024-03-01 09:30:00",
        "2024-03-01",
        "2024-03-01T09:30:00+02:00",
        "2024-02-30",
        "soon",
        "",
        "2023-12-31 23:59:59.5",
    ]
)


def parts_of(source, folder: Path, **roles):
    folder.mkdir(exist_ok=True)
    memory = roles.pop("memory", 400 << 20)
    return sq.read_parts("events", source, folder, engine=Engine(threads=2, memory=memory), **roles)


def assert_equal(parts: sq.Parts, log: sq.EventLog) -> None:
    whole = parts.whole()
    assert whole.fingerprint() == log.fingerprint()
    assert (parts.notes, parts.reading) == (log.notes, log.reading)
    assert (parts.n_people, parts.n_items) == (log.n_people, log.n_events)
    assert sum(len(set(p.persons.tolist())) for p in parts) == log.n_people


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few rows and a memory estimate that makes many parts."""
    monkeypatch.setattr(streams, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 5 << 20)


def as_csv(rows, delimiter=",") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([("who", "when", "what", "more"), *rows])
    return out.getvalue()


@settings(max_examples=40, deadline=None)
@given(
    rows=st.lists(st.tuples(CELLS, TIMES, CELLS, CELLS), min_size=1, max_size=40),
    unit=st.sampled_from(["auto", "second", "day", "order"]),
)
def test_every_cell_becomes_what_it_becomes_in_a_whole_table(rows, unit, tmp_path_factory):
    place = tmp_path_factory.mktemp("log")
    path = place / "log.csv"
    path.write_text(as_csv(rows), "utf-8")
    roles = ISO | {"attributes": ("more",), "time_unit": unit}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "ROWS_AT_ONCE", 7)
        patch.setattr(dealing, "BYTES_PER_ROW", 40 << 20)
        try:
            log = sq.read_events(path, **roles)
        except InputError as error:
            with pytest.raises(InputError) as ours:
                parts_of(path, place / "parts", **roles)
            assert str(ours.value) == str(error)
            return
        assert_equal(parts_of(path, place / "parts", **roles), log)


def simulated(n=400, seed=0):
    rng = np.random.default_rng(seed)
    when = np.datetime64("2024-01-01T00:00:00") + rng.integers(0, 500, n) * np.timedelta64(3600, "s")
    return [
        (f"p{rng.integers(0, 37)}", str(t).replace("T", " "), f"s{rng.integers(0, 5)}", str(rng.integers(0, 3)))
        for t in when
    ]


@pytest.mark.parametrize("name", ["log.csv", "log.csv.gz", "log.tsv", "log.jsonl", "log.parquet"])
def test_every_format_gives_the_same_parts(name, small, tmp_path):
    rows, path = simulated(), tmp_path / name
    if name.endswith(".parquet"):
        pq.write_table(pa.table([list(c) for c in zip(*rows)], names=["who", "when", "what", "more"]), path)
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(dict(zip(("who", "when", "what"), r))) + "\n" for r in rows), "utf-8")
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(as_csv(rows).encode()))
    else:
        path.write_text(as_csv(rows, "\t" if name.endswith(".tsv") else ","), "utf-8")
    parts = parts_of(path, tmp_path / "parts", **ISO)
    assert len(parts.paths) > 2
    assert_equal(parts, sq.read_events(path, **ISO))


def test_columns_with_types_need_no_declared_format(small, tmp_path):
    rows = simulated()
    table = pa.table(
        {
            "who": [int(r[0][1:]) for r in rows],
            "when": pa.array(np.array([r[1] for r in rows], "datetime64[s]")),
            "what": [r[2] for r in rows],
            "more": [float(r[3]) if r[3] != "1" else None for r in rows],
        }
    )
    path = tmp_path / "log.parquet"
    pq.write_table(table, path, row_group_size=50)
    roles = ROLES | {"attributes": ("more",)}
    assert_equal(parts_of(path, tmp_path / "parts", **roles), sq.read_events(path, **roles))


def test_several_states_and_no_time(small, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(as_csv(simulated()), "utf-8")
    roles = {"person": "who", "states": ("what", "more"), "time_unit": "order"}
    assert_equal(parts_of(path, tmp_path / "parts", **roles), sq.read_events(path, **roles))


def test_a_folder_is_joined_in_the_order_of_its_files(small, tmp_path):
    folder = tmp_path / "logs"
    (folder / "b").mkdir(parents=True)
    rows = simulated()
    (folder / "2.csv").write_text(as_csv(rows[:150]), "utf-8")
    (folder / "10.csv").write_text(as_csv(rows[150:300]), "utf-8")
    pq.write_table(
        pa.table([list(c) for c in zip(*rows[300:])], names=["who", "when", "what", "else"]), folder / "b" / "x.parquet"
    )
    assert_equal(parts_of(folder, tmp_path / "parts", **ISO), sq.read_events(folder, **ISO))
    each = ISO | {"person": "file"}
    assert_equal(parts_of(folder, tmp_path / "each", **each), sq.read_events(folder, **each))


def test_a_person_in_two_parts_is_refused(small, tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    rows = sorted(simulated())
    at = next(i for i in range(200, 400) if rows[i][0] != rows[i - 1][0])
    (folder / "1.csv").write_text(as_csv(rows[:at]), "utf-8")
    (folder / "2.csv").write_text(as_csv(rows[at:]), "utf-8")
    parts = parts_of(folder, tmp_path / "parts", **ISO, by_file=True)
    assert len(parts.paths) == 2
    assert_equal(parts, sq.read_events(folder, **ISO))
    (folder / "2.csv").write_text(as_csv(rows[at - 1 :]), "utf-8")
    with pytest.raises(InputError) as error:
        parts_of(folder, tmp_path / "again", **ISO, by_file=True)
    assert str(error.value) == (
        "read_events: 1 person is in more than one part. A part must hold whole people: put all rows of a person into "
        "one file, or leave by_file=True out and let the rows be dealt out."
    )


def test_rows_that_do_not_fit_are_counted_as_ever(small, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(as_csv(simulated(60)) + "only one\n", "utf-8")
    parts, log = parts_of(path, tmp_path / "parts", **ISO), sq.read_events(path, **ISO)
    assert_equal(parts, log)
    assert parts.notes[0].startswith("1 of 61 rows does not have the 4 cells of the header (first at row ")


REFUSED = [
    ({"name": "log.xlsx"}, {}, "'log.xlsx' cannot be read from the front"),
    ({"name": "log.csv.zip"}, {}, "'log.csv.zip' cannot be read from the front"),
    ({}, {"encoding": "latin-1"}, "the source is written in latin-1"),
    ({}, {"table": "t"}, "a table of a database or a workbook is read whole"),
    ({}, {"layout": "omop"}, "layout='omop' is read whole"),
    ({"name": "log.xes"}, {}, "an XES file is read whole"),
    ({"text": "who  when  what\na b c\n", "name": "log.txt"}, {}, "'log.txt' separates its cells by spaces"),
]


@pytest.mark.parametrize("made,roles,why", REFUSED)
def test_what_cannot_be_read_in_pieces_is_refused_in_words(made, roles, why, tmp_path):
    path = tmp_path / made.get("name", "log.csv")
    path.write_text(made.get("text", as_csv(simulated(5))), "utf-8")
    with pytest.raises(InputError) as error:
        parts_of(path, tmp_path / "parts", **ISO, **roles)
    assert str(error.value) == (
        f"read_events: with a memory limit a source is read in pieces, and {why}. Convert it to Parquet or to CSV in "
        "UTF-8, or leave memory_limit= out."
    )


def test_a_table_in_memory_is_refused(tmp_path):
    with pytest.raises(InputError, match="and the source is a table in memory"):
        parts_of(pa.table({"who": ["a"]}), tmp_path / "parts", **ISO)


def test_a_format_must_be_told_for_text(tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(as_csv(simulated(5)), "utf-8")
    with pytest.raises(InputError) as error:
        parts_of(path, tmp_path / "parts", **ROLES)
    assert str(error.value) == (
        "read_events: with a memory limit the file is read in pieces, so the format of column 'when' must be told. "
        "Pass time_format=: iso, seconds, milliseconds, minutes, hours, days, clock, number, "
        "or a pattern such as '%d.%m.%Y %H:%M'."
    )


def test_recordings_become_people_by_a_map(small, tmp_path):
    path, people = tmp_path / "log.csv", tmp_path / "people.csv"
    path.write_text(as_csv(simulated()), "utf-8")
    people.write_text("who,person,sex\n" + "".join(f"p{i},q{i // 3},{'fm'[i % 2]}\n" for i in range(30)), "utf-8")
    roles = ISO | {"people": str(people), "attributes": ("sex",)}
    parts, log = parts_of(path, tmp_path / "parts", **roles), sq.read_events(path, **roles)
    assert log.n_people == 10 and any("that the map does not name" in note for note in log.notes)
    assert_equal(parts, log)


def test_another_encoding_is_named_and_no_cell_is_shown(tmp_path):
    path = tmp_path / "log.csv"
    path.write_bytes(as_csv(simulated(50)).encode() + b"p1,2024-01-01,caf\xe9,0\n")
    with pytest.raises(InputError, match="is not UTF-8 at byte") as error:
        parts_of(path, tmp_path / "parts", **ISO)
    assert "caf" not in str(error.value)


def test_nothing_but_parts_is_left_in_the_folder(small, tmp_path):
    path = tmp_path / "log.csv"
    path.write_text(as_csv(simulated()), "utf-8")
    parts = parts_of(path, tmp_path / "parts", **ISO)
    left = [p for p in (tmp_path / "parts").rglob("*") if p.is_file()]
    assert sorted(left) == sorted(parts.paths)
