"""One query engine per process: quick, and nothing of one read is seen by the next."""

import gc
import os
import signal
import threading

import duckdb
import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.engines import Engine
from sequester.read import engine, streams
from sequester.read.table import InParts, load

ROWS = "person,time,state\na,2024-01-01,x\nb,2024-01-02,y\n"


def _as_json(n, letter="x"):
    return "".join(f'{{"person": "p{i}", "time": "2024-01-01", "state": "{letter}"}}\n' for i in range(n))


def test_the_engine_is_started_once(tmp_path, monkeypatch):
    started = []
    real = duckdb.connect
    monkeypatch.setattr(duckdb, "connect", lambda *a, **k: started.append(a) or real(*a, **k))
    monkeypatch.setattr(engine, "_running", {})
    (tmp_path / "t.csv").write_text(ROWS)
    (tmp_path / "t.jsonl").write_text(_as_json(3))
    for _ in range(4):
        sq.read_events(tmp_path / "t.csv", person="person")
        sq.read_events(tmp_path / "t.jsonl", person="person")
    assert len(started) == 2, "one engine for files, one that cannot open any"
    for shared in engine._running.values():
        shared.close()


def test_nothing_of_a_read_is_left(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS + "a\n")
    loaded = load(tmp_path / "t.csv", "read")
    assert loaded.notes == ("1 of 3 rows does not have the 3 cells of the header (first at row 3) and was left out",)
    (tmp_path / "t.csv").write_text(ROWS)
    assert load(tmp_path / "t.csv", "read").notes == (), "the rows that another read left out"
    load({"n": np.arange(3)}, "read")
    engine.computed({"x": pa.array([1])}, {"y": "x + 1"})
    handed = pa.table({"x": [1]})  # the engine could see variables of Python
    for sealed in (False, True):
        connection = engine.connect(sealed=sealed)
        assert connection.sql("show all tables").fetchall() == []
        assert connection.sql("select view_name from duckdb_views() where not internal").fetchall() == []
        for name in ("handed", "handed_in", "reject_errors"):
            with pytest.raises(duckdb.CatalogException):
                connection.sql(f"select * from {name}").fetchall()
        connection.close()
    assert handed.num_rows == 1


def test_what_was_handed_in_is_let_go():
    before = pa.total_allocated_bytes()
    out = engine.computed({"x": pa.array(np.zeros(1 << 20))}, {"y": "count(x)"})
    assert out["y"].to_pylist() == [1 << 20]
    del out
    gc.collect()
    assert pa.total_allocated_bytes() - before < 1 << 20


def test_settings_of_the_engine_cannot_be_changed_and_a_read_with_its_own_has_its_own(tmp_path):
    connection = engine.connect()
    with pytest.raises(duckdb.Error, match="configuration"):
        connection.execute("set threads=1")
    usual = connection.sql("select current_setting('memory_limit')").fetchall()
    (tmp_path / "t.csv").write_text(ROWS)
    into = InParts(tmp_path / "t.csv", tmp_path, Engine(memory=1 << 30, threads=1))
    read = streams.stream(tmp_path / "t.csv", "read", into=into)
    own = read._connect()
    assert own.sql("select current_setting('memory_limit'), current_setting('threads')").fetchall() == [
        ("256.0 MiB", 1)
    ]
    own.close()
    assert connection.sql("select current_setting('memory_limit')").fetchall() == usual
    connection.close()


def test_a_sealed_engine_opens_no_file_and_none_loads_code(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    for sealed in (False, True):
        connection = engine.connect(sealed=sealed)
        asked = "select current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')"
        assert connection.sql(asked).fetchall() == [(False, False)]
        if sealed:
            with pytest.raises(duckdb.Error, match="disabled"):
                connection.sql(f"select * from read_csv({engine.exact_path(tmp_path / 't.csv')})").fetchall()
        connection.close()


@pytest.mark.parametrize("form", ["csv", "jsonl"])
def test_a_file_that_changed_is_read_anew(form, tmp_path):
    """Also if its size and its time of change tell nothing."""
    path = tmp_path / f"t.{form}"
    for letter in "xyz":
        text = _as_json(3, letter) if form == "jsonl" else "person,time,state\n" + f"a,2024-01-01,{letter}\n" * 3
        path.write_text(text)
        os.utime(path, (1e9, 1e9))
        assert set(load(path, "read").table["state"].to_pylist()) == {letter}


def test_threads_read_beside_each_other(tmp_path):
    n = 8
    for i in range(n):
        (tmp_path / f"t{i}.csv").write_text("person,time,state\n" + f"p{i},2024-01-01,s{i}\n" * (i + 1) + "a\n" * i)
    found = {}

    def read(i):
        for _ in range(5):
            loaded = load(tmp_path / f"t{i}.csv", "read")
            found.setdefault(i, set()).add(
                (loaded.table.num_rows, *loaded.table["state"].to_pylist()[:1], len(loaded.notes))
            )

    together = [threading.Thread(target=read, args=(i,)) for i in range(n)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()
    assert found == {i: {(i + 1, f"s{i}", int(i > 0))} for i in range(n)}


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_process_reads_and_ends(tmp_path):
    (tmp_path / "t.csv").write_text(ROWS)
    want = load(tmp_path / "t.csv", "read").table
    child = os.fork()
    if child == 0:
        signal.alarm(60)  # a child that waits for threads it does not have waits for ever
        same = False
        try:
            same = load(tmp_path / "t.csv", "read").table.equals(want)
            engine._before_fork()  # what the end of the process does: the engines are closed
        finally:
            os._exit(0 if same else 1)
    assert os.waitpid(child, 0)[1] == 0
    assert load(tmp_path / "t.csv", "read").table.equals(want)
