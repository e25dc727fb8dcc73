"""Reading series: wide, long, letters, and one sentence for what cannot be read."""

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.read.series import read_series

WIDE = pa.table({"id": ["x", "y"], "t1": [1, 2], "t2": [1.5, None], "note": ["a", "b"], "y": [7, 8]})
LONG = pa.table(
    {
        "id": ["x", "y", "x", "y"],
        "day": [2, 1, 1, 2],
        "mmol": [5.0, 6.0, 4.0, None],
        "outcome": ["home", None, "home", "ward"],
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
    assert data.sensitive["outcome"].tolist() == ["home", "ward"]
    assert read_series(LONG, person="id", time="day", value="mmol", quasi=("t2",)).times == ("t2",)


def test_letters_become_ordered_values(tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("id,p1,p2\n1,a,c\n2,b,a\n")
    data = read_series(path, person="id", letters="abc")
    assert data.letters == ("a", "b", "c")
    np.testing.assert_array_equal(data.values, [[0, 2], [1, 0]])
    assert refusal(path, person="id", letters="ab") == (
        "read_series: 1 values of column 'p2' are not among the 2 letters (first at row 1). "
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
    assert refusal(LONG, time="day", value="mmol") == "read_series: a long table needs the person column. Pass person=."
    twice = pa.concat_tables([LONG, LONG.slice(0, 1)])
    assert refusal(twice, person="id", time="day", value="mmol") == (
        "read_series: row 5 repeats a person's time. Keep one value per person and time."
    )
    odd = LONG.set_column(3, "outcome", pa.array(["home", None, "ward", "ward"]))
    assert refusal(odd, person="id", time="day", value="mmol", sensitive=("outcome",)) == (
        "read_series: the sensitive column 'outcome' changes within a person. Give one value each."
    )
    untimed = LONG.set_column(1, "day", pa.array([1, None, 2, None]))
    assert refusal(untimed, person="id", time="day", value="mmol") == (
        "read_series: 2 rows lack a time (first at row 2). Fill or remove them."
    )


def test_sample_is_seeded_and_plausible():
    one, two = sq.sample("series", seed=3), sq.sample("series", seed=3)
    assert one.fingerprint() == two.fingerprint() != sq.sample("series", seed=4).fingerprint()
    assert one.n_people == one.n_records == 240 and len(one.times) == 12
    assert (one.values >= 38).all() and (one.values <= 190).all()
