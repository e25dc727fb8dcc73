"""Symbols read as parts: the same series, notes and facts as `read_symbols`, whatever the source looks like."""

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
from sequester.read.note_counts import Counted, added_up, said

COLUMNS = ("who", "when", "x", "y")
CELLS = st.sampled_from(["", " ", "a", "b", "7", "007", "7.0", "NA", "a b", "b  a a", "-3", "1e3", "inf", "é"])
WHO = st.sampled_from(["", " ", "p1", "p2", "p3 ", "7", "7.0", "x,y", "two\nlines", "é"])
TIMES = st.sampled_from(["3", "1", "2", "1", "soon", "", "2.5"])
ROLES = {
    "symbols in order": {"value": ("x",), "symbolize": "none"},
    "symbols by time": {"value": ("x",), "symbolize": "none", "time": "when", "time_format": "number"},
    "two columns of symbols": {"value": ("y", "x"), "symbolize": "none"},
    "a told alphabet": {"value": ("x",), "symbolize": "none", "symbols": ("b", "a", "7")},
    "numbers": {"value": ("x",), "window": 1, "alphabet": 3},
    "numbers by time": {"value": ("x", "y"), "time": "when", "time_format": "number", "window": 2, "alphabet": 2},
    "numbers between seconds": {"value": ("x",), "time": "when", "time_format": "number", "window": 1, "from_": 1.0},
    "equal widths": {"value": ("y",), "window": 1, "symbolize": "equal-width", "std": "sample", "rate": 4.0},
}


def parts_of(source, folder: Path, **roles):
    folder.mkdir(exist_ok=True)
    memory = roles.pop("memory", 400 << 20)
    return sq.read_parts("symbols", source, folder, engine=Engine(threads=2, memory=memory), person="who", **roles)


def assert_equal(parts: sq.Parts, data: sq.SymbolSeries) -> None:
    whole = parts.whole()
    assert whole.fingerprint() == data.fingerprint()
    assert whole.persons.tolist() == data.persons.tolist() and whole.alphabet == data.alphabet
    assert (parts.notes, parts.reading) == (data.notes, data.reading)
    assert whole.people_known == data.people_known and whole.names_public == data.names_public
    assert (parts.n_people, parts.n_records, parts.n_items) == (data.n_people, data.n_records, len(data.symbols))
    assert sum(p.n_people for p in parts) == data.n_people


@pytest.fixture
def small(monkeypatch):
    """Pieces of a few rows and a memory estimate that makes many parts."""
    monkeypatch.setattr(streams, "ROWS_AT_ONCE", 7)
    monkeypatch.setattr(dealing, "BYTES_PER_ROW", 5 << 20)


def as_csv(rows, delimiter=",") -> str:
    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    writer.writerows([COLUMNS, *rows])
    return out.getvalue()


@pytest.mark.parametrize("case", ROLES)
@settings(max_examples=12, deadline=None)
@given(
    rows=st.lists(st.tuples(WHO, TIMES, CELLS, CELLS), min_size=1, max_size=40),
    bytes_per_row=st.sampled_from([1 << 20, 20 << 20, 200 << 20]),
)
def test_every_cell_becomes_what_it_becomes_in_a_whole_table(case, rows, bytes_per_row, tmp_path_factory):
    place = tmp_path_factory.mktemp("symbols")
    path = place / "symbols.csv"
    path.write_text(as_csv(rows), "utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streams, "ROWS_AT_ONCE", 7)
        patch.setattr(dealing, "BYTES_PER_ROW", bytes_per_row)  # 1 to about 40 parts
        try:
            data = sq.read_symbols(path, person="who", **ROLES[case])
        except InputError as error:
            with pytest.raises(InputError) as ours:
                parts_of(path, place / "parts", **ROLES[case])
            assert str(ours.value) == str(error)
            return
        if not data.n_records:
            return
        assert_equal(parts_of(path, place / "parts", **ROLES[case]), data)


def simulated(n=400, seed=0):
    rng = np.random.default_rng(seed)
    return [
        (f"p{rng.integers(0, 37)}", str(rng.integers(0, 90)), "abc"[rng.integers(0, 3)], str(rng.integers(0, 50)))
        for _ in range(n)
    ]


@pytest.mark.parametrize("name", ["s.csv", "s.csv.gz", "s.tsv", "s.jsonl", "s.parquet"])
@pytest.mark.parametrize("case", ["symbols in order", "numbers by time"])
def test_every_format_gives_the_same_parts(case, name, small, tmp_path):
    rows, path = simulated(), tmp_path / name
    if case == "numbers by time":
        rows = [(a, b, d, d) for a, b, _, d in rows]
    if name.endswith(".parquet"):
        pq.write_table(pa.table([list(c) for c in zip(*rows)], names=list(COLUMNS)), path)
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(dict(zip(COLUMNS, r))) + "\n" for r in rows), "utf-8")
    elif name.endswith(".gz"):
        path.write_bytes(gzip.compress(as_csv(rows).encode()))
    else:
        path.write_text(as_csv(rows, "\t" if name.endswith(".tsv") else ","), "utf-8")
    parts = parts_of(path, tmp_path / "parts", **ROLES[case])
    assert len(parts.paths) > 2 and not list((tmp_path / "parts" / "buckets").iterdir())
    assert_equal(parts, sq.read_symbols(path, person="who", **ROLES[case]))


