"""The custodian's signature: below a bundle that stands, at the end of a publication, and below a list of releases."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sequester.accounts import Account, has_account, open_account
from sequester.bundle.atomic import private_folder, write_whole
from sequester.bundle.contents import ATTESTATION, SIGNATURE
from sequester.bundle.lock import locked
from sequester.bundle.manifest import read_manifest
from sequester.bundle.private import read_evidence, remembered
from sequester.bundle.recognise import manifest_digest
from sequester.bundle_checks import examine
from sequester.errors import BundleError, InputError, PromiseBroken, counted
from sequester.judges import BLIND
from sequester.signing.attestation import envelope, listed_releases, releases_envelope
from sequester.signing.seal import LARGEST, Signed, read_key_file, signed_by
from sequester.signing.signers import Signer, read_revoked, read_signers
from sequester.signing.sshsig import Refused, SigningKey, open_key
from sequester.version import VERSION

Ask = Callable[[], str]
"""Asks for a passphrase."""


def sign(bundle: str | Path, key: str | Path | SigningKey, *, passphrase: Ask | None = None) -> Signed:
    """Sign a bundle with an Ed25519 key of OpenSSH, and attest what only its custodian can say.

    Parameters
    ----------
    bundle
        The folder of a bundle whose promise is not broken.
    key
        The file of the private key. It is read, and never copied.
    passphrase
        Asked for the key's passphrase, if it has one.
    """
    path = Path(bundle)
    found = examine(path)
    if found.result == "broken":
        raise PromiseBroken("sign: the promise of this bundle does not hold; `sequester verify` says why. Not signed.")
    own = opened_key(key, passphrase)
    account = open_account(path.parent) if has_account(path.parent) else None
    private = private_folder(path) if remembered(path) else None
    try:
        with locked(path):
            return sign_folder(path, private, own, account)
    except OSError as error:
        raise BundleError(f"sign: '{path.name}' cannot be written ({error.strerror}).") from error


def sign_folder(folder: Path, private: Path | None, own: SigningKey, account: Account | None) -> Signed:
    """Write both files of a signature; `private` is what the custodian knows of the release."""
    manifest = (folder / "manifest.json").read_bytes()
    digest = hashlib.sha256(manifest).hexdigest()
    known = read_evidence(private) if private is not None and private.is_dir() else []
    facts = {
        "program": f"sequester {VERSION}",
        "program_sha256": _program(),
        "signed": _now(),
        **_about(read_manifest(folder), known),
        "account": account.standing(digest) if account is not None else None,
    }
    (folder / ATTESTATION).unlink(missing_ok=True)  # never below a signature that it does not belong to
    write_whole(folder / SIGNATURE, own.sign(manifest))
    write_whole(folder / ATTESTATION, envelope(facts, digest, own))
    made = signed_by(folder)
    if not made.good:
        raise BundleError(f"sign: {made.words}. Not signed.")
    return made


def export_account(
    folder: str | Path, out: str | Path, key: str | Path, *, population: str = "", passphrase: Ask | None = None
) -> int:
    """Write a signed public list of a population's releases: numbers, days, promises, checksums. Returns how many.

    Parameters
    ----------
    folder
        Where the bundles and their account lie.
    out
        The file to write.
    key
        The file of the private key.
    population
        Whose releases.
    passphrase
        Asked for the key's passphrase, if it has one.
    """
    account = open_account(Path(folder))
    account.settle()
    rows = account.public_rows(population)
    for row in rows:
        place = Path(folder) / row.pop("bundle")
        row["stands"] = place.is_dir() and manifest_digest(place) == row["manifest_sha256"]
    text = releases_envelope(
        {"program": f"sequester {VERSION}", "signed": _now(), "releases": rows}, opened_key(key, passphrase)
    )
    try:
        write_whole(Path(out), text)
    except OSError as error:
        raise BundleError(f"account: '{Path(out).name}' cannot be written ({error.strerror}).") from error
    return len(rows)


def signature_of(
    signers: str | Path | None = None, revoked: str | Path | None = None, releases: str | Path | None = None
) -> Callable[[Path], Signed]:
    """How a bundle's signature is looked at by somebody who knows whose keys count."""
    for name, given in (("revoked", revoked), ("releases", releases)):
        if given is not None and signers is None:
            raise InputError(f"verify: ‹{name}=› goes with ‹signers=›: say whose keys count at all.")
    listed = read_signers(Path(signers)) if signers is not None else None
    gone = read_revoked(Path(revoked)) if revoked is not None else frozenset()
    if listed is None or releases is None:
        return lambda path: signed_by(path, listed, gone)
    now = datetime.now(UTC)
    count = [s for s in listed if not s.since(now) and s.key not in gone]
    text = _list_file(Path(releases))
    return lambda path: _in_the_list(signed_by(path, listed, gone), path, text, count)


