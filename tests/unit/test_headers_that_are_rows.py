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
    assert "its first line looks like a note, not like names of columns" in told and note not in told


def test_minutes_beside_each_other_are_not_read_as_one_count_an_hour_without_a_word(tmp_path):
    head = "case_id,hour," + ",".join(f"m{i:02d}" for i in range(60))
    rows = [
        f"{p},2024-03-04 {h:02d}:00:00," + ",".join(str((h + i) % 7) for i in range(60))
        for p in range(4)
        for h in range(24)
    ]
    (tmp_path / "wide.csv").write_text("\n".join([head, *rows]), "utf-8")
    told = str(sq.inspect(tmp_path / "wide.csv"))
    assert "60 columns, m00 to m59, look like steps within a row; one of them alone would be read." in told
    assert "is 'case_id' a person, or only a visit, a case or a row?" in told
    assert "and 53 more" in told and "m40" not in told
