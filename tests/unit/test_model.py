"""The five models: validated when made, read-only ever after, silent about people."""

import numpy as np
import pytest

from sequester.errors import InputError, nearest
from sequester.model import Activities, Corpus, EventLog, Series, SymbolSeries

GOOD = {
    "series": lambda: Series(values=[[1.0, np.nan]], persons=["ann"], sensitive={"y": ["flu"], "z": [1]}),
    "activity": lambda: Activities(states=[[0, 1]], state_names=("rest", "missing"), persons=["ann"]),
    "events": lambda: EventLog(offsets=[0, 2], states=[0, 1], state_names=("in", "out"), times=[5, 5], persons=["ann"]),
    "text": lambda: Corpus.from_texts(["Grüße, 世界 🙂"], persons=["ann"]),
    "symbols": lambda: SymbolSeries(symbols=[0, 1, 1], offsets=[0, 3], alphabet=("a", "b"), persons=["ann"]),
}


@pytest.mark.parametrize("kind", GOOD)
def test_arrays_are_read_only_and_people_are_not_shown(kind):
    data = GOOD[kind]()
    assert data.kind == kind and data.n_people == data.n_records == 1
    assert "ann" not in repr(data)
    for value in vars(data).values():
        if isinstance(value, np.ndarray):
            with pytest.raises(ValueError, match="read-only"):
                value[...] = value


@pytest.mark.parametrize("kind", GOOD)
def test_the_fingerprint_follows_the_content(kind):
    assert GOOD[kind]().fingerprint() == GOOD[kind]().fingerprint()


def test_the_caller_may_go_on_writing_to_its_own_array():
    mine = np.ones((2, 3))
    data = Series(values=mine)
    mine[0, 0] = 7
    assert data.values[0, 0] == 1


def test_missing_values_stay_values():
    data = GOOD["series"]()
    assert np.isnan(data.values[0, 1])
    assert data.sensitive["z"].dtype == np.float64
    assert Series(values=[[1.0], [2.0]], sensitive={"y": ["flu", None]}).sensitive["y"][1] is None
    assert GOOD["activity"]().missing == 1


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Series(values=[1.0, 2.0]), "Series: values must be a table of records x times, got 1 dimensions."),
        (lambda: Series(values=[[1.0, 2.0]], times=("a", "a")), "Series: 1 distinct time names for 2 time columns."),
        (
            lambda: Series(values=[[1.0], [np.inf]]),
            "Series: 1 infinite values (first at row 2). Replace them by a number or leave them empty.",
        ),
        (lambda: Series(values=[[1.0]], persons=["a", "b"]), "Series: 2 person identifiers for 1 record."),
        (
            lambda: Series(values=[[1.0], [2.0]], persons=["a", None]),
            "Series: 1 record lacks a person (first at row 2). Fill the person column or leave those rows out.",
        ),
        (lambda: Series(values=[[1.0]], sensitive={"y": [1, 2]}), "Series: column 'y' has 2 values for 1 record."),
        (
            lambda: Activities(states=[[3]], state_names=("a",)),
            "Activities: a code of 3 for 1 state names.",
        ),
        (
            lambda: Activities(states=[[0], [0]], state_names=("a",), persons=["x", "x"]),
            "Activities: 1 person has more than one row. Join their rows first.",
        ),
        (
            lambda: Activities(states=[[0]], state_names=("a",), interval_seconds=0),
            "Activities: an interval lasts at least a second, got 0.",
        ),
        (
            lambda: EventLog(offsets=[0, 2], states=[0, 0], state_names=("a",), times=[2, 1]),
            "EventLog: 1 event is earlier than the one before.",
        ),
        (
            lambda: EventLog(offsets=[0, 1, 1], states=[0], state_names=("a",), times=[0]),
            "EventLog: offsets must rise from 0 to the number of events, no object empty.",
        ),
        (
            lambda: EventLog(offsets=[0, 1], states=[1], state_names=("a",), times=[0]),
            "EventLog: a state code outside the 1 state names.",
        ),
        (
            lambda: EventLog(offsets=[0, 1], states=[0], state_names=("a",), times=[0], time_unit="week"),
            "EventLog: time_unit must be one of second, day, order, got 'week'.",
        ),
        (
            lambda: Corpus.from_texts(["a", "b"], documents=["1", "1"]),
            "Corpus: 1 document identifiers occur twice (first at row 2). "
            "Give every document an identifier of its own, or leave document= out.",
        ),
        (
            lambda: Corpus(utf8=np.zeros(0, np.uint8), offsets=[0, 1]),
            "Corpus: offsets must rise from 0 to the number of bytes.",
        ),
        (
            lambda: Activities(states=[[256, -1]], state_names=("a",)),
            "a code must be a whole number in 0..255; at least one is not.",
        ),
        (
            lambda: SymbolSeries(symbols=np.array([65536]), offsets=[0, 1], alphabet=("a",)),
            "a code must be a whole number in 0..65535; at least one is not.",
        ),
        (
            lambda: SymbolSeries(symbols=[2], offsets=[0, 1], alphabet=("a", "b")),
            "SymbolSeries: a code of 2 for 2 symbols.",
        ),
        (
            lambda: SymbolSeries(symbols=[0], offsets=[0, 1], alphabet=("a b",)),
            "SymbolSeries: the alphabet must be distinct symbols without white space.",
        ),
    ],
)
def test_bad_data_is_refused_in_a_sentence(make, message):
    with pytest.raises(InputError) as caught:
        make()
    assert str(caught.value) == message


def test_unicode_survives():
    texts = ["e\u0301", "🙂", "שלום", "患者"]
    assert list(Corpus.from_texts(texts).texts) == texts


def test_nearest():
    assert nearest("pateint", ["patient", "day"]) == "patient"
    assert nearest("id", ["pat_id", "day"]) == "pat_id"
    assert nearest("zzz", ["patient"]) is None