def test_files_of_whole_people_are_taken_and_a_person_in_two_is_refused(small, tmp_path):
    rows, folder = simulated(), tmp_path / "hospitals"
    folder.mkdir()
    for i in range(3):
        mine = [r for r in rows if int(r[0][1:]) % 3 == i]
        (folder / f"h{i}.csv").write_text(as_csv(mine), "utf-8")
    parts = parts_of(folder, tmp_path / "parts", by_file=True, **ROLES["symbols in order"])
    assert len(parts.paths) == 3
    assert_equal(parts, sq.read_symbols(folder, person="who", **ROLES["symbols in order"]))
    with (folder / "h0.csv").open("a") as file:
        file.write("p1,3,a,4\np2,3,b,4\n")
    with pytest.raises(InputError) as error:
        parts_of(folder, tmp_path / "again", by_file=True, **ROLES["symbols in order"])
    assert str(error.value) == (
        "read_symbols: 2 people are in more than one part. A part must hold whole people: put all rows of a person "
        "into one file, or leave by_file=True out and let the rows be dealt out."
    )


REFUSED = {
    "nobody told": (
        {"person": None},
        "read_symbols: with a memory limit rows are dealt out by person, so the column of persons must be told. Pass "
        "person=NAME, or leave memory_limit= out.",
    ),
    "each": (
        {"person": "each"},
        "read_symbols: with a memory limit rows are dealt out by person, so the column of persons must be told. Pass "
        "person=NAME, or leave memory_limit= out.",
    ),
    "a lead": (
        {"lead": "II"},
        "read_symbols: lead='II' would do nothing: it goes with recordings. Leave it out.",
    ),
    "times of an unknown format": (
        {"time": "when", "value": ("x",)},
        "read_symbols: with a memory limit the file is read in pieces, so the format of column 'when' must be told. "
        "Pass time_format=: iso, seconds, milliseconds, minutes, hours, days, clock, number, "
        "or a pattern such as '%d.%m.%Y %H:%M'.",
    ),
    "a window of nothing": (
        {"window": 0},
        "read_symbols: window must be at least 1 and alphabet in 2..65535, got window=0, alphabet=4.",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_cannot_be_read_in_parts_is_refused(case, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text(as_csv(simulated(20)), "utf-8")
    roles, words = REFUSED[case]
    with pytest.raises(InputError) as error:
        sq.read_parts("symbols", path, tmp_path / "parts", engine=Engine(threads=1), **({"person": "who"} | roles))
    assert str(error.value) == words


def test_counted_notes_add_up_and_nothing_is_not_said():
    import pickle

    lost = [Counted(n, " of ", n + 5, " rows", lambda counts: "!" if counts[0] > 4 else "") for n in (0, 2, 3)]
    others = [Counted(n, " cells") for n in (0, 0, 0)]
    total = added_up([["first", a, b] for a, b in zip(lost, others)])
    assert said(total) == ("first", "5 of 20 rows!")
    assert said([Counted(0, " nights", always=True), ""]) == ("0 nights",)
    again = pickle.loads(pickle.dumps(others[0]))
    assert again == "0 cells" and again.words == others[0].words
    assert all(type(n) is str for n in said(total))
