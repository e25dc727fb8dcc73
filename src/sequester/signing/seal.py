"""The two files that a signature adds to a bundle, and what can be said of them."""

from __future__ import annotations

import hashlib
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

from sequester.bundle.contents import ATTESTATION, SIGNATURE
from sequester.errors import InputError
from sequester.signing.attestation import attested, in_words
from sequester.signing.signers import Signer
from sequester.signing.sshsig import PublicKey, Refused, signer_of

TRUST = "Nobody can check a statement from the bundle: you trust the signer."
LARGEST = 1 << 16
"""Bytes; neither file comes near it."""


class Seal(NamedTuple):
    """A signature that fits, and what was stated with it."""

    key: PublicKey
    facts: dict[str, Any] | None


class Signed(NamedTuple):
    """What is known about a bundle's signature."""

    good: bool
    """Nothing speaks against it."""
    checked: bool
    """Somebody said whose keys count, or it is broken."""
    words: str
    """One sentence without a full stop; empty where there is no signature and nobody asked."""
    seal: Seal | None

    @property
    def sentence(self) -> str:
        """The same as a sentence."""
        return f"{self.words[:1].upper()}{self.words[1:]}." if self.words else ""

    @property
    def lines(self) -> tuple[str, ...]:
        """What `verify`, reports and the workbench say: whose it is, and what the custodian states; () if unsigned."""
        facts = self.seal.facts if self.seal else None
        return (*([self.sentence] if self.words else []), *([*in_words(facts), TRUST] if facts else []))


def read_seal(folder: Path) -> Seal | None:
    """The signature in a bundle; None if there is none, `Refused` if it does not fit."""
    if not (folder / SIGNATURE).exists():
        if (folder / ATTESTATION).exists():
            raise Refused("there is an attestation, but the manifest is not signed")
        return None
    manifest = (folder / "manifest.json").read_bytes()
    key = signer_of(_bytes(folder / SIGNATURE), manifest)
    if not (folder / ATTESTATION).exists():
        return Seal(key, None)
    return Seal(key, attested(_bytes(folder / ATTESTATION), hashlib.sha256(manifest).hexdigest(), key))


def signed_by(
    folder: Path, signers: tuple[Signer, ...] | None = None, revoked: frozenset[PublicKey] = frozenset()
) -> Signed:
    """Who signed a bundle, if those who may are given; else only whether the signature fits."""
    try:
        seal = read_seal(folder)
    except Refused as why:
        return Signed(False, True, f"the signature is refused: {why}", None)
    if seal is None:
        asked = signers is not None
        return Signed(not asked, asked, "the bundle is not signed" if asked else "", None)
    key = seal.key
    if key in revoked:
        return Signed(False, True, f"signed by a key that was revoked ({key.fingerprint})", seal)
    if signers is None:
        return Signed(True, False, f"signed by the key {key.fingerprint}; whose key that is was not checked", seal)
    known = [signer for signer in signers if signer.key == key]
    if not known:
        return Signed(False, True, f"signed by a key that is not among the signers ({key.fingerprint})", seal)
    now = datetime.now(UTC)
    late = [signer.since(now) for signer in known]
    if all(late):
        return Signed(False, True, late[0], seal)
    name = next(signer.name for signer, why in zip(known, late, strict=True) if not why)
    when = f" on {seal.facts['signed'][:10]}" if seal.facts else ""
    return Signed(True, True, f"signed by {name}{when}", seal)


def _bytes(path: Path) -> bytes:
    if path.is_symlink() or not path.is_file() or path.stat().st_size > LARGEST:
        raise Refused(f"{path.name} is not a plain small file")
    return path.read_bytes()


def read_key_file(path: Path) -> bytes:
    """A private key file, as it is."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"sign: the key '{path.name}' cannot be read ({error.strerror}).") from error
