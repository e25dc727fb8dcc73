"""Tables on disk: the same rows, the same files, the same checks as of tables in memory."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester import stored_tables
from sequester.bundle import formats
from sequester.bundle.formats import read_csv_batches, same_batches, same_cells, write_table
from sequester.bundle.xes import is_xes_of, write_xes
from sequester.engines import Engine
from sequester.errors import BundleError
from sequester.layouts.log import first_objects, objects_in
from sequester.methods.events.markov_dp import drawing
from sequester.stored_tables import LABEL, StoredTable, gathered, in_pieces_of, labelled, read_whole, write_parquet
from tests.unit.test_event_forgeries import failed, method
from tests.unit.test_events_in_parts import CASES, parted

FILES = Engine(threads=2, memory=1)
"""An engine with so little memory that every log stays in a file."""


def log_table(n: int = 300, seed: int = 0, order: bool = False) -> pa.Table:
    rng = np.random.default_rng(seed)
    sizes = rng.integers(1, 7, n)
    number = np.repeat(np.arange(1, n + 1), sizes)
    time = np.arange(len(number)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + 1
    clock = pa.array(time * 60, pa.timestamp("s"))
    state = np.array(["a", "b", 'c "quoted", <x>'])[rng.integers(0, 3, len(number))]
    return pa.table({"object": number, "time": pa.array(time) if order else clock, "state": pa.array(state.tolist())})


def pieces_of(table: pa.Table, cuts: list[int]) -> list[pa.Table]:
    edges = [0, *sorted(c % (table.num_rows + 1) for c in cuts), table.num_rows]
    return [table.slice(a, b - a) for a, b in pairwise(edges)]


@pytest.mark.parametrize("group", [7, 1000])
@pytest.mark.parametrize("length", [0, 3, 5000])
def test_long_lists_come_some_rows_at_a_time_and_the_table_is_the_same(tmp_path, monkeypatch, group, length):
    monkeypatch.setattr(stored_tables, "VALUES_AT_ONCE", 4 * 5000)
    rows = [[(i + j) % 5 for j in range(length)] if i % 9 else None for i in range(40)]
    names = pa.array([f"person {i % 3}" for i in range(40)]).dictionary_encode()
    table = pa.table({"states": pa.array(rows, pa.list_(pa.uint8())), "name": names}, metadata={b"a": b"b"})
    pq.write_table(table, tmp_path / "lists.parquet", row_group_size=group)
    file = pq.ParquetFile(tmp_path / "lists.parquet")
    found, at_once = read_whole(file), file.read()
    assert found.equals(at_once.unify_dictionaries()) and found.schema.equals(at_once.schema, check_metadata=True)
    assert length < 5000 or found.column("states").num_chunks >= 9
    pq.write_table(table.slice(0, 0), tmp_path / "none.parquet")
    assert read_whole(pq.ParquetFile(tmp_path / "none.parquet")).num_rows == 0


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 2000), max_size=6), st.integers(1, 500), st.booleans())
def test_the_file_is_the_same_however_the_table_was_cut(tmp_path_factory, cuts, group, order):
    table, folder = log_table(order=order), tmp_path_factory.mktemp("cut")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stored_tables, "ROWS", group)
        write_parquet([table], folder / "whole.parquet")
        n = write_parquet(pieces_of(table, cuts), folder / "cut.parquet")
        stored = gathered(pieces_of(table, cuts), folder=folder, in_files=True)
    write_parquet(labelled(stored, "words"), folder / "labelled.parquet")
    whole = (folder / "whole.parquet").read_bytes()
    assert n == table.num_rows and whole == (folder / "cut.parquet").read_bytes()
    assert pq.read_metadata(folder / "labelled.parquet").metadata == {LABEL: b"words"}
    assert not pq.read_metadata(folder / "whole.parquet").metadata
    assert pq.read_metadata(folder / "cut.parquet").num_row_groups == -(-n // min(group, n))
    assert stored.read().equals(table) and stored.schema.equals(table.schema) and stored.num_rows == n
    assert sorted(p.name for p in folder.iterdir()) == ["cut.parquet", "labelled.parquet", "whole.parquet"]


def test_a_table_that_was_read_back_makes_the_same_groups(tmp_path, monkeypatch):
    monkeypatch.setattr(stored_tables, "GROUP_BYTES", 5000)
    table = log_table()
    table = table.append_column("lists", pa.array([[i, 0] for i in range(table.num_rows)], pa.list_(pa.int32())))
    write_parquet(labelled(table, "words"), tmp_path / "a.parquet")
    assert pq.read_metadata(tmp_path / "a.parquet").num_row_groups > 5
    for read in (pq.read_table(tmp_path / "a.parquet"), StoredTable.at(tmp_path / "a.parquet", "")):
        write_parquet(labelled(read, "words"), tmp_path / "b.parquet")
        assert (tmp_path / "b.parquet").read_bytes() == (tmp_path / "a.parquet").read_bytes()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 12))
def test_pieces_hold_the_same_rows(sizes, rows):
    tables = [pa.table({"x": np.arange(s)}) for s in sizes]
    pieces = list(in_pieces_of(tables, rows))
    assert pa.concat_tables(pieces).equals(pa.concat_tables(tables))
    assert [p.num_rows for p in pieces[:-1]] == [rows] * (len(pieces) - 1) and pieces[-1].num_rows <= rows


def test_a_stored_table_shows_what_a_table_shows(tmp_path):
    table = log_table()
    stored = gathered(pieces_of(table, [10, 400]), folder=tmp_path / "new", in_files=True)
    assert stored.column_names == table.column_names and stored.num_columns == 3
    for at, n in ((0, 5), (7, 100), (1000, 10**6), (0, None), (10**6, 3)):
        assert stored.slice(at, n).equals(table.slice(at, n).combine_chunks())
    assert stored.select(["state"]).read().equals(table.select(["state"]))
    assert objects_in(stored) == objects_in(table) == 300
    assert first_objects(stored, 17).equals(first_objects(table, 17))
    assert first_objects(table, 17)["object"].to_pylist()[-1] == 17 and first_objects(table, 999).equals(table)
    assert repr(stored) == f"<table on disk: {table.num_rows} rows, object, time, state>"


def test_a_folder_that_cannot_be_written_is_said(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(sq.InputError) as error:
        gathered([log_table()], folder=tmp_path / "file", in_files=True)
    assert str(error.value) == (
        "scratch: 'file' cannot be written (File exists). Pass scratch= with a folder on a disk that has room."
    )


@pytest.mark.parametrize("order", [False, True])
def test_copies_are_written_and_compared_in_batches(tmp_path, monkeypatch, order):
    table = log_table(order=order)
    stored = gathered([table], folder=tmp_path, in_files=True)
    types = {f.name: str(f.type) for f in table.schema}
    for what, name in ((table, "whole"), (stored, "stored")):
        write_table(what, tmp_path / name, "csv", "words")
        write_xes(what, tmp_path / f"{name}.xes", "words")
    for ending in ("csv", "xes"):
        assert (tmp_path / f"whole.{ending}").read_bytes() == (tmp_path / f"stored.{ending}").read_bytes()
    assert same_cells(stored, table) and same_batches(
        stored.to_batches(), read_csv_batches(tmp_path / "whole.csv", types)
    )
    assert is_xes_of(stored, tmp_path / "whole.xes", "words")
    assert not is_xes_of(stored, tmp_path / "whole.xes", "other words")
    rows = table.to_pylist()
    for at in (0, 700, len(rows) - 1):
        other = pa.Table.from_pylist([*rows[:at], rows[at] | {"state": "d"}, *rows[at + 1 :]], schema=table.schema)
        less = pa.Table.from_pylist([*rows[:at], *rows[at + 1 :]], schema=table.schema)
        for changed in (other, less):
            write_table(changed, tmp_path / "odd", "csv", "words")
            write_xes(changed, tmp_path / "odd.xes", "words")
            assert not same_cells(stored, changed) and not is_xes_of(stored, tmp_path / "odd.xes", "words")
            assert not same_batches(stored.to_batches(), read_csv_batches(tmp_path / "odd.csv", types))


def test_a_damaged_file_is_one_sentence(tmp_path):
    path = tmp_path / "events.parquet"
    write_parquet([log_table(5000)], path)
    raw = bytearray(path.read_bytes())
    raw[4:400] = bytes(396)
    path.write_bytes(raw)
    with pytest.raises(BundleError, match=r"^table 'x' is gone$"):
        list(StoredTable.at(path, "table 'x' is gone").to_batches())
    path.write_bytes(b"PAR1")
    with pytest.raises(BundleError, match=r"^table 'x' is gone$"):
        StoredTable.at(path, "table 'x' is gone")


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(drawing, "EVENTS_AT_ONCE", 200)


@pytest.mark.parametrize("case", CASES)
def test_a_release_in_files_is_that_in_memory(case, tmp_path, small_blocks):
    log, parameters = CASES[case]
    told = sq.MarkovDP(**parameters)
    here = sq.anonymize(log, told, seed=7)
    there = sq.anonymize(parted(log, tmp_path, 7, 1), told, seed=7, engine=replace(FILES, scratch=tmp_path / "scratch"))
    assert isinstance(there.tables["events"], StoredTable) and not isinstance(here.tables["events"], StoredTable)
    assert there.tables["events"].read().equals(here.tables["events"].combine_chunks())
    assert all(here.tables[n].equals(there.tables[n]) for n in ("model", "measurements"))
    assert list((tmp_path / "scratch").iterdir()) == []
    assert sq.verify(here).to_json() == sq.verify(there).to_json()


def test_the_bundle_is_the_same_file_by_file(tmp_path, small_blocks):
    log, parameters = CASES["seconds, states selected privately"]
    told, made = sq.MarkovDP(**parameters), {}
    parts = parted(log, tmp_path, 5, 1)
    for name, data, engine in (("here", log, None), ("there", parts, replace(FILES, scratch=tmp_path))):
        place = tmp_path / name / "log.bundle"
        place.parent.mkdir()
        sq.publish_data(
            data,
            sq.Request(method=told, target=place, seed=3, engine=engine, teaching_only=True, formats=("csv", "xes")),
        )
        made[name] = {str(p.relative_to(place)): p.read_bytes() for p in place.rglob("*") if p.is_file()}
    assert made["here"].keys() == made["there"].keys() and len(made["here"]) > 6
    odd = [name for name in made["here"] if made["here"][name] != made["there"][name]]
    assert odd == []


@cache
def original():
    return sq.sample("events", n_people=500, seed=4)


@pytest.fixture(scope="module")
def honest_in_files(tmp_path_factory):
    """Its parts stay: the account asks them whose release it is."""
    parts = parted(original(), tmp_path_factory.mktemp("parts"), 4, 1)
    return sq.anonymize(parts, method(people_at_least=500), seed=1, engine=FILES)


def test_a_log_in_memory_is_not_put_into_a_file():
    release = sq.anonymize(original(), method(people_at_least=500), seed=1, engine=FILES)
    assert isinstance(release.tables["events"], pa.Table)


def test_what_needs_all_of_it_reads_all_of_it(honest_in_files):
    """Beside an original in memory, copies are looked for and use is measured as of a table in memory."""
    stored = honest_in_files
    whole = replace(stored, tables={n: t.slice(0) for n, t in stored.tables.items()})
    assert sq.verify(stored, original()).to_json() == sq.verify(whole, original()).to_json()
    assert "no copies of people" in {c.name for c in sq.verify(stored, original()).checks}
    assert sq.measure(original(), stored).to_json() == sq.measure(original(), whole).to_json()


def changed(rows, kind):
    at = len(rows) // 2
    while rows[at]["object"] != rows[at - 1]["object"]:
        at += 1
    row = dict(rows[at])
    if kind == "another state":
        row["state"] = "Maria"
    elif kind == "back in time":
        row["time"] = rows[0]["time"].replace(year=2024, month=1, day=1, hour=0)
    elif kind == "out of the range":
        at = len(rows) - 1
        row = rows[at] | {"time": rows[at]["time"].replace(year=2031)}
    elif kind == "a number left out":
        return [*rows[:at], *(r | {"object": r["object"] + 1} for r in rows[at:])]
    return [*rows[:at], row, *rows[at + 1 :]]


@pytest.mark.parametrize(
    ("kind", "check"),
    [
        ("another state", "states are those of the model"),
        ("back in time", "times do not run backwards"),
        ("out of the range", "dates keep the public range"),
        ("a number left out", "objects are as many as the noisy count"),
    ],
)
def test_a_broken_release_in_files_is_caught(kind, check, honest_in_files, monkeypatch):
    release = honest_in_files
    assert isinstance(release.tables["events"], StoredTable) and failed(release) == []
    monkeypatch.setattr("sequester.judges.events.AT_ONCE", 7)
    assert failed(release) == []
    table = release.tables["events"].read()
    odd = pa.Table.from_pylist(changed(table.to_pylist(), kind), schema=table.schema)
    stored = gathered([odd], folder=None, in_files=True)
    assert check in failed(replace(release, tables={**release.tables, "events": stored}))


def test_a_large_bundle_is_verified_in_its_files(honest_in_files, tmp_path, monkeypatch):
    """The same checks with the same counts as in memory; and what was changed in a file is found."""
    release = honest_in_files
    place = tmp_path / "log.bundle"
    sq.publish(release, place, teaching_only=True, formats=("csv", "xes"))
    small = sq.verify(place).to_json()
    monkeypatch.setattr(stored_tables, "MANY_ROWS", 100)
    seen = []
    whole = StoredTable.to_batches
    monkeypatch.setattr(StoredTable, "to_batches", lambda self, *a, **o: seen.append(1) or whole(self, *a, **o))
    assert sq.verify(place).to_json() == small and len(seen) > 5
    text = (place / "data" / "events.csv").read_text("utf-8").splitlines()
    (place / "data" / "events.csv").write_text("\n".join([*text[:-1], text[-2]]) + "\n", "utf-8")
    assert {c.name for c in sq.verify(place).checks if not c.passed} >= {"checksums", "copies"}


def test_a_release_that_was_not_written_as_released_is_refused(honest_in_files, tmp_path, monkeypatch):
    release = honest_in_files

    def lossy(table, label):
        return labelled(table.slice(0, table.num_rows - 1), label)

    monkeypatch.setattr(formats, "labelled", lossy)
    with pytest.raises(sq.PromiseBroken):
        sq.publish(release, tmp_path / "log.bundle", teaching_only=True)
    assert {p.name for p in tmp_path.iterdir()} <= {"sequester.account", "sequester.account.key"}
    assert sq.open_account(tmp_path).entries() == []


def test_a_release_whose_parts_are_gone_is_not_published_uncharged(tmp_path):
    """Nobody can say any more whose data it is: one sentence, and nothing appears."""
    place = tmp_path / "out" / "log.bundle"
    place.parent.mkdir()
    (tmp_path / "parts").mkdir()
    parts = parted(original(), tmp_path / "parts", 4, 1)
    release = sq.anonymize(parts, method(people_at_least=500), seed=1, engine=FILES)
    for path in parts.paths:
        path.unlink()
    with pytest.raises(sq.InputError) as error:
        sq.publish(release, place, teaching_only=True)
    assert str(error.value) == f"parts: '{parts.paths[0].name}' cannot be read. Write the parts again."
    assert {p.name for p in place.parent.iterdir()} <= {"sequester.account", "sequester.account.key"}
    sq.publish(release, place, source=original(), teaching_only=True)
    assert [e.people for e in sq.open_account(place.parent).entries()] == [500]
