"""Whoever edits a bundle cuts it off from the custodian's folder: the judge has the original then, but no map."""

import datetime
from dataclasses import replace

import pyarrow as pa
import pytest

import sequester as sq


def without_map(method_id, n_people=60):
    """A release with its original, as a stranger or an editor leaves it: no custodian's map."""
    cls = sq.method_class(method_id)
    data = sq.sample(cls.accepts.kind, n_people=n_people, seed=1)
    release = sq.anonymize(data, cls(**cls.example), seed=1)
    return data, replace(release, private={})


def with_cell(release, table, column, row, value, kind=None):
    have = release.tables[table]
    cells = have[column].to_pylist()
    cells[row] = value
    at = have.column_names.index(column)
    made = have.set_column(at, column, pa.array(cells, kind or have.schema.field(column).type))
    return replace(release, tables={**release.tables, table: made})


def failed(release, data=None):
    return {c.name: c.undecided for c in sq.verify(release, data).checks if not c.passed}


def test_owners_of_documents_are_the_people_of_the_original():
    """A word of two people must not become one of five by a new number in the table of owners."""
    data, release = without_map("word-frequency")
    assert failed(release, data) == {}
    assert "owners" in failed(with_cell(release, "owners", "owner", 0, 61), data)
    assert "people of the original" in failed(release, replace(data, people_known=False))


def test_drawn_rows_without_the_map_leave_k_undecided():
    data, release = without_map("tga")
    assert failed(release) == {"k": True}
    assert failed(release, data) == {"k": True}, "the range of all values says nothing about k"
    verdict = sq.verify(release, data)
    assert not verdict.holds and verdict.undecided
    empty = replace(release, tables={**release.tables, "records": release.tables["records"].slice(0, 0)})
    assert "table" in failed(empty, data)


@pytest.mark.parametrize("column", ["stay_days", "outcome"])
def test_sensitive_values_of_drawn_rows_are_those_of_somebody(column):
    data, release = without_map("tga")
    value = {"stay_days": 4321.5, "outcome": "qxz"}[column]
    assert "sensitive columns" in failed(with_cell(release, "records", column, 0, value), data)
    assert "sensitive columns" in failed(with_cell(release, "records", column, 0, None), data)


@pytest.mark.parametrize("method_id", ["mcka", "mcdp", "mdav-ka", "mdav-dp", "activity-dp"])
def test_a_calendar_holds_a_beginning_and_lengths_and_nothing_else(method_id):
    data, release = without_map(method_id, 100)
    assert failed(release) == {} and failed(release, data) == {}
    start = release.tables["calendar"]["start"][0].as_py()
    for column, value, kind in (
        ("start", None, None),
        ("start", "qxz1qxz", pa.string()),
        ("interval_seconds", None, None),
        ("interval_seconds", -60, None),
        ("intervals", None, None),
    ):
        assert "one calendar" in failed(with_cell(release, "calendar", column, 0, value, kind))
    twice = replace(release, tables={**release.tables, "calendar": pa.concat_tables([release.tables["calendar"]] * 2)})
    assert "one calendar" in failed(twice)
    later = with_cell(release, "calendar", "start", 0, start + datetime.timedelta(days=1))
    assert failed(later, data), "another beginning than the original's"


def test_a_renamed_state_is_caught_beside_the_original():
    data, release = without_map("activity-dp", 100)
    assert "states are those of the original" in failed(with_cell(release, "states", "name", 0, "qxz1qxz"), data)


@pytest.mark.parametrize("column", ["from", "to", "length_from"])
def test_a_model_of_events_has_no_room_for_a_word_more(column):
    data, release = without_map("markov-dp", 400)
    assert failed(release) == {} and failed(release, data) == {}
    kinds = release.tables["model"]["statistic"].to_pylist()
    empty = {
        "people": ("from", "to", "length_from"), "order": ("from", "to", "length_from"), "clip": ("to", "length_from"),
        "state": ("from", "length_from"), "length": ("from", "to"), "transition": ("length_from",),
    }  # fmt: skip
    for kind in (kind for kind, columns in empty.items() if column in columns):
        told = with_cell(release, "model", column, kinds.index(kind), 7 if column == "length_from" else "qxz1qxz")
        assert "model holds what it may" in failed(told), kind
    if column == "from":
        assert "model holds what it may" in failed(with_cell(release, "model", column, kinds.index("clip"), "qxz1qxz"))
    gone = with_cell(release, "model", "length_to", kinds.index("length"), None)
    assert "model holds what it may" in failed(gone)


def test_measured_shares_are_whole_numbers():
    _, release = without_map("ngram-dp")
    assert failed(release) == {}
    cells = [str(v) for v in release.tables["measurements"]["value"].to_pylist()]
    texts = release.tables["measurements"].set_column(1, "value", pa.array(["qxz1qxz", *cells[1:]]))
    assert "measured cells" in failed(replace(release, tables={**release.tables, "measurements": texts}))


def test_letters_stand_for_numbers():
    _, release = without_map("bfp2ka", 240)
    assert failed(release) == {}
    texts = [str(v) for v in release.tables["alphabet"]["value"].to_pylist()]
    told = release.tables["alphabet"].set_column(0, "value", pa.array(texts))
    assert "table" in failed(replace(release, tables={**release.tables, "alphabet": told}))


def test_counts_with_a_copied_window_are_compared_with_the_original_also_without_the_map():
    data, release = without_map("ngram-copy")
    assert failed(release, data) == {}
    lost = release.tables["ngrams"].slice(0, release.tables["ngrams"].num_rows - 1)
    assert "no count below the original" in failed(replace(release, tables={"ngrams": lost}), data)
