"""An account begins at once or not at all, an older or foreign copy is noticed, and words claim what was compared."""

import json
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import textwrap
from dataclasses import replace

import pytest

import sequester as sq
from sequester.accounts.budget import Cost, in_words
from sequester.accounts.secret import hash_of, make_key, plain_name
from sequester.accounts.store import Store
from sequester.publication import Request, publish_data

PROMISE = sq.MarkovDP(**sq.method_class("markov-dp").example).guarantee
NAME, KEY = "sequester.account", "sequester.account.key"


def publish(folder, name, data, method, **more):
    said = []
    publish_data(data, Request(method=method, target=folder / name, evidence=(), **more), say=said.append)
    return said


def told(folder, name):
    file = folder / f"{name}.private" / "account.json"
    return json.loads(file.read_text("utf-8")) if file.exists() else {}


# Birth -------------------------------------------------------------------------------------------------------------


def test_an_empty_key_without_an_account_is_no_key(tmp_path):
    (tmp_path / KEY).write_bytes(b"")
    assert sq.open_account(tmp_path, create=True).entries() == []
    assert len((tmp_path / KEY).read_bytes()) >= 32


BIRTH = """
import sys
import sequester as sq
from sequester.accounts.budget import Cost
account = sq.open_account(sys.argv[1], create=True)
promise = sq.KRepeats(k=4).guarantee
account.reserve(sys.argv[2], ["a"], promise, kind="text", method="m", cost=Cost(pure=0.1)).published()
"""


def test_first_publications_at_once_are_all_charged(tmp_path):
    for turn in range(4):
        folder = tmp_path / str(turn)
        line = [sys.executable, "-c", textwrap.dedent(BIRTH), str(folder)]
        racers = [subprocess.Popen([*line, f"{i}.bundle"], stderr=subprocess.PIPE) for i in range(4)]
        errors = [r.communicate()[1] for r in racers]
        assert not any(r.returncode for r in racers), errors
        assert len(sq.open_account(folder).entries()) == 4


# Copies that are older, or another's -------------------------------------------------------------------------------


@pytest.fixture
def spent(tmp_path):
    """A folder with two charged releases and a limit, and a copy of its account from after the first."""
    data = sq.sample("symbols", n_people=12)
    method = sq.NgramDP(epsilon=1.0, n_max=2, people_at_least=12, force=True)
    publish(tmp_path, "one.bundle", data, method)
    for name in (NAME, KEY):
        shutil.copy(tmp_path / name, tmp_path / f"old-{name}")
    sq.open_account(tmp_path).set_limit(epsilon=2.5)
    publish(tmp_path, "two.bundle", data, method)
    return tmp_path


@pytest.mark.parametrize("restored", [(NAME,), (NAME, KEY)])
def test_an_older_copy_is_refused_and_can_be_settled(spent, restored):
    for name in restored:
        shutil.copy(spent / f"old-{name}", spent / name)
    with pytest.raises(sq.BundleError) as caught:
        sq.open_account(spent)
    assert str(caught.value) == (
        "account: 'sequester.account' is older than this folder: 1 release that was charged to it is not in it "
        "(first: 'two.bundle'). Restore its newest copy, or charge them to everybody with `sequester account settle`."
    )
    assert sq.settle_account(spent) == ["two.bundle"]
    account = sq.open_account(spent)
    assert account.spent(delta=1e-9) == pytest.approx(2.0), "what was spent is not forgotten"
    assert [e.everyone for e in account.entries()] == [False, True]
    if KEY not in restored:
        assert account.limit() == (2.5, 1e-6), "the limit stands behind the key too"
        with pytest.raises(sq.BudgetError):
            account.reserve("x", ["anybody"], PROMISE, kind="events", method="m", cost=Cost(pure=2.0))


def test_an_older_copy_is_noticed_without_private_folders(spent):
    for folder in spent.glob("*.private"):
        shutil.rmtree(folder)
    shutil.copy(spent / f"old-{NAME}", spent / NAME)
    with pytest.raises(sq.BundleError, match="is older than this folder"):
        sq.open_account(spent)
    (spent / NAME).unlink()
    with pytest.raises(sq.BundleError, match="is missing, but 2 releases in this folder were charged to it"):
        sq.open_account(spent, create=True)


def test_a_replaced_key_is_refused(spent):
    (spent / KEY).write_bytes(os.urandom(32))
    with pytest.raises(sq.BundleError, match=r"is not the key of this 'sequester.account'"):
        sq.open_account(spent)


