"""What may come from anybody: bundles, plans, names, questions. Each is read or refused in a sentence, and ends."""

import contextlib
import errno
import json
import os
import shutil
import signal
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import sequester as sq
from sequester.bundle import contents
from sequester.bundle.formats import sha256
from sequester.bundle_checks import pages_check
from sequester.cli import Terminated, _listening
from sequester.cli.plain import plain
from sequester.query import limits
from sequester.stored_tables import write_parquet
from tests.exits import exit_of

BUNDLES = Path(__file__).parents[1] / "golden" / "bundles"
VITALS = Path(__file__).parents[1] / "golden" / "sources" / "vitals.csv"


def reseal(bundle, table, column, values, kind=None):
    """Another column in a table, with the right checksum, size and schema in the manifest."""
    manifest = json.loads((bundle / "manifest.json").read_text())
    entry = next(f for f in manifest["files"] if f["table"] == table)
    entry["format"], entry["path"] = "parquet", f"data/{table}.parquet"
    old = sq.open_bundle(bundle).tables[table]
    cells = pa.array([values] * len(old), kind)
    new = old.set_column(old.column_names.index(column), column, cells)
    write_parquet([new], bundle / entry["path"])
    entry |= {"sha256": sha256(bundle / entry["path"]), "bytes": (bundle / entry["path"]).stat().st_size,
              "schema": entry["schema"] | {column: str(cells.type)}}  # fmt: skip
    (bundle / "manifest.json").write_text(json.dumps(manifest))


@pytest.mark.parametrize(
    ("name", "table", "column", "value", "says"),
    [
        ("kapra", "records", "level", 2**62, "holds numbers outside 0 to 1000"),
        ("kapra", "records", "h08_lo", "x", "holds string, which does not belong there"),
        ("kapra", "records", "record", None, "holds null, which does not belong there"),
        ("tga", "records", "h08", "x", "column 'h08' holds no numbers"),
        ("mcka", "calendar", "intervals", 2**40, "holds numbers outside 1 to 100000000"),
        ("mcka", "states", "code", "x", "holds string, which does not belong there"),
        ("markov-ratio", "events", "object", "x", "holds string, which does not belong there"),
        ("markov-ratio", "events", "state", 3, "holds int64, which does not belong there"),
        ("ngram-k", "ngrams", "order", 2**62, "holds numbers outside 0 to 1000"),
        ("ngram-k", "ngrams", "gram", 1, "holds int64, which does not belong there"),
        ("k-repeats", "spans", "start", -1, "holds numbers outside 0 to"),
        ("k-repeats", "documents", "document", 1, "holds int64, which does not belong there"),
    ],
)
def test_a_column_that_nothing_could_work_with_is_refused_when_it_is_read(
    tmp_path, monkeypatch, capsys, name, table, column, value, says
):
    bundle = tmp_path / "a.bundle"
    shutil.copytree(BUNDLES / f"{name}.bundle", bundle)
    reseal(bundle, table, column, value)
    begun = time.monotonic()
    for verb in ("verify", "query", "report"):
        more = ["--out", tmp_path / "r.html"] if verb == "report" else []
        assert exit_of(monkeypatch, verb, bundle, *more) in ((0, 2) if verb == "report" else (1, 2)), verb
        said = capsys.readouterr()
        assert "internal error" not in said.err and said.err.count("\n") <= 1, said.err
    assert time.monotonic() - begun < 30
    with pytest.raises(sq.BundleError, match=says):
        opened = sq.open_bundle(bundle)
        (opened.tables[table], getattr(opened, "view", None))


def test_a_question_without_sql_ends_too(monkeypatch):
    monkeypatch.setattr(limits, "SECONDS", 0.2)
    late = pytest.raises(sq.InputError, match=r"query: the answer took more than 0.2 seconds and was given up")
    with late, limits.limited():
        while True:
            pass
    much = pytest.raises(sq.InputError, match=r"query: the answer needs more than 4 GB of memory\. Ask for less\.")
    with much, limits.limited():
        np.ones(6 << 30, dtype=np.uint8)
    time.sleep(0.3)  # the alarm went with the question
    assert np.zeros(5 << 30, dtype=np.uint8).nbytes, "and so did the limit"


