"""Keyed hashes of people: whoever has the account but not the key cannot test a name against it."""

from __future__ import annotations

import hmac
import os
import secrets
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

from sequester.errors import BundleError, counted

KEY_BYTES = 32
HASH_BYTES = 16


def load_key(path: Path, *, create: bool) -> bytes:
    """The key beside an account; made once, readable by its owner alone."""
    try:
        key = path.read_bytes()
    except FileNotFoundError:
        if not create:
            raise BundleError(
                f"account: the key '{path.name}' is missing, so the people of earlier releases cannot be recognised. "
                "Restore it from your backup."
            ) from None
        key = secrets.token_bytes(KEY_BYTES)
        handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as file:
            file.write(key)
            file.flush()
            os.fsync(file.fileno())
    if len(key) != KEY_BYTES:
        raise BundleError(
            f"account: the key '{path.name}' is damaged ({counted(len(key), 'byte')}). Restore it from your backup."
        )
    return key


class Hashes:
    """Keyed hashes of many people, sorted, none twice: sixteen bytes of memory each, not a hundred."""

    def __init__(self, raw: bytearray) -> None:
        found = np.frombuffer(raw, dtype=f"S{HASH_BYTES}")
        found.sort()  # in place: there may be as many as a country has people
        again = found[1:] == found[:-1]
        self._sorted = found[np.r_[True, ~again]] if again.any() else found

    def __len__(self) -> int:
        return len(self._sorted)

    def __iter__(self) -> Iterator[bytes]:
        raw = self._sorted.data.cast("B") if len(self._sorted) else b""
        return (bytes(raw[at : at + HASH_BYTES]) for at in range(0, len(raw), HASH_BYTES))


def hashes(people: Iterable[str], key: bytes, population: str) -> Hashes:
    """One short keyed hash per distinct person of a population; whoever comes twice in `people` counts once."""
    start = population.encode() + b"\0"
    raw = bytearray()
    for person in people:
        raw += hmac.digest(key, start + person.encode(), "sha256")[:HASH_BYTES]
    return Hashes(raw)
