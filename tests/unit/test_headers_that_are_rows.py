"""A first line of words may be the first person's cells: no message shows it. A number of days is no time."""

import pytest

import sequester as sq


@pytest.mark.parametrize("read", [sq.read_events, sq.read_series, sq.read_activities, sq.read_symbols, sq.read_corpus])
def test_words_of_the_first_line_are_not_shown(tmp_path, read):
    path = tmp_path / "plain.csv"
    path.write_text("anna,clinic,epilepsy\nbert,home,asthma\ncarl,home,asthma\n")
    with pytest.raises(sq.InputError) as caught:
        read(path, person="person")
    said = str(caught.value)
    assert not [w for w in ("anna", "clinic", "epilepsy") if w in said]
    assert "not found among the 3 columns. If the first line of the file is a row and no header" in said


def test_a_header_is_still_shown(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("pat_id,when,what\n1,2024-01-01,x\n")
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(path, person="person")
    assert "the table has 'pat_id', 'when', 'what'." in str(caught.value)


def test_a_number_of_days_is_no_time(tmp_path):
    path = tmp_path / "v.csv"
    sq.write_sample("series", path, n_people=12, seed=1)
    found = sq.inspect(path)
    assert found.kind == "series" and "stay_days" not in found.roles.get("time", "")
    rows = ["person,update_days,state", *(f"p{i % 4},{i},{'ab'[i % 2]}" for i in range(40))]
    path.write_text("\n".join(rows) + "\n")
    assert sq.inspect(path).roles.get("time") != "update_days"


def test_notes_without_a_line_of_names_are_asked_for_one(tmp_path):
    """The reader of text takes no `header`; such a file once ended in an error of Python's own."""
    note = "A long note with many words about what was seen on the ward today."
    (tmp_path / "notes.csv").write_text("".join(f'{5000 + i},{i},"{note} {i}"\n' for i in range(4)), "utf-8")
    told = str(sq.inspect(tmp_path / "notes.csv"))
    assert "its first line is a note already, and nothing names the columns" in told and note not in told


def test_minutes_beside_each_other_are_not_read_as_one_count_an_hour_without_a_word(tmp_path):
    head = "case_id,hour," + ",".join(f"m{i:02d}" for i in range(60))
    rows = [
        f"{p},2024-03-04 {h:02d}:00:00," + ",".join(str((h + i) % 7) for i in range(60))
        for p in range(4)
        for h in range(24)
    ]
    (tmp_path / "wide.csv").write_text("\n".join([head, *rows]), "utf-8")
    told = str(sq.inspect(tmp_path / "wide.csv"))
    assert "60 columns, m00 to m59, are steps within a row of a person." in told
    assert "is 'case_id' a person, or only a visit, a case or a row?" in told
    assert "m40" not in told and "No command yet" in told


JOINED = "person,time,stateanna,2024-03-01,epilepsy\n" + "bob,2024-03-02,y,z,w\n" * 7
"""The line end behind the names is missing."""


@pytest.mark.parametrize("read", [sq.read_events, sq.read_series, sq.read_activities, sq.read_symbols])
def test_a_first_row_joined_to_the_header_is_not_shown(tmp_path, read):
    path = tmp_path / "t.csv"
    path.write_text(JOINED)
    with pytest.raises(sq.InputError) as caught:
        read(path, person="persn")
    assert str(caught.value).endswith(
        ": column 'persn' not found; the table has 'person', 'time' and 3 more. Pass person='person'?"
    )
    with pytest.raises(sq.InputError) as caught:
        sq.read_symbols(path, person="person", symbolize="none")
    assert str(caught.value) == (
        "read_symbols: which column holds the series? There are 'time' and 3 more. Pass value= one of them."
    )
    told = str(sq.inspect(path))
    assert "--state could also be" not in told and "epilepsy" not in told and "2024-03-01," not in told
    assert "3 names of columns could be cells: is a line end missing behind the names?" in told


@pytest.mark.parametrize(
    "head",
    [
        'person,time,"state\nanna,2024-03-01,epilepsy\nbob,2024-03-02,asthma"\n',
        'person,time,"state\nanna,2024-03-01,epilepsy\n',
        '"person,time,state\nanna,2024-03-01,epilepsy\n',
    ],
)
def test_rows_that_a_quotation_mark_makes_names_are_not_shown(head, tmp_path):
    path = tmp_path / "t.csv"
    path.write_text(head + "carl,2024-03-03,asthma\n" * 5)
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(path, person="persn")
    assert str(caught.value) == (
        "read_events: the first line of 't.csv' opens a quotation mark that does not close, so that rows would be "
        "taken for names of columns. Close it."
    )


def test_names_of_several_lines_are_names(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text('person,time,"state\n(one of two)"\n' + "carl,2024-03-03,asthma\n" * 5)
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(path, person="persn")
    assert "the table has 'person', 'time', 'state (one of two)'. Pass person='person'?" in str(caught.value)


def test_a_name_that_stands_twice_gets_a_number(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("person,day,DAY,state\n1,2,3,x\n1,3,4,y\n")
    read = sq.read_events(path, person="person", time="DAY.2", state="state", time_format="number")
    assert read.notes[0] == "1 column has the name of an earlier one and is called by it and a number"


def test_a_date_beside_a_number_is_a_row_although_both_rise(tmp_path):
    path = tmp_path / "t.txt"
    path.write_text("pe2405571 2024-03-02T10:01:00 73182405571\n73182405572 2024-03-03T10:02:00 73182405572\n")
    with pytest.raises(sq.InputError) as caught:
        sq.read_series(path, person="person")
    assert "2405571" not in str(caught.value)


def test_the_first_line_of_a_device_is_not_shown(tmp_path):
    path = tmp_path / "glucose.csv"
    path.write_text("Made on,03-14-2024 10:02 AM,by,Anna Ruiz\nperson,time,mmol,note\np1,1,5.5,\n")
    with pytest.raises(sq.InputError) as caught:
        sq.read_series(path, person="person")
    assert "Ruiz" not in str(caught.value) and "2024" not in str(caught.value)


@pytest.mark.parametrize(
    "days", [("28.02.2024", "01.03.2024", "02.03.2024"), ("02/28/2024", "03/01/2024"), ("2024-02-28", "2024-03-01")]
)
def test_dates_that_rise_are_times(tmp_path, days):
    path = tmp_path / "wide.csv"
    path.write_text("\n".join(["id," + ",".join(days), *(f"p{i}" + ",1" * len(days) for i in range(6))]))
    assert list(sq.read_series(path, person="id").times) == list(days)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("Device,Made by\nperson,a,b,c\np1,1,2,3\np2,1,2,3\n", "3 of the first 3 rows of 't.csv' have more cells"),
        ("name,a\n1,p1,5\n2,p2,6\n", "2 of the first 2 rows of 't.csv' have more cells than the 2 of the header"),
    ],
)  # fmt: skip
def test_rows_that_reach_beyond_the_header_are_refused(tmp_path, text, told):
    (tmp_path / "t.csv").write_text(text)
    with pytest.raises(sq.InputError, match=told):
        sq.read_events(tmp_path / "t.csv", person="name")
    with pytest.raises(sq.InputError, match=told):
        sq.read_parts("events", tmp_path / "t.csv", tmp_path / "parts", person="name")


def test_a_delimiter_at_the_end_of_every_row_is_borne(tmp_path):
    (tmp_path / "t.csv").write_text("id,a,b\n" + "".join(f"p{i},1,2,\n" for i in range(6)))
    assert sq.read_series(tmp_path / "t.csv", person="id").n_records == 6
