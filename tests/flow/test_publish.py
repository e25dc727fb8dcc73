"""Publishing: whole or not at all, verified or not at all."""

import errno
import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import frictionless
import pytest

import sequester as sq
from sequester.bundle import atomic
from sequester.release import Evidence, Figure
from tests import toy

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    toy.register(monkeypatch)


def rewrite(bundle, **changes):
    told = json.loads((bundle / "manifest.json").read_text())
    (bundle / "manifest.json").write_text(json.dumps(told | changes))


def release(n=10, k=3):
    return sq.anonymize(toy.panel(n), toy.ToyGroups(k=k), seed=1)


def test_bundle_holds_what_the_house_says(tmp_path):
    private = Evidence(about="measure", saw_original=True, figures=(Figure(name="loss", value=0.25),))
    bundle = sq.publish(release(), tmp_path / "a.bundle", source=toy.panel(), evidence=[private], formats=["csv"])
    told = bundle.manifest
    assert told["format"] == "sequester/1"
    assert set(told) >= {"format", "created_with", "method", "guarantee", "ledger", "files", "verification"}
    assert told["method"] == {"id": "toy-groups", "parameters": {"k": 3}, "paper": "none"}
    assert told["guarantee"]["status"] == "verified"
    assert told["verification"]["result"] == "confirmed"
    names = sorted(p.relative_to(bundle.path).as_posix() for p in bundle.path.rglob("*") if p.is_file())
    assert names == [
        "CITATION.cff", "README.md", "croissant.json", "data/csv-metadata.json", "data/records.csv",
        "data/records.parquet", "datapackage.json", "manifest.json", "report.html", "ro-crate-metadata.json",
    ]  # fmt: skip
    beside = sorted(p.name for p in (tmp_path / "a.private").iterdir())
    assert beside == ["custodian.json", "measure.json", "people.parquet", "report.html", "verify.json"]
    for path in bundle.path.rglob("*"):
        if path.is_file():
            assert b"qxz" not in path.read_bytes(), path.name
            assert b"loss" not in path.read_bytes(), "a figure computed on the original is in the bundle"


def test_datapackage_is_valid(tmp_path):
    bundle = sq.publish(release(), tmp_path / "a.bundle", formats=["csv"])
    told = json.loads((bundle.path / "datapackage.json").read_text())
    package = frictionless.Package.from_descriptor(told)
    assert {r.path for r in package.resources} == {"data/records.parquet", "data/records.csv"}
    text = frictionless.Resource(path="data/records.csv", basepath=str(bundle.path), schema=package.resources[1].schema)
    assert frictionless.validate(text).valid


def test_a_broken_method_is_refused_and_nothing_is_written(tmp_path):
    broken = sq.anonymize(toy.panel(), toy.ToyBroken(k=3), seed=1)
    with pytest.raises(sq.PromiseBroken) as caught:
        sq.publish(broken, tmp_path / "a.bundle", source=toy.panel())
    assert str(caught.value) == (
        "verify: the promise does not hold (1 check failed; group sizes: 1 group is too small)."
    )
    assert {p.name for p in tmp_path.iterdir()} <= {"sequester.account", "sequester.account.key"}


def test_a_promise_without_a_judge_is_refused(tmp_path, monkeypatch):
    from sequester.judges import JUDGES

    monkeypatch.delitem(JUDGES, "toy-groups")
    with pytest.raises(sq.PromiseBroken, match="no judge is registered"):
        sq.publish(release(), tmp_path / "a.bundle")


def test_existing_targets_are_kept_unless_told(tmp_path):
    target = tmp_path / "a.bundle"
    sq.publish(release(), target)
    with pytest.raises(sq.BundleError) as caught:
        sq.publish(release(), target)
    assert str(caught.value) == "publish: 'a.bundle' exists. Pass overwrite=True to replace it."
    assert sq.publish(release(20), target, overwrite=True).tables["records"].num_rows == 20
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("years of work")
    with pytest.raises(sq.BundleError) as caught:
        sq.publish(release(), tmp_path / "mine", overwrite=True)
    assert str(caught.value) == "publish: 'mine' is not something sequester wrote; it will not be replaced."
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"


