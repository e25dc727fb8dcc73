"""`sequester sign` and `verify --signers`, on a bundle that was published with an account."""

from __future__ import annotations

import base64
import hashlib
import html
import json
import shutil
import sys
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

import sequester as sq
from sequester.bundle.contents import ATTESTATION, SIGNATURE
from sequester.cli import main
from sequester.signing.attestation import in_words, releases_envelope
from sequester.signing.sshsig import open_key
from sequester.workbench import work


def run(capsys, monkeypatch, *words):
    monkeypatch.setattr(sys, "argv", ["sequester", *map(str, words)])
    with pytest.raises(SystemExit) as stop:
        main()
    out, err = capsys.readouterr()
    return int(stop.value.code or 0), out, err


@pytest.fixture(scope="module")
def published(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("signed")
    notes = sq.sample("text", n_people=12, seed=2)
    for name in ("first", "second"):
        sq.publish(sq.anonymize(notes, sq.KRepeats(k=3), seed=1), folder / f"{name}.bundle", source=notes)
    return folder


@pytest.fixture
def folder(published, tmp_path) -> Path:
    place = tmp_path / "office"
    shutil.copytree(published, place)
    for name, byte in (("key", 1), ("other", 2)):
        private = Ed25519PrivateKey.from_private_bytes(bytes([byte]) * 32)
        (place / name).write_bytes(private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption()))
        public = private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
        (place / f"{name}.pub").write_text(f"{public}\n")
    (place / "signers").write_text(f"office@hospital.example {(place / 'key.pub').read_text()}")
    return place


def test_a_signed_bundle_is_confirmed_with_its_signer(folder, capsys, monkeypatch):
    bundle = folder / "second.bundle"
    code, out, _ = run(capsys, monkeypatch, "sign", bundle, "--key", folder / "key")
    assert code == 0 and out.startswith("Signed by the key SHA256:")
    code, out, err = run(capsys, monkeypatch, "verify", bundle, "--signers", folder / "signers")
    assert code == 0, out + err
    assert "signature: signed by office@hospital.example on 20" in out
    assert sq.open_bundle(bundle).method_id == "k-repeats"  # the seal belongs to the closed set


def test_without_signers_it_is_reported_as_not_checked(folder, capsys, monkeypatch):
    bundle = folder / "second.bundle"
    run(capsys, monkeypatch, "sign", bundle, "--key", folder / "key")
    code, out, _ = run(capsys, monkeypatch, "verify", bundle, "--json")
    told = json.loads(out)
    assert code == 0
    assert any("whose key that is was not checked" in line for line in told["verdict"]["not_checked"])
    lines = [row["says"] for row in told["rows"]["signature"]]
    assert lines == list(sq.signature_of()(bundle).lines) and lines[1].startswith("Signed on 20")
    _, out, _ = run(capsys, monkeypatch, "verify", bundle)
    assert out.endswith("\n" + "\n".join(f"  {line}" for line in lines) + "\n")


def test_report_and_workbench_say_the_same_as_verify(folder):
    bundle = folder / "second.bundle"
    sq.sign(bundle, folder / "key")
    lines = [row["says"] for row in sq.verify(bundle).rows["signature"]]
    opened = {"root": str(folder), "path": bundle.name}
    assert work.read(opened, lambda *_: None)["signature"] == lines
    report = html.unescape(sq.report(bundle, folder / "report.html").read_text("utf-8"))
    assert " ".join(lines) in report
    assert "Who vouches" not in (bundle / "report.html").read_text("utf-8")  # it was written before
    (bundle / SIGNATURE).unlink()
    (bundle / ATTESTATION).unlink()
    assert work.read(opened, lambda *_: None)["signature"] == ["The bundle is not signed."]
    assert sq.report(bundle, folder / "report.html").read_bytes() == (bundle / "report.html").read_bytes()


