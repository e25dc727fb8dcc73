"""`query` without a question: what is inside, and questions that really work; categories; wide answers."""

import csv
import json

import numpy as np
import pyarrow as pa
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.bundle.contents import copies_check
from sequester.cli import cli
from sequester.cli.query import _categories, lines_of
from sequester.contract import data as contract
from sequester.layouts.states import LONG_CELLS, long_table
from sequester.query.examples import examples

ONE_PER_LAYOUT = ["k-repeats", "kapra", "tga", "bfp2ka", "mcka", "markov-ratio", "ngram-k"]


@pytest.mark.parametrize("method_id", ONE_PER_LAYOUT)
def test_three_questions_are_offered_and_each_is_answered(method_id, tmp_path):
    method = contract.method(method_id)
    data = contract.sample(method.accepts.kind)
    target = tmp_path / "a.bundle"
    sq.publish(contract.released(method_id), target, source=data)
    run = CliRunner().invoke
    told = run(cli, ["query", str(target)])
    assert told.exit_code == 0, told.output
    opened = sq.open_bundle(target)
    for name, table in opened.tables.items():
        assert f"{name}: {table.num_rows:,} row" in told.output
    asked = json.loads(run(cli, ["query", str(target), "--json"]).output)
    assert asked["questions"] == examples(opened) and len(asked["questions"]) == 3
    assert told.output.count("sequester query ") == 3
    for arguments in asked["questions"]:
        answer = run(cli, ["query", str(target), *arguments])
        assert answer.exit_code == 0 and answer.output.strip(), (arguments, answer.output)


@pytest.fixture(scope="module")
def vitals(tmp_path_factory):
    data = sq.sample("series", n_people=60, seed=4)
    target = tmp_path_factory.mktemp("vitals") / "a.bundle"
    return sq.publish(sq.anonymize(data, sq.Kapra(k=5, p=3), seed=1), target, source=data)


def test_categories_and_plain_numbers_in_where(vitals):
    table = vitals.tables["records"].to_pylist()
    words = sorted({r["outcome"] for r in table})
    each = [vitals.count(values={"outcome": [w]}) for w in words]
    for word, count in zip(words, each, strict=True):
        true = sum(r["outcome"] == word for r in table)
        assert (count.at_least, count.at_most) == (true, true)
    both = vitals.count(values={"outcome": words[:2]})
    assert both.at_least == each[0].at_least + each[1].at_least
    short = vitals.count({"stay_days": (0, 5)})
    assert short.at_least == sum(r["stay_days"] is not None and 0 <= r["stay_days"] <= 5 for r in table)
    run = CliRunner().invoke
    path = str(vitals.path)
    said = run(cli, ["query", path, "--where", f"outcome = {words[0]}", "--where", "stay_days in [0,5]", "--json"])
    true = sum(r["outcome"] == words[0] and 0 <= (r["stay_days"] or -1) <= 5 for r in table)
    assert json.loads(said.output)["at_least"] == true, said.output
    wrong = run(cli, ["query", path, "--where", "outcome = elsewhere"])
    assert wrong.exit_code
    said = f"'outcome' has no value 'elsewhere' in this release. Found: {', '.join(words)}."
    assert said in str(wrong.exception)
    wrong = run(cli, ["query", path, "--where", "colour = red"])
    assert "no column 'colour' is published as it is; there are: stay_days, outcome." in str(wrong.exception)
    wrong = run(cli, ["query", path, "--where", "outcome in [1,2]"])
    assert "'outcome' holds words; write outcome = VALUE." in str(wrong.exception)


def test_conditions_are_told_apart():
    told = _categories(("a = b c", "x y in {1, 2}", "t3 in [0.2,0.4]", "t3 - t1 in [0.5,2]"))
    assert told == ({"a": ["b c"], "x y": ["1", "2"]}, ("t3 in [0.2,0.4]", "t3 - t1 in [0.5,2]"))


def test_wide_answers_are_cut_to_the_screen():
    table = pa.table({f"c{i}": ["x" * (200 if i == 1 else 10)] for i in range(30)})
    lines = lines_of(table, 80)
    assert all(len(line) <= 80 for line in lines) and lines[-1] == "… 26 more columns; --json prints all."
    assert "x…" in lines[1]
    whole = lines_of(table, None)
    assert len(whole) == 2 and "c29" in whole[0] and "x" * 200 in whole[1]
    assert lines_of(pa.table({"a": range(1001)}), 80)[-1] == "… 1 more row; --json prints all."


