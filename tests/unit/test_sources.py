"""Files as people have them: folders, maps, archives, workbooks, tables in memory; and what is never read."""

import gzip
import sqlite3
import zipfile

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sequester as sq

ROWS = [("a", "2024-03-01 10:00:00", "x"), ("a", "2024-03-02 10:00:00", "y"), ("b", "2024-03-01 10:00:00", "x")]
NAMES = ("person", "time", "state")
CSV = "\n".join(",".join(r) for r in (NAMES, *ROWS)) + "\n"
ALONE = "time,state\n2024-03-01 10:00:00,x\n2024-03-02 10:00:00,y\n"


def rows_of(log):
    return {
        p: [log.state_names[s] for s in log.states[a:b]]
        for p, a, b in zip(log.persons, log.offsets, log.offsets[1:], strict=False)
    }


WANT = {"a": ["x", "y"], "b": ["x"]}


def refusal(*args, **options):
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(*args, **options)
    return str(caught.value)


def test_a_folder_of_one_file_per_person(tmp_path):
    folder = tmp_path / "cohort"
    (folder / "wave1").mkdir(parents=True)
    (folder / "wave1" / "p1.csv").write_text(ALONE)
    (folder / "p2.csv.gz").write_bytes(gzip.compress(ALONE.encode()))
    (folder / "p3.tsv").write_text(ALONE.replace(",", "\t"))
    log = sq.read_events(folder, person="file")
    assert rows_of(log) == {p: ["x", "y"] for p in ("p2", "p3", "wave1/p1")}
    assert log.notes[0] == "3 files were joined"
    assert rows_of(sq.read_events(folder, person="file", files="*.tsv")) == {"p3": ["x", "y"]}
    one = sq.read_events([folder / "p3.tsv", folder / "wave1" / "p1.csv"], person="file")
    assert rows_of(one) == {"p3": ["x", "y"], "wave1/p1": ["x", "y"]}
    assert rows_of(sq.read_events(folder, person="folder")) == {"wave1": ["x", "y"]}
    assert sq.read_events(folder / "p3.tsv", person="file").persons.tolist() == ["p3"]
    assert refusal(folder, person="file", files="*.xlsx") == (
        "read_events: the folder 'cohort' holds no tables that fit '*.xlsx'. Tables end in .csv, .tsv, .txt, .dat, "
        ".tab, .jsonl and so on."
    )


def test_a_map_says_whose_recording_it_is(tmp_path):
    folder = tmp_path / "cohort"
    folder.mkdir()
    for name in ("r1", "r2", "r3", "r4"):
        (folder / f"{name}.csv").write_text(ALONE)
    people = tmp_path / "people.csv"
    people.write_text("recording,person\nr1,ann\nr2,ann\nr3,bob\n")
    log = sq.read_events(folder, person="file", people=str(people))
    assert {p: len(s) for p, s in rows_of(log).items()} == {"ann": 4, "bob": 2}, "one person of two recordings is one"
    assert "2 rows of recordings that the map does not name were left out" in log.notes
    people.write_text("recording,person\nr1,ann\nr1,bob\n")
    assert refusal(folder, person="file", people=str(people)) == (
        "read_events: the map 'people.csv' gives a recording no person, or two. Correct it."
    )


def test_a_path_is_a_path_and_folders_add_no_columns(tmp_path):
    (tmp_path / "export[1].csv").write_text(CSV)
    (tmp_path / "export1.csv").write_text(CSV.replace("a,", "other,"))
    assert rows_of(sq.read_events(tmp_path / "export[1].csv")) == WANT
    hive = tmp_path / "state=secret"
    hive.mkdir()
    (hive / "t.csv").write_text(CSV)
    pq.write_table(pa.table({n: [r[i] for r in ROWS] for i, n in enumerate(NAMES)}), hive / "t.parquet")
    for name in ("t.csv", "t.parquet"):
        assert rows_of(sq.read_events(hive / name)) == WANT


def test_ours_hidden_and_linked_files_are_skipped(tmp_path):
    folder = tmp_path / "cohort"
    folder.mkdir()
    (folder / "p1.csv").write_text(ALONE)
    for ours in ("old.bundle", "old.private", ".hidden"):
        (folder / ours).mkdir()
        (folder / ours / "t.csv").write_text(ALONE)
    renamed = folder / "renamed"
    renamed.mkdir()
    (renamed / "custodian.json").write_text("{}")
    (renamed / "t.csv").write_text(ALONE)
    (folder / ".secret.csv").write_text(ALONE)
    (folder / "link.csv").symlink_to(folder / "p1.csv")
    assert sq.read_events(folder, person="file").persons.tolist() == ["p1"]


