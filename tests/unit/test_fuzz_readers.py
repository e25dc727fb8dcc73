"""No damaged file makes a reader let a foreign error or a cell out; `experiments/fuzz_readers.py` is the long form."""

from collections import Counter

import pytest
from experiments.fuzz_others import TARGETS, Target, conditions
from experiments.fuzz_others import fuzz as fuzz_others
from experiments.fuzz_readers import CANARY, READERS, fuzz

import sequester as sq

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

    from sequester.read import table

    deep = tmp_path / "deep.jsonl"
    deep.write_text('{"person": "a", "time": "2024-01-01", "state": "x"}\n' + "[" * 200_000 + "\n")
    log = sq.read_events(deep)
    assert len(log.states) == 1 and log.notes[0] == "1 row without a person was left out"
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
    assert time.process_time() - begun < 30  # tried in every way, it takes hours


@pytest.mark.parametrize("target", TARGETS, ids=lambda t: t.name)
def test_everything_else_is_read_or_refused_in_a_sentence(target):
    n = 40 * target.costly if target.costly >= 10 else 60
    outcomes = [outcome for _, _, outcome in fuzz_others(n, seed=TARGETS.index(target), targets=(target,))]
    assert set(outcomes) <= {"read", "refused"}, Counter(outcomes)
    assert len(outcomes) >= 15 * len(target.look)


def test_damaged_conditions_are_read_or_refused():
    found = Counter(outcome for *_, outcome in conditions(500, seed=5))
    assert set(found) == {"read", "refused"} and min(found.values()) > 50


def test_the_fuzz_would_notice(tmp_path):
    """A reader that lets an error or a cell out is counted as such."""

    def foreign(_path):
        raise KeyError("x")

    def leaky(_path):
        raise sq.InputError(f"row {CANARY}")

    planted = Target("planted", lambda folder: _write(folder / "a.txt"), {"foreign": foreign, "leaky": leaky})
    found = Counter(outcome for *_, outcome in fuzz_others(5, seed=0, targets=(planted,)))
    assert found == {"foreign error KeyError": 5, "a cell got out": 5}


def _write(path):
    path.write_bytes(b"whole")
    return path


def test_a_damaged_pdf_prints_none_of_its_bytes(tmp_path, capfd):
    from experiments.fuzz_others import _pdf

    path = _pdf(tmp_path)
    path.write_bytes(path.read_bytes().replace(b"[3 0 R]", b"[\xb3 3 0 R]"))
    with pytest.raises(sq.InputError):
        sq.read_corpus(path)
    assert capfd.readouterr() == ("", "")


def test_a_damaged_edf_file_prints_nothing(tmp_path):
    """The library under the package prints what it finds odd, into the midst of an answer as JSON."""
    import subprocess
    import sys

    from experiments.fuzz_others import _edf

    path = _edf(tmp_path)
    assert len(sq.read_symbols(path, person="each").symbols) == 60
    whole = path.read_bytes()
    n = len(whole)
    for cut, says in (
        (whole[:-7], f"is not a whole EDF file: by its header it has {n} bytes, and there are {n - 7}. Get a whole "
         "copy."),
        (whole[:200], "cannot be read as an EDF file."),
    ):  # fmt: skip
        path.write_bytes(cut)
        with pytest.raises(sq.InputError) as caught:
            sq.read_symbols(path, person="each")
        assert str(caught.value) == f"read_symbols: 'rec.edf' {says}"
        asked = [sys.executable, "-c", f"import sequester as sq; sq.inspect({str(path)!r})"]
        assert subprocess.run(asked, capture_output=True, check=False).stdout == b""


def test_packed_text_and_logs_are_bounded(tmp_path, monkeypatch):
    import gzip

    from sequester.read import table

    monkeypatch.setattr(table, "MOST_BYTES", 1 << 20)
    for name, read in (("note.txt.gz", sq.read_corpus), ("log.xes.gz", sq.read_events)):
        (tmp_path / name).write_bytes(gzip.compress(b"x" * (1 << 22)))
        with pytest.raises(sq.InputError) as caught:
            read(tmp_path / name)
        assert str(caught.value).endswith(f"'{name}' unpacks to more than 0 GB. Split it.")


def test_a_path_that_no_file_can_have_is_a_problem_of_the_plan(tmp_path):
    plan = '[[release]]\nname = "x"\nsource = "s.csv"\nmethod = "kapra"\nout = "{}.bundle"\n'
    for odd in ("n" * 600, "a\\u0000b"):
        (tmp_path / "plan.toml").write_text(plan.format(odd))
        with pytest.raises(sq.InputError) as caught:
            sq.read_plan(tmp_path / "plan.toml")
        assert "x: a path in it cannot be used" in str(caught.value)


def test_an_account_whose_words_are_no_text_is_said(tmp_path):
    import sqlite3

    sq.open_account(tmp_path, create=True)
    base = sqlite3.connect(tmp_path / "sequester.account")
    base.execute("update about set value = cast(x'ff31' as text) where key = 'identity'")
    base.commit()
    base.close()
    with pytest.raises(sq.BundleError) as caught:
        sq.open_account(tmp_path).identity  # noqa: B018
    assert str(caught.value) == "account: 'sequester.account' cannot be read. Restore it from your backup."


@pytest.mark.parametrize(
    ("file", "spoil", "says"),
    [
        ("measure.json", lambda told: [told], "1 file of 'small.private' is no evidence."),
        ("measure.json", lambda told: {"rows": told["rows"]}, "1 file of 'small.private' is no evidence."),
        ("measure.json", lambda told: told | {"checks": [{"name": "x"}]}, "the evidence in 'small.private' cannot be "
         "shown, because a file of it is damaged."),
        ("measure.json", lambda told: told | {"rows": 7}, "the evidence in 'small.private' cannot be shown, because a "
         "file of it is damaged."),
        ("portrait.json", lambda told: told | {"rows": {t: [{"odd": 1}] for t in told["rows"]}}, "the evidence in "
         "'small.private' cannot be shown, because a file of it is damaged."),
    ],
)  # fmt: skip
def test_damaged_evidence_is_said(file, spoil, says, tmp_path):
    import json

    data = sq.sample("series", n_people=12, seed=1)
    sq.publish_data(data, sq.Request(method=sq.Kapra(k=3, p=2), target=tmp_path / "small.bundle"))
    place = tmp_path / "small.private" / file
    place.write_text(json.dumps(spoil(json.loads(place.read_text()))))
    with pytest.raises(sq.BundleError) as caught:
        sq.keep(tmp_path / "small.bundle", sq.Evidence(about="assess", saw_original=True, summary="x", rows={}))
    assert str(caught.value) == f"keep: {says} Restore the custodian's folder."
