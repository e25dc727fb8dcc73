"""The key of an account, and keyed hashes of people: an account without its key names nobody.

The key's file also remembers which account it belongs to, how many releases were charged and the limits, so that an
older copy of the account is noticed.
"""

from __future__ import annotations

import contextlib
import hmac
import json
import secrets
import unicodedata
from collections.abc import Iterable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from sequester.bundle.atomic import write_whole
from sequester.errors import BundleError, InputError, counted

KEY_BYTES = 32
HASH_BYTES = 16


def load_key(path: Path) -> bytes:
    """The key beside an account."""
    key = _read(path)
    if not key:
        raise BundleError(
            f"account: the key '{path.name}' is missing, so the people of earlier releases cannot be recognised. "
            "Restore it from your backup."
        )
    if len(key) < KEY_BYTES:
        raise BundleError(
            f"account: the key '{path.name}' is damaged ({counted(len(key), 'byte')}). Restore it from your backup."
        )
    return key[:KEY_BYTES]


def make_key(path: Path) -> bytes:
    """A key where there is none, whole or not at all; if somebody else was first, theirs counts.

    A file without a byte is what a kill left: no key.
    """
    if path.exists() and not _read(path):
        with contextlib.suppress(FileNotFoundError):
            path.unlink()
    write_whole(path, secrets.token_bytes(KEY_BYTES), private=True, new=True)
    return load_key(path)


def remember(path: Path, values: dict[str, Any]) -> None:
    """Write behind the key what the account must know at least; the whole file at once."""
    raw = load_key(path) + json.dumps(values, sort_keys=True).encode()
    if _read(path) != raw:
        write_whole(path, raw, private=True)


def remembered(path: Path) -> dict[str, Any]:
    """What stands behind the key: identity, number of releases and limits; empty before the first release."""
    try:
        stored = json.loads(_read(path)[KEY_BYTES:] or b"{}")
    except ValueError:
        raise BundleError(
            f"account: the key '{path.name}' is damaged behind its first {KEY_BYTES} bytes. Restore it from your "
            "backup."
        ) from None
    return stored if isinstance(stored, dict) else {}


def check_value(key: bytes) -> str:
    """Tells one key from another without telling the key."""
    return hmac.digest(key, b"sequester account", "sha256")[:8].hex()


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return b""
    except OSError as error:
        raise BundleError(f"account: '{path.name}' cannot be opened ({error.strerror}).") from error


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
    raw = bytearray()
    for person in people:
        raw += hash_of(person, key, population)
    return Hashes(raw)


def hash_of(person: str, key: bytes, population: str) -> bytes:
    """The keyed hash of one person."""
    try:
        words = population.encode() + b"\0" + plain_name(person).encode()
    except UnicodeEncodeError:
        raise InputError(
            "account: the name of a person or population holds bytes that are no UTF-8 text. Type it as UTF-8."
        ) from None
    return hmac.digest(key, words, "sha256")[:HASH_BYTES]


@lru_cache(maxsize=4096)
def plain_name(person: str) -> str:
    """An identifier without what a person does not see: blanks at its ends, case, letters without width.

    Two spellings of one person must not be charged as two; two people whose names differ so are charged as one.
    """
    if person.isascii():
        return " ".join(person.split()).casefold()
    shown = "".join(c for c in unicodedata.normalize("NFKC", person) if unicodedata.category(c) != "Cf")
    return " ".join(shown.split()).casefold()
