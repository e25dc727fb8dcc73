"""Publication plans: everything that is wrong is said at once, before anything is published."""

import json
from dataclasses import replace

import pytest

import sequester as sq
from sequester.kinds import KINDS
from tests import toy

NEITHER = "Not compared with 'one.bundle': neither has groups, texts or counts that could be compared."


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    """The toy methods, and a reader for their data that knows two roles."""
    toy.register(monkeypatch)
    monkeypatch.setitem(KINDS, "series", replace(KINDS["series"], reader="tests.unit.test_plan:read_panel"))


def read_panel(source, *, person: str | None = None, sensitive: tuple[str, ...] = ()):
    """Read a toy panel.

    Parameters
    ----------
    person
        Column of the person.
    sensitive
        Sensitive columns.
    """
    from sequester.read.table import load, pick

    table = load(source, "read_panel").table
    for name in filter(None, [person, *sensitive]):
        pick(table, name, "read_panel", "person")
    return toy.panel(table.num_rows)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "panel.csv").write_text("id,a,b\n" + "".join(f"{i},{i},{i}\n" for i in range(12)))
    return tmp_path


GOOD = """
title = "Spring"
[[release]]
source = "panel.csv"
method = "toy-groups"
out = "one.bundle"
formats = ["csv"]
evidence = []
parameters = { k = 3 }
roles = { person = "id", sensitive = "a" }
promise = { level = "groups of 3", unit = "record", grade = "verified" }
[[release]]
name = "second"
source = "panel.csv"
method = "toy-groups"
out = "two.bundle"
evidence = []
parameters = { k = 4 }
roles = { sensitive = ["a", "b"] }
"""


def plan(folder, text):
    path = folder / "plan.toml"
    path.write_text(text, "utf-8")
    return path


def problems(folder, text, **options):
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(plan(folder, text), **options)
    return str(caught.value).splitlines()


def test_a_sound_plan_is_read_and_run(folder):
    checked = sq.read_plan(plan(folder, GOOD))
    assert [s.name for s in checked.steps] == ["one", "second"]
    assert checked.steps[0].request.roles == {"person": "id", "sensitive": ("a",)}
    assert str(checked) == (
        "Spring\n  one: groups of 3 · unit: record · status: verifiable\n    panel.csv → one.bundle\n"
        "  second: groups of 4 · unit: record · status: verifiable\n    panel.csv → two.bundle"
    )
    assert not (folder / "one.bundle").exists()
    done = {step.name: bundle for step, bundle in sq.run_plan(checked)}
    assert done["one"].guarantee.status == "verified"
    assert (folder / "one.bundle" / "data" / "records.csv").exists()
    assert sq.custodian(folder / "two.bundle")["roles"] == {"sensitive": ["a", "b"]}


def test_all_problems_are_told_at_once(folder):
    (folder / "there.bundle").mkdir()
    told = problems(
        folder,
        """
        titel = "x"
        [[release]]
        source = "panel.csv"
        method = "toy-grops"
        out = "a.bundle"
        [[release]]
        source = "panel.csv"
        method = "toy-groups"
        out = "b"
        parameters = { k = 1 }
        [[release]]
        name = "third"
        source = "nowhere.csv"
        method = "toy-groups"
        out = "there.bundle"
        parameters = { k = 3 }
        promise = { level = "groups of 5", untt = "person" }
        [[release]]
        source = "panel.csv"
        method = "toy-groups"
        out = "c.bundle"
        formats = ["pdf"]
        evidence = "measure"
        zzz = 3
        [[release]]
        source = "panel.csv"
        method = "toy-groups"
        out = "d.bundle"
        parameters = { q = 3 }
        roles = { persn = "id" }
        [[release]]
        source = "panel.csv"
        method = "toy-groups"
        out = "e.bundle"
        parameters = { k = 3 }
        roles = { persn = "id" }
        [[release]]
        source = "panel.csv"
        method = "toy-groups"
        out = "f.bundle"
        parameters = { k = 3 }
        roles = { person = "idd" }
        """,
    )
    assert told == [
        "run: 'plan.toml' has 17 problems; nothing was published.",
        "  - no 'titel' in the plan. Did you mean 'title'?",
        f"  - a: no method 'toy-grops'; there are {', '.join(sq.METHODS)}. Did you mean 'toy-groups'?",
        "  - b: ToyGroups: k must be a whole number of at least 2, got k=1.",
        "  - b: 'out' must be a name that ends in .bundle, got 'b'.",
        "  - third: no 'untt' in a promise. Did you mean 'unit'?",
        "  - third: the agreed level is 'groups of 5', but toy-groups with these parameters gives 'groups of 3'.",
        "  - third: read_panel: 'nowhere.csv' does not exist. Check the path.",
        "  - third: 'there.bundle' exists. Pass overwrite=True to replace it.",
        "  - c: no 'zzz' in a release. Available: name, source, method, parameters, roles, promise, out, "
        "formats, evidence, publication, population, grouping, force, sign, mapping.",
        "  - c: 'formats' knows csv, jsonl, folder, xes, omop, fhir, meds, not 'pdf'.",
        "  - c: 'evidence' must be a list of names, such as evidence = [\"measure\"].",
        "  - c: the parameter 'k' of toy-groups is missing; a custodian chooses it.",
        "  - d: no 'q' in the parameters of toy-groups. Available: k.",
        "  - d: the parameter 'k' of toy-groups is missing; a custodian chooses it.",
        "  - d: no 'persn' in the roles of series data. Did you mean 'person'?",
        "  - e: no 'persn' in the roles of series data. Did you mean 'person'?",
        "  - f: read_panel: column 'idd' not found; the table has 'id', 'a', 'b'. Pass person = 'id'?",
    ]
    assert sorted(p.name for p in folder.iterdir()) == ["panel.csv", "plan.toml", "there.bundle"]


