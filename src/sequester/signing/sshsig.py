"""Signatures as `ssh-keygen -Y sign` makes them (OpenSSH's PROTOCOL.sshsig), for Ed25519 keys.

The format is kept strictly: one armour without anything before or behind it, lines end in a line feed, version 1, hash
SHA-512 or SHA-256, nothing reserved. So a signature has no room for anything but itself.
"""

from __future__ import annotations

import base64
import hashlib
import re
import struct
from typing import NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat, load_ssh_private_key

from sequester.errors import InputError

NAMESPACE = "sequester-bundle"
"""What a signature is for: one made for another purpose does not count."""
KEY_TYPE = b"ssh-ed25519"
_MAGIC = b"SSHSIG"
_ARMOUR = re.compile(
    r"-----BEGIN SSH SIGNATURE-----\n((?:[A-Za-z0-9+/]{70}\n)*[A-Za-z0-9+/]{1,70}={0,2}\n)-----END SSH SIGNATURE-----\n"
)
_HASHES = {b"sha512": hashlib.sha512, b"sha256": hashlib.sha256}


class Refused(ValueError):
    """Why something is not a signature of this message, as the end of a sentence."""


class PublicKey(NamedTuple):
    """An Ed25519 key as OpenSSH writes it."""

    raw: bytes
    """32 bytes."""

    @property
    def blob(self) -> bytes:
        """Its wire format."""
        return _string(KEY_TYPE) + _string(self.raw)

    @property
    def fingerprint(self) -> str:
        """As `ssh-keygen -l` shows it."""
        digest = base64.b64encode(hashlib.sha256(self.blob).digest()).decode().rstrip("=")
        return f"SHA256:{digest}"

    def fits(self, signature: bytes, message: bytes) -> bool:
        """Whether the bare signature is one of this key below the message."""
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, message)
        except (InvalidSignature, ValueError):
            return False
        return True


class SigningKey(NamedTuple):
    """A private key, opened."""

    private: Ed25519PrivateKey

    @property
    def public(self) -> PublicKey:
        """Its public half."""
        return PublicKey(self.private.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw))

    def sign(self, message: bytes, namespace: str = NAMESPACE) -> str:
        """The armoured signature below a message."""
        fields = _string(namespace.encode()) + _string(b"") + _string(b"sha512")
        signed = _MAGIC + fields + _string(hashlib.sha512(message).digest())
        signature = _string(KEY_TYPE) + _string(self.private.sign(signed))
        blob = _MAGIC + struct.pack(">I", 1) + _string(self.public.blob) + fields + _string(signature)
        text = base64.b64encode(blob).decode()
        lines = "\n".join(text[i : i + 70] for i in range(0, len(text), 70))
        return f"-----BEGIN SSH SIGNATURE-----\n{lines}\n-----END SSH SIGNATURE-----\n"


def open_key(raw: bytes, passphrase: str | None) -> SigningKey | None:
    """A private key of OpenSSH; None where it needs a passphrase and none is given."""
    try:
        key = load_ssh_private_key(raw, passphrase.encode() if passphrase else None)
    except TypeError:  # what the library raises for a key that is locked, or for a passphrase that is not needed
        return None
    except ValueError as error:
        if passphrase:
            raise InputError("sign: this passphrase does not open the key. Try again.") from error
        raise InputError(
            "sign: the key file is not a private key of OpenSSH. `ssh-keygen -t ed25519` makes one."
        ) from error
    if not isinstance(key, Ed25519PrivateKey):
        raise InputError("sign: only Ed25519 keys are taken. `ssh-keygen -t ed25519` makes one.")
    return SigningKey(key)


def signer_of(armoured: bytes, message: bytes, namespace: str = NAMESPACE) -> PublicKey:
    """The key below a message, or why this is no signature of it."""
    try:
        found = _ARMOUR.fullmatch(armoured.decode("ascii"))
        text = found.group(1).replace("\n", "") if found else ""
        blob = base64.b64decode(text, validate=True)
    except ValueError:
        text, blob = "", b""
    # The last letter of base64 can be spelled in other ways; only one is what signing writes.
    if not blob.startswith(_MAGIC) or base64.b64encode(blob).decode() != text:
        raise Refused("it is not an OpenSSH signature")
    wire = _Wire(blob[len(_MAGIC) :])
    if wire.number() != 1:
        raise Refused("it is not an OpenSSH signature of version 1")
    key, purpose, reserved, hash_name, signature = (wire.string() for _ in range(5))
    wire.end()
    if purpose != namespace.encode():
        raise Refused(f"it was made for another purpose than '{namespace}'")
    if reserved or hash_name not in _HASHES:
        raise Refused("it uses a hash or a field that is not known")
    public = public_key(key)
    inner = _Wire(signature)
    kind, bare = inner.string(), inner.string()
    inner.end()
    signed = (
        _MAGIC + _string(purpose) + _string(b"") + _string(hash_name) + _string(_HASHES[hash_name](message).digest())
    )
    if kind != KEY_TYPE or not public.fits(bare, signed):
        raise Refused("it does not fit: the manifest was edited after signing, or is another bundle's")
    return public


def public_key(blob: bytes) -> PublicKey:
    """A public key from its wire format."""
    wire = _Wire(blob)
    kind, raw = wire.string(), wire.string()
    wire.end()
    if kind != KEY_TYPE or len(raw) != 32:
        raise Refused("its key is not an Ed25519 key")
    return PublicKey(raw)


class _Wire:
    """Strings and numbers one behind the other, as SSH packs them."""

    def __init__(self, raw: bytes) -> None:
        self.raw = raw

    def number(self) -> int:
        if len(self.raw) < 4:
            raise Refused("it is cut off")
        value, self.raw = struct.unpack(">I", self.raw[:4])[0], self.raw[4:]
        return int(value)

    def string(self) -> bytes:
        n = self.number()
        if len(self.raw) < n:
            raise Refused("it is cut off")
        value, self.raw = self.raw[:n], self.raw[n:]
        return value

    def end(self) -> None:
        if self.raw:
            raise Refused("something stands behind it")


def _string(raw: bytes) -> bytes:
    return struct.pack(">I", len(raw)) + raw
