"""Whose keys count: a list of signers as OpenSSH keeps it (`allowed_signers`), or one public key."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from sequester.errors import InputError
from sequester.signing.sshsig import KEY_TYPE, NAMESPACE, PublicKey, Refused, public_key

_KEY = re.compile(rf"(?:^|\s){KEY_TYPE.decode()}\s+([A-Za-z0-9+/]+={{0,2}})(?:\s|$)")
_OTHER_KEY = re.compile(r"(?:^|\s)(?:sk-)?(?:ssh|ecdsa)-[\w@.-]+\s+AAAA[A-Za-z0-9+/]+={0,2}(?:\s|$)")
_OPTION = re.compile(r'(cert-authority)|(namespaces|valid-after|valid-before)="([^"]*)"', re.IGNORECASE)
_OPTIONS = rf"(?:{_OPTION.pattern})(?:,(?:{_OPTION.pattern}))*"
_BEFORE_KEY = re.compile(rf'("[^"]*"|[^\s"]+)?(?:\s+({_OPTIONS}))?', re.IGNORECASE)


_KNOWN = {"cert-authority", "namespaces", "valid-after", "valid-before"}
"""Options that are understood; to fold letters, as above, also takes some for them that only look alike."""
_NO_TEXT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
"""What programs take for an end of a line, a blank or nothing, each in its own way."""


class Signer(NamedTuple):
    """A line of the list."""

    name: str
    key: PublicKey
    after: datetime | None = None
    before: datetime | None = None

    def since(self, now: datetime) -> str:
        """Why the key does not count now; nothing if it does."""
        if self.after is not None and now < self.after:
            return f"the key of {self.name} does not count before {self.after:%Y-%m-%d}"
        if self.before is not None and now >= self.before:
            return f"the key of {self.name} has not counted since {self.before:%Y-%m-%d}"
        return ""


def read_signers(path: Path) -> tuple[Signer, ...]:
    """Everybody in a list of signers; a file with one public key is a list of one."""
    found = tuple(_signers(_text(path, "signers"), path.name))
    if not found:
        raise InputError(
            f"verify: '{path.name}' names no Ed25519 key for signing bundles. Write lines such as: "
            "office@hospital.example ssh-ed25519 AAAA…"
        )
    return found


def read_revoked(path: Path) -> frozenset[PublicKey]:
    """Keys that do not count any more: one public key per line, and nothing else, so that none is overlooked."""
    found = []
    for n, line in _lines(_text(path, "revoked keys")):
        try:
            key = _key_in(line)
            if key is None and not _OTHER_KEY.search(line):
                raise Refused("it holds no key")
        except Refused:
            raise InputError(f"verify: line {n} of '{path.name}' does not hold a whole public key. Mend it.") from None
        found += [key] if key else []
    return frozenset(found)


def _signers(text: str, file: str) -> Iterator[Signer]:
    for n, line in _lines(text):
        try:
            key = _key_in(line)
        except Refused:
            raise InputError(f"verify: line {n} of '{file}' does not hold a whole Ed25519 key. Mend it.") from None
        if key is None:  # another kind of key: it cannot have signed a bundle
            continue
        before_key = _BEFORE_KEY.fullmatch(line[: line.index(KEY_TYPE.decode())].strip())
        options = _OPTION.findall(before_key[2] or "") if before_key else []
        fields = {(alone or option).lower(): value for alone, option, value in options}
        if (
            before_key is None or len(fields) < len(options) or not fields.keys() <= _KNOWN
        ):  # what is overlooked could end the time of a key
            raise InputError(
                f"verify: line {n} of '{file}' has an option that is not known, not in quotes or given twice. Write it "
                'as in valid-before="20301231".'
            )
        name = (before_key[1] or "").strip('"')
        if "cert-authority" in fields or NAMESPACE not in fields.get("namespaces", NAMESPACE).split(","):
            continue
        after, before = (
            _time(fields[which], n, file) if which in fields else None for which in ("valid-after", "valid-before")
        )
        yield Signer(name or key.fingerprint, key, after, before)


def _key_in(line: str) -> PublicKey | None:
    found = _KEY.search(line)
    if found is None:
        return None
    try:
        blob = base64.b64decode(found.group(1), validate=True)
    except ValueError as error:
        raise Refused("its key is damaged") from error
    if base64.b64encode(blob).decode() != found.group(1):
        raise Refused("its key is damaged")
    return public_key(blob)


def _time(text: str, n: int, file: str) -> datetime:
    """`YYYYMMDD[HHMM[SS]][Z]`: in UTC with a Z, else by this machine's clock, as OpenSSH reads it."""
    utc, digits = text.endswith("Z"), text.removesuffix("Z")
    for form in ("%Y%m%d", "%Y%m%d%H%M", "%Y%m%d%H%M%S"):
        try:
            if digits.isascii() and digits[:1] != "0" and len(digits) == len(datetime(2000, 1, 1).strftime(form)):
                found = datetime.strptime(digits, form)
                return found.replace(tzinfo=UTC) if utc else found.astimezone()
        except ValueError:
            break
    raise InputError(f"verify: line {n} of '{file}' has a date that is not YYYYMMDD. Mend it.")


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines that say something, with their numbers."""
    for n, line in enumerate(text.split("\n"), start=1):
        if (line := line.strip()) and not line.startswith("#"):
            yield n, line


def _text(path: Path, what: str) -> str:
    try:
        text = path.read_text("utf-8-sig")
        if _NO_TEXT.search(text):
            raise UnicodeError
        return text
    except UnicodeError:
        raise InputError(f"verify: '{path.name}' is not a text file of {what}. Give one key per line.") from None
    except OSError as error:
        raise InputError(f"verify: the file of {what} '{path.name}' cannot be read ({error.strerror}).") from error
