"""Files that anybody may carry and see: one line of JSON, and the signature of who wrote it below.

A reader takes a file only if its signature is of the key it expects, made for this purpose; what is too large, a link,
or no such JSON is refused before it is looked at.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
import stat
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from sequester.bundle.atomic import write_whole
from sequester.bundle.manifest import parsed
from sequester.errors import InputError
from sequester.platform import NO_LINK, OURS
from sequester.signing.sshsig import PublicKey, Refused, SigningKey, signer_of

PURPOSE = "sequester-federation"
FORMAT = "sequester-federation/1"
LARGEST = 1 << 26
"""Bytes of the largest file that is read: a round of four million numbers, and some more."""
MOST_VALUES = 1 << 21
"""Values in such a file: numbers travel packed, and a list of so many small ones would fill the memory of who reads."""
NO_WAIT = getattr(os, "O_NONBLOCK", 0)
_ARMOUR, _LAST_LINE = b"-----BEGIN SSH SIGNATURE-----\n", b"-----END SSH SIGNATURE-----\n"


def canonical(body: Any) -> bytes:
    """JSON in one spelling. Numbers are written to twelve digits: processors differ in the last ones."""
    return json.dumps(_plain(body), sort_keys=True, separators=(",", ":"), ensure_ascii=True).encode()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, np.generic):
        return _plain(value.item())
    return float(f"{value:.12g}") if isinstance(value, float) else value


def digest(raw: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(raw).hexdigest()


def signed(body: dict[str, Any], key: SigningKey) -> bytes:
    """A body with its signature, as it is written."""
    raw = canonical(body)
    return raw + b"\n" + key.sign(raw, PURPOSE).encode()


def body_of(raw: bytes) -> bytes:
    """The signed line of a file."""
    return raw.partition(b"\n")[0]


def opened(raw: bytes, name: str, signer: PublicKey | None = None) -> tuple[dict[str, Any], PublicKey]:
    """The body of a file and who signed it; refused unless that is `signer`, if one is named."""
    line, _, rest = raw.partition(b"\n")
    try:
        if not rest.startswith(_ARMOUR):
            raise Refused("it has no signature")
        key = signer_of(rest, line, PURPOSE)
    except Refused as why:
        said = "it was changed after signing" if "does not fit" in str(why) else str(why)
        raise InputError(f"federation: the signature of '{name}' is refused: {said}. Get the file again.") from None
    if signer is not None and key != signer:
        raise InputError(f"federation: '{name}' is signed by another key than the study's. Get the file again.")
    try:
        body = None if sum(map(line.count, (b",", b"[", b"{"))) > MOST_VALUES else parsed(line)
    except (ValueError, RecursionError):
        body = None
    if not isinstance(body, dict) or canonical(body) != line:
        raise InputError(f"federation: '{name}' does not hold what such a file holds. Get the file again.")
    return body, key


def read_file(path: Path, most: int = LARGEST) -> bytes | None:
    """A plain file that is not too large; None where there is none. A pipe in its place is not waited for."""
    try:
        handle = os.open(path, os.O_RDONLY | NO_LINK | NO_WAIT | OURS)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"federation: '{path.name}' cannot be read ({error.strerror}).") from error
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise InputError(f"federation: '{path.name}' is no file. Remove it, and get the file again.")
    with os.fdopen(handle, "rb") as file:
        raw = file.read(most + 1)
    if len(raw) > most:
        raise InputError(f"federation: '{path.name}' is larger than such a file can be. Get the file again.")
    return raw


def come(path: Path, *, wait: bool) -> bytes | None:
    """A file of the folder; for who waits, one that lacks its last line is still on its way."""
    raw = read_file(path)
    return None if wait and raw is not None and not raw.endswith(_LAST_LINE) else raw


def put(path: Path, raw: bytes, *, private: bool = False) -> bytes:
    """Write a file where there is none, at once; returns what stands there: of two writers the first's."""
    try:
        write_whole(path, raw, private=private, new=True)
    except OSError as error:
        raise InputError(f"federation: '{path.name}' cannot be written ({error.strerror}).") from error
    found = read_file(path)
    assert found is not None
    return found


def send(path: Path, raw: bytes, *, private: bool = False) -> None:
    """Have a file stand as it is; whatever else stands in its place is replaced, and a link is never followed."""
    with suppress(InputError):
        if read_file(path) == raw:
            return
    try:
        write_whole(path, raw, private=private)
    except OSError as error:
        raise InputError(f"federation: '{path.name}' cannot be written ({error.strerror}).") from error


def packed(numbers: np.ndarray) -> str:
    """Whole numbers of 64 bits as text."""
    return base64.b64encode(np.ascontiguousarray(numbers).astype("<u8", casting="unsafe").tobytes()).decode()


def unpacked(text: Any, size: int, whose: str) -> np.ndarray:
    """The same back, exactly so many of them."""
    try:
        raw = base64.b64decode(text, validate=True)
    except (ValueError, TypeError):
        raw = b""
    if len(raw) != 8 * size or base64.b64encode(raw).decode() != text:
        raise InputError(
            f"federation: {whose} should hold {size} numbers and does not. Nothing was published; ask for it again."
        )
    return np.frombuffer(raw, "<u8").astype(np.uint64)
