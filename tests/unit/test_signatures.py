"""Signatures below bundles: equal to OpenSSH's own, and every forged or mixed-up one is refused with its sentence."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.rsa import generate_private_key
from cryptography.hazmat.primitives.serialization import (
    BestAvailableEncryption,
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
)

import sequester as sq
from sequester.bundle.contents import ATTESTATION, SIGNATURE
from sequester.signing import attestation
from sequester.signing.seal import signed_by
from sequester.signing.signers import read_revoked, read_signers
from sequester.signing.sshsig import Refused, SigningKey, open_key, signer_of

MANIFEST = b'{\n "format": "sequester/1"\n}\n'
FACTS = {
    "program": "sequester 1.0.0",
    "program_sha256": "a" * 64,
    "signed": "2026-11-18T06:00:00Z",
    "reading": {"declared": 3, "default": 1, "found": 0},
    "beside_original": "confirmed",
    "checks": ["owners", "unchanged characters"],
    "attack": {"tried": 2, "strongest": "linkage by runs", "bounds": "kept"},
    "account": {
        "draws": 1, "releases": 2, "unbounded": 1, "epsilon_before": 0.0, "epsilon_after": 1.0, "delta": 1e-6,
        "previous": None,
    },
}  # fmt: skip


LISTED = {
    "program": "sequester 1.0.0",
    "signed": "2026-11-18T06:00:00Z",
    "releases": [
        {"number": 1, "published": "2026-11-17", "level": "(5,3)-anonymity", "unit": "person", "grade": "verified",
         "manifest_sha256": "c" * 64, "stands": True},
    ],
}  # fmt: skip


def made(byte: int = 1) -> SigningKey:
    return SigningKey(Ed25519PrivateKey.from_private_bytes(bytes([byte]) * 32))


def public_line(key: SigningKey, comment: str = "") -> str:
    raw = key.private.public_key().public_bytes(Encoding.OpenSSH, PublicFormat.OpenSSH).decode()
    return f"{raw} {comment}".strip()


def digest(manifest: bytes = MANIFEST) -> str:
    return hashlib.sha256(manifest).hexdigest()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "manifest.json").write_bytes(MANIFEST)
    (tmp_path / SIGNATURE).write_text(made().sign(MANIFEST))
    (tmp_path / ATTESTATION).write_text(attestation.envelope(FACTS, digest(), made()))
    return tmp_path


def signers(tmp_path: Path, text: str):
    path = tmp_path.with_name(f"{tmp_path.name}.signers")
    path.write_text(text)
    return read_signers(path)


def test_a_good_signature_names_its_signer(folder):
    listed = signers(folder, f"# who may sign\noffice@hospital.example {public_line(made())}\n")
    found = signed_by(folder, listed)
    assert found.good and found.checked
    assert found.words == "signed by office@hospital.example on 2026-11-18"
    assert found.seal is not None and found.seal.facts == FACTS


def test_without_signers_it_is_said_what_was_not_checked(folder):
    found = signed_by(folder)
    assert found.good and not found.checked
    assert found.words == f"signed by the key {made().public.fingerprint}; whose key that is was not checked"


def test_unsigned_is_only_wrong_where_signers_were_asked_for(folder):
    (folder / SIGNATURE).unlink()
    (folder / ATTESTATION).unlink()
    assert signed_by(folder) == (True, False, "", None)
    found = signed_by(folder, signers(folder, f"a {public_line(made())}"))
    assert not found.good and found.words == "the bundle is not signed"


def rewrapped(blob: bytes) -> str:
    text = base64.b64encode(blob).decode()
    lines = "\n".join(text[i : i + 70] for i in range(0, len(text), 70))
    return f"-----BEGIN SSH SIGNATURE-----\n{lines}\n-----END SSH SIGNATURE-----\n"


def blob_of(armoured: str) -> bytes:
    return base64.b64decode("".join(armoured.splitlines()[1:-1]))


GOOD = made().sign(MANIFEST)
RAW = blob_of(GOOD)
FORGED = {
    "empty": "",
    "not a signature": "hello\n",
    "text before": "x\n" + GOOD,
    "text behind": GOOD + "Maria Muster\n",
    "two armours": GOOD + GOOD,
    "line ends of Windows": GOOD.replace("\n", "\r\n"),
    "no last line end": GOOD.rstrip("\n"),
    "blank line inside": GOOD.replace("SIGNATURE-----\n", "SIGNATURE-----\n\n", 1),
    "shorter lines": GOOD.replace(GOOD.splitlines()[1], GOOD.splitlines()[1][:30] + "\n" + GOOD.splitlines()[1][30:]),
    "another purpose": made().sign(MANIFEST, namespace="git"),
    "purpose with a blank": made().sign(MANIFEST, namespace="sequester-bundle "),
    "another manifest": made().sign(MANIFEST + b" "),
    "a line end less": made().sign(MANIFEST.rstrip()),
    "nothing signed": made().sign(b""),
    "version 2": rewrapped(RAW[:6] + b"\0\0\0\2" + RAW[10:]),
    "another magic": rewrapped(b"SSHSIH" + RAW[6:]),
    "byte behind": rewrapped(RAW + b"\0"),
    "words behind": rewrapped(RAW + b"Maria Muster"),
    "another hash name": rewrapped(RAW.replace(b"\0\0\0\x06sha512", b"\0\0\0\x06sha513")),
    "hash named otherwise": rewrapped(RAW.replace(b"\0\0\0\x06sha512", b"\0\0\0\x06sha256")),
    "another key inside": rewrapped(RAW.replace(made().public.raw, made(2).public.raw)),
    "key of zeros": rewrapped(RAW.replace(made().public.raw, bytes(32))),
    "another key type": rewrapped(RAW.replace(b"ssh-ed25519", b"ssh-ed25518")),
    "reserved words": rewrapped(
        RAW.replace(b"sequester-bundle\0\0\0\0", b"sequester-bundle\0\0\0\x05Maria")
    ),
    **{f"cut at {n}": rewrapped(RAW[:n]) for n in (6, 9, 10, 14, 40, 61, 70, 90, 120, len(RAW) - 1)},
    **{f"flipped at {n}": rewrapped(RAW[:n] + bytes([RAW[n] ^ 1]) + RAW[n + 1 :])
       for n in (7, 13, 30, 50, 66, 70, 95, 100, 110, 130, 150, len(RAW) - 1)},
}  # fmt: skip


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_signature_is_refused(name, folder):
    (folder / SIGNATURE).write_bytes(FORGED[name].encode())
    found = signed_by(folder, signers(folder, f"a {public_line(made())}"))
    assert not found.good and found.checked and found.words.startswith("the signature is refused: ")


def test_fifty_forgeries_are_tried():
    assert len(FORGED) + len(ATTESTED) >= 50


def enveloped(of, facts=FACTS, key=None) -> str:
    return attestation.envelope(facts, of, key or made())


def respelled(of, old, new) -> str:
    """The right facts, signed by the right key, in other letters."""
    payload = base64.b64decode(json.loads(enveloped(of))["payload"]).replace(old.encode(), new.encode(), 1)
    signed = b"DSSEv1 %d %b %d %b" % (len(attestation.PAYLOAD), attestation.PAYLOAD.encode(), len(payload), payload)
    return attestation._enveloped(payload, made().private.sign(signed), made().public)


def attestations(of: str) -> dict[str, str]:
    """Forged ones of the bundle whose manifest has this checksum."""
    good = enveloped(of)
    return {
        "another bundle's": enveloped("b" * 64),
        "another key": enveloped(of, key=made(2)),
        "one fact more": enveloped(of, {**FACTS, "note": "Maria Muster"}),
        "one fact less": enveloped(of, {k: v for k, v in FACTS.items() if k != "account"}),
        "a check that tells": enveloped(of, {**FACTS, "checks": ["Maria Muster"]}),
        "an attack that tells": enveloped(of, {**FACTS, "attack": {**FACTS["attack"], "strongest": "Maria"}}),
        "a signature of zeros": re.sub(r'"sig": "[^"]+"', f'"sig": "{base64.b64encode(bytes(64)).decode()}"', good),
        "a list of releases": attestation.releases_envelope(LISTED, made()),
        "free words": enveloped(of, {**FACTS, "beside_original": "Maria Muster"}),
        "a version that tells": enveloped(of, {**FACTS, "program": "sequester 1.0.0 of Maria"}),
        "not a number": enveloped(of, {**FACTS, "account": {**FACTS["account"], "releases": "2"}}),
        "true is no number": enveloped(of, {**FACTS, "account": {**FACTS["account"], "releases": True}}),
        "not JSON": "hello",
        "a list": "[]",
        "blanks added": good.replace("{", "{ ", 1),
        "a key added": good.replace("{", '{"x": 1,', 1),
        "payload edited": good.replace("ey", "ez", 1),
        "blanks in the payload": respelled(of, ",", ", "),
        "a line behind the payload": respelled(of, '"_type"', '\n"_type"'),
        "keys in another order": respelled(of, '"declared":3,"default":1', '"default":1,"declared":3'),
        "a key twice": respelled(of, '"draws":1', '"draws":1,"draws":1'),
        "a letter by its number": respelled(of, '"owners"', '"o\\u0077ners"'),
        "more digits than a number needs": respelled(of, 'after":1.0', 'after":1.000'),
        "a number with an exponent": respelled(of, '"epsilon_after":1.0', '"epsilon_after":1e0'),
        "a number without an exponent": respelled(of, '"delta":1e-06', '"delta":0.000001'),
        "a number that is none": respelled(of, '"delta":1e-06', '"delta":NaN'),
        "words in the subject": respelled(of, '"manifest.json"', '"manifest.json","note":"Maria"'),
        "words in the digest": respelled(of, '"digest":{', '"digest":{"note":"Maria",'),
        "a number beyond counting": respelled(of, 'after":1.0', 'after":9007199254740994'),
        "less than nothing spent": respelled(of, 'before":0.0', 'before":-0.5'),
        "a day in other digits": enveloped(of, {**FACTS, "signed": "\u0662\u0660\u0662\u0666-02-11T05:01:01Z"}),
        "letters that look alike": enveloped(of, {**FACTS, "checks": ["\u212aapra"]}),
        "signatures that are no list": good.replace("[", '{"0":', 1).replace("  ]", '  , "length": 1}', 1),
        "a count beyond counting": enveloped(of, {**FACTS, "account": {**FACTS["account"], "draws": 2**53 + 2}}),
    }  # fmt: skip


ATTESTED = attestations(digest())


@pytest.mark.parametrize("name", ATTESTED)
def test_a_forged_attestation_is_refused(name, folder):
    (folder / ATTESTATION).write_text(ATTESTED[name])
    found = signed_by(folder)
    assert not found.good and found.words.startswith("the signature is refused: the attestation ")


LISTS = {
    "another key": attestation.releases_envelope(LISTED, made(2)),
    "an attestation": enveloped(digest()),
    "a person more": attestation.releases_envelope({**LISTED, "people": ["Maria"]}, made()),
    "not JSON": "hello",
    "blanks added": attestation.releases_envelope(LISTED, made()).replace("{", "{ ", 1),
}


@pytest.mark.parametrize("name", LISTS)
def test_a_forged_list_of_releases_is_refused(name):
    with pytest.raises(Refused, match="the list of releases "):
        attestation.listed_releases(LISTS[name].encode(), [made().public])
    found = attestation.listed_releases(attestation.releases_envelope(LISTED, made()).encode(), [made().public])
    assert found == (made().public, LISTED)


def test_an_attestation_alone_counts_for_nothing(folder):
    (folder / SIGNATURE).unlink()
    assert (
        signed_by(folder).words == "the signature is refused: there is an attestation, but the manifest is not signed"
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("a {other}", "signed by a key that is not among the signers ({print})"),
        ('a valid-before="20200101" {key}', "the key of a has not counted since 2020-01-01"),
        ('a valid-after="29990101Z" {key}', "the key of a does not count before 2999-01-01"),
        ('a namespaces="git" {key}\nb {other}', "signed by a key that is not among the signers ({print})"),
        ("a cert-authority {key}\nb {other}", "signed by a key that is not among the signers ({print})"),
    ],
)
def test_a_signature_by_somebody_else_or_at_another_time(line, words, folder):
    text = line.format(key=public_line(made()), other=public_line(made(2)))
    found = signed_by(folder, signers(folder, text))
    assert not found.good and found.words == words.format(print=made().public.fingerprint)


UNREADABLE = (
    "a valid-before=20200101 {key}", 'a valid-befor="20200101" {key}', "a b c {key}",
    'a namespaces="git" , valid-before="20200101" {key}', 'a valid-before="20200101"x {key}',
    'a valid-before="20200101",valid-before="20990101" {key}', 'a valid-before="20240230" {key}',
    'a name\u017fpaces="git" {key}', 'a valid-before="\u0662\u0660\u0662\u06600101" {key}', "a {key}=",
    'a valid-before="00990101" {key}',
)  # fmt: skip
"""Lines in which an option or a day could be overlooked."""


@pytest.mark.parametrize("line", [*UNREADABLE, "a {cut}"])
def test_a_list_in_which_something_could_be_overlooked_is_refused(line, tmp_path):
    with pytest.raises(sq.InputError, match=r"line 1 of 'a\.signers'"):
        signers(tmp_path / "a", line.format(key=public_line(made()), cut=public_line(made())[:40]))


@pytest.mark.parametrize("sign", ["\x00", "\x1f", "\x0b", "\x85", "\u2028", "\ufeff"])
def test_a_list_with_signs_that_programs_read_in_different_ways_is_refused(sign, tmp_path):
    with pytest.raises(sq.InputError, match=r"'a\.signers' is not a text file of signers"):
        signers(tmp_path / "a", f"office{sign} {public_line(made())}")


@pytest.mark.parametrize("gap", [" ", "\t", "  "])
def test_blanks_of_any_kind_part_a_name_from_its_options(gap, folder):
    text = f'\ufeff"the office"{gap}valid-before="20200101"{gap}{public_line(made())}\r\n'
    found = signed_by(folder, signers(folder, text))
    assert found.words == "the key of the office has not counted since 2020-01-01"


def test_a_list_of_revoked_keys_holds_keys_and_nothing_else(tmp_path):
    path = tmp_path / "revoked"
    for text in (made().public.fingerprint, public_line(made())[:40], "office"):
        path.write_text(f"{public_line(made(2))}\n{text}\n")
        with pytest.raises(sq.InputError, match="line 2 of 'revoked' does not hold a whole public key"):
            read_revoked(path)
    path.write_text(f"# lost\nssh-rsa AAAAB3NzaC1yc2E= me\n{public_line(made(2))}\n")
    assert read_revoked(path) == {made(2).public}


def test_a_second_line_of_the_same_key_may_count(folder):
    text = f'old valid-before="20200101" {public_line(made())}\nnew {public_line(made())}\n'
    assert signed_by(folder, signers(folder, text)).words == "signed by new on 2026-11-18"


def test_a_revoked_key_does_not_count(folder, tmp_path_factory):
    path = tmp_path_factory.mktemp("keys") / "revoked"
    path.write_text(public_line(made(), "lost in June") + "\n")
    listed = signers(folder, f"a {public_line(made())}")
    found = signed_by(folder, listed, read_revoked(path))
    assert not found.good and found.words == f"signed by a key that was revoked ({made().public.fingerprint})"


def test_a_list_without_keys_is_refused(tmp_path):
    path = tmp_path / "signers"
    path.write_text("nobody\n")
    with pytest.raises(sq.InputError) as error:
        read_signers(path)
    assert str(error.value) == (
        "verify: 'signers' names no Ed25519 key for signing bundles. Write lines such as: office@hospital.example "
        "ssh-ed25519 AAAA…"
    )


def private(key, passphrase: bytes | None = None) -> bytes:
    lock = BestAvailableEncryption(passphrase) if passphrase else NoEncryption()
    return key.private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, lock)


def test_keys_are_opened_or_asked_for():
    raw = private(made().private)
    opened = open_key(raw, None)
    assert opened is not None and opened.public == made().public
    locked = private(made().private, b"open sesame")
    assert open_key(locked, None) is None
    unlocked = open_key(locked, "open sesame")
    assert unlocked is not None and unlocked.public == made().public
    with pytest.raises(sq.InputError, match="this passphrase does not open the key"):
        open_key(locked, "wrong")
    with pytest.raises(sq.InputError, match="not a private key of OpenSSH"):
        open_key(b"hello", None)
    with pytest.raises(sq.InputError, match="only Ed25519 keys are taken"):
        open_key(private(generate_private_key(65537, 2048)), None)


def test_the_schema_says_the_same_as_a_validator_of_json_schemas():
    jsonschema = pytest.importorskip("jsonschema")
    jsonschema.Draft202012Validator.check_schema(attestation.SCHEMA)
    cases = [FACTS, {**FACTS, "account": None}, {}, {**FACTS, "x": 1}, {**FACTS, "signed": "today"}]
    cases += [
        {**FACTS, "account": {**FACTS["account"], name: odd}}
        for name in FACTS["account"]
        for odd in (-1, "x", None, 1.5, [])
    ]
    for facts in cases:
        expected = jsonschema.Draft202012Validator(attestation.SCHEMA).is_valid(facts)
        assert attestation.fits_schema(facts, attestation.SCHEMA) == expected, facts
    jsonschema.Draft202012Validator.check_schema(attestation.RELEASES)
    (row,) = LISTED["releases"]
    for one in (row, {**row, "stands": 1}, {**row, "bundle": "x"}, {**row, "manifest_sha256": None}):
        facts = {**LISTED, "releases": [one]}
        expected = jsonschema.Draft202012Validator(attestation.RELEASES).is_valid(facts)
        assert attestation.fits_schema(facts, attestation.RELEASES) == expected, facts


def test_the_facts_are_told_in_sentences():
    assert attestation.in_words(FACTS) == [
        "Signed on 2026-11-18 with sequester 1.0.0 (sources aaaaaaaaaaaaaaaa…).",
        "How the source was read: 3 facts declared, 1 by default, 0 found in the data.",
        "The custodian states that checks beside the original held: owners, unchanged characters.",
        "The custodian states: 2 attacks tried, the strongest was linkage by runs; no attack beat a bound of the "
        "promise.",
        "The custodian states: 2 releases of these people in the account, this one included; epsilon 0 before it and 1 "
        "with it (delta 1e-06).",
        "Of these, 1 are not bounded by differential privacy.",
        "The account counts 1 draw since the release before, this one included.",
    ]


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="ssh-keygen is not installed")
def test_openssh_makes_and_takes_the_same(tmp_path):
    key = tmp_path / "key"
    key.write_bytes(private(made().private))
    key.chmod(0o600)
    (tmp_path / "signers").write_text(f"office {public_line(made())}\n")
    message = tmp_path / "manifest.json"
    message.write_bytes(MANIFEST)
    subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-f", key, "-n", "sequester-bundle", message], check=True)
    theirs = (tmp_path / "manifest.json.sig").read_bytes()
    assert theirs == GOOD.encode()  # Ed25519 draws nothing
    assert signer_of(theirs, MANIFEST) == made().public
    with pytest.raises(Refused):
        signer_of(theirs, MANIFEST + b" ")
    words = ["ssh-keygen", "-q", "-Y", "verify", "-f", tmp_path / "signers", "-I", "office", "-n", "sequester-bundle"]
    done = subprocess.run([*words, "-s", tmp_path / "manifest.json.sig"], input=MANIFEST, check=False)
    assert done.returncode == 0


def test_a_dsse_envelope_is_what_the_standard_says():
    told = json.loads(enveloped(digest()))
    payload = base64.b64decode(told["payload"])
    signed = b"DSSEv1 28 application/vnd.in-toto+json " + str(len(payload)).encode() + b" " + payload
    assert made().public.fits(base64.b64decode(told["signatures"][0]["sig"]), signed)
