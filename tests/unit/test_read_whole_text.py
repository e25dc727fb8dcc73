"""A cell of Parquet, or of a table in memory, whose bytes are no text is missing, and nobody else's changes."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.read.table import load
from tests.unit.test_hostile_person import event_rows

NOTE = "1 cell holds bytes that are no text in UTF-8 and counts as missing"
KINDS = {"string": pa.string(), "large": pa.large_string(), "dictionary": pa.dictionary(pa.int32(), pa.string())}


def spoilt(words, kind):
    """A column of text that was made without looking at its bytes."""
    ends = np.cumsum([0, *(len(w) for w in words)]).astype("int64" if kind == pa.large_string() else "int32")
    made = pa.LargeStringArray if kind == pa.large_string() else pa.StringArray
    out = made.from_buffers(len(words), pa.py_buffer(ends.tobytes()), pa.py_buffer(b"".join(words)))
    return pa.DictionaryArray.from_arrays(pa.array(range(len(words)), pa.int32()), out) if "dict" in str(kind) else out


def table(kind, *, hostile, of):
    rows = [[b"p%d" % (i % 4), b"2024-03-%02d" % (1 + i), b"s%d" % (i % 3)] for i in range(12)]
    if hostile:
        rows.insert(5, [b"odd", b"2024-03-09", b"s1"])
        rows[5][of] = b"\xff\xfe" + rows[5][of]
    return pa.table({n: spoilt([r[i] for r in rows], kind) for i, n in enumerate(("person", "time", "state"))})


@pytest.mark.parametrize("of", range(3), ids=["person", "time", "state"])
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", ["parquet", "memory", "parts"])
def test_rows_of_others_stay_as_they_were(of, kind, form, tmp_path):
    told = {"person": "person", "time": "time", "state": "state", "time_format": "iso", "time_unit": "day"}

    def read(hostile):
        made = table(KINDS[kind], hostile=hostile, of=of)
        if form == "memory":
            return sq.read_events(made, **told)
        pq.write_table(made, tmp_path / "t.parquet", store_schema=kind == "dictionary")
        if form == "parquet":
            return sq.read_events(tmp_path / "t.parquet", **told)
        (tmp_path / f"parts{hostile}").mkdir()
        return sq.read_parts("events", tmp_path / "t.parquet", tmp_path / f"parts{hostile}", **told)

    alone, beside = read(False), read(True)
    assert NOTE in beside.notes and NOTE not in alone.notes
    if form != "parts":
        here, there = event_rows(alone), event_rows(beside)
        assert len(here) == 4 and {p: there[p] for p in here} == here


def test_so_it_is_in_lists(tmp_path):
    words = spoilt([b"walk", b"sit", b"\xff", b"walk", b"sit"], pa.string())
    lists = pa.ListArray.from_arrays(
        pa.array([0, 2, 4, 4, 5], pa.int32()), words, mask=pa.array([False, False, True, False])
    )
    made = pa.table({"person": ["a", "b", "c", "d"], "state": lists})
    pq.write_table(made, tmp_path / "t.parquet")
    read = load(tmp_path / "t.parquet", "read")
    assert read.table["state"].to_pylist() == [["walk", "sit"], [None, "walk"], None, ["sit"]]
    assert read.notes == (NOTE,)


@pytest.mark.parametrize("column", ["time", "state", "number", "text", "person"])
def test_every_reader_bears_it(column, tmp_path):
    n = 20
    cells = {
        "person": [b"p%d" % (i % 4) for i in range(n)],
        "time": [b"2024-03-%02d" % (1 + i) for i in range(n)],
        "state": [b"s%d" % (i % 3) for i in range(n)],
        "number": [b"%d" % i for i in range(n)],
        "text": [b"some words of note %d" % i for i in range(n)],
    }
    cells[column][7] = b"\xff"
    path = tmp_path / "t.parquet"
    pq.write_table(pa.table({name: spoilt(words, pa.string()) for name, words in cells.items()}), path)
    timed = {"person": "person", "time": "time"}
    dates = {"interval": 3600, "dates": "2024-03-01..2024-03-20"}
    reads = [
        lambda: sq.read_events(path, **timed, state="state", attributes=("number", "text")),
        lambda: sq.read_activities(path, **timed, state="state", covariates=("number", "text"), **dates),
        lambda: sq.read_activities(path, **timed, value="number", bins=("1",), names=("a", "b"), align="start", days=2),
        lambda: sq.read_series(path, person="each", quasi=("number",), sensitive=("state",)),
        lambda: sq.read_symbols(path, person="person", value=("state",), symbolize="none"),
        lambda: sq.read_symbols(path, person="person", value=("number",), time="time"),
        lambda: sq.read_corpus(path, person="each"),
        lambda: str(sq.inspect(path)),
    ]
    for read in reads:
        said = read()
        assert NOTE in (said if isinstance(said, str) else said.notes)