def test_changed_files_are_noticed(tmp_path):
    target = tmp_path / "a.bundle"
    sq.publish(release(), target)
    (target / "data" / "records.parquet").write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(sq.BundleError) as caught:
        sq.open_bundle(target)
    assert str(caught.value) == (
        "open: 1 file of 'a.bundle' went missing or changed since publication (first: data/records.parquet). "
        "Get an intact copy."
    )
    verdict = sq.verify(target)
    assert not verdict.holds and verdict.checks[0].name == "checksums"


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda b: (b / "manifest.json").unlink(), "open: 'a.bundle' is not a bundle; it has no manifest.json."),
        (
            lambda b: (b / "manifest.json").write_text("{"),
            "open: the manifest of 'a.bundle' cannot be read. Get an intact copy.",
        ),
        (
            lambda b: (b / "manifest.json").write_text('{"format": "sequester/9"}'),
            "open: 'a.bundle' is not in the format sequester/1; this version cannot read it.",
        ),
        (
            lambda b: (b / "manifest.json").write_text('{"format": "sequester/1"}'),
            "open: the manifest of 'a.bundle' lacks created_with, files, guarantee, kind, layout, ledger, method, "
            "pages, publication, reading, teaching_only, verification.",
        ),
        (
            lambda b: rewrite(b, files=5, method={"id": "toy", "parameters": []}),
            "open: the manifest of 'a.bundle' is not well-formed in files, method. Get an intact copy.",
        ),
        (
            lambda b: rewrite(b, files=[{"rows": 1}], guarantee=None, kind=3),
            "open: the manifest of 'a.bundle' is not well-formed in files, guarantee, kind. Get an intact copy.",
        ),
    ],
)
def test_what_is_not_a_bundle_is_said(tmp_path, spoil, message):
    target = tmp_path / "a.bundle"
    sq.publish(release(), target)
    spoil(target)
    with pytest.raises(sq.BundleError) as caught:
        sq.open_bundle(target)
    assert str(caught.value) == message


def test_a_manifest_that_points_outside_is_refused(tmp_path):
    target = tmp_path / "a.bundle"
    sq.publish(release(), target)
    told = json.loads((target / "manifest.json").read_text())
    told["files"][0]["path"] = "../secret.parquet"
    (target / "manifest.json").write_text(json.dumps(told))
    with pytest.raises(sq.BundleError, match="points outside the bundle"):
        sq.open_bundle(target)


def test_a_full_disk_leaves_the_old_bundle(tmp_path, monkeypatch):
    target = tmp_path / "a.bundle"
    sq.publish(release(), target)

    def full(_folder):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(atomic, "flush", full)
    with pytest.raises(sq.BundleError) as caught:
        sq.publish(release(20), target, overwrite=True)
    assert str(caught.value) == (
        "publish: the disk is full; 'a.bundle' was not written and nothing was lost. Free some space."
    )
    assert sq.open_bundle(target).tables["records"].num_rows == 10
    assert sorted(p.name for p in tmp_path.iterdir() if p.name.startswith(".")) == []


def test_a_request_to_end_while_an_error_unwinds_leaves_no_stage(tmp_path, monkeypatch):
    """A job whose workbench is gone cannot write to its pipe, and is then asked to end: twice within a moment."""

    def broken(_folder):
        raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    def asked(*given, right=atomic.shutil.rmtree, **told):
        signal.raise_signal(signal.SIGTERM)
        right(*given, **told)

    def end(*_):
        raise SystemExit(143)

    monkeypatch.setattr(atomic, "flush", broken)
    monkeypatch.setattr(atomic.shutil, "rmtree", asked)
    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(SystemExit):
            sq.publish(release(), tmp_path / "a.bundle")
    finally:
        signal.signal(signal.SIGTERM, before)
    assert {p.name for p in tmp_path.iterdir()} <= {"sequester.account", "sequester.account.key"}