def test_names_and_cells_give_no_commands_to_a_terminal(tmp_path, monkeypatch, capsys):
    nasty = "a\x1b[2Jb\x9bc\rd\u202ee\x7f"
    assert plain(nasty) == "a\\u001b[2Jb\\u009bc\\u000dd\\u202ee\\u007f"
    assert plain("plain\n\ttext, ünïcode ✓") == "plain\n\ttext, ünïcode ✓"
    source = tmp_path / "notes.csv"
    source.write_text("document,text\n" + "".join(f'{i},"the {nasty} word"\n' for i in range(8)), newline="")
    target = tmp_path / "n.bundle"
    method = sq.WordFrequency(k=4, unit="document")
    sq.publish(sq.anonymize(sq.read_corpus(source), method), target)
    shown = ""
    for words in (
        ["query", target, "select text from documents"],
        ["query", target, "select text from documents", "--json"],
        ["inspect", tmp_path / f"{nasty}.csv"],
        ["verify", tmp_path / f"{nasty}.bundle"],
        ["query", target, f"select {nasty}"],
        ["publish", nasty, source],
        ["verify", target, f"--{nasty}"],
    ):
        exit_of(monkeypatch, *words)
        said = capsys.readouterr()
        assert not set("\x1b\x9b\r\u202e\x7f") & set(said.out + said.err), words
        shown += said.out + said.err
    assert shown.count("\\u009b") >= 10, "they were shown, spelled out"


@pytest.mark.parametrize(
    "text", ["a = " + "[" * 100_000, ".".join(["a"] * 100_000) + " = 1", "x" * 1_000_001, "[" + "a." * 99_999 + "a]"]
)
def test_a_plan_that_only_a_machine_would_write_is_refused(tmp_path, text):
    (tmp_path / "plan.toml").write_text(text)
    with pytest.raises(sq.InputError, match=r"run: 'plan.toml' is (larger or deeper|nested too deeply|not TOML)"):
        sq.read_plan(tmp_path / "plan.toml")
    with pytest.raises(sq.InputError, match=r"publish: 'plan.toml' is (larger or deeper|nested too deeply|not TOML)"):
        sq.read_descriptions(tmp_path / "plan.toml")


@pytest.mark.parametrize(
    "words",
    [
        ["BUNDLE", "--source", VITALS],
        ["--source", VITALS, "--", "BUNDLE"],
        ["--source", VITALS, "--person", "person", "--sensitive", "stay_days,outcome", "--", "BUNDLE"],
        ["--person=person", "--sensitive", "stay_days,outcome", "BUNDLE", "--source", VITALS],
    ],
)
def test_the_bundle_may_stand_behind_the_roles(tmp_path, monkeypatch, capsys, words):
    bundle = tmp_path / "a.bundle"
    data = sq.read_series(VITALS, person="person", sensitive=("stay_days", "outcome"))
    roles = {"person": "person", "sensitive": ["stay_days", "outcome"]}
    sq.publish(sq.anonymize(data, sq.Kapra(k=5, p=3)), bundle, source=data, roles=roles)
    assert exit_of(monkeypatch, "verify", *(bundle if w == "BUNDLE" else w for w in words)) == 0
    assert "confirmed from the release and original" in capsys.readouterr().out


@pytest.mark.parametrize("words", [["verify", "--", "-x.bundle"], ["verify", "a.bundle", "b.bundle"], ["verify"]])
def test_other_arguments_of_verify_are_refused(monkeypatch, words):
    assert exit_of(monkeypatch, *words) == 2


@pytest.mark.parametrize("role", ["person", "time", "state"])
def test_a_role_without_a_name_is_refused(role):
    wards = VITALS.with_name("wards.csv")
    with pytest.raises(sq.InputError, match=f"^read_events: {role}= is empty. Say a name, or leave it out.$"):
        sq.read_events(wards, **{role: ""})


