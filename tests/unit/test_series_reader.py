"""Reading series: wide, long, letters, and one sentence for what cannot be read."""

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.methods.series.bfp2ka import BFP2KA
from sequester.methods.series.kapra import Kapra
from sequester.methods.series.kp_naive import KPNaive
from sequester.methods.series.tga import TGA
from sequester.read.series import read_series

WIDE = pa.table({"id": ["x", "y"], "t1": [1, 2], "t2": [1.5, None], "note": ["a", "b"], "y": [7, 8]})
LONG = pa.table(
    {
        "id": ["x", "y", "x", "y"],
        "day": [2, 1, 1, 2],
        "mmol": [5.0, 6.0, 4.0, None],
        "outcome": ["home", None, "home", "home"],
    }
)


def refusal(*args, **kwargs):
    with pytest.raises(sq.InputError) as caught:
        read_series(*args, **kwargs)
    return str(caught.value)


def test_wide_takes_all_other_numeric_columns():
    data = read_series(WIDE, person="id", sensitive=("y",))
    assert data.times == ("t1", "t2") and data.persons.tolist() == ["x", "y"]
    np.testing.assert_array_equal(data.values, [[1, 1.5], [2, np.nan]])
    assert data.sensitive["y"].tolist() == [7, 8]
    assert read_series(WIDE, person="id", quasi=("y", "t1")).times == ("y", "t1")


def test_long_is_turned_and_times_are_sorted():
    data = read_series(LONG, person="id", time="day", value="mmol", sensitive=("outcome",))
    assert data.times == ("t1", "t2") and data.persons.tolist() == ["x", "y"]
    np.testing.assert_array_equal(data.values, [[4, 5], [6, np.nan]])
    assert data.sensitive["outcome"].tolist() == ["home", "home"]
    assert read_series(LONG, person="id", time="day", value="mmol", quasi=("t2",)).times == ("t2",)


