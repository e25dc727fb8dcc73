"""An opened bundle hands its tables to the programs people use."""

from html import escape

import pyarrow as pa
import pytest

import sequester as sq
from tests.golden.make_bundles import BUNDLES


def opened(name):
    return sq.open_bundle(BUNDLES / f"{name}.bundle")


@pytest.mark.parametrize("name", ["kapra", "markov-dp", "mcka", "k-repeats", "ngram-k"])
def test_the_main_table_is_the_same_everywhere(name):
    bundle = opened(name)
    table = bundle.to_arrow()
    own = bundle.tables[bundle.manifest["files"][0]["table"]]
    if name == "mcka":  # for people: a row per interval, and names instead of codes
        states = bundle.tables["states"]["name"].to_pylist()
        codes = [code for row in own["states"].to_pylist() for code in row]
        assert table["state"].to_pylist() == [states[code] for code in codes]
        assert bundle.to_arrow("sequences").equals(own)
    else:
        assert table.equals(own)
    assert bundle.to_pandas().shape == bundle.to_polars().shape == table.shape
    assert pa.Table.from_pandas(bundle.to_pandas()).column_names == table.column_names
    shown = bundle._repr_html_()
    assert escape(bundle.guarantee.not_covered[0]) in shown
    assert bundle.guarantee.level in shown and f"<td>{table.num_rows:,}</td>" in shown and "<script" not in shown


def test_whole_numbers_stay_whole_where_some_are_missing():
    bundle = opened("markov-dp")
    frame, table = bundle.to_pandas("model"), bundle.to_arrow("model")
    assert table["length_from"].null_count and str(frame["length_from"].dtype) == "Int64"
    assert frame["length_from"].isna().sum() == table["length_from"].null_count


def test_a_table_that_is_not_there_and_a_log_that_is_none():
    with pytest.raises(sq.InputError, match=r"open: there is no table 'people'. Tables: records, columns."):
        opened("kapra").to_arrow("people")
    with pytest.raises(sq.InputError, match=r"to_pm4py: it is for event logs; 'kapra.bundle' holds series"):
        opened("kapra").to_pm4py()


def test_a_log_as_pm4py_reads_it():
    pytest.importorskip("pm4py")
    log = opened("markov-dp").to_pm4py()
    assert {"case:concept:name", "concept:name", "time:timestamp"} <= set(log.columns)
    assert len(log) == opened("markov-dp").to_arrow().num_rows
