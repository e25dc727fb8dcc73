"""Somebody withdraws: the releases that hold them, and what publishing again without them would show."""

import pytest
from click.testing import CliRunner

import sequester as sq
from sequester.cli import cli


def test_groups_tell_who_left_them(tmp_path):
    data = sq.sample("series", n_people=12, seed=1)
    sq.publish_data(data, sq.Request(method=sq.Kapra(k=6, p=3), target=tmp_path / "a.bundle", evidence=()))
    told = sq.withdraw(tmp_path, [data.persons[0]])
    assert [(w.entry.bundle, w.people, w.says) for w in told] == [
        (
            "a.bundle",
            1,
            "Publishing it again with the same groups changes one group of people (6 → 5). A reader of both sees which "
            "groups became smaller, and what only the people who left them had. It would fall below k=6: with "
            "--grouping the 5 people left there stay out as well. New groups instead would let both releases together "
            "single people out; `publish` tells how many.",
        )
    ]
    # and that is what publishing again does
    rest = data.take(range(1, 12))
    sq.publish_data(
        rest,
        sq.Request(
            method=sq.Kapra(k=6, p=3), target=tmp_path / "b.bundle", grouping=tmp_path / "a.private", evidence=()
        ),
    )
    assert sq.open_bundle(tmp_path / "b.bundle").tables["records"].num_rows == 6


def test_documents_that_go_are_seen_to_go(tmp_path):
    data = sq.sample("text", n_people=12, seed=1)
    sq.publish_data(data, sq.Request(method=sq.KRepeats(k=3), target=tmp_path / "a.bundle", evidence=()))
    person = data.persons[0]
    theirs = int((data.persons == person).sum())
    (told,) = sq.withdraw(tmp_path, [person, "somebody else"])
    assert told.people == 1 and told.says.startswith(
        f"Publishing it again without them leaves {theirs} of {data.n_records} documents out. A reader of both sees "
        "which documents are gone"
    )


def test_counts_can_be_subtracted(tmp_path):
    data = sq.sample("symbols", n_people=12, seed=1)
    sq.publish_data(
        data, sq.Request(method=sq.NgramK(k=3, n=2, unit="person"), target=tmp_path / "a.bundle", evidence=())
    )
    (told,) = sq.withdraw(tmp_path, [data.persons[0]])
    assert told.says == (
        "Publishing it again without them lowers the counts of ngram-k by what was theirs. A reader who subtracts one "
        "release from the other sees it. Wait until many people have joined or left, or publish with differential "
        "privacy."
    )


def test_noise_is_paid_for_again(tmp_path):
    data = sq.sample("symbols", n_people=12, seed=1)
    method = sq.NgramDP(**{**sq.method_class("ngram-dp").example, "force": True})
    sq.publish_data(data, sq.Request(method=method, target=tmp_path / "a.bundle", evidence=()))
    (told,) = sq.withdraw(tmp_path, [data.persons[0]])
    assert told.says.startswith("Publishing it again without them spends epsilon = ")
    assert told.says.endswith(
        "once more on everybody else. The noise of both releases covers the difference: a reader of both learns about "
        "them no more than the two promises allow together."
    )


def test_a_bundle_that_is_gone_is_said(tmp_path):
    import shutil

    data = sq.sample("series", n_people=12, seed=1)
    sq.publish_data(data, sq.Request(method=sq.Kapra(k=6, p=3), target=tmp_path / "a.bundle", evidence=()))
    shutil.rmtree(tmp_path / "a.bundle")
    (told,) = sq.withdraw(tmp_path, [data.persons[0]])
    assert told.says == "Its bundle is not here any more, so nobody can say what publishing it again would show."


@pytest.mark.parametrize("junk", [None, b"\xff\xfe\x00"])
def test_on_the_command_line(tmp_path, junk):
    data = sq.sample("series", n_people=12, seed=1)
    sq.publish_data(data, sq.Request(method=sq.Kapra(k=6, p=3), target=tmp_path / "a.bundle", evidence=()))
    names = tmp_path / "gone.txt"
    names.write_bytes(junk if junk else f"{data.persons[3]}\n".encode())
    done = CliRunner().invoke(cli, ["account", "withdraw", "--folder", str(tmp_path), "--from", str(names)])
    if junk:
        assert isinstance(done.exception, sq.InputError)
        assert str(done.exception) == "account: 'gone.txt' is not UTF-8 at byte 0. Save it as UTF-8."
        return
    assert done.exit_code == 0 and "a.bundle: contains 1 of the 1 person named" in done.output
    assert "A reader of both sees which groups became smaller" in done.output