def test_without_an_exchange_the_old_bundle_comes_back(tmp_path, monkeypatch):
    monkeypatch.setattr(atomic, "exchange", lambda a, b: False)
    target = tmp_path / "a.bundle"
    sq.publish(release(), target)
    sq.publish(release(20), target, overwrite=True)
    assert sq.open_bundle(target).tables["records"].num_rows == 20
    room = atomic.stage_of(target)
    atomic._new_stage(room)
    target.rename(room / "old-bundle")  # as a kill between the two renames would leave it
    with pytest.raises(sq.BundleError, match="exists"):
        sq.publish(release(30), target)
    assert sq.open_bundle(target).tables["records"].num_rows == 20
    assert sq.custodian(target)["manifest_sha256"] and not room.exists()


CHILD = """
import sys, time
sys.path[:0] = [{root!r}, {src!r}]
from tests import toy
toy.register()
import sequester as sq
from sequester.bundle import atomic
flush, exchange = atomic.flush, atomic.exchange
def slow(folder):
    print("flush", flush_count := getattr(slow, "n", 0), flush=True); slow.n = flush_count + 1
    time.sleep({pause})
    flush(folder)
atomic.flush = slow
release = sq.anonymize(toy.panel(20), toy.ToyGroups(k=3), seed=1)
print("ready", flush=True)
sq.publish(release, {target!r}, source=toy.panel(20), overwrite=True)
print("done", flush=True)
"""


@pytest.mark.parametrize("delay", [0.0, 0.05, 0.15, 0.3])
def test_a_kill_in_the_middle_leaves_the_old_state_or_the_new_one(tmp_path, delay):
    target = tmp_path / "a.bundle"
    sq.publish(release(10), target, source=toy.panel(10))
    code = textwrap.dedent(CHILD).format(root=str(ROOT), src=str(ROOT / "src"), target=str(target), pause=0.1)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    time.sleep(delay)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    bundle = sq.open_bundle(target)
    assert bundle.tables["records"].num_rows in (10, 20)
    assert sq.verify(target).holds
    # The custodian's folder either belongs to this bundle or is known not to.
    told = sq.custodian(target)
    assert told == {} or told["manifest_sha256"]
    again = sq.publish(release(30), target, source=toy.panel(30), overwrite=True)
    assert again.tables["records"].num_rows == 30
    assert [p.name for p in tmp_path.iterdir() if p.name.endswith((".tmp", ".old"))] == []


def test_sql_reads_the_tables_and_nothing_else(tmp_path):
    bundle = sq.publish(release(), tmp_path / "a.bundle")
    assert bundle.sql("select count(*) n from records").to_pylist() == [{"n": 10}]
    for bad in ("drop table records", "select 1; select 2", "copy records to 'x.csv'"):
        with pytest.raises(sq.InputError):
            bundle.sql(bad)
    with pytest.raises(sq.InputError, match="The tables are records"):
        bundle.sql("select nope from records")
    secret = tmp_path / "secret.csv"
    secret.write_text("a\n1\n")
    with pytest.raises(sq.InputError):
        bundle.sql(f"select * from '{secret}'")


@pytest.mark.parametrize(
    ("key", "better"),
    [
        ("level", "groups of 1000"),
        ("statement", "Nobody can be found."),
        ("unit", "person"),
        ("status", "proved"),
        ("not_covered", ["Nothing."]),
        ("parameters", {"k": 2}),
    ],
)
def test_nobody_may_write_a_better_promise_into_a_manifest(tmp_path, key, better):
    target = sq.publish(release(), tmp_path / "a.bundle").path
    assert sq.verify(target).holds
    told = json.loads((target / "manifest.json").read_text())
    told["guarantee"][key] = better
    (target / "manifest.json").write_text(json.dumps(told))
    verdict = sq.verify(target)
    assert next(c.name for c in verdict.checks if not c.passed) == "promise"
    assert key in verdict.checks[1].detail


def test_files_the_manifest_does_not_vouch_for_are_noticed(tmp_path):
    target = sq.publish(release(), tmp_path / "a.bundle").path
    (target / "data" / "names.csv").write_text("record,name\n")
    assert not sq.verify(target).holds
    (target / "data" / "names.csv").unlink()
    assert sq.verify(target).holds
    (target / "report.html").write_text("<p>All is well.</p>")
    verdict = sq.verify(target)
    assert not verdict.holds and "1 of 7 files differ" in verdict.checks[0].detail


