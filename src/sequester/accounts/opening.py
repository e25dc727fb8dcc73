"""Where an account begins, and how a lost or older one is noticed before anything is charged to it.

The key comes first, then the account; each appears whole or not at all, and whoever comes second takes what is there.
The key's file and every private folder remember the number of the last release, so that a copy restored from a backup
cannot forget what was spent.
"""

from __future__ import annotations

import uuid
from pathlib import Path

from sequester.accounts.account import KEY, NAME, Account
from sequester.accounts.budget import Cost
from sequester.accounts.secret import check_value, load_key, make_key, remembered
from sequester.accounts.store import Store
from sequester.bundle.lock import locked
from sequester.bundle.recognise import json_in
from sequester.errors import BundleError, counted, verb_for


def open_account(folder: str | Path, *, create: bool = False) -> Account:
    """The account of the releases in a folder.

    Parameters
    ----------
    folder
        Where the bundles and their private folders lie.
    create
        Start one where there is none.
    """
    account = _opened(Path(folder), create)
    lost = _lost(account)
    if lost:
        named = next((f" (first: '{name}')" for name in lost.values() if name), "")
        raise BundleError(
            f"account: '{NAME}' is older than this folder: {counted(len(lost), 'release')} that "
            f"{verb_for(len(lost), 'was', 'were')} charged to it {verb_for(len(lost), 'is', 'are')} not in it{named}. "
            "Restore its newest copy, or charge them to everybody with `sequester account settle`."
        )
    return account


def settle_account(folder: str | Path) -> list[str]:
    """Decide about what was interrupted, and charge releases that an older account does not know to everybody.

    Returns the names of the releases that were added; empty where none was missing.
    """
    account = _opened(Path(folder), create=False)
    account.settle()
    account.restore_limits()
    added = []
    for number, name in sorted(_lost(account).items()):
        manifest = json_in(account.folder / name / "manifest.json") if name else {}
        promise = manifest.get("guarantee", {})
        account.add_lost(
            number, name or f"unknown release {number}", kind=manifest.get("kind", ""),
            method=manifest.get("method", {}).get("id", ""),
            level=promise.get("level", "nobody knows what it promises"),
            unit=promise.get("unit", "person"), grade=promise.get("status", "unknown"),
            cost=Cost.of(manifest.get("ledger")),
        )  # fmt: skip
        added.append(name or f"unknown release {number}")
    account.remember()
    return added


def has_account(folder: Path) -> bool:
    """Whether releases of this folder are charged already, even if the account itself was lost."""
    return (folder / NAME).exists() or bool(_numbers(folder))


def _opened(folder: Path, create: bool) -> Account:
    path, key = folder / NAME, folder / KEY
    if not path.exists():
        lost = max(len(_numbers(folder)), remembered(key).get("number", 0))
        if lost:
            raise BundleError(
                f"account: '{NAME}' is missing, but {counted(lost, 'release')} in this folder "
                f"{verb_for(lost, 'was', 'were')} charged to it. "
                "Restore it from your backup, or move those releases and the key away to start anew."
            )
        if not create:
            raise BundleError(f"account: '{folder.name or folder}' has no account yet; the first `publish` starts one.")
        try:
            folder.mkdir(parents=True, exist_ok=True)
            with locked(path):
                made = make_key(key)
                Store(path).create(uuid.uuid4().hex, check_value(made))
        except OSError as error:
            raise BundleError(
                f"account: it cannot be started in '{folder.name or folder}' ({error.strerror}). Nothing was published "
                "and nothing was charged."
            ) from error
    account = Account(folder, load_key(key))
    account.require_key()
    return account


def _lost(account: Account) -> dict[int, str]:
    """Numbers of releases that were charged and that the account does not know, with their bundles where seen."""
    # What folders and the key remember is read first: meanwhile the account can only learn.
    seen = {n: name for n, (identity, name) in _numbers(account.folder).items() if identity == account.identity}
    found = remembered(account.folder / KEY)
    if found and found.get("identity") != account.identity:
        raise BundleError(f"account: '{KEY}' belongs to another '{NAME}'. Restore both from the same backup.")
    last = int(found.get("number", 0))
    known = account.numbers()
    out = {n: name for n, name in seen.items() if n not in known}
    if last > max(known, default=0) and last not in out:
        out[last] = ""
    return out


def _numbers(folder: Path) -> dict[int, tuple[str, str]]:
    """Number of a release in its account → the account, and the bundle: what private folders remember."""
    found: dict[int, tuple[str, str]] = {}
    for at, path in enumerate(sorted(folder.glob("*.private/custodian.json"))):
        stated = json_in(path)
        if stated.get("account"):
            number = stated.get("account_number")
            name = f"{path.parent.name.removesuffix('.private')}.bundle"
            found[number if isinstance(number, int) else -1 - at] = (str(stated["account"]), name)
    return found
