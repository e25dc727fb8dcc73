"""From a CSV of signals to a verified n-gram bundle and back, on the command line."""

import json
import sys

import pyarrow.parquet as pq
import pytest

import sequester as sq
from sequester.cli import main
from sequester.samples.ecg import ecg_signals


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    path = tmp_path_factory.mktemp("ecg") / "ecg.csv"
    lines = [
        f"patient{i},{j / 100:.2f},{x:.4f}\n"
        for i, (signal, _) in enumerate(ecg_signals(n_people=8, seconds=20))
        for j, x in enumerate(signal)
    ]
    path.write_text("id,t,mv\n" + "".join(lines), "utf-8")
    return path


@pytest.fixture
def run(monkeypatch, capsys):
    def call(*arguments):
        monkeypatch.setattr(sys, "argv", ["sequester", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        told = capsys.readouterr()
        return stopped.value.code or 0, told.out, told.err

    return call


ROLES = ("--person", "id", "--time", "t", "--value", "mv", "--time-format", "number")
SHOWN = ("--unit", "occurrence")


def test_publish_verify_measure_query(run, source, tmp_path):
    bundle = tmp_path / "ecg.bundle"
    code, out, err = run(
        "publish", "ngram-k", source, "--out", bundle, "--k", 5, "--from", 1, "--to", 19, *ROLES, *SHOWN
    )
    assert code == 0, err
    assert "n-gram counts of at least 5 · unit: occurrence · status: verified" in out
    assert run("verify", bundle)[0] == 0
    code, out, _ = run("verify", bundle, "--source", source)
    assert code == 0 and "growth is accounted for" in out, "the roles of the source are remembered"
    code, out, _ = run("measure", bundle, "--source", source, "--json")
    figures = {f["name"]: f["value"] for f in json.loads(out)["figures"]}
    assert code == 0 and 0 < figures["total variation, order 3"] < 1
    code, out, _ = run("query", bundle, 'select sum("count") as n from ngrams where "order" = 1', "--json")
    assert json.loads(out)[0]["n"] >= 8 * 180
    opened = sq.open_bundle(bundle)
    assert sum(opened.next_symbol("1 2").values()) == pytest.approx(1)
    code, out, _ = run("query", bundle, "--next", "1 2", "--json")
    told = {row["symbol"]: row["probability"] for row in json.loads(out)}
    assert code == 0 and told == pytest.approx(opened.next_symbol("1 2"), abs=1e-6)
    assert list(told.values()) == sorted(told.values(), reverse=True)
    code, out, _ = run("query", bundle, "--next", "")
    assert code == 0 and out.splitlines()[0].split() == ["symbol", "probability"]
    code, _, err = run("query", bundle, "--next", "1 nosuch")
    assert code == 2 and "query: 1 of 2 symbols is not in this table" in err
    code, _, err = run("query", bundle, "select 1", "--next", "1")
    assert code == 2 and "pass either one SELECT, or --where and --similar, or --next, or --rhythm or --by." in err


def test_what_follows_in_a_log_and_in_nothing_else(run, tmp_path):
    sq.write_sample("events", tmp_path / "log.csv", n_people=40)
    data = sq.read_events(tmp_path / "log.csv", person="person", time="time", state="state")
    bundle = tmp_path / "log.bundle"
    sq.publish(sq.anonymize(data, sq.MarkovRatio(**sq.MarkovRatio.example)), bundle, source=data)
    code, out, err = run("query", bundle, "--next", "", "--json")
    assert code == 0, err
    assert sum(row["probability"] for row in json.loads(out)) == pytest.approx(1, abs=1e-4)
    first = json.loads(out)[0]["state"]
    code, out, _ = run("query", bundle, "--next", first, "--json")
    told = {row["state"]: row["probability"] for row in json.loads(out)}
    assert told == pytest.approx(sq.open_bundle(bundle).following(first), abs=1e-6)
    sq.write_sample("series", tmp_path / "vitals.csv")
    series = sq.read_series(tmp_path / "vitals.csv", person="person", sensitive=("stay_days", "outcome"))
    other = tmp_path / "vitals.bundle"
    sq.publish(sq.anonymize(series, sq.Kapra(k=8, p=3)), other)
    code, _, err = run("query", other, "--next", "x")
    assert code == 2 and "--next asks bundles of symbols or events; this one holds series data." in err


def test_a_gram_lowered_to_k_minus_1_is_caught(run, source, tmp_path):
    bundle = tmp_path / "ecg.bundle"
    assert run("publish", "ngram-k", source, "--out", bundle, "--k", 5, *ROLES, *SHOWN)[0] == 0
    path = bundle / "data" / "ngrams.parquet"
    rows = pq.read_table(path)
    counts = rows["count"].to_pylist()
    counts[counts.index(min(counts))] = 4
    pq.write_table(rows.set_column(2, "count", [counts]), path)
    code, out, _ = run("verify", bundle)
    assert code == 1
    assert "NO  checksums" in out and "NO  counts reach k: 1 count below 5; the smallest is 4" in out


def test_people_need_the_original_and_noise_does_not(run, source, tmp_path):
    people = tmp_path / "people.bundle"
    assert run("publish", "ngram-k", source, "--out", people, "--k", 3, *ROLES)[0] == 0
    code, out, _ = run("verify", people)
    assert code == 2 and "undecided without the original" in out
    assert run("verify", people, "--source", source)[0] == 0
    common = ("publish", "ngram-dp", source, "--epsilon", 8, "--n-max", 2, *ROLES)
    for name, more in [("share", ("--people-at-least", 8)), ("tree", ("--average", "symbol", "--sequences", 4))]:
        private = tmp_path / f"{name}.bundle"
        code, out, err = run(*common, "--out", private, "--force", *more)  # whatever noise looks like
        assert code == 0, err
        assert "8-differential privacy · unit: person · status: proved" in out
        assert run("verify", private)[0] == 0
    code, _, err = run(*common, "--out", tmp_path / "no.bundle", "--people-at-least", 3)
    assert code == 2 and "No budget was spent." in err and not (tmp_path / "no.bundle").exists()
    suppressed = pq.read_table(tmp_path / "people.private" / "suppressed.parquet")
    assert suppressed.column_names == ["order", "gram", "count", "people"]


def test_literal_mode_on_short_series_is_refused(run, tmp_path):
    """Which is for papers: a plan asks for it, the command line says so."""
    lines = tmp_path / "s.txt"
    lines.write_text("1 2 1 2 1 2 1 2\n5 6\n", "utf-8")
    target = tmp_path / "s.bundle"
    common = ("publish", "ngram-k", lines, "--out", target, "--k", 2, "--symbolize", "none", *SHOWN)
    code, _, err = run(*common, "--mode", "literal")
    assert code == 2 and "It repeats papers and experiments: set mode in a plan (`sequester run`) or in Python." in err
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[[release]]\nsource = "s.txt"\nmethod = "ngram-k"\nout = "s.bundle"\nroles = {symbolize = "none"}\n'
        'parameters = {k = 2, unit = "occurrence", mode = "literal"}\n', "utf-8",
    )  # fmt: skip
    code, out, err = run("run", plan)
    assert code == 1 and "counts reach k" in err and not target.exists()
    assert "mode=literal left 3 counts below k=2, as the paper's listing does." in out + err
    assert run(*common)[0] == 0


def test_a_k_is_suggested_with_its_reason(run, source):
    code, out, err = run("tune", "ngram-k", source, "--n", 2, *ROLES, "--json")
    assert code == 0, err
    found = json.loads(out)
    figures = {f["name"]: f["value"] for f in found["figures"]}
    assert figures["suggested k"] in {row["k"] for rows in found["rows"].values() for row in rows}
    assert found["saw_original"] is True and str(figures["suggested k"]) in found["summary"]


def test_a_suggested_k_is_kept_and_nothing_asked_is_dropped(run, source, tmp_path):
    bundle = tmp_path / "kept.bundle"
    assert run("publish", "ngram-k", source, "--out", bundle, "--k", 5, *ROLES)[0] == 0
    asked = ("tune", "ngram-k", source, *ROLES)
    assert run(*asked, "--keep", bundle)[0] == 0
    private = tmp_path / "kept.private"
    kept = json.loads((private / "suggest-k.json").read_text("utf-8"))
    assert len({row["k"] for rows in kept["rows"].values() for row in rows}) > 3
    assert "Which k?" in (private / "report.html").read_text("utf-8")
    code, _, err = run(*asked, "--out", tmp_path / "sweep.jsonl")
    assert code == 2 and err == (
        "sequester: tune: without --k the curve of loss is drawn and a k suggested, with no use for --out. "
        "Pass --k 5,10,20 to try settings.\n"
    )
    code, _, err = run(*asked, "--n", "2,3")
    assert code == 2 and err == ("sequester: tune: without --k the curve of one n is drawn, got 2. Pass one, or --k.\n")


def test_an_alphabet_found_in_the_data_is_not_public(run, tmp_path):
    path = tmp_path / "symbols.csv"
    path.write_text("person,symbol\n" + "".join(f"p{i},{s}\n" for i in range(40) for s in "abab") + "p99,Q\n", "utf-8")
    roles = ("--person", "person", "--value", "symbol", "--symbolize", "none", "--epsilon", 4, "--average", "symbol")
    roles = (*roles, "--force")  # whatever noise looks like
    code, _, err = run("publish", "ngram-dp", path, "--out", tmp_path / "x.bundle", *roles)
    assert code == 2 and err.endswith(
        "anonymize: differential privacy needs an alphabet that does not depend on the people in the data, and this "
        "one was found in it. Pass --symbols with all symbols there can be.\n"
    )
    assert run("publish", "ngram-dp", path, "--out", tmp_path / "x.bundle", *roles, "--symbols", "a,b,Q")[0] == 0