@pytest.mark.parametrize("spoil", ["another bundle", "no hash", "no JSON"])
def test_a_custodians_folder_of_another_bundle_is_said_and_not_used(tmp_path, spoil):
    data = toy.panel(10)
    target = sq.publish(release(), tmp_path / "a.bundle", source=data, roles={"person": "id"}).path
    told_at = tmp_path / "a.private" / "custodian.json"
    assert sq.custodian(target)["roles"] == {"person": "id"}
    spoilt = {"another bundle": '{"manifest_sha256": "0", "roles": {"person": "id"}}', "no hash": "{}", "no JSON": "{"}
    told_at.write_text(spoilt[spoil])
    sentence = (
        r"^'a\.private' does not belong to this 'a\.bundle' \(it was written with another manifest\), so its maps and "
        r"column roles are not used\.$"
    )
    with pytest.warns(sq.SequesterWarning, match=sentence):
        assert sq.custodian(target) == {}
    with pytest.warns(sq.SequesterWarning, match=sentence):
        assert sq.verify(target, data).holds
    with pytest.raises(sq.BundleError, match="belongs to another release"):
        sq.keep(target, Evidence(about="risk", saw_original=True))


def test_another_kind_in_the_manifest_breaks_the_promise(tmp_path):
    target = sq.publish(release(), tmp_path / "a.bundle").path
    rewrite(target, kind="text")
    verdict = sq.verify(target)
    assert {c.name: c.detail for c in verdict.checks if not c.passed}["promise"] == (
        "kind differ from what the method promises"
    )


def test_a_broken_table_of_the_custodian_is_said(tmp_path):
    data = toy.panel(10)
    target = sq.publish(release(), tmp_path / "a.bundle", source=data).path
    (tmp_path / "a.private" / "map.parquet").write_bytes(b"junk")
    with pytest.raises(sq.BundleError) as caught:
        sq.verify(target, data)
    assert str(caught.value) == (
        "open: 'a.private/map.parquet' cannot be read. Restore the custodian's folder, or move it away."
    )


def test_what_the_custodian_says_about_the_publication_is_published(tmp_path):
    card = sq.Publication(
        title="Walks", licence="CC-BY-4.0", contact="data@example.org", issued="2026-03-01", version="1.2",
        describes={"group": "Number of the group"},
    )  # fmt: skip
    bundle = sq.publish(release(), tmp_path / "a.bundle", publication=card, formats=["csv"])
    assert bundle.manifest["publication"]["title"] == "Walks" and bundle.manifest["layout"] == "plain"
    package = json.loads((bundle.path / "datapackage.json").read_text())
    frictionless.Package.from_descriptor(package)
    assert package["licenses"] == [{"name": "CC-BY-4.0"}] and package["version"] == "1.2"
    assert package["resources"][1]["schema"]["fields"][1] == {
        "name": "group", "type": "integer", "description": "Number of the group",
    }  # fmt: skip
    assert "<h1>Walks" in (bundle.path / "report.html").read_text() and sq.verify(bundle.path).holds