@pytest.mark.parametrize("other", ["P-07 ", "p-07", "P-\u200b07", "\ufeffP-07", "P\uff0d07"])
def test_spellings_that_look_alike_are_one_person(other, tmp_path):
    assert plain_name(other) == plain_name("P-07")
    account = sq.open_account(tmp_path, create=True)
    account.reserve("a", ["P-07"], PROMISE, kind="events", method="m", cost=Cost(pure=1.0)).published()
    place = account.reserve("b", [other], PROMISE, kind="events", method="m", cost=Cost(pure=1.0))
    assert "it is epsilon = 2 at delta" in place.spending()[0]


# Faults ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (sqlite3.SQLITE_FULL, "the disk is full or a quota is used up. It is not damaged; free some space"),
        (sqlite3.SQLITE_IOERR | 3 << 8, "an input or output error. Check the disk before you restore anything."),
        (sqlite3.SQLITE_CANTOPEN, "cannot be opened. Check the permissions"),
        (sqlite3.SQLITE_READONLY, "is read-only. Check its permissions."),
        (sqlite3.SQLITE_CORRUPT, "cannot be read. Restore it from your backup."),
    ],
)
def test_an_error_of_the_disk_is_no_damage(tmp_path, code, says):
    sq.open_account(tmp_path, create=True)
    error = sqlite3.OperationalError("x")
    error.sqlite_errorcode = code
    said = str(Store(tmp_path / NAME)._said(error))
    assert says in said and ("backup" in said) == (code == sqlite3.SQLITE_CORRUPT)


def test_after_the_swap_the_message_says_what_is_published(tmp_path, monkeypatch):
    data = sq.sample("series", n_people=12, seed=1)
    real = Store.writing
    calls = []

    def full(self):
        calls.append(1)
        if (tmp_path / "a.bundle").exists():
            raise sq.BundleError("account: 'sequester.account' cannot be written: the disk is full.")
        return real(self)

    monkeypatch.setattr(Store, "writing", full)
    with pytest.raises(sq.BundleError) as caught:
        publish(tmp_path, "a.bundle", data, sq.Kapra(k=4, p=2))
    assert str(caught.value).endswith(
        "'a.bundle' is published. It counts as charged, and the next command finishes the entry."
    )
    monkeypatch.setattr(Store, "writing", real)
    account = sq.open_account(tmp_path)
    account.settle()
    assert [e.bundle for e in account.entries()] == ["a.bundle"]


@pytest.mark.parametrize("name", ["sequester.account", "sequester.account.key", "x.private", "x.stage"])
def test_names_that_are_kept_for_what_is_private(name, tmp_path):
    data = sq.sample("series", n_people=12, seed=1)
    with pytest.raises(sq.BundleError, match="a name that sequester keeps for what is private"):
        publish(tmp_path, name, data, sq.Kapra(k=4, p=2))
    assert list(tmp_path.iterdir()) == []


# A release that comes without its source ---------------------------------------------------------------------------


def test_a_release_knows_whose_data_it_is(tmp_path):
    data = sq.sample("symbols", n_people=12)
    release = sq.anonymize(data, sq.NgramDP(epsilon=1.0, n_max=2, people_at_least=12, force=True))
    sq.open_account(tmp_path, create=True).set_limit(epsilon=1.5)
    sq.publish(release, tmp_path / "a.bundle")
    with pytest.raises(sq.BudgetError, match=r"the limit is 1\.5"):
        sq.publish(release, tmp_path / "b.bundle")
    with pytest.raises(sq.BudgetError) as caught:
        sq.publish(replace(release, people=None), tmp_path / "b.bundle")
    assert str(caught.value) == (
        "account: there is a limit, and nobody can say whose data this release is, so it cannot be charged. Publish it "
        "with source=."
    )
    assert not (tmp_path / "b.bundle").exists()


# Words -------------------------------------------------------------------------------------------------------------