def test_half_a_character_in_fhir_is_no_text(tmp_path):
    line = {"resourceType": "Encounter", "subject": {"reference": "Patient/a"}, "period": {"start": "2024-01-01"}}
    rows = [line, line | {"class": {"code": "\ud800"}}, line | {"subject": {"reference": "Patient/\udfff"}}]
    (tmp_path / "Encounter.ndjson").write_text("\n".join(map(json.dumps, rows)))
    log = sq.read_events(tmp_path, layout="fhir")
    assert log.n_records == 1 and "2 lines are not JSON objects and were left out" in map(str, log.notes)
    assert "fhir" in str(sq.inspect(tmp_path))


@pytest.mark.parametrize("first", [[], [signal.raise_signal]], ids=["alone", "while it is made again, another comes"])
def test_a_request_to_end_while_an_object_goes_is_made_again(monkeypatch, capsys, first):
    module, hasty = sys.modules["sequester.cli"], iter(first)
    later = module._ask_soon
    monkeypatch.setattr(module, "_ask_soon", lambda number: next(hasty, later)(number))

    class Going:
        def __del__(self):
            raise Terminated(15)

    with pytest.raises(Terminated), _listening():
        Going()
        time.sleep(5)
    assert capsys.readouterr().err == ""


def test_what_is_in_place_is_said_at_whatever_moment_a_command_ends(tmp_path, monkeypatch, capsys):
    def stop(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("sequester.accounts.reservation.Reservation.published", stop)
    words = ["publish", "kapra", VITALS, "--person", "person", "--sensitive", "stay_days,outcome",
             "--k", "5", "--p", "3", "--out", tmp_path / "a.bundle"]  # fmt: skip
    assert exit_of(monkeypatch, *words) == 130
    assert "Finished before: 'a.bundle'. Nothing else was published." in capsys.readouterr().err
    assert (tmp_path / "a.bundle" / "manifest.json").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_library_that_answers_a_signal_with_its_own_error_is_still_stopped(monkeypatch, capsys, number):
    def asked(*_):
        with contextlib.suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
            time.sleep(5)
        raise RuntimeError("Query interrupted")

    monkeypatch.setattr("sequester.cli._run", asked)
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as from a terminal, whatever ran before
    assert exit_of(monkeypatch, "methods") == 128 + number
    assert capsys.readouterr().err == "sequester: stopped. What was not finished was not published.\n"


def test_a_question_that_is_no_text_is_refused():
    with pytest.raises(sq.InputError, match=r"^query: the question holds bytes that are no UTF-8 text"):
        sq.open_bundle(BUNDLES / "kapra.bundle").sql("select '\udcff'")


def test_a_grade_that_no_bundle_has_is_no_error_of_ours(tmp_path):
    bundle = tmp_path / "a.bundle"
    shutil.copytree(BUNDLES / "markov-dp.bundle", bundle)
    manifest = json.loads((bundle / "manifest.json").read_text("utf-8"))
    manifest["guarantee"]["status"] = "verifiable"
    (bundle / "manifest.json").write_text(json.dumps(manifest), "utf-8")
    assert sq.verify(bundle).result == "broken"


def test_a_folder_of_damaged_tables_is_refused(tmp_path):
    for name in ("a.parquet", "b.parquet"):
        (tmp_path / name).write_bytes(b"PAR1 and nothing behind it")
    with pytest.raises(sq.InputError, match=r"cannot be read as Parquet\. Check the file"):
        sq.inspect(tmp_path)


def test_a_page_that_the_disk_does_not_give_back_breaks_no_promise(monkeypatch):
    right = Path.read_bytes

    def failing(path):
        if path.name == "croissant.json":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return right(path)

    monkeypatch.setattr(Path, "read_bytes", failing)
    with pytest.raises(sq.BundleError, match=r"^verify: 'croissant\.json' cannot be read"):
        pages_check(sq.open_bundle(BUNDLES / "kapra.bundle"))


def test_a_table_that_the_disk_does_not_give_back_breaks_no_promise(monkeypatch):
    def failing(*_given):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(contents, "_only_the_table", failing)
    with pytest.raises(sq.BundleError, match=r"^verify: a table cannot be read again \(Input/output error\)\. Try"):
        sq.verify(BUNDLES / "kapra.bundle")