def test_the_statement_comes_from_the_account_and_the_custodians_folder(folder):
    first, second = (folder / f"{name}.bundle" for name in ("first", "second"))
    made = sq.sign(second, folder / "key")
    assert made.seal is not None and made.seal.facts is not None
    facts = made.seal.facts
    assert facts["beside_original"] == "confirmed"
    assert facts["account"] == {
        "releases": 2, "draws": 1, "unbounded": 2, "epsilon_before": 0.0, "epsilon_after": 0.0, "delta": 1e-6,
        "previous": hashlib.sha256((first / "manifest.json").read_bytes()).hexdigest(),
    }  # fmt: skip
    assert any("2 releases of these people" in line for line in in_words(facts))
    assert facts["reading"] == {"declared": 0, "default": 0, "found": 0} and facts["attack"] is None
    assert "unchanged characters" in facts["checks"]


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("unsigned", "the bundle is not signed"),
        ("another key", "signed by a key that is not among the signers"),
        ("another bundle's", "the signature is refused: it does not fit"),
        ("statement alone", "there is an attestation, but the manifest is not signed"),
        ("free text", "the signature is refused: it is not an OpenSSH signature"),
    ],
)
def test_what_is_wrong_is_said_and_ends_in_one(what, words, folder, capsys, monkeypatch):
    first, second = (folder / f"{name}.bundle" for name in ("first", "second"))
    if what != "unsigned":
        sq.sign(second, folder / ("other" if what == "another key" else "key"))
    if what == "another bundle's":
        sq.sign(first, folder / "key")
        shutil.copy(first / SIGNATURE, second / SIGNATURE)
    if what == "statement alone":
        (second / SIGNATURE).unlink()
    if what == "free text":
        (second / SIGNATURE).write_text("Maria Muster\n")
    code, out, err = run(capsys, monkeypatch, "verify", second, "--signers", folder / "signers")
    assert code == 1 and words in out + err


def test_a_forged_seal_is_refused_without_a_list_of_signers_too(folder, capsys, monkeypatch):
    bundle = folder / "second.bundle"
    sq.sign(bundle, folder / "key")
    (bundle / ATTESTATION).write_text("Maria Muster\n")
    code, out, err = run(capsys, monkeypatch, "verify", bundle)
    assert code == 1 and "the attestation is damaged" in out + err


def test_a_broken_bundle_is_not_signed(folder, capsys, monkeypatch):
    bundle = folder / "second.bundle"
    (bundle / "report.html").write_text("edited")
    code, _, err = run(capsys, monkeypatch, "sign", bundle, "--key", folder / "key")
    assert code == 1 and "Not signed." in err
    assert not (bundle / SIGNATURE).exists()


def test_a_passphrase_is_asked_for(folder):
    private = Ed25519PrivateKey.from_private_bytes(bytes([1]) * 32)
    locked = private.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, BestAvailableEncryption(b"open sesame"))
    (folder / "locked").write_bytes(locked)
    with pytest.raises(sq.InputError) as error:
        sq.sign(folder / "first.bundle", folder / "locked")
    assert str(error.value) == ("sign: the key 'locked' is locked by a passphrase. Sign where it can be asked for.")
    assert sq.sign(folder / "first.bundle", folder / "locked", passphrase=lambda: "open sesame").good


def test_revoked_needs_signers(folder, capsys, monkeypatch):
    code, _, err = run(capsys, monkeypatch, "verify", folder / "first.bundle", "--revoked", folder / "key.pub")
    assert code == 2 and "--revoked goes with --signers" in err
    sq.sign(folder / "first.bundle", folder / "key")
    code, out, err = run(
        capsys, monkeypatch, "verify", folder / "first.bundle", "--signers", folder / "signers", "--revoked",
        folder / "key.pub",
    )  # fmt: skip
    assert code == 1 and "signed by a key that was revoked" in out + err


def test_the_strongest_attack_is_stated_where_it_was_kept(folder):
    bundle, notes = folder / "first.bundle", sq.sample("text", n_people=12, seed=2)
    sq.keep(bundle, sq.attack(bundle, notes, sample=5))
    attack = sq.sign(bundle, folder / "key").seal.facts["attack"]
    assert attack["tried"] > 0 and attack["bounds"] in ("kept", "none stated")


def test_publish_signs_before_the_bundle_appears(folder, monkeypatch, capsys):
    words = ("sample", "series", "--people", "30", "--out", folder / "vitals.csv")
    assert run(capsys, monkeypatch, *words)[0] == 0
    out = folder / "third.bundle"
    words = ("publish", "kapra", folder / "vitals.csv", "--person", "person", "--sensitive", "stay_days,outcome",
             "--k", "5", "--p", "2", "--no-measure")  # fmt: skip
    code, said, err = run(capsys, monkeypatch, *words, "--out", out, "--sign", folder / "key")
    assert code == 0 and "Signed by the key SHA256:" in said, said + err
    verdict = sq.verify(out, signers=folder / "signers")
    facts = sq.signature_of(folder / "signers")(out).seal.facts
    assert verdict.holds and facts["beside_original"] == "confirmed" and facts["account"]["releases"] == 1
    assert facts["account"]["draws"] == 1 and sum(facts["reading"].values()) > 0
    code, _, err = run(capsys, monkeypatch, *words, "--out", folder / "x.bundle", "--sign", folder / "key.pub")
    assert code == 2 and "not a private key of OpenSSH" in err and not (folder / "x.bundle").exists()


