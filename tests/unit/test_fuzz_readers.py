"""No damaged file makes a reader let a foreign error or a cell out; `experiments/fuzz_readers.py` is the long form."""

from collections import Counter

import pytest
from experiments.fuzz_readers import READERS, fuzz

FORMS = (
    "csv", "tsv", "jsonl", "json", "txt", "csv.gz", "jsonl.gz", "sqlite", "duckdb", "parquet", "xlsx", "zip",
)  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_damaged_files_are_read_or_refused_in_a_sentence(form):
    found = Counter(outcome for _, _, outcome in fuzz(9, seed=FORMS.index(form), forms=(form,)))
    assert set(found) <= {"read", "refused"}, found
    assert sum(found.values()) == 9 * len(READERS)


def test_deep_and_packed_files_are_bounded(tmp_path, monkeypatch):
    import gzip

    import sequester as sq
    from sequester.read import table

    deep = tmp_path / "deep.jsonl"
    deep.write_text('{"person": "a", "time": "2024-01-01", "state": "x"}\n' + "[" * 200_000 + "\n")
    log = sq.read_events(deep)
    assert len(log.states) == 1 and log.notes[0] == "1 rows without a person were left out"
    monkeypatch.setattr(table, "MOST_BYTES", 1 << 20)
    bomb = tmp_path / "bomb.csv.gz"
    bomb.write_bytes(gzip.compress(b"person,state\n" + b"a,x\n" * (1 << 20)))
    with pytest.raises(sq.InputError) as caught:
        sq.read_events(bomb)
    assert str(caught.value) == "read_events: 'bomb.csv.gz' unpacks to more than 0 GB. Split it."


def test_a_condition_of_blanks_is_answered_at_once(tmp_path):
    import time

    import click

    from sequester.cli.query import _conditions

    begun = time.process_time()
    for many in (20_000, 900):
        with pytest.raises(click.UsageError, match="cannot read --where"):
            _conditions(("a" + " " * many + "in" + " " * many,))
    assert time.process_time() - begun < 1
