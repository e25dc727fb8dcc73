"""Reading any table: what comes in, and what is said when it does not."""

import gzip
import sqlite3

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sequester.errors import InputError
from sequester.read.cells import texts
from sequester.read.table import load, pick

CSV = "patient,day,mmol\n007,1,4.5\n008,2,\n"


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text(CSV, "utf-8")
    return path


def test_csv_keeps_identifiers_as_written_and_missing_as_missing(csv):
    table = load(csv, "read").table
    assert table.column("patient").to_pylist() == ["007", "008"]
    assert table.column("mmol").to_pylist() == ["4.5", None], "a file without types is text, cell by cell"


def test_gzip_jsonl_parquet_and_databases_read_alike(csv, tmp_path):
    def cells(path):
        table = load(path, "read").table
        return {name: texts(table[name]).to_pylist() for name in table.column_names}

    want = cells(csv)
    gz = tmp_path / "b.csv.gz"
    gz.write_bytes(gzip.compress(CSV.encode()))
    assert cells(gz) == want
    con = duckdb.connect(str(tmp_path / "c.duckdb"))
    con.execute(f"create table t as select * from read_csv('{csv}')")
    con.execute(f"copy t to '{tmp_path / 'd.parquet'}' (format parquet)")
    con.execute(f"copy t to '{tmp_path / 'e.jsonl'}' (format json)")
    con.close()
    for name in ("c.duckdb", "d.parquet", "e.jsonl"):
        assert cells(tmp_path / name) == want, name
    lite = sqlite3.connect(tmp_path / "f.sqlite")
    lite.execute("create table t (patient text, day int, mmol real)")
    lite.executemany("insert into t values (?, ?, ?)", [("007", 1, 4.5), ("008", 2, None)])
    lite.commit()
    lite.close()
    assert cells(tmp_path / "f.sqlite") == want


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table])
def test_tables_in_memory(make):
    assert load(make({"a": [1, 2]}), "read").table.to_pylist() == [{"a": 1}, {"a": 2}]


def test_a_type_that_shows_late_is_still_read(tmp_path):
    path = tmp_path / "late.csv"
    path.write_text("x\n" + "1\n" * 50_000 + "one\n", "utf-8")
    assert load(path, "read").table.column("x").to_pylist()[-1] == "one"


def test_other_encodings(tmp_path):
    path = tmp_path / "latin.csv"
    path.write_bytes("name,x\nJosé,1\n".encode("latin-1"))
    with pytest.raises(InputError) as caught:
        load(path, "read_series")
    assert str(caught.value) == (
        "read_series: 'latin.csv' is not UTF-8 at byte 10. "
        "Pass encoding= with the encoding it was written in, for example encoding='latin-1'."
    )
    assert load(path, "read", encoding="latin-1").table.column("name").to_pylist() == ["José"]


def test_messages_name_the_remedy_and_no_value(tmp_path, csv):
    cases = {
        (tmp_path / "no.csv",): "read: 'no.csv' does not exist. Check the path.",
        (tmp_path,): f"read: '{tmp_path.name}' is a folder; a table file was expected.",
    }
    empty = tmp_path / "empty.csv"
    empty.touch()
    cases[(empty,)] = "read: 'empty.csv' is empty. A header and at least one row are needed."
    for (path,), message in cases.items():
        with pytest.raises(InputError) as caught:
            load(path, "read")
        assert str(caught.value) == message
    with pytest.raises(InputError) as caught:
        load(object(), "read")
    assert str(caught.value) == (
        "read: cannot read a table from a object; pass a path, or a pandas, polars or Arrow table."
    )
    with pytest.raises(InputError) as caught:
        pick(load(csv, "read").table, "patients", "read_series", "person")
    assert str(caught.value) == (
        "read_series: column 'patients' not found; the table has 'patient', 'day', 'mmol'. Pass person='patient'?"
    )


def test_a_broken_file_is_told_by_line_never_by_content(tmp_path):
    path = tmp_path / "broken.csv"
    path.write_text("a,b\n" + "1,2\n" * 30 + '"secret,3\n', "utf-8")
    try:
        load(path, "read")
    except InputError as error:
        assert "secret" not in str(error)
        assert str(error).startswith("read: 'broken.csv' cannot be read as a table")


def test_a_database_with_several_tables_asks_which(tmp_path):
    con = duckdb.connect(str(tmp_path / "c.duckdb"))
    con.execute("create table a as select 1 x; create table b as select 2 x")
    con.close()
    with pytest.raises(InputError) as caught:
        load(tmp_path / "c.duckdb", "read")
    assert str(caught.value) == "read: 'c.duckdb': which table?; it has a, b. Pass table=NAME."
    assert load(tmp_path / "c.duckdb", "read", table="b").table.to_pylist() == [{"x": 2}]


def test_rows_with_other_numbers_of_cells_than_the_header_are_counted(tmp_path):
    path = tmp_path / "ragged.csv"
    path.write_text("id,a,b\n" + "".join(f"p{i},{i},2\n" for i in range(20)) + "p20,1\np21,1,2\n", "utf-8")
    found = load(path, "read")
    assert found.table.num_rows == 21
    assert found.notes == ("1 of 22 rows does not have the 3 cells of the header (first at row 21) and was left out",)
    path.write_text("id,a,b\n" + "".join(f"p{i},{i}\n" for i in range(20)) + "p21,1,2\n", "utf-8")
    with pytest.raises(InputError) as caught:
        load(path, "read")
    assert str(caught.value) == (
        "read: 'ragged.csv' cannot be read as a table: 20 of 21 rows do not have the 3 cells of the header (first at "
        "row 1). Correct those rows."
    )
    alone = tmp_path / "alone.csv"
    alone.write_text("state\nrest\nwalk\n", "utf-8")
    assert load(alone, "read").table.num_rows == 2, "one column is a table too"


@pytest.mark.parametrize("spoil", [lambda b: CSV.encode(), lambda b: b[:-6], lambda b: b[:20] + b"xxxx" + b[24:]])
def test_a_broken_gzip_file_is_a_sentence(tmp_path, spoil):
    path = tmp_path / "b.csv.gz"
    path.write_bytes(spoil(gzip.compress(CSV.encode() * 50)))
    for encoding in ("utf-8", "latin-1"):
        with pytest.raises(InputError, match=r"read: 'b\.csv\.gz' (is not a whole gzip file|cannot be read)"):
            load(path, "read", encoding=encoding)


@pytest.mark.parametrize("packed", [False, True])
def test_a_name_that_stands_twice_in_the_header_gets_a_number(tmp_path, packed):
    text = b"patient;day;Day\n1;2;3\n2;3;4\n"
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(text) if packed else text)
    assert load(path, "read").table.column_names == ["patient", "day", "Day.2"]


def test_numbered_columns_are_no_repetition(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("patient,day,day_1\n1,2,3\n", "utf-8")
    assert load(path, "read").table.column_names == ["patient", "day", "day_1"]


def test_a_fault_while_an_unpacked_table_is_read_is_not_blamed_on_the_archive(tmp_path):
    import zipfile

    from sequester.read.packed import unpacked

    with zipfile.ZipFile(tmp_path / "t.zip", "w") as archive:
        archive.writestr("t.csv", "a,b\n1,2\n")
    with pytest.raises(ValueError, match="about the table"), unpacked(tmp_path / "t.zip", "read") as inside:
        assert inside.read_text("utf-8") == "a,b\n1,2\n"
        raise ValueError("about the table")
