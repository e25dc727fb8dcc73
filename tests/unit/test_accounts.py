"""The account of all releases: budgets add up, limits hold before anything is drawn, kills and races lose nothing."""

import hashlib
import os
import stat
import subprocess
import sys
import textwrap

import pyarrow as pa
import pytest

import sequester as sq
from sequester.accounts.budget import Cost, composed
from sequester.accounts.overlap import compared, compared_texts, grouping, texts
from sequester.dp.ledger import epsilon_of, rho_of

PEOPLE = [f"p{i}" for i in range(20)]
PROMISE = sq.MarkovDP(**sq.method_class("markov-dp").example).guarantee


@pytest.fixture
def account(tmp_path):
    return sq.open_account(tmp_path, create=True)


def reserve(account, bundle, people=PEOPLE, cost=None, **more):
    return account.reserve(bundle, people, PROMISE, kind="events", method="markov-dp", cost=cost, **more)


def release(account, bundle, people=PEOPLE, cost=None, **more):
    """A release that went all the way."""
    place = reserve(account, bundle, people, cost, **more)
    place.about_to_publish("0" * 64)
    place.published()


def test_costs_compose_by_the_better_of_two_ways():
    assert composed([], 1e-6) == 0.0
    assert composed([Cost(pure=1.0), Cost(pure=0.5)], 0.0) == 1.5
    gaussian = Cost(rho=rho_of(1.0, 1e-6))
    assert composed([gaussian], 1e-6) == pytest.approx(1.0, abs=1e-6)
    assert composed([gaussian] * 4, 1e-6) < 4.0  # rho adds up more gently than epsilon
    mixed = composed([gaussian, Cost(pure=0.5)], 1e-6)
    assert mixed <= 1.5 + 1e-9
    many = [Cost(pure=0.01)] * 400
    assert composed(many, 1e-6) == pytest.approx(epsilon_of(400 * 0.01**2 / 2, 1e-6)) and composed(many, 1e-6) < 4.0
    assert composed([Cost(rho=0.1, delta=1e-6)], 1e-6) == float("inf")  # nothing of delta is left to convert with


def test_the_cost_of_a_ledger_is_a_persons():
    assert Cost.of(None) is None
    assert Cost.of({"unit": "occurrence", "measure": "epsilon", "total": 1.0}) is None
    assert Cost.of({"unit": "person", "measure": "epsilon", "total": 1.5}) == Cost(pure=1.5)
    told = {"unit": "person", "measure": "rho", "total": 0.2, "delta_reserved": 1e-7}
    assert Cost.of(told) == Cost(rho=0.2, delta=1e-7)


def test_a_limit_is_kept_for_the_most_exposed_person_and_before_anything_is_drawn(account):
    account.set_limit(epsilon=2.0, delta=1e-6)
    release(account, "one.bundle", PEOPLE[:10], Cost(pure=1.5))
    release(account, "two.bundle", PEOPLE[10:], Cost(pure=1.5))  # other people: nobody is above the limit
    with pytest.raises(sq.BudgetError) as caught:
        reserve(account, "three.bundle", PEOPLE[9:12], Cost(pure=0.6))
    assert str(caught.value) == (
        "account: with this release epsilon would be 2.1 for some people, the limit is 2 at delta=1e-06 (spent so far: "
        "1.5). Spend less, publish without those people, or raise the limit."
    )
    assert [e.bundle for e in account.entries()] == ["one.bundle", "two.bundle"]
    release(account, "three.bundle", ["somebody new"], Cost(pure=1.9))
    release(account, "k.bundle", PEOPLE, None)  # no noise, no epsilon
    assert account.spent() == pytest.approx(1.9)


def test_a_reservation_counts_until_it_is_dropped(account):
    account.set_limit(epsilon=1.0)
    first = reserve(account, "one.bundle", cost=Cost(pure=0.8))
    with pytest.raises(sq.BudgetError):
        reserve(account, "two.bundle", cost=Cost(pure=0.8))
    first.given_back()
    reserve(account, "two.bundle", cost=Cost(pure=0.8)).published()
    assert [e.bundle for e in account.entries()] == ["two.bundle"]
    assert list(account.folder.glob(".*lock")) == []