def test_no_problem_of_a_release_hides_another(folder):
    told = problems(
        folder,
        """
        [[release]]
        source = "nowhere.csv"
        method = "toy-groups"
        out = "a"
        parameters = { k = 1 }
        promise = { untt = "person" }
        evidnce = []
        [[release]]
        method = "toy-groups"
        out = "a"
        parameters = 3
        roles = { persn = "id" }
        """,
    )
    assert told == [
        "run: 'plan.toml' has 11 problems; nothing was published.",
        "  - a: no 'evidnce' in a release. Did you mean 'evidence'?",
        "  - a: ToyGroups: k must be a whole number of at least 2, got k=1.",
        "  - a: 'out' must be a name that ends in .bundle, got 'a'.",
        "  - a: no 'untt' in a promise. Did you mean 'unit'?",
        "  - a: read_panel: 'nowhere.csv' does not exist. Check the path.",
        "  - a: 'source' is missing.",
        "  - a: 'parameters' must be a table, [release.parameters].",
        "  - a: 'out' must be a name that ends in .bundle, got 'a'.",
        "  - a: no 'persn' in the roles of series data. Did you mean 'person'?",
        "  - a: another release writes 'a' too.",
        "  - a: another release writes 'a' too.",
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "run: 'plan.toml' has no [[release]]. Each release starts with that line."),
        ("release = 3", "run: 'plan.toml' has no [[release]]. Each release starts with that line."),
        ("[[release]]\nsource = 1", "  - release 1: 'source' is missing."),
        ("[[release]]\nroles = 1", "  - release 1: 'roles' must be a table, [release.roles]."),
        ("a = ", "run: 'plan.toml' is not TOML: Invalid value (at end of document)."),
    ],
)
def test_what_is_no_plan_is_said(folder, text, message):
    assert message in problems(folder, text)


def test_two_releases_never_write_the_same_bundle(folder):
    text = GOOD.replace("two.bundle", "one.bundle")
    assert "  - second: another release writes 'one.bundle' too." in problems(folder, text)


def test_a_missing_plan_is_said(tmp_path):
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(tmp_path / "none.toml")
    assert str(caught.value) == "run: 'none.toml' does not exist. Check the path."
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(tmp_path)
    assert str(caught.value).endswith("is a folder; a plan is a TOML file.")


def test_it_stops_at_a_broken_promise(folder):
    text = GOOD.replace('method = "toy-groups"\nout = "two.bundle"', 'method = "toy-broken"\nout = "two.bundle"')
    checked = sq.read_plan(plan(folder, text))
    with pytest.raises(sq.PromiseBroken):
        list(sq.run_plan(checked))
    assert (folder / "one.bundle").exists() and not (folder / "two.bundle").exists()


def test_the_command_checks_runs_and_tells(folder, monkeypatch):
    from click.testing import CliRunner

    from sequester.cli import cli

    path = str(plan(folder, GOOD))
    out = CliRunner().invoke(cli, ["run", path, "--check"])
    assert out.exit_code == 0 and out.output.endswith("The plan is sound.\n") and not (folder / "one.bundle").exists()
    told = json.loads(CliRunner().invoke(cli, ["run", path, "--json"]).stdout)
    assert [p["name"] for p in told["published"]] == ["one", "second"]
    again = CliRunner().invoke(cli, ["run", path])
    assert again.exit_code == 0 and "one: 'one.bundle' was finished by an earlier run" in again.output
    assert CliRunner().invoke(cli, ["run", path, "--overwrite"]).exit_code == 0


def test_what_cannot_be_written_is_said_before_anything_runs(folder):
    text = GOOD.replace('out = "one.bundle"', 'out = "panel.csv/one.bundle"').replace(
        'formats = ["csv"]', 'formats = ["xes"]'
    )
    told = problems(folder, text)
    assert told[1:] == [
        "  - panel.csv/one: 'one.bundle' cannot be written: 'panel.csv' is a file, not a folder.",
        "  - panel.csv/one: 'formats' has xes, which is for event logs; toy-groups publishes series data.",
    ]


