"""Assess, publish and attack on the command line; what was found stays in the custodian's folder."""

import json

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli
from sequester.errors import SequesterError


def run(*words, code=0):
    result = CliRunner().invoke(cli, list(words), catch_exceptions=False)
    assert result.exit_code == code, result.output
    return result.output


@pytest.fixture
def published(tmp_path):
    source = tmp_path / "signs.csv"
    lines = ["person,symbol"]
    for i in range(30):
        lines += [f"{i},{s}" for s in "abcab" * 4 + ("d" if i == 7 else "a") + "bca"]
    source.write_text("\n".join(lines) + "\n", "utf-8")
    bundle = tmp_path / "signs.bundle"
    roles = ["--person", "person", "--value", "symbol", "--symbolize", "none"]
    run("publish", "ngram-k", str(source), "--k", "3", "--n", "3", "--unit", "occurrence", "--out", str(bundle), *roles)
    return source, bundle, roles


def test_attack_reads_the_source_as_it_was_published_and_keeps_its_finding_private(published):
    source, bundle, _ = published
    before = {p: p.read_bytes() for p in bundle.rglob("*") if p.is_file()}
    told = json.loads(run("attack", str(bundle), "--source", str(source), "--keep", "--json"))
    rows = {r["attack"]: r for r in told["rows"]["attacks"]}
    assert rows["rare 3-grams listed"]["success"] == 1 and rows["rare 3-grams listed"]["covered"] is False
    assert told["saw_original"] is True
    assert {p: p.read_bytes() for p in bundle.rglob("*") if p.is_file()} == before, "nothing enters the bundle"
    private = bundle.with_name("signs.private")
    assert json.loads((private / "attack.json").read_text("utf-8"))["summary"] == told["summary"]
    assert "What does an adversary achieve?" in (private / "report.html").read_text("utf-8")


def test_attack_speaks_plainly_and_repeats(published):
    source, bundle, _ = published
    first = run("attack", str(bundle), "--source", str(source), "--seed", "3")
    assert first.startswith("The strongest of ") and "control" in first
    assert run("attack", str(bundle), "--source", str(source), "--seed", "3") == first


def test_a_control_group_can_be_given(published, tmp_path):
    source, bundle, _ = published
    strangers = tmp_path / "strangers.csv"
    strangers.write_text(
        "person,symbol\n" + "\n".join(f"x{i},{s}" for i in range(20) for s in "bbcacbacbacbab"), "utf-8"
    )
    told = json.loads(run("attack", str(bundle), "--source", str(source), "--control", str(strangers), "--json"))
    assert "held out" not in told["summary"]
    row = next(r for r in told["rows"]["attacks"] if r["attack"].startswith("membership by rare grams at 10%"))
    assert row["controls"] == 20


def test_a_beaten_bound_ends_with_exit_code_1(published, monkeypatch):
    from sequester.attacks import symbols

    source, bundle, _ = published
    monkeypatch.setattr(symbols, "attack_rare", _covered)
    assert "NO " in run("attack", str(bundle), "--source", str(source), code=1)


def _covered(scene):
    from sequester.attacks.outcome import Outcome

    return [Outcome(name="x", test="inference", successes=9, trials=10, baseline=0.1, bound=0.1)]


@pytest.mark.parametrize(
    ("verb", "words", "sentence"),
    [
        ("attack", ["--knowlege", "3"], "No such option '--knowlege'. Did you mean '--knowledge'?"),
        ("attack", ["--persn", "person"], "No such option '--persn'. Did you mean '--person'?"),
        ("measure", ["--lables", "x"], "No such option '--lables'. Did you mean '--labels'?"),
        ("measure", ["--zzzzzz", "x"], "No such option '--zzzzzz'."),
        ("verify", ["--symbolise", "none"], "No such option '--symbolise'. Did you mean '--symbolize'?"),
        ("measure", ["--window", "a"], "Invalid value for '--window': 'a' is not a valid integer."),
        ("attack", ["another"], "Got unexpected extra argument (another)"),
    ],
)  # fmt: skip
def test_a_wrong_option_is_an_error_of_the_verb(published, verb, words, sentence):
    source, bundle, _ = published
    told = run(verb, str(bundle), "--source", str(source), *words, code=2)
    assert (
        told.replace("[BUNDLE]", "BUNDLE")
        == f"Usage: cli {verb} [OPTIONS] BUNDLE\nTry 'cli {verb} --help' for help.\n\nError: {sentence}\n"
    )


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--labels", "x"], "measure: --labels is for notes; the bundle holds symbols data. Leave it out."),
        (["--percent", "50"], "measure: --percent is for notes; the bundle holds symbols data. Leave it out."),
        (["--fitness"], "measure: --fitness is for event logs; the bundle holds symbols data. Leave it out."),
    ],
)
def test_an_option_for_another_kind_is_refused(published, words, sentence):
    source, bundle, _ = published
    assert told_by_main("measure", str(bundle), "--source", str(source), *words) == sentence


def test_how_much_of_a_private_word_must_be_hidden_can_be_told(tmp_path):
    notes = tmp_path / "notes"
    notes.mkdir()
    for i in range(4):
        (notes / f"{i}.txt").write_text(f"the patient Anna{i} sleeps well", "utf-8")
    labels, bundle = tmp_path / "labels.jsonl", tmp_path / "notes.bundle"
    labels.write_text("".join(json.dumps({"document": f"{i}", "spans": [[12, 17]]}) + "\n" for i in range(4)))
    data = sq.read_corpus(notes)
    release = sq.anonymize(data, sq.KRepeats(k=4, granularity="character", unit="document"))
    sq.publish(release, bundle, source=data)
    base = ("measure", str(bundle), "--source", str(notes))
    recalls = []
    for percent in ((), ("--percent", "10"), ("--percent", "90")):
        told = json.loads(run(*base, "--labels", str(labels), *percent, "--json"))
        recalls.append({f["name"]: f["value"] for f in told["figures"]}["recall"])
    assert recalls[1] >= recalls[0] >= recalls[2] and recalls[1] > recalls[2]
    assert told_by_main(*base, "--percent", "50").startswith("measure: --percent is about labelled private words.")


def told_by_main(*words):
    """The sentence a refusal ends with; exit code 2."""
    result = CliRunner().invoke(cli, list(words))
    assert result.exit_code == 2 or isinstance(result.exception, SequesterError), result.output
    return str(result.exception) if isinstance(result.exception, SequesterError) else result.output.strip()


def test_assess_takes_roles_and_knowledge(published):
    source, _, roles = published
    words = ["assess", str(source), "--kind", "symbols", *roles, "--length", "4", "--knowledge", "2", "--json"]
    told = json.loads(CliRunner().invoke(cli, words, catch_exceptions=False).stdout)
    assert told["summary"].startswith("2 grams of 4 symbols single out ")


def test_attack_prints_one_line_per_attack(published):
    source, bundle, _ = published
    told = json.loads(run("attack", str(bundle), "--source", str(source), "--json"))
    lines = run("attack", str(bundle), "--source", str(source)).splitlines()
    for row in told["rows"]["attacks"]:
        name = row["attack"].replace(" ", "_").replace(",", "")
        (line,) = [x for x in lines if x.strip().startswith(name)]
        assert f"{row['low']:.4g} to {row['high']:.4g}" in line
        assert row["control"] is None or f"control {row['control']:.4g}" in line
