"""The verb `sign`: the custodian puts a signature and a statement below a bundle that stands."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from sequester.accounts import has_account, open_account
from sequester.bundle.atomic import private_folder, write_whole
from sequester.bundle.contents import ATTESTATION, SIGNATURE
from sequester.bundle.lock import locked
from sequester.bundle.manifest import read_manifest
from sequester.bundle.private import read_evidence, remembered
from sequester.bundle_checks import examine
from sequester.errors import BundleError, InputError, PromiseBroken
from sequester.judges import BLIND
from sequester.signing.attestation import envelope
from sequester.signing.seal import Signed, read_key_file, signed_by
from sequester.signing.signers import read_revoked, read_signers
from sequester.signing.sshsig import SigningKey, open_key
from sequester.version import VERSION


def sign(bundle: str | Path, key: str | Path, *, passphrase: Callable[[], str] | None = None) -> Signed:
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
    own = _opened(Path(key), passphrase)
    manifest = (path / "manifest.json").read_bytes()
    digest = hashlib.sha256(manifest).hexdigest()
    facts = _facts(path, digest)
    try:
        with locked(path):
            (path / ATTESTATION).unlink(missing_ok=True)  # never below a signature that it does not belong to
            write_whole(path / SIGNATURE, own.sign(manifest))
            write_whole(path / ATTESTATION, envelope(facts, digest, own))
    except OSError as error:
        raise BundleError(f"sign: '{path.name}' cannot be written ({error.strerror}).") from error
    return signed_by(path)


def signature_of(signers: str | Path | None = None, revoked: str | Path | None = None) -> Callable[[Path], Signed]:
    """How a bundle's signature is looked at by somebody who knows whose keys count."""
    if revoked is not None and signers is None:
        raise InputError("verify: ‹revoked=› goes with ‹signers=›: say whose keys count at all.")
    listed = read_signers(Path(signers)) if signers is not None else None
    gone = read_revoked(Path(revoked)) if revoked is not None else frozenset()
    return lambda path: signed_by(path, listed, gone)


def _opened(key: Path, passphrase: Callable[[], str] | None) -> SigningKey:
    raw = read_key_file(key)
    own = open_key(raw, None)
    if own is None and passphrase is not None:
        own = open_key(raw, passphrase())
    if own is None:
        raise InputError(f"sign: the key '{key.name}' is locked by a passphrase. Sign where it can be asked for.")
    return own


def _facts(path: Path, digest: str) -> dict[str, Any]:
    return {
        "program": f"sequester {VERSION}",
        "program_sha256": _program(),
        "signed": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "beside_original": _beside_original(path),
        "account": open_account(path.parent).standing(digest) if has_account(path.parent) else None,
    }


def _beside_original(path: Path) -> str:
    """What the custodian's folder remembers of the check beside the original.

    Nothing is said of a differentially private release: what the original shows must not enter its bundle.
    """
    if read_manifest(path)["guarantee"]["model"] in BLIND or not remembered(path):
        return "not looked at"
    for item in read_evidence(private_folder(path)):
        verdict = item.get("verdict")
        if item["about"] == "verify" and isinstance(verdict, dict) and verdict.get("against") == "release and original":
            return "confirmed" if verdict.get("result") == "confirmed" else "undecided"
    return "not looked at"


def _program() -> str:
    """A hash over every source file of this program, so that others can tell which one it was."""
    root = Path(__file__).parent
    whole = hashlib.sha256()
    for file in sorted(root.rglob("*.py")):
        whole.update(file.relative_to(root).as_posix().encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return whole.hexdigest()