def test_letters_become_ordered_values(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,p1,p2\n1,a,c\n2,b,a\n")
    data = read_series(path, person="id", letters="abc")
    assert data.letters == ("a", "b", "c")
    np.testing.assert_array_equal(data.values, [[0, 2], [1, 0]])
    assert refusal(path, person="id", letters="ab") == (
        "read_series: 1 value of column 'p2' is not among the 2 letters (first at row 1). "
        "Pass letters= with all of them, in order."
    )


def test_bad_tables_get_a_sentence():
    assert refusal(WIDE, person="idd").startswith("read_series: column 'idd' not found; the table has 'id'")
    assert refusal(WIDE, person="id", quasi=("note",)) == (
        "read_series: column 'note' is not numeric. Leave it out with quasi=, or pass letters= for letters."
    )
    assert refusal(WIDE, person="id", quasi=("y",), sensitive=("y",)) == (
        "read_series: column 'y' is named both as a time and as person or sensitive. Choose one."
    )
    assert refusal(WIDE.select(["id", "note"]), person="id") == (
        "read_series: no numeric column is left for the times. Name them with quasi=."
    )
    assert refusal(LONG, time="day") == "read_series: a long table needs both time and value; got only time."
    nobody = LONG.rename_columns(["whose", "day", "mmol", "outcome"])
    for person in (None, "each"):
        assert refusal(nobody, person=person, time="day", value="mmol") == (
            "read_series: a long table needs the column that tells whose value a row is. Pass person=."
        )
    twice = pa.concat_tables([LONG, LONG.slice(0, 1)])
    assert refusal(twice, person="id", time="day", value="mmol") == (
        "read_series: row 5 repeats a person's time. Keep one value per person and time."
    )
    odd = LONG.set_column(3, "outcome", pa.array(["home", None, "ward", "ward"]))
    assert refusal(odd, person="id", time="day", value="mmol", sensitive=("outcome",)) == (
        "read_series: the sensitive column 'outcome' changes within a person. Give one value each."
    )
    untimed = LONG.set_column(1, "day", pa.array([1, None, 2, None]))
    left = read_series(untimed, person="id", time="day", value="mmol")
    assert left.notes == ("2 rows without a time were left out",) and left.times == ("t1", "t2")


def test_close_times_keep_names_of_their_own():
    times = [1.0000001, 1.0000002, 2.0, 1234567.0, 1234568.0]
    table = pa.table({"id": ["x"] * 5, "hour": times, "mmol": [1.0, 2.0, 3.0, 4.0, 5.0]})
    data = read_series(table, person="id", time="hour", value="mmol")
    assert data.times == ("t1.0000001", "t1.0000002", "t2", "t1234567", "t1234568")
    assert data.values.tolist() == [[1, 2, 3, 4, 5]]
    alike = pa.table({"id": ["x", "x"], "hour": ["1", "t1"], "mmol": [1.0, 2.0]})
    assert refusal(alike, person="id", time="hour", value="mmol") == (
        "read_series: two values of the time column 'hour' would get the same name. Rename one of them."
    )
    nan = pa.table({"id": ["x", "x"], "hour": [1.0, float("nan")], "mmol": [1.0, 2.0]})
    assert read_series(nan, person="id", time="hour", value="mmol").notes == ("1 row without a time was left out",)


def test_other_encodings(tmp_path):
    path = tmp_path / "s.csv"
    path.write_bytes("Größe,id,t1\nJosé,007,1\nJosé,008,2\n".encode("latin-1"))
    assert refusal(path).startswith("read_series: 's.csv' is not UTF-8 at byte 2. Pass encoding=")
    data = read_series(path, person="id", sensitive=("Größe",), encoding="latin-1")
    assert data.sensitive["Größe"].tolist() == ["José", "José"] and data.persons.tolist() == ["007", "008"]
    assert refusal(path, encoding="latin-one") == (
        "read_series: no encoding 'latin-one'. Examples: utf-8, latin-1, cp1252, shift_jis."
    )


def test_identifiers_are_no_sensitive_columns():
    assert refusal(WIDE, person="id", sensitive=("id",)) == (
        "read_series: the sensitive column 'id' is the person column, and sensitive columns are released as they "
        "are. Leave it out of sensitive, or name another column as the person."
    )
    assert refusal(WIDE, person="id", sensitive=("y", "note")) == (
        "read_series: the sensitive column 'note' holds text that is different in all 2 records that have any, as an "
        "identifier is, and would be released as it is. Leave it out, or group its values."
    )
    same = WIDE.set_column(3, "note", pa.array(["a", "a"]))
    assert read_series(same, person="id", sensitive=("y", "note")).sensitive["note"].tolist() == ["a", "a"]


def test_a_stray_cell_is_a_missing_value_of_its_own_row(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,t1,t2,ward\nx,1,2,a\ny,2,n/a,b\nz,3,5,7\n")
    data = read_series(path, person="id")
    np.testing.assert_array_equal(data.values, [[1, 2], [2, np.nan], [3, 5]])
    assert data.times == ("t1", "t2") and data.notes == ("1 cell is not a number and counts as missing",)
    assert read_series(path, person="id", quasi=("t1",)).times == ("t1",)
    kept = pa.table({"id": ["x", "y"], "t1": [1, 2], "t2": ["3", ""]})
    np.testing.assert_array_equal(read_series(kept, person="id").values, [[1, 3], [2, np.nan]])


def test_a_column_named_person_is_the_person(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("person,t1,t2\n007,1,2\n7,1,3\n007,4,4\n")
    data = read_series(path)
    assert data.persons.tolist() == ["007", "7", "007"] and data.times == ("t1", "t2") and data.people_known


@pytest.mark.parametrize("name", ["Patient", "PARTICIPANT", "subject", "id"])
def test_no_other_column_is_taken_for_the_person_nor_for_a_measurement(tmp_path, name):
    path = tmp_path / "s.csv"
    path.write_text(f"{name},t1,t2\n007,1,2\n7,1,3\n007,4,4\n")
    assert refusal(path) == (
        f"read_series: which column is the person? It could be {name}: a person, not a visit or a row. "
        "Pass person=NAME."
    )
    assert read_series(path, person=name).persons.tolist() == ["007", "7", "007"]


def test_a_column_named_as_a_time_is_no_person():
    assert not read_series(pa.table({"id": [1, 2], "t1": [1, 2]}), quasi=("id", "t1")).people_known


def test_rows_of_nobody_are_people_only_if_said_so():
    nobody = WIDE.rename_columns(["whose", "t1", "t2", "note", "y"])
    assert not read_series(nobody).people_known
    assert read_series(nobody, person="each").people_known
    assert read_series(nobody, person="each").persons.tolist() == ["1", "2"]


@pytest.mark.parametrize(
    "method", [Kapra(k=2, p=2), KPNaive(k=2, p=2), TGA(k=2), BFP2KA(k=2, level=2)], ids=lambda m: m.id
)
def test_a_promise_per_person_needs_known_people(method):
    nobody = read_series(pa.table({"t1": [1, 1, 2, 2], "t2": [2, 2, 1, 1]}))
    with pytest.raises(sq.InputError) as caught:
        sq.anonymize(nobody, method, seed=1)
    assert str(caught.value) == (
        f"{type(method).__name__}: a promise per person needs to know whose record each is, and the source does not "
        "say. Pass person= (a column, or 'each' when every row is a person of its own), or unit='record'."
    )
    by_record = sq.anonymize(nobody, replace(method, unit="record"), seed=1)
    assert sq.verify(by_record, nobody).holds
    by_person = sq.anonymize(replace(nobody, people_known=True), method, seed=1)
    assert [c.name for c in sq.verify(by_person, nobody).checks if not c.passed] == ["one record per person"]


def test_sample_is_seeded_and_plausible():
    one, two = sq.sample("series", seed=3), sq.sample("series", seed=3)
    assert one.fingerprint() == two.fingerprint() != sq.sample("series", seed=4).fingerprint()
    assert one.n_people == one.n_records == 240 and len(one.times) == 12
    assert (one.values >= 38).all() and (one.values <= 190).all()


def test_a_header_alone_and_numbers_that_overflow_get_a_sentence(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id,t0,t1\n", "utf-8")
    with pytest.raises(sq.InputError) as caught:
        sq.read_series(path, person="id")
    assert str(caught.value) == "read_series: the table has a header and no rows. At least one record is needed."
    with pytest.raises(sq.InputError) as caught:
        sq.Series(values=[[1.0, 2.0], [3.0, -1e300]])
    assert str(caught.value) == (
        "Series: 1 value lies beyond 1e+100 (first at row 2), where sums of squares overflow. Correct them, or divide "
        "all values by a power of ten."
    )


def test_decimal_commas_get_a_sentence(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("id;t0;t1\n" + "".join(f"p{i};{i},5;-{i},25\n" for i in range(9)), "utf-8")
    with pytest.raises(sq.InputError) as caught:
        sq.read_series(path, person="id")
    assert str(caught.value) == (
        "read_series: 2 columns hold numbers with a decimal comma (first: 't0'). Write them with a decimal point."
    )


def test_what_was_read_names_the_first_and_the_last_time():
    """A column of numbers that is no time shows: everything that is not declared is taken for the series."""
    from sequester.read import summary

    values = np.arange(12.0).reshape(4, 3)
    assert summary.series(sq.Series(values=values, times=("h4", "h8", "stay_days")))[1] == "3 times: h4 to stay_days"
    assert summary.series(sq.Series(values=values[:, :1], times=("h4",)))[1] == "1 time"
