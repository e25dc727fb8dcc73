"""Who takes part: a folder of keys that only its owner can read, and a card that anybody may see."""

from __future__ import annotations

import hashlib
import re
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat

from sequester.bundle.atomic import write_whole
from sequester.errors import InputError
from sequester.federation.signed_files import FORMAT, digest, opened, put, read_file, signed
from sequester.platform import close_to_others
from sequester.signing.sshsig import PublicKey, SigningKey, open_key
from sequester.version import VERSION

COORDINATOR = "coordinator"
NAME = re.compile(r"[a-z][a-z0-9-]{0,31}")
SIGNING, MASKING, WHO = "ed25519", "x25519", "name"
_CONSONANTS, _VOWELS = "bdfghjklmnprstvz", "aiou"


@dataclass(frozen=True)
class Home:
    """The private folder of a site or of a coordinator."""

    folder: Path
    name: str
    key: SigningKey
    mask: X25519PrivateKey

    @property
    def card(self) -> dict[str, Any]:
        """What others must know."""
        public = self.mask.public_key().public_bytes(Encoding.Raw, PublicFormat.Raw)
        return {
            "format": FORMAT, "version": VERSION, "name": self.name, "sign": self.key.public.raw.hex(),
            "mask": public.hex(),
        }  # fmt: skip

    def study_folder(self, study: str) -> Path:
        """Where everything private about one study lies."""
        folder = self.folder / study[:32]
        folder.mkdir(mode=0o700, exist_ok=True)
        return folder


def new_home(folder: Path, name: str) -> Home:
    """Make keys; a folder that has some keeps them."""
    if not NAME.fullmatch(name):
        raise InputError(
            "federation: a name has up to 32 small letters, digits and hyphens and begins with a letter, for example "
            "north."
        )
    try:
        folder.mkdir(mode=0o700)
    except FileExistsError:
        raise InputError(
            f"federation: '{folder.name}' exists; it may hold keys of a study. Choose another name, or another place."
        ) from None
    except OSError as error:
        raise InputError(f"federation: '{folder.name}' cannot be made ({error.strerror}).") from error
    close_to_others(folder)
    secret = Ed25519PrivateKey.generate().private_bytes(Encoding.PEM, PrivateFormat.OpenSSH, NoEncryption())
    mask = X25519PrivateKey.generate().private_bytes(Encoding.Raw, PrivateFormat.Raw, NoEncryption())
    put(folder / SIGNING, secret, private=True)
    put(folder / MASKING, mask.hex().encode(), private=True)
    put(folder / WHO, name.encode(), private=True)
    return open_home(folder)


def open_home(folder: Path) -> Home:
    """The keys of a site, or of a coordinator."""
    parts = [read_file(folder / part, 1 << 16) if folder.is_dir() else None for part in (SIGNING, MASKING, WHO)]
    try:
        secret, mask, name = (part or b"" for part in parts)
        key = open_key(secret, None) if secret else None
        private = X25519PrivateKey.from_private_bytes(bytes.fromhex(mask.decode("ascii")))
        who = name.decode("ascii")
    except (ValueError, InputError):
        key = None
    if key is None or not NAME.fullmatch(who):
        raise InputError(
            f"federation: '{folder.name}' does not hold the keys of a site. `sequester federation join` makes them."
        )
    return Home(folder, who, key, private)


def join(name: str, out: str | Path, private: str | Path = ".") -> Home:
    """Make a site's card for the coordinator, and its keys: `NAME.site` in a folder that nobody shares, here."""
    out = new_name(out)
    if not out.parent.is_dir():
        raise InputError(f"federation: '{out.name}' cannot be written: there is no folder '{out.parent.name}'.")
    if name == COORDINATOR:
        raise InputError(f"federation: no site is called '{COORDINATOR}'. Choose another name.")
    home = new_home(Path(private) / f"{name}.site", name)
    try:
        write_whole(out, signed(home.card, home.key))
    except OSError as error:
        shutil.rmtree(home.folder)  # keys that no card tells of; the next try makes others
        raise InputError(f"federation: '{out.name}' cannot be written ({error.strerror}).") from error
    return home


def new_name(out: str | Path) -> Path:
    """Where something new is written; refused if there is something already, or no name."""
    path = Path(out)
    if not path.name or path.name == ".." or "\0" in str(path):
        raise InputError("federation: ‹out=› must name what to write.")
    if path.exists() or path.is_symlink():
        raise InputError(f"federation: '{path.name}' exists. Choose another name.")
    return path


def read_card(path: str | Path) -> dict[str, Any]:
    """A card that fits its own key and this version."""
    name = Path(path).name
    if Path(path).is_dir():
        raise InputError(f"federation: '{name}' is a folder, not the card of a site. Name the file, NAME.card.")
    raw = read_file(Path(path), 1 << 16)
    if raw is None:
        raise InputError(f"federation: there is no card '{name}'. `sequester federation join` makes one.")
    body, key = opened(raw, name)
    fine = body.keys() == {"format", "version", "name", "sign", "mask"}
    fine = fine and is_member(body["name"], {k: body[k] for k in ("sign", "mask")})
    if not fine or body["format"] != FORMAT or key != PublicKey(bytes.fromhex(body["sign"])):
        raise InputError(f"federation: '{name}' is not the card of a site. Get it again.")
    if body["version"] != VERSION:
        raise InputError(
            f"federation: '{name}' was made by sequester {body['version']}, this is {VERSION}. All sites and the "
            "coordinator use one version."
        )
    return body


def is_member(name: Any, keys: Any) -> bool:
    """Whether this is a name with two public keys, and nothing else."""
    if not isinstance(name, str) or not NAME.fullmatch(name) or not isinstance(keys, dict):
        return False
    right = all(isinstance(key, str) and re.fullmatch("[0-9a-f]{64}", key) for key in keys.values())
    return right and keys.keys() == {"sign", "mask"}


def words_of(study: bytes) -> str:
    """Twelve words of a study, to be compared by telephone: 192 bits of its digest, five letters for sixteen bits."""
    raw = hashlib.sha256(b"words " + digest(study).encode()).digest()[:24]
    return " ".join(_word(int.from_bytes(raw[i : i + 2])) for i in range(0, 24, 2))


def _word(bits: int) -> str:
    c, v = _CONSONANTS, _VOWELS
    return c[bits >> 12] + v[bits >> 10 & 3] + c[bits >> 6 & 15] + v[bits >> 4 & 3] + c[bits & 15]
