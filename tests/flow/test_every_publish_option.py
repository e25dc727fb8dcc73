"""Every option of `publish`, and every key of a plan, changes what comes out or is refused."""

import hashlib
import json
import shutil
import sys

import pyarrow.parquet as pq
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

import sequester as sq
from sequester.cli import main
from sequester.cli.publish import method_command
from sequester.cli.source import role_names
from sequester.plan_reading import CARD_KEYS, EVIDENCE, FORMATS, PLAN_KEYS, PROMISE_KEYS, RELEASE_KEYS
from sequester.samples.files import write_source

BASE = "--k 4 --p 2 --person person --sensitive stay_days,outcome --seed 1"
TRIES = {
    "out": "--out b.bundle",
    "overwrite": "--overwrite",
    "formats": "--format csv",
    "mapping": "--mapping columns.csv",
    "seed": "--seed 2",
    "teaching_only": "--teaching-only",
    "assess": "--assess",
    "no_measure": "--no-measure",
    "population": "--population north",
    "force": "--force",
    "grouping": "--grouping from first.private",
    "memory_limit": "--memory-limit 1GB",
    "scratch": "--scratch here",
    "by_file": "--by-file",
    "engine_name": "--engine dask",
    "scheduler": "--scheduler tcp://127.0.0.1:1",
    "workers": "--workers 2",
    "resume": "--resume",
    "sign": "--sign key",
    "title": "--title Vitals",
    "licence": "--licence CC-BY-4.0",
    "contact": "--contact office",
    "issued": "--issued 2026-01-01",
    "expires": "--expires 2027-01-01",
    "version": "--version 2",
    "describe": "--describe columns.csv",
    "as_json": "--json",
}
REFUSED = {
    "mapping": "--mapping is for the copies omop and fhir. Ask for one of them, or leave it out.",
    "teaching_only": "--teaching-only would do nothing: it goes with a differentially private method and --seed.",
    "scratch": "--scratch is about work in parts; pass --memory-limit with it.",
    "by_file": "--by-file is about work in parts; pass --memory-limit with it.",
    "engine_name": "kapra",
    "scheduler": "--scheduler and --workers are about a cluster; pass --engine dask or spark with them.",
    "workers": "--scheduler and --workers are about a cluster; pass --engine dask or spark with them.",
    "resume": "--resume is about work in parts; pass --memory-limit with it.",
}
"""Options that a method which sees all people at once, or one that draws no noise, has no use for."""
BELOW = {"memory_limit": "a limit changes nothing for data that stays below it"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_source(sq.sample("series", n_people=24, seed=3), tmp_path / "vitals.csv")
    (tmp_path / "columns.csv").write_text("column,description\nh04,Heart rate after four hours\n")
    own = Ed25519PrivateKey.from_private_bytes(bytes(32))
    (tmp_path / "key").write_bytes(own.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
    return tmp_path


@pytest.fixture
def say(monkeypatch, capsys):
    def run(line):
        monkeypatch.setattr(sys, "argv", ["sequester", *line.split()])
        with pytest.raises(SystemExit) as stopped:
            main()
        out = capsys.readouterr()
        return stopped.value.code or 0, out.out, out.err

    return run


def left(folder):
    """What lies in bundles and private folders; the one file that tells the time is left out."""
    seen = {}
    for path in sorted(folder.rglob("*")):
        inside = path.relative_to(folder)
        if path.is_file() and inside.parts[0].endswith((".bundle", ".private")) and path.name != "custodian.json":
            seen[str(inside)] = hashlib.sha256(path.read_bytes()).hexdigest()
    return seen


def published(say, folder, option):
    """Publish twice, the first release with another seed; what is there afterwards, and what was said."""
    for place in (*folder.glob("*.bundle"), *folder.glob("*.private")):
        shutil.rmtree(place)
    for kept in folder.glob("sequester.account*"):
        kept.unlink()
    assert (
        say(f"publish kapra vitals.csv {BASE.replace('--seed 1', '--seed 9')} --out first.bundle --no-measure")[0] == 0
    )
    if "--overwrite" in option:
        (folder / "first.bundle").rename(folder / "a.bundle")
        (folder / "first.private").rename(folder / "a.private")
    told = f"{BASE} --out a.bundle"
    for given in ("--seed 1", "--out a.bundle"):  # an option stands once on a line
        if option.startswith(given.split()[0]):
            told = told.replace(given, "")
    code, out, err = say(f"publish kapra vitals.csv {told} {option}")
    return code, out, err, left(folder), say("account show")[1] if code == 0 else ""


def test_every_option_of_publish_changes_something_or_is_refused(folder, say):
    command = method_command("kapra", sq.method_class("kapra"))
    shared = [p.name for p in command.params if p.name not in {*sq.Kapra.__dataclass_fields__, *role_names("series")}]
    assert set(shared) == {"source", "help_all", *TRIES}, "a new option needs a try"
    plain = published(say, folder, "")
    assert plain == published(say, folder, ""), "what was left out tells the time, and nothing else does"
    for name, option in TRIES.items():
        code, out, err, files, account = published(say, folder, option)
        if name in REFUSED:
            assert code == 2 and REFUSED[name] in err, (name, err)
        elif name in BELOW:
            assert (code, files) == (0, plain[3])
        else:
            assert code == 0 and (out, files, account) != (plain[1], plain[3], plain[4]), (name, err)


def test_a_release_that_is_for_teaching_says_so(folder, say):
    """With a differentially private method, the option is what makes the bundle appear."""
    write_source(sq.sample("symbols", n_people=30, seed=3), folder / "ecg.csv")
    line = "publish ngram-dp ecg.csv --person person --symbolize none --symbols 1,2,3,4 --epsilon 4 --n-max 2 "
    line += "--people-at-least 30 --seed 1 --no-measure --out t.bundle"
    code, _, err = say(line)
    assert code == 2 and "drawn with a seed" in err
    assert say(f"{line} --teaching-only")[0] == 0
    assert sq.open_bundle(folder / "t.bundle").manifest["teaching_only"] is True


# Keys of a plan.

RELEASE = {
    "name": "vitals", "source": "vitals.csv", "method": "kapra", "out": "a.bundle", "parameters": {"k": 4, "p": 2},
    "roles": {"person": "person", "sensitive": ["stay_days", "outcome"]},
}  # fmt: skip
CHANGED = {
    "name": "heart rates",
    "source": "other.csv",
    "method": "kp-naive",
    "parameters": {"k": 5, "p": 2},
    "roles": {"person": "person", "sensitive": ["outcome"]},
    "promise": {"level": "something else"},
    "out": "b.bundle",
    "formats": ["csv"],
    "evidence": ["assess"],
    "publication": {"title": "Vitals"},
    "population": "north",
    "grouping": "first.private",
    "force": True,
    "sign": "key",
    "mapping": "columns.csv",
}
PROMISES = {"level": "(9,9)-anonymity", "unit": "nobody", "grade": "proved"}
CARD = {
    "title": "Vitals", "licence": "CC-BY-4.0", "contact": "office", "issued": "2026-01-01", "version": "2",
    "expires": "2027-01-01", "describe": "columns.csv", "describes": {"h04": "After four hours"},
}  # fmt: skip


def carried_out(folder, **changed):
    """What a plan of this one release makes, as far as it does not depend on chance."""
    for place in (*folder.glob("[!f]*.bundle"), *folder.glob("[!f]*.private")):
        shutil.rmtree(place)
    told = {**RELEASE, "evidence": [], **changed}
    lines = ["[[release]]", *(f"{key} = {_toml(value)}" for key, value in told.items())]
    (folder / "plan.toml").write_text("\n".join(lines))
    try:
        plan = sq.read_plan(folder / "plan.toml")
    except sq.InputError as error:
        return "refused", str(error)
    step, bundle = next(iter(sq.run_plan(plan)))
    private = folder / bundle.path.name.replace(".bundle", ".private")
    told = {k: v for k, v in bundle.manifest.items() if k not in ("files", "pages", "verification")}
    shown = sorted(column for table in bundle.tables.values() for column in table.column_names)
    whose = dict(
        zip(*(pq.read_table(private / "origin.parquet")[c].to_pylist() for c in ("record", "person")), strict=True)
    )
    records = bundle.tables["records"].to_pylist()
    together = groups_of([{"group": r["group"], "person": whose[r["record"]]} for r in records])
    return str(plan), told, shown, sorted(left(folder)), step.request.population, step.request.force, together


def _toml(value):
    if isinstance(value, dict):
        return "{" + ", ".join(f"{k} = {_toml(v)}" for k, v in value.items()) + "}"
    return json.dumps(value)


def groups_of(rows):
    """Who is together with whom, whatever the groups are called."""
    found = {}
    for row in rows:
        found.setdefault(row["group"], []).append(row["person"])
    return sorted(sorted(people) for people in found.values())


def test_every_key_of_a_plan_changes_something_or_is_refused(folder):
    vitals = sq.read_series(folder / "vitals.csv", person="person", sensitive=("stay_days", "outcome"))
    sq.publish_data(vitals, sq.Request(method=sq.Kapra(k=7, p=2), target=folder / "first.bundle"))
    (folder / "other.csv").write_text((folder / "vitals.csv").read_text().rsplit("\n", 2)[0] + "\n")
    assert set(CHANGED) == set(RELEASE_KEYS) and set(PROMISES) == set(PROMISE_KEYS) and set(CARD) == set(CARD_KEYS)
    plain = carried_out(folder)
    assert plain == carried_out(folder)
    for key, value in CHANGED.items():
        assert carried_out(folder, **{key: value}) != plain, key
    for key, value in PROMISES.items():
        assert carried_out(folder, promise={key: value})[0] == "refused", key
    for key, value in CARD.items():
        assert carried_out(folder, publication={key: value}) != plain, key
    for form in FORMATS:
        made = carried_out(folder, formats=[form])
        assert made != plain and (made[0] == "refused") == (form not in ("csv",)), form
    for about in EVIDENCE:
        assert f"a.private/{about}.json" in carried_out(folder, evidence=[about])[3]
    mine = [name for name in carried_out(folder, evidence=[])[3] if not name.startswith("first")]
    assert not any(about in name for name in mine for about in EVIDENCE)


def test_keys_of_the_plan_itself(folder):
    assert PLAN_KEYS == ("title", "note", "release")  # `note` is a remark for whoever reads the plan
    (folder / "plan.toml").write_text('title = "Every quarter"\nnote = "agreed"\n[[release]]\nsourse = "x"\n')
    with pytest.raises(sq.InputError, match=r"no 'sourse' in a release\. Did you mean 'source'\?"):
        sq.read_plan(folder / "plan.toml")
    lines = ["[[release]]", *(f"{key} = {_toml(value)}" for key, value in RELEASE.items())]
    (folder / "plan.toml").write_text('title = "Every quarter"\n' + "\n".join(lines))
    assert str(sq.read_plan(folder / "plan.toml")).startswith("Every quarter\n")
