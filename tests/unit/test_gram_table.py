"""A table of grams as a source: strings with exactly its counts, and refusals."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sequester as sq
from sequester.read.gram_table import strings_of


def grams_of(texts, n):
    return Counter(tuple(t[i : i + n]) for t in texts for i in range(len(t) - n + 1))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.text("abc", max_size=14), max_size=5), st.integers(1, 4))
def test_strings_have_exactly_the_counts_of_the_table(texts, n):
    wanted = grams_of(texts, n)
    assert grams_of(strings_of(wanted), n) == wanted


@settings(max_examples=100, deadline=None)
@given(st.dictionaries(st.text("abc", min_size=3, max_size=3), st.integers(1, 5), max_size=12))
def test_any_table_is_that_of_some_strings(told):
    wanted = Counter({tuple(g): c for g, c in told.items()})
    assert grams_of(strings_of(wanted), 3) == wanted


def test_no_more_strings_than_the_table_demands():
    assert strings_of({("a", "b"): 2, ("b", "a"): 1, ("b", "c"): 1}) == [list("ababc")]
    assert len(strings_of({("a", "b"): 1, ("a", "c"): 1})) == 2, "two strings begin with a"
    assert len(strings_of({("a", "a"): 3, ("b", "b"): 2})) == 2, "closed walks apart from each other"


def test_a_table_is_read_published_and_verified(tmp_path):
    path = tmp_path / "grams.csv"
    path.write_text("gram,count\n1 2,7\n2 1,6\n2 2,1\n1,9\n", "utf-8")
    data = sq.read_symbols(path, symbolize="none")
    assert not data.people_known and data.alphabet == ("1", "2")
    assert any(f.name == "source" and f.value == "a table of grams" for f in data.reading)
    release = sq.anonymize(data, sq.NgramK(k=3, n=2, unit="occurrence"))
    top = {r["gram"]: r["count"] for r in release.tables["ngrams"].to_pylist() if r["order"] == 2}
    assert top == {"1 2": 7, "2 1": 6, "2 2": 3}
    assert sq.verify(release, data).holds
    with pytest.raises(sq.InputError) as error:
        sq.anonymize(data, sq.NgramK(k=2, n=2))
    assert "a promise about people needs to know whose series each is" in str(error.value)


@pytest.mark.parametrize("method", [sq.NgramK(k=3, n=3, unit="occurrence"), sq.NgramCopy(k=3, n=3)])
def test_grams_longer_than_those_of_the_table_are_refused(tmp_path, method):
    path = tmp_path / "grams.csv"
    path.write_text("gram,count\n1 2,7\n2 1,6\n2 2,1\n", "utf-8")
    data = sq.read_symbols(path, symbolize="none")
    with pytest.raises(sq.InputError) as error:
        sq.anonymize(data, method)
    assert str(error.value) == (
        "anonymize: n=3 asks for grams of 3 symbols, the source is a table of grams of at most 2. Pass n=2 or less, "
        "or the series themselves."
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1 2,0\n", "row 1 of the table of grams lacks a gram or a whole count of at least 1. Mend that row."),
        ("1 2,3\n2 1,x\n", "row 2 of the table of grams lacks a gram or a whole count of at least 1. Mend that row."),
        ("1 2,3\n1 2,4\n", "the gram of row 2 stands in the table twice. Leave one of them out."),
    ],
)
def test_a_table_that_counts_nothing_is_refused(tmp_path, rows, message):
    path = tmp_path / "grams.csv"
    path.write_text("gram,count\n" + rows, "utf-8")
    with pytest.raises(sq.InputError) as error:
        sq.read_symbols(path, symbolize="none")
    assert str(error.value) == f"read_symbols: {message}"