def test_three_outcomes_for_groups(tmp_path):
    data = sq.sample("series", n_people=24, seed=1)
    publish(tmp_path, "one.bundle", data, sq.Kapra(k=4, p=2))
    assert told(tmp_path, "one") == {}
    shutil.rmtree(tmp_path / "one.private")  # groups are kept in the account
    said = publish(tmp_path, "two.bundle", data, sq.Kapra(k=6, p=2))
    narrowing = told(tmp_path, "two")["summary"]
    assert "are hidden among fewer than 6 people" in narrowing and any("hidden among fewer" in s for s in said)
    publish(tmp_path, "three.bundle", data, sq.BFP2KA(k=2, level=2))
    summary = told(tmp_path, "three")["summary"]
    assert "Not compared with 'one.bundle': kapra has groups, and this release" in summary
    assert "narrows" not in summary, "nothing was compared, so nothing is claimed"


def test_what_was_overwritten_stays_in_the_comparison(tmp_path):
    data = sq.sample("series", n_people=24, seed=1)
    publish(tmp_path, "one.bundle", data, sq.Kapra(k=4, p=2))
    said = publish(tmp_path, "one.bundle", data, sq.Kapra(k=6, p=2), overwrite=True)
    assert any(s.startswith("Together with 'one.bundle'") for s in said)


def test_tables_of_nearly_the_same_people_are_compared(tmp_path):
    data = sq.sample("symbols", n_people=24)
    publish(tmp_path, "one.bundle", data, sq.NgramK(k=4))
    people = data.persons
    without = data.take([i for i, p in enumerate(people.tolist()) if p != people[0]])
    said = publish(tmp_path, "two.bundle", without, sq.NgramK(k=4))
    assert any("nearly the same people: 1 person is in one of them only" in s for s in said)
    publish(tmp_path, "three.bundle", data, sq.NgramK(k=4))
    assert (
        "Compared with 1 earlier release of the same people: it narrows nobody down"
        in told(tmp_path, "three")["summary"]
    ), "the same people as in the first"


def test_noise_is_summed_for_the_people_concerned_and_reports_list_only_theirs(tmp_path):
    data, method = sq.sample("symbols", n_people=24), sq.NgramDP(epsilon=1.0, n_max=2, people_at_least=12, force=True)
    first, others = data.take(range(12)), data.take(range(12, 24))
    assert publish(tmp_path, "one.bundle", first, method)[0].startswith("With this release 12 people have spent")
    said = publish(tmp_path, "two.bundle", others, method)
    assert "None of them is in the 1 earlier release of this folder that spent budget." in said[0]
    said = publish(tmp_path, "three.bundle", first, method)
    assert "had spent epsilon = 1 at" in said[0] and "it is epsilon = 2 at" in said[0]
    listed = told(tmp_path, "three")["rows"]["in_the_account"]
    assert [row["release"] for row in listed] == ["one.bundle"]
    apart = sq.open_account(tmp_path).spent_apart()
    assert [[e.bundle for e in shared] for shared, _ in apart] == [["one.bundle", "three.bundle"], ["two.bundle"]]


def test_as_published_releases_are_unbounded_beside_the_sum(tmp_path):
    from click.testing import CliRunner

    from sequester.cli import cli

    data = sq.sample("activity", n_people=12, seed=1)
    publish(tmp_path, "one.bundle", data, sq.MCKA(k=4), seed=1)
    shown = CliRunner().invoke(cli, ["account", "show", "--folder", str(tmp_path)]).output
    assert "Unbounded, and in no sum, because nothing limits what they tell: one.bundle." in shown
    assert "epsilon = inf" not in shown


def test_a_sum_beyond_delta_is_told_at_a_delta_that_suffices():
    assert in_words([Cost(rho=0.1, delta=1e-6)] * 6, 1e-6).endswith("at delta = 1e-05")
    assert in_words([Cost(pure=float("inf"))], 1e-6) == "more than can be bounded"


def test_a_stop_at_the_birth_of_the_key_leaves_nothing(tmp_path, monkeypatch):
    right = tempfile.mkstemp

    def stopped(*given, **named):
        made = right(*given, **named)
        signal.raise_signal(signal.SIGINT)  # after the file was made, before anybody knows its name
        return made

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(tempfile, "mkstemp", stopped)
    try:
        with pytest.raises(KeyboardInterrupt):
            make_key(tmp_path / "sequester.account.key")
    finally:
        signal.signal(signal.SIGINT, before)
    assert [p.name for p in tmp_path.iterdir()] == ["sequester.account.key"]  # whole: the next run takes it


def test_a_name_that_is_no_text_is_refused_in_a_sentence():
    with pytest.raises(sq.InputError, match=r"^account: the name of a person or population holds bytes that"):
        hash_of("\udcff", b"k" * 32, "")
