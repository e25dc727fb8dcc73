"""Masks that cancel: every two members share a stream of numbers, which one adds and the other takes away.

X25519 between two members, HKDF bound to the study, the question and both names, ChaCha20. A key serves one question,
so that no part of a stream is used twice. Sums are taken modulo 2**64.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from sequester.errors import InputError


def mask_of(
    me: str, secret: X25519PrivateKey, members: Mapping[str, bytes], study: str, question: str, size: int
) -> np.ndarray:
    """The sum of a member's streams with all others: what it adds to its answer. Over all members it is 0."""
    out = np.zeros(size, np.uint64)
    for name, public in members.items():
        if name == me:
            continue
        first, second = sorted((me, name))
        bound = f"sequester-federation/1 mask|{study}|{question}|{first}|{second}".encode()
        try:
            shared = secret.exchange(X25519PublicKey.from_public_bytes(public))
        except ValueError:
            raise InputError(f"federation: the key of '{name}' cannot be used. Nothing was sent.") from None
        key = HKDF(SHA256(), 32, None, bound).derive(shared)
        stream = Cipher(algorithms.ChaCha20(key, bytes(16)), None).encryptor().update(bytes(8 * size))
        numbers = np.frombuffer(stream, "<u8").astype(np.uint64)
        out = out + numbers if me < name else out - numbers
    return out