def test_populations_are_apart(account):
    account.set_limit(epsilon=1.0, population="wards")
    release(account, "a.bundle", cost=Cost(pure=0.9), population="wards")
    release(account, "b.bundle", cost=Cost(pure=5.0))
    assert account.spent(population="wards") == pytest.approx(0.9) and account.spent() == pytest.approx(5.0)
    assert account.limit() is None and account.limit("wards") == (1.0, 1e-6)


def test_withdrawn_people_are_found_and_kept_out(account):
    release(account, "one.bundle", PEOPLE[:10])
    release(account, "two.bundle", PEOPLE[5:])
    assert [(e.bundle, n) for e, n in account.withdraw(["p5", "p6", "p0"])] == [("one.bundle", 3), ("two.bundle", 2)]
    account.withdraw(["p5"])  # saying it twice counts once
    assert [e.withdrawn for e in account.entries()] == [3, 2]
    with pytest.raises(sq.BudgetError) as caught:
        reserve(account, "three.bundle")
    assert str(caught.value) == (
        "account: 3 of 20 people have withdrawn. Leave them out of the source and publish again."
    )
    release(account, "three.bundle", PEOPLE[7:])


def test_the_files_are_the_owners_alone_and_name_nobody(account):
    release(account, "one.bundle", ["Margarethe Unverwechselbar"])
    for name in ("sequester.account", "sequester.account.key"):
        path = account.folder / name
        assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert b"Margarethe" not in path.read_bytes()


def test_a_lost_account_or_key_is_said(account, tmp_path):
    (tmp_path / "x.private").mkdir()
    (tmp_path / "x.private" / "custodian.json").write_text('{"account": "abc"}')
    (tmp_path / "sequester.account").rename(tmp_path / "elsewhere")
    with pytest.raises(sq.BundleError) as caught:
        sq.open_account(tmp_path, create=True)
    assert str(caught.value) == (
        "account: 'sequester.account' is missing, but 1 release in this folder was charged to it. Restore it from "
        "your backup, or move those releases and the key away to start anew."
    )
    (tmp_path / "elsewhere").rename(tmp_path / "sequester.account")
    (tmp_path / "sequester.account.key").unlink()
    with pytest.raises(sq.BundleError) as caught:
        sq.open_account(tmp_path)
    assert "is missing, so the people of earlier releases cannot be recognised" in str(caught.value)
    (tmp_path / "sequester.account.key").write_bytes(b"short")
    with pytest.raises(sq.BundleError, match="is damaged"):
        sq.open_account(tmp_path)


@pytest.mark.parametrize("junk", [b"", b"not a database at all", b"SQLite format 3\0" + bytes(200)])
def test_a_damaged_account_is_said(account, junk):
    (account.folder / "sequester.account").write_bytes(junk)
    with pytest.raises(sq.BundleError) as caught:
        account.entries()
    assert str(caught.value) == "account: 'sequester.account' cannot be read. Restore it from your backup."


KILLED = """
import os, signal, sys
import sequester as sq
from sequester.accounts.budget import Cost
from pathlib import Path
folder, moment = Path(sys.argv[1]), sys.argv[2]
account = sq.open_account(folder)
promise = sq.KRepeats(k=4).guarantee
place = account.reserve("x.bundle", ["a", "b"], promise, kind="text", method="m", cost=Cost(pure=1.0))
if moment != "drawing":
    place.about_to_publish(sys.argv[3])
if moment == "after the swap":
    (folder / "x.bundle").mkdir()
    (folder / "x.bundle" / "manifest.json").write_text("{}")
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize(("moment", "charged"), [("drawing", 0), ("before the swap", 0), ("after the swap", 1)])
def test_a_killed_release_is_charged_if_and_only_if_it_was_handed_out(account, moment, charged):
    announced = hashlib.sha256(b"{}").hexdigest()
    done = subprocess.run([sys.executable, "-c", KILLED, str(account.folder), moment, announced], check=False)
    assert done.returncode == -9
    assert account.entries() == []  # nobody has looked yet
    account.settle()
    assert len(account.entries()) == charged
    assert account.spent() == charged * 1.0
    assert list(account.folder.glob(".*lock")) == []


RACE = """
import sys
import sequester as sq
from sequester.accounts.budget import Cost
account = sq.open_account(sys.argv[1])
promise = sq.KRepeats(k=4).guarantee
won = 0
for i in range(10):
    try:
        name, cost = f"{sys.argv[2]}-{i}.bundle", Cost(pure=0.1)
        place = account.reserve(name, ["a"], promise, kind="text", method="m", cost=cost)
    except sq.BudgetError:
        continue
    place.published()
    won += 1