def test_a_plan_signs_what_it_makes_and_what_it_keeps(folder, monkeypatch, capsys):
    run(capsys, monkeypatch, "sample", "series", "--people", "30", "--out", folder / "vitals.csv")
    plan = """[[release]]
source = "vitals.csv"
method = "kapra"
out = "plan.bundle"
parameters = { k = 5, p = 2 }
roles = { person = "person", sensitive = ["stay_days", "outcome"] }
"""
    (folder / "plan.toml").write_text(plan)
    assert run(capsys, monkeypatch, "run", folder / "plan.toml")[0] == 0
    assert not (folder / "plan.bundle" / SIGNATURE).exists()
    (folder / "plan.toml").write_text(plan.replace("out =", 'sign = "key"\nout ='))
    assert run(capsys, monkeypatch, "run", folder / "plan.toml")[0] == 0, "what was finished is kept, and signed"
    assert sq.verify(folder / "plan.bundle", signers=folder / "signers").holds
    assert run(capsys, monkeypatch, "run", folder / "plan.toml", "--overwrite")[0] == 0
    assert sq.verify(folder / "plan.bundle", signers=folder / "signers").holds
    (folder / "plan.toml").write_text(plan.replace("out =", 'sign = "lost"\nout ='))
    code, _, err = run(capsys, monkeypatch, "run", folder / "plan.toml")
    assert code == 2 and "'sign' must be the file of your private key." in err


def test_a_list_of_releases_shows_gaps_and_what_was_withdrawn(folder, capsys, monkeypatch):
    first, second = (folder / f"{name}.bundle" for name in ("first", "second"))
    for bundle in (first, second):
        sq.sign(bundle, folder / "key")
    export = ("account", "export", "--folder", folder, "--key", folder / "key", "--out", folder / "list.json")
    code, out, _ = run(capsys, monkeypatch, *export)
    assert code == 0 and out.endswith("list.json: 2 releases, signed.\n")
    text = (folder / "list.json").read_text()
    assert "first" not in text and "person" not in json.loads(text)
    check = ("--signers", folder / "signers", "--releases", folder / "list.json")
    code, out, _ = run(capsys, monkeypatch, "verify", second, *check)
    assert code == 0 and "; release 2 of 2 in the list of 20" in out and ", 0 withdrawn" in out
    shutil.rmtree(first)
    run(capsys, monkeypatch, *export)
    assert ", 1 withdrawn" in run(capsys, monkeypatch, "verify", second, *check)[1]
    shutil.copytree(second, first)  # the list says that release 1 is gone; a copy of another one does not bring it back
    rows = json.loads(base64.b64decode(json.loads((folder / "list.json").read_text())["payload"]))["predicate"]
    own = open_key((folder / "key").read_bytes(), None)
    for change, words in (
        (lambda r: r[1:], "there is a gap"),
        (lambda r: r[:1], "it is not in the list of releases of 20"),
        (lambda r: [r[0], {**r[1], "stands": False}], "says that it was withdrawn"),
    ):
        forged = releases_envelope({**rows, "releases": change(rows["releases"])}, own)
        (folder / "list.json").write_text(forged)
        code, out, err = run(capsys, monkeypatch, "verify", second, *check)
        assert code == 1 and words in out + err
    code, _, err = run(capsys, monkeypatch, "verify", second, *check[2:])
    assert code == 2 and "--releases goes with --signers" in err


def test_nobody_withdraws_what_another_signer_published(folder):
    """Both may sign; a list speaks for the bundles of its own signer alone, signed with this key or an earlier one."""
    bundle, theirs = folder / "second.bundle", folder / "theirs.json"
    sq.sign(bundle, folder / "key")
    sq.export_account(folder, theirs, folder / "other")
    both = f"{(folder / 'signers').read_text()}{{name}} {(folder / 'other.pub').read_text()}"
    (folder / "both").write_text(both.format(name="ministry"))
    found = sq.signature_of(folder / "both", releases=theirs)(bundle)
    assert not found.good and found.words == "the list of releases was not signed by who signed the bundle"
    (folder / "both").write_text(both.format(name="office@hospital.example"))
    found = sq.signature_of(folder / "both", releases=theirs)(bundle)
    assert found.good and "; release 2 of 2 in the list of 20" in found.words
