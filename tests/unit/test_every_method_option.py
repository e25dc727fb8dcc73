"""Every option of every method does something, or is refused: none is taken and then ignored.

A try is an option beside others. It must change what is made (tables, private tables, ledger, notes; that the
parameter itself is written down does not count) or be refused with a sentence. Every option must change something in
at least one of its tries.
"""

import hashlib
import json
import sys
import warnings
from dataclasses import fields
from importlib.util import find_spec

import numpy as np
import pytest

import sequester as sq
from sequester.cli import main
from sequester.errors import as_flag, spelled
from sequester.methods import loadable, method_class
from sequester.samples.notes import labelled_notes
from tests.option_tries import BASES, TRIES, data_named

METHODS = sorted(loadable())
DO_NOTHING = {
    ("markov-ratio", "epsilon", "test"): "it has no default, and the promise says that the test was off",
    ("ngram-copy", "k", "copies"): "it has no default; the judge holds the counts of the copied window against it",
    ("markov-dp", "force", ""): "a permission: where nothing would be refused, there is nothing to permit",
    ("ngram-dp", "force", ""): "a permission: where nothing would be refused, there is nothing to permit",
}
"""Method, option, and the option beside it: tries that neither change anything nor are refused, and why."""


class Steps:
    """A function of somebody's package that sees shapes otherwise."""

    name = "steps"

    def load(self):
        return lambda values: np.diff(values, axis=1) ** 3


@pytest.fixture(autouse=True)
def somebodys_features(monkeypatch):
    from sequester.methods.series.shared import panel

    monkeypatch.setattr(panel, "entry_points", lambda group: [Steps()] if group == "sequester.features" else [])


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("told")
    names = data_named("events").state_names
    (folder / "states").write_text("\n".join(names), "utf-8")
    (folder / "codes").write_text("\n".join(f"{name},{name[0]}" for name in names), "utf-8")
    (folder / "fewer").write_text("\n".join(names[:4]), "utf-8")
    (folder / "rules").write_text(f"nothing after {names[2]}\n", "utf-8")
    (folder / "words").write_text("patient\nthe\nwas\nkg\n", "utf-8")
    notes = data_named("text")
    (folder / "spans").write_text(json.dumps({"document": str(notes.documents[0]), "spans": [[0, 400]]}), "utf-8")
    _, labelled = labelled_notes(n_people=12, seed=6)
    (folder / "labelled").write_text("".join(json.dumps(one) + "\n" for one in labelled), "utf-8")
    (folder / "public").mkdir()
    for i in range(3):
        (folder / "public" / f"{i}.txt").write_text("Lives alone at Harbour road. Record number: 43216051", "utf-8")
    return folder


def with_files(told, folder):
    def one(value):
        return str(folder / value[1:]) if isinstance(value, str) and value.startswith("@") else value

    return {n: tuple(one(x) for x in v) if isinstance(v, tuple) else one(v) for n, v in told.items()}


def made(method_id, told, data):
    """What comes out, as one digest; or the sentence with which it is refused."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", sq.SequesterWarning)
            release = sq.anonymize(data, method_class(method_id)(**told), seed=7)
    except (sq.ParameterError, sq.InputError) as error:
        return False, str(error)
    seen = hashlib.sha256()
    for whose in ("tables", "private"):
        for name, table in sorted(getattr(release, whose).items()):
            seen.update(repr((whose, name, table.schema.names, table.to_pylist())).encode())
    ledger = release.ledger
    seen.update(repr((release.notes, release.reading, [] if ledger is None else ledger.entries)).encode())
    return True, seen.hexdigest()


@pytest.mark.parametrize("method_id", METHODS)
def test_every_option_of_a_method_changes_something_or_is_refused(method_id, files):
    cls = method_class(method_id)
    changes, quiet, known = set(), {}, {}
    for told in TRIES[method_id]:
        if told.beside.get("first_pass") == ("presidio",) and find_spec("presidio_analyzer") is None:
            changes.add(told.option)  # the extra is not installed here
            continue
        data = data_named(told.data or cls.accepts.kind)
        before = {**BASES[method_id], **told.beside}
        base = repr((told.data, before))
        known[base] = known.get(base) or made(method_id, with_files(before, files), data)
        with_it = made(method_id, with_files({**before, told.option: told.value}, files), data)
        if with_it[0] and with_it != known[base]:
            changes.add(told.option)
        elif with_it[0]:
            quiet[method_id, told.option, next(iter(told.beside), "")] = told
        else:
            assert with_it[1].endswith(".") and len(with_it[1]) < 400, with_it[1]
    assert quiet.keys() == {key for key in DO_NOTHING if key[0] == method_id}
    assert changes == {f.name for f in fields(cls)}, "each in at least one of its tries"


def test_an_idle_option_is_refused_with_what_it_goes_with():
    with pytest.raises(sq.ParameterError) as met:
        sq.anonymize(data_named("series"), sq.Kapra(k=4, p=2, pattern="literal", weight=0.5))
    assert str(met.value) == ("Kapra: weight=0.5 would do nothing: it goes with pattern='prototype'. Leave it out.")
    assert spelled(met.value, as_flag) == (
        "Kapra: --weight 0.5 would do nothing: it goes with --pattern prototype. Leave it out."
    )


def test_it_is_refused_before_the_file_is_read(tmp_path, monkeypatch, capsys):
    """On the command line and in a plan."""
    line = "publish ngram-dp nowhere.csv --epsilon 4 --people-at-least 50 --l-max 5 --out a.bundle"
    monkeypatch.setattr(sys, "argv", ["sequester", *line.split()])
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 2
    said = "NgramDP: --l-max 5 would do nothing: it goes with --average symbol. Leave it out."
    assert said in capsys.readouterr().err
    plan = tmp_path / "plan.toml"
    plan.write_text(
        '[[release]]\nsource = "nowhere.csv"\nmethod = "mcka"\nout = "a.bundle"\n'
        "parameters = {k = 4, exact = true, centroids = true}\n"
    )
    with pytest.raises(sq.InputError, match="centroids = true would do nothing: it goes with exact = "):
        sq.read_plan(plan)


def test_a_bundle_with_an_idle_option_still_opens_and_nothing_hides_in_one_that_went():
    made_then = sq.Kapra(k=4, p=2, pattern="literal", weight=0.5).parameters
    assert sq.Kapra.from_parameters(made_then).weight == 0.5
    with pytest.raises(TypeError, match="maximise"):
        sq.Kapra.from_parameters({**made_then, "maximise": "Maria Muster"})