@pytest.mark.parametrize(
    "form", ["zip", "pandas", "objects", "polars", "lazy", "relation", "arrow", "xlsx", "sav", "dta", "rds", "RData"]
)
def test_every_form_gives_the_same_rows(form, tmp_path):
    frame = pd.DataFrame(ROWS, columns=NAMES)
    source = {"pandas": frame, "objects": frame.astype(object), "polars": pl.DataFrame(dict(frame.items())),
              "lazy": pl.LazyFrame(dict(frame.items())), "arrow": pa.Table.from_pandas(frame)}.get(form)  # fmt: skip
    if form == "relation":
        source = duckdb.from_arrow(pa.Table.from_pandas(frame))
    elif form == "zip":
        source = tmp_path / "t.csv.zip"
        with zipfile.ZipFile(source, "w") as archive:
            archive.writestr("inside/t.csv", CSV)
            archive.writestr("__MACOSX/t.csv", CSV)
    elif form == "xlsx":
        pytest.importorskip("openpyxl")
        source = tmp_path / "t.xlsx"
        frame.to_excel(source, index=False)
    elif form in ("sav", "dta"):
        pyreadstat = pytest.importorskip("pyreadstat")
        source = tmp_path / f"t.{form}"
        getattr(pyreadstat, f"write_{form}")(frame, str(source))
    elif form in ("rds", "RData"):
        pyreadr = pytest.importorskip("pyreadr")
        source = tmp_path / f"t.{form}"
        getattr(pyreadr, f"write_{form.lower()}")(str(source), frame)
    assert rows_of(sq.read_events(source)) == WANT


def test_tables_without_a_header_and_apart_by_blanks(tmp_path):
    path = tmp_path / "t.dat"
    path.write_text("a  2024-03-01  x\na 2024-03-02 y\nb   2024-03-01 x\n")
    assert rows_of(sq.read_events(path, person="1", time="2", state="3", header=False)) == WANT
    bare = tmp_path / "t.csv"
    bare.write_text("\n".join(",".join(r) for r in ROWS))
    assert rows_of(sq.read_events(bare, person="1", time="2", state="3", header=False)) == WANT
    assert refusal(bare, person="person") == (
        "read_events: column 'person' not found; the first line of the file looks like a row, not like a header of 3 "
        "names. Add a header, or pass header=False and name columns by number."
    )


def test_a_database_opens_no_other_file(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text(CSV)
    path = tmp_path / "t.duckdb"
    base = duckdb.connect(str(path))
    base.execute(f"create view t as select * from read_csv('{secret}')")
    base.close()
    assert refusal(path) == (
        "read_events: the table of 't.duckdb' cannot be read: the file is damaged, or a view in it reads other files, "
        "which is not followed. Copy the rows into a table of their own."
    )
    endless = tmp_path / "t.sqlite"
    lite = sqlite3.connect(endless)
    lite.execute(
        "create view t as with recursive n(x) as (select 1 union all select x + 1 from n) select max(x) from n"
    )
    lite.close()
    from sequester.read import databases

    before, databases.MOST_STEPS = databases.MOST_STEPS, 3
    try:
        assert refusal(endless).startswith("read_events: the table of 't.sqlite' cannot be read")
    finally:
        databases.MOST_STEPS = before


def test_a_person_of_several_cases_is_one_person(tmp_path):
    path = tmp_path / "visits.csv"
    path.write_text("case_id,patient,time,state\n1,p,2024-03-01,x\n2,p,2024-03-02,y\n3,q,2024-03-01,x\n")
    log = sq.read_events(path, person="patient", time="time", state="state")
    assert log.n_people == log.n_records == 2 and rows_of(log) == {"p": ["x", "y"], "q": ["x"]}
    assert sq.summary(log, {"person": "patient"}).summary.startswith("Person = patient: 2 people, 3 events.")


def test_names_of_models_made_by_hand_are_not_public():
    log = sq.EventLog(offsets=[0, 1], states=[0], state_names=("a",), times=[0])
    walk = sq.Activities(states=[[0, 1]], state_names=("a", "b"))
    word = sq.SymbolSeries(symbols=[0], offsets=[0, 1], alphabet=("a",))
    assert not (log.names_public or walk.names_public or word.names_public)