def test_numbers_are_shown_with_six_digits_and_never_with_a_power_of_ten():
    told = pa.table({"a": [0.32208886546467497, 0.5, 1285004.2267, None], "n": [123456789012, 1, 2, 3]})
    shown = [line.split() for line in lines_of(told, None)]
    assert shown == [["a", "n"], ["0.322089", "123456789012"], ["0.5", "1"], ["1285004.23", "2"], ["None", "3"]]


def test_a_column_that_is_not_there_is_told_in_a_sentence(tmp_path):
    people = sq.sample("series", seed=1, n_people=20)
    sq.publish_data(people, sq.Request(method=sq.Kapra(k=5, p=2), target=tmp_path / "a.bundle"))
    with pytest.raises(sq.InputError) as caught:
        sq.open_bundle(tmp_path / "a.bundle").sql("select nowhere from records")
    assert "nowhere" in str(caught.value) and "!." not in str(caught.value) and ".." not in str(caught.value)


def test_activity_as_csv_has_a_row_per_record_and_interval(tmp_path):
    data = sq.sample("activity", n_people=8)
    release = sq.anonymize(data, sq.MCKA(k=4), seed=1)
    bundle = sq.publish(release, tmp_path / "a.bundle", source=data, formats=("csv",))
    with (bundle.path / "data" / "sequences.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    states = np.array(release.tables["sequences"]["states"].to_pylist())
    assert len(rows) == states.size and list(rows[0]) == ["record", "cluster", "time", "state"]
    names = release.tables["states"]["name"].to_pylist()
    assert [r["state"] for r in rows[:500]] == [names[c] for c in states[0, :500]]
    assert rows[1]["time"] == "2024-03-04 00:01:00"
    assert sq.verify(bundle.path).holds
    package = json.loads((bundle.path / "datapackage.json").read_text("utf-8"))
    (told,) = [r for r in package["resources"] if r["path"].endswith("sequences.csv")]
    assert [f["name"] for f in told["schema"]["fields"]] == ["record", "cluster", "time", "state"]
    path = bundle.path / "data" / "sequences.csv"
    text = path.read_text("utf-8")
    assert copies_check(bundle.path, bundle.manifest, bundle.tables).passed
    path.write_text(text.replace(f',"{rows[3]["state"]}"\n', ',"elsewhere"\n', 1), "utf-8")
    assert not copies_check(bundle.path, bundle.manifest, bundle.tables).passed
    assert not sq.verify(bundle.path).holds


def test_a_release_too_long_to_spell_out_stays_one_row_per_record(monkeypatch):
    monkeypatch.setattr("sequester.layouts.states.LONG_CELLS", 10)
    release = sq.anonymize(sq.sample("activity", n_people=8), sq.MCKA(k=4), seed=1)
    assert long_table(release.tables) is None and LONG_CELLS == 20_000_000
    assert long_table({"other": pa.table({"x": [1]})}) is None


def test_notes_are_copied_as_json_lines_and_as_plain_text(tmp_path):
    data = sq.sample("text")
    release = sq.anonymize(data, sq.KRepeats(k=4), seed=1)
    from dataclasses import replace

    for shape, formats in (("jsonl", ("folder", "csv")), ("folder", ("jsonl",))):
        made = replace(release, formats={"documents": shape})
        bundle = sq.publish(made, tmp_path / f"{shape}.bundle", source=data, formats=formats)
        first = release.tables["documents"].to_pylist()[0]
        text = (bundle.path / "data" / "documents" / f"{first['document']}.txt").read_bytes().decode("utf-8")
        line = json.loads((bundle.path / "data" / "documents.jsonl").read_text("utf-8").splitlines()[0])
        assert text == first["text"] == line["text"]
        assert sq.verify(bundle.path).holds
    path = tmp_path / "jsonl.bundle" / "data" / "documents" / f"{first['document']}.txt"
    opened = sq.open_bundle(tmp_path / "jsonl.bundle")
    assert copies_check(opened.path, opened.manifest, opened.tables).passed
    path.write_text("other words", "utf-8")
    assert not copies_check(opened.path, opened.manifest, opened.tables).passed
    fewer = {**opened.manifest, "files": [f for f in opened.manifest["files"] if not f["path"].endswith(path.name)]}
    found = copies_check(opened.path, fewer, opened.tables)
    assert not found.passed, "a document without its copy"
    assert not sq.verify(tmp_path / "jsonl.bundle").holds