def test_how_the_source_was_read_is_published(tmp_path):
    from dataclasses import replace

    from sequester.model.kind import Fact

    told = replace(release(), reading=(Fact("window", 60, "declared"), Fact("time zone", "wall", "default")))
    bundle = sq.publish(told, tmp_path / "a.bundle")
    assert bundle.manifest["reading"][0] == {"name": "window", "value": 60, "how": "declared"}
    page = (bundle.path / "report.html").read_text()
    assert "How was the source read?" in page and "none: times as they are written" in page
    rewrite(bundle.path, reading=[{"name": "window", "value": 61, "how": "declared"}])
    assert not sq.verify(bundle.path).holds


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("c.csv", "a,b\n", "publish: 'c.csv' must begin with the line column,description."),
        (
            "c.csv",
            "column,description\na\n",
            "publish: row 2 of 'c.csv' does not have two cells, column and description.",
        ),
        ("c.csv", "column,description\na,b\na,c\n", "publish: 'c.csv' describes a column twice."),
        ("c.toml", "a = 1", "publish: 'c.toml' must hold lines such as column = \"what it means\"; see 'a'."),
    ],
)
def test_descriptions_that_cannot_be_read_are_said(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(sq.InputError) as caught:
        sq.read_descriptions(tmp_path / name)
    assert str(caught.value) == message


def test_a_release_is_charged_and_a_refused_one_is_not(tmp_path):
    data = sq.sample("series", n_people=40, seed=1)
    made = sq.anonymize(data, sq.Kapra(k=4, p=2), seed=1)
    sq.publish(made, tmp_path / "a.bundle", source=data)
    account = sq.open_account(tmp_path)
    assert [(e.bundle, e.people, e.cost) for e in account.entries()] == [("a.bundle", 40, None)]
    told = json.loads((tmp_path / "a.private" / "custodian.json").read_text())
    assert told["account"] == account.identity
    with pytest.raises(sq.BundleError):
        sq.publish(made, tmp_path / "a.bundle", source=data)
    broken = sq.anonymize(toy.panel(), toy.ToyBroken(k=3), seed=1)
    with pytest.raises(sq.PromiseBroken):
        sq.publish(broken, tmp_path / "b.bundle", source=toy.panel())
    assert len(account.entries()) == 1 and list(tmp_path.glob(".*lock")) == []


def test_a_limit_stops_a_release_before_anything_is_drawn(tmp_path, monkeypatch):
    from sequester.publication import publish_data

    data = sq.sample("symbols", seed=1)
    method = sq.NgramDP(epsilon=1.0, n_max=2, average="symbol")
    account = sq.open_account(tmp_path, create=True)
    account.set_limit(epsilon=1.5)
    publish_data(data, sq.Request(method=method, target=tmp_path / "a.bundle", evidence=()))
    monkeypatch.setattr(sq.NgramDP, "apply", lambda *a, **b: pytest.fail("it was drawn"))
    with pytest.raises(sq.BudgetError) as caught:
        publish_data(data, sq.Request(method=method, target=tmp_path / "b.bundle", evidence=()))
    assert "epsilon would be 2 for some people, the limit is 1.5" in str(caught.value)
    assert not (tmp_path / "b.bundle").exists() and account.spent() == 1.0


def test_two_releases_tell_more_together_and_the_custodian_is_told(tmp_path):
    data = sq.sample("series", n_people=60, seed=1)
    said = []
    from sequester.publication import publish_data

    publish_data(
        data, sq.Request(method=sq.Kapra(k=5, p=2), target=tmp_path / "a.bundle", evidence=()), say=said.append
    )
    assert not [s for s in said if "Together" in s]
    publish_data(
        data, sq.Request(method=sq.Kapra(k=7, p=3), target=tmp_path / "b.bundle", evidence=()), say=said.append
    )
    assert any(s.startswith("Together with 'a.bundle',") for s in said)
    kept = json.loads((tmp_path / "b.private" / "account.json").read_text())
    assert kept["rows"]["earlier_releases"][0]["in both"] == 60
    publish_data(
        data, sq.Request(method=sq.Kapra(k=7, p=3), target=tmp_path / "c.bundle", evidence=()), say=said.append
    )
    same = json.loads((tmp_path / "c.private" / "account.json").read_text())["rows"]["earlier_releases"]
    assert same[-1]["release"] == "b.bundle" and same[-1]["below k"] == 0, "the same groups again tell nothing more"


def test_only_what_was_counted_from_the_release_is_published(tmp_path):
    data = sq.sample("series", n_people=40, seed=1)
    made = sq.anonymize(data, sq.Kapra(k=4, p=2), seed=1)
    bundle = sq.publish(made, tmp_path / "a.bundle", source=data)
    alone = {c.name: c.detail for c in sq.verify(made).checks}
    told = {c["name"]: c["detail"] for c in bundle.manifest["verification"]["checked"]}
    assert told == alone and bundle.manifest["verification"]["beside_original"] > 0
    assert bundle.manifest["verification"]["basis"] == "release and original"
    kept = json.loads((tmp_path / "a.private" / "verify.json").read_text())
    assert all(c["detail"] for c in kept["checks"])
