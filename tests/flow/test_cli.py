"""The command line as a newcomer meets it: help, typos, exit codes."""

import json
import subprocess
import sys
import time
from importlib import import_module
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import VERBS, cli, main
from tests import toy

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    toy.register(monkeypatch)


def run(monkeypatch, capsys, *arguments):
    monkeypatch.setattr(sys, "argv", ["sequester", *map(str, arguments)])
    with pytest.raises(SystemExit) as stopped:
        main()
    out = capsys.readouterr()
    return stopped.value.code or 0, out.out, out.err


@pytest.fixture
def bundle(tmp_path):
    return sq.publish(sq.anonymize(toy.panel(), toy.ToyGroups(k=3), seed=1), tmp_path / "a.bundle").path


def test_help_imports_nothing_heavy():
    code = (
        "import sys; sys.argv=['sequester','--help']\n"
        "from sequester.cli import main\n"
        "try: main()\n"
        "except SystemExit: pass\n"
        "print(sorted({'numba','numpy','pyarrow','duckdb','opendp','altair','rich','jinja2'} & set(sys.modules)))"
    )
    begun = time.monotonic()
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT / "src", check=True)
    assert time.monotonic() - begun < 10  # a hang, not a speed limit: benchmarks/startup.py measures
    assert out.stdout.splitlines()[-1] == "[]"


def test_every_verb_has_help_that_explains_its_options():
    runner = CliRunner()
    for verb in VERBS:
        out = runner.invoke(cli, [verb, "--help"])
        assert out.exit_code == 0, verb
        described = [o for o in import_module(f"sequester.cli.{verb}").command.params if isinstance(o, click.Option)]
        assert all(o.help for o in described), verb
    for option in cli.params:
        assert option.help


def test_verify_confirms_and_refuses(monkeypatch, capsys, bundle):
    code, out, err = run(monkeypatch, capsys, "verify", bundle)
    assert (code, err) == (0, "") and "confirmed from the release alone" in out
    code, out, _ = run(monkeypatch, capsys, "verify", bundle, "--json")
    assert json.loads(out)["holds"] is True
    (bundle / "data" / "records.parquet").write_bytes(b"spoilt")
    code, out, _ = run(monkeypatch, capsys, "verify", bundle)
    assert code == 1 and "NOT confirmed" in out


def test_query_and_report(monkeypatch, capsys, bundle, tmp_path):
    code, out, _ = run(monkeypatch, capsys, "query", bundle, "select count(*) as n from records")
    assert code == 0 and out.split() == ["n", "10"]
    code, out, _ = run(monkeypatch, capsys, "query", bundle, "select count(*) as n from records", "--json")
    assert json.loads(out) == [{"n": 10}]
    code, out, _ = run(monkeypatch, capsys, "report", bundle, "--out", tmp_path / "r.html")
    assert code == 0 and "groups of 3" in (tmp_path / "r.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verfy", "x"], "no command 'verfy'"),
        (["verify", "nowhere.bundle"], "sequester: open: 'nowhere.bundle' does not exist. Check the path."),
        (["publish", "toy-group", "x", "--out", "y"], "Did you mean 'toy-groups'?"),
        (["methods", "toy-brokn"], "Did you mean 'toy-broken'?"),
        (["publish"], "METHOD"),
        (["verify"], "Missing argument 'BUNDLE'"),
    ],
)
def test_mistakes_get_a_sentence_and_exit_code_2(monkeypatch, capsys, arguments, message):
    code, out, err = run(monkeypatch, capsys, *arguments)
    assert code == 2 and message in err + out, err
    assert "Traceback" not in err


def test_unforeseen_errors_do_not_show_values(monkeypatch, capsys, bundle):
    from sequester.cli import verify as verb

    def explode(*_a, **_k):
        raise ValueError("patient Ann Example")

    monkeypatch.setattr(verb.sq, "verify", explode)
    code, _, err = run(monkeypatch, capsys, "verify", bundle)
    assert code == 2 and err == (
        "sequester: an internal error (ValueError); nothing was published. --debug shows where.\n"
    )


def test_notes_that_are_empty_are_refused_before_a_page_opens(tmp_path, monkeypatch, capsys):
    (tmp_path / "folder").mkdir()
    (tmp_path / "notes.csv").write_text("", "utf-8")
    for name in ("folder", "notes.csv"):
        code, _, err = run(monkeypatch, capsys, "label", tmp_path / name, "--no-open")
        assert code == 2
        assert err == f"sequester: label: '{name}' is empty. Pass the notes: a folder of texts, or a table.\n"


@pytest.mark.parametrize(
    ("method", "says"),
    [
        ("ngram-dpp", "Did you mean 'ngram-dp'?"),
        ("kapra", "kapra cannot be asked over several sites. Available: activity-dp, markov-dp, ngram-dp."),
    ],
)
def test_a_study_with_another_method_names_those_there_are(monkeypatch, capsys, method, says):
    code, _, err = run(monkeypatch, capsys, "federation", "study", method, "--out", "x")
    assert code == 2 and says in err and err.count("\n") == 1