def opened_key(key: str | Path | SigningKey, passphrase: Ask | None) -> SigningKey:
    """A private key; its passphrase is asked for if it has one."""
    if isinstance(key, SigningKey):
        return key
    path = Path(key)
    raw = read_key_file(path)
    own = open_key(raw, None)
    if own is None and passphrase is not None:
        own = open_key(raw, passphrase())
    if own is None:
        raise InputError(f"sign: the key '{path.name}' is locked by a passphrase. Sign where it can be asked for.")
    return own


def _in_the_list(signed: Signed, path: Path, text: bytes, signers: Sequence[Signer]) -> Signed:
    """What the list of releases of a bundle's own signer says of it; nobody can withdraw what others published."""
    if not signed.good or signed.seal is None:
        return signed
    names = {s.name for s in signers if s.key == signed.seal.key}  # who has another key today is the same signer
    try:
        _, facts = listed_releases(text, [s.key for s in signers if s.name in names])
    except Refused as why:
        return signed._replace(good=False, words=str(why))
    rows, digest = facts["releases"], manifest_digest(path)
    at = next((i for i, row in enumerate(rows) if row["manifest_sha256"] == digest), None)
    day = facts["signed"][:10]
    if at is None:
        return signed._replace(good=False, words=f"it is not in the list of releases of {day}")
    if not rows[at]["stands"]:
        return signed._replace(good=False, words=f"the list of releases of {day} says that it was withdrawn")
    previous = signed.seal.facts["account"] if signed.seal.facts else None
    named = previous["previous"] if previous else None
    if named and named not in {row["manifest_sha256"] for row in rows[:at]}:
        return signed._replace(good=False, words="the release before it is not in the list of releases: there is a gap")
    numbers = [row["number"] for row in rows]
    lost = numbers[-1] - len(numbers) if numbers else 0
    gone = sum(not row["stands"] for row in rows)
    more = f"release {at + 1} of {len(rows)} in the list of {day}, {counted(gone, 'withdrawn', 'withdrawn')}"
    more += f", {counted(lost, 'number')} of the account not in it" if lost > 0 else ""
    return signed._replace(words=f"{signed.words}; {more}")


def _list_file(path: Path) -> bytes:
    try:
        with path.open("rb") as file:
            return file.read(64 * LARGEST)
    except OSError as error:
        raise InputError(f"verify: the list of releases '{path.name}' cannot be read ({error.strerror}).") from error


def _about(manifest: Mapping[str, Any], known: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """How the source was read, and what the custodian's folder remembers of checks and attacks.

    Nothing is said of a differentially private release: what the original shows must not enter its bundle.
    """
    how = [fact["how"] for fact in manifest["reading"]]
    out: dict[str, Any] = {
        "reading": {word: how.count(word) for word in ("declared", "default", "found")},
        "beside_original": "not looked at",
        "checks": [],
        "attack": None,
    }
    if manifest["guarantee"]["model"] in BLIND:
        return out
    for item in known:
        verdict = item.get("verdict")
        if item["about"] == "verify" and isinstance(verdict, dict) and verdict.get("against") == "release and original":
            held = verdict.get("result") == "confirmed"
            out["beside_original"] = "confirmed" if held else "undecided"
            names = [_plain(c["name"]) for c in item.get("checks", ()) if not c.get("of_release")]
            out["checks"] = sorted({name for name in names if name}) if held else []
        if item["about"] == "attack":
            out["attack"] = _strongest(item)
    return out


def _strongest(item: Mapping[str, Any]) -> dict[str, Any] | None:
    rows = item.get("rows", {}).get("attacks", [])
    if not rows:
        return None
    # by what is certain, less what works on strangers or blindly
    worst = max(rows, key=lambda r: r["low"] - max(r["control"] or 0.0, r["baseline"] or 0.0))
    stated = item.get("checks", ())
    bounds = "none stated" if not stated else "kept" if all(c["passed"] for c in stated) else "beaten"
    return {"tried": len(rows), "strongest": _plain(worst["attack"]) or "unnamed", "bounds": bounds}


def _plain(name: str) -> str:
    """A name without what is quoted in it (columns), in the letters that the schema allows."""
    bare = re.sub(r"'[^']*'|^column .*", "column" if name.startswith("column ") else "", name.lower())
    return " ".join(re.sub(r"[^a-z0-9 ,()-]", " ", bare).split())[:80].strip()


def _now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def _program() -> str:
    """A hash over every source file of this program, so that others can tell which one it was."""
    root = Path(__file__).parent
    whole = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        whole.update(file.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()