print(won)
"""


def test_processes_at_once_never_go_beyond_the_limit(account):
    account.set_limit(epsilon=1.2)
    command = [sys.executable, "-c", textwrap.dedent(RACE), str(account.folder)]
    racers = [subprocess.Popen([*command, str(i)], stdout=subprocess.PIPE, env=os.environ.copy()) for i in range(3)]
    won = [int(r.communicate()[0]) for r in racers]
    assert sum(won) == 12 == len(account.entries())


def test_what_two_groupings_tell_together():
    first = {f"p{i}": frozenset({i // 4}) for i in range(8)}
    second = {f"p{i}": frozenset({i % 2}) for i in range(8)}
    told = compared("old.bundle", first, second, 4)
    assert (told.shared, told.smallest, told.below) == (8, 2, 8)
    assert told.says == (
        "Together with 'old.bundle', 8 of 8 people are hidden among fewer than 4 people, some among 2. Publish with "
        "the earlier groups (--grouping from old.private) to keep them together."
    )
    assert compared("old.bundle", first, first, 4).says == ""
    assert compared("old.bundle", {}, first, 4).smallest is None


def test_groups_are_read_from_released_tables_and_private_maps():
    records = pa.table({"record": [1, 2], "group": [7, 8]})
    origin = pa.table({"record": [2, 1], "row": [1, 2], "person": ["a", "b"], "subgroup": [0, 0]})
    assert grouping({"records": records}, {"origin": origin}) == {"a": frozenset({8}), "b": frozenset({7})}
    clusters = pa.table({"record": [0, 1], "cluster": [3, 3], "person": ["a", "b"], "row": [0, 1]})
    assert grouping({}, {"records": clusters}) == {"a": frozenset({3}), "b": frozenset({3})}
    assert grouping({}, {}) is None


def test_texts_that_show_different_parts_are_counted():
    documents = pa.table({"document": ["01", "02"], "text": ["Seen [\u2026].", "well"]})
    known = pa.table({"document": ["02", "01"], "original": ["b", "a"], "person": ["x", "y"]})
    now = texts({"documents": documents}, {"documents": known})
    assert now == {"a": "Seen [\u2026].", "b": "well"}
    told = compared_texts("old.bundle", {"a": "[\u2026] today.", "b": "well", "c": "z"}, now)
    assert (told.shared, told.differing) == (2, 1) and told.says.startswith("1 of 2 documents in both")


def test_tuning_a_private_method_never_looks_at_the_data_for_free(tmp_path):
    from click.testing import CliRunner

    from sequester.cli import cli

    source = sq.write_sample("symbols", tmp_path / "ecg.csv", n_people=30, seed=1)
    asked = ["tune", "ngram-dp", str(source), "--person", "person", "--n-max", "2"]
    asked += ["--epsilon", "2,4", "--people-at-least", "30"]
    free = CliRunner().invoke(cli, [*asked, "--on", "data"])
    assert str(free.exception) == (
        "tune: figures of your data may not choose epsilon for free. Pass --charge FOLDER with the account that pays "
        "for every setting, or tune on a sample with --on sample."
    )
    alike = CliRunner().invoke(cli, [*asked, "--on", "sample:30"])
    assert alike.exit_code == 0 and "tried on a generated sample of symbols data" in alike.output
    assert not (tmp_path / "sequester.account").exists()
    paid = CliRunner().invoke(cli, [*asked, "--on", "data", "--charge", str(tmp_path)])
    assert paid.exit_code == 0, paid.output
    assert sq.open_account(tmp_path).spent(delta=1e-9) == 6.0