def test_each_source_is_read_once(folder, monkeypatch):
    read = []
    right = toy.panel
    monkeypatch.setattr(toy, "panel", lambda n: (read.append(n), right(n))[1])
    text = GOOD.replace('roles = { sensitive = ["a", "b"] }', 'roles = { person = "id", sensitive = "a" }')
    assert len(list(sq.run_plan(sq.read_plan(plan(folder, text))))) == 2
    assert read == [12]
    for name in ("one", "two"):
        assert sq.verify(folder / f"{name}.bundle").holds


def test_a_plan_goes_on_where_it_was_stopped(folder, monkeypatch):
    path, drawn = plan(folder, GOOD), []
    right = toy.ToyGroups.apply

    def apply(self, data, **options):
        drawn.append(self.k)
        if drawn == [3, 4]:
            raise KeyboardInterrupt
        return right(self, data, **options)

    monkeypatch.setattr(toy.ToyGroups, "apply", apply)
    with pytest.raises(KeyboardInterrupt) as caught:
        list(sq.run_plan(sq.read_plan(path)))
    assert caught.value.published == ("one.bundle",)
    before = (folder / "one.bundle" / "manifest.json").stat().st_mtime_ns
    said = []
    done = [step.name for step, _ in sq.run_plan(sq.read_plan(path), say=said.append)]
    assert done == ["one", "second"] and drawn == [3, 4, 4]
    assert said[0] == "one: 'one.bundle' was finished by an earlier run of this plan and is kept."
    assert said[1:] == [NEITHER]
    assert (folder / "one.bundle" / "manifest.json").stat().st_mtime_ns == before


@pytest.mark.parametrize(
    "change",
    [
        lambda f: (f / "panel.csv").write_text("id,a,b\n" + "".join(f"{i},{i},{i}\n" for i in range(13))),
        lambda f: (f / "plan.toml").write_text(GOOD.replace("parameters = { k = 3 }", "parameters = { k = 2 }")
                                               .replace("groups of 3", "groups of 2")),
        lambda f: (f / "one.bundle" / "data" / "records.parquet").write_bytes(b"x"),
    ],
)  # fmt: skip
def test_a_bundle_of_something_else_is_not_taken_for_finished(folder, change):
    list(sq.run_plan(sq.read_plan(plan(folder, GOOD))))
    change(folder)
    with pytest.raises(sq.InputError, match=r"one: 'one\.bundle' exists\. Pass overwrite=True to replace it\."):
        sq.read_plan(folder / "plan.toml")


def test_releases_that_get_in_each_others_way(folder):
    text = GOOD.replace('out = "two.bundle"', 'out = "one.bundle/two.bundle"')
    assert "  - second: 'two.bundle' would lie inside another release." in problems(folder, text)


def test_a_plan_says_what_readers_should_know(folder):
    (folder / "columns.csv").write_text("column,description\nrecord,Number of the record\n")
    card = '[release.publication]\ntitle = "Spring"\nlicence = "CC-BY-4.0"\ndescribe = "columns.csv"\n'
    first, second = GOOD.split("[[release]]\nname")
    done = list(sq.run_plan(sq.read_plan(plan(folder, f"{first}{card}[[release]]\nname{second}"))))
    told = done[0][1].manifest["publication"]
    assert told == {"title": "Spring", "licence": "CC-BY-4.0", "describes": {"record": "Number of the record"}}
    assert "  - one: no 'titel' in a publication. Did you mean 'title'?" in problems(
        folder, f"{first}{card.replace('title', 'titel')}[[release]]\nname{second}", overwrite=True
    )


def test_notes_are_told_by_plans_too(folder, monkeypatch):
    from sequester.release import Note

    right = toy.ToyGroups.apply
    monkeypatch.setattr(
        toy.ToyGroups, "apply", lambda self, data, **o: replace(right(self, data, **o), notes=(Note("size", "Small."),))
    )
    said = []
    list(sq.run_plan(sq.read_plan(plan(folder, GOOD)), say=said.append))
    assert said == ["Small.", "Small.", NEITHER]
    assert json.loads((folder / "one.private" / "notes.json").read_text())["summary"] == "Small."


def test_a_plan_with_two_private_releases_is_added_up_before_it_runs(tmp_path, monkeypatch):
    monkeypatch.undo()  # real readers and methods
    sq.write_sample("symbols", tmp_path / "ecg.csv", n_people=40, seed=1)
    release = """
[[release]]
source = "ecg.csv"
method = "ngram-dp"
out = "{name}.bundle"
evidence = []
[release.roles]
person = "person"
[release.parameters]
epsilon = 1.0
n_max = 2
average = "symbol"
"""
    path = tmp_path / "plan.toml"
    path.write_text(release.format(name="a") + release.format(name="b"))
    assert "The plan spends epsilon = 2 at delta = 1e-06 on some people." in str(sq.read_plan(path))
    sq.open_account(tmp_path, create=True).set_limit(epsilon=1.5)
    with pytest.raises(sq.InputError) as caught:
        sq.read_plan(path)
    assert "with earlier releases the plan would spend epsilon = 2 on some people, the limit is 1.5" in str(
        caught.value
    )
    assert not list(tmp_path.glob("*.bundle"))
