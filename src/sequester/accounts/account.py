"""An account in use: reserve, publish, limit, withdraw."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import math
import os
import sqlite3
import uuid
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from sequester.accounts.budget import Cost, composed
from sequester.accounts.secret import hashes, load_key
from sequester.accounts.store import Store
from sequester.errors import BudgetError, BundleError, ParameterError, agreed, counted
from sequester.release import Guarantee

NAME = "sequester.account"
KEY = "sequester.account.key"
DEFAULT_DELTA = 1e-6
"""At which delta totals are shown where no limit says otherwise."""


@dataclass(frozen=True)
class Entry:
    """One release in the account."""

    bundle: str
    population: str
    kind: str
    method: str
    level: str
    unit: str
    grade: str
    people: int
    cost: Cost | None
    published: str
    """Day of publication, ISO 8601."""
    withdrawn: int
    """How many of its people have withdrawn since."""


@dataclass
class Reservation:
    """A place in the account for a release that is being made."""

    account: Account
    token: str
    _lock: int | None
    _path: Path

    def about_to_publish(self, manifest_sha256: str) -> None:
        """Announce the bundle, so that a kill after the swap is still charged."""
        with self.account.store.writing() as c:
            c.execute("update releases set manifest_sha256 = ? where token = ?", (manifest_sha256, self.token))

    def published(self) -> None:
        """The bundle is there: the release is charged for good."""
        with self.account.store.writing() as c:
            c.execute(
                "update releases set state = 'published', published = ? where token = ?",
                (datetime.now(UTC).date().isoformat(), self.token),
            )
        self._let_go()

    def given_back(self) -> None:
        """The work ended early: charged if the announced bundle is there all the same, dropped if not."""
        self._let_go()
        self.account.settle()

    def dropped(self) -> None:
        """Nothing was handed out: nothing is charged."""
        with self.account.store.writing() as c:
            _delete(c, self.token)
        self._let_go()

    def _let_go(self) -> None:
        if self._lock is not None:
            self._path.unlink(missing_ok=True)
            os.close(self._lock)
            self._lock = None


class Account:
    """All releases that lie in one folder."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self.folder, self._key = folder, key
        self.store = Store(folder / NAME)

    @property
    def identity(self) -> str:
        """Which account this is; private folders remember it, so that a lost account is noticed."""
        with self.store.reading() as c:
            return str(c.execute("select value from about where key = 'identity'").fetchone()["value"])

    # -- the budget ---------------------------------------------------------------------------------------------

    def set_limit(self, *, epsilon: float, delta: float = DEFAULT_DELTA, population: str = "") -> None:
        """No release may take any person beyond (epsilon, delta), all releases of the population together."""
        for name, value, top in (("epsilon", epsilon, math.inf), ("delta", delta, 1.0)):
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < top
            if not good:
                raise ParameterError(f"account: {name} must be a number above 0, got {name}={value!r}.")
        with self.store.writing() as c:
            told = ((f"epsilon {population}", repr(float(epsilon))), (f"delta {population}", repr(float(delta))))
            c.executemany("insert or replace into about values (?, ?)", told)

    def limit(self, population: str = "") -> tuple[float, float] | None:
        """The limit of a population as (epsilon, delta), if one was set."""
        with self.store.reading() as c:
            return _limit(c, population)

    def spent(self, *, delta: float | None = None, population: str = "") -> float:
        """Epsilon of the person who is in the most costly releases, at `delta` (that of the limit, or 1e-6)."""
        with self.store.reading() as c:
            limit = _limit(c, population)
            at = delta or (limit[1] if limit else DEFAULT_DELTA)
            return _worst(c, at, population, None, ())

    def with_more(
        self, planned: Iterable[tuple[Iterable[str], Cost | None]], *, delta: float, population: str = ""
    ) -> float:
        """Epsilon of the most exposed person if all planned releases, each with its people, were made as well."""
        costs: dict[bytes, list[Cost]] = {}
        for people, cost in planned:
            for person in hashes(people, self._key, population) if cost else ():
                costs.setdefault(person, []).append(cost)  # type: ignore[arg-type]
        with self.store.reading() as c:
            sets: dict[tuple[Cost, ...], list[bytes]] = {}
            for person, more in costs.items():
                sets.setdefault(tuple(more), []).append(person)
            return max((_worst(c, delta, population, whose, more) for more, whose in sets.items()), default=0.0)

    # -- publishing ---------------------------------------------------------------------------------------------

    def reserve(
        self,
        bundle: str,
        people: Iterable[str],
        guarantee: Guarantee,
        *,
        kind: str,
        method: str,
        cost: Cost | None,
        population: str = "",
        replaces: bool = False,
    ) -> Reservation:
        """A place for a release, or `BudgetError` before anything is drawn.

        Parameters
        ----------
        bundle
            Name of the folder that will be written.
        people
            Everybody whose data it is made from.
        guarantee, kind, method, cost
            What it promises and, for differential privacy, what it spends.
        population
            Releases of different populations are not added up; people of the same name are then different people.
        replaces
            Whether a bundle of this name is overwritten: what was published once stays charged.
        """
        self.settle()
        token = uuid.uuid4().hex
        whose = hashes(people, self._key, population)
        with self.store.writing() as c:
            gone = _count(c, "withdrawn", whose)
            if gone:
                raise BudgetError(
                    f"account: {gone} of {counted(len(whose), 'person', 'people')} {agreed(gone, 'has', 'have')} "
                    "withdrawn. Leave them out of the source and publish "
                    "again."
                )
            limit = _limit(c, population)
            if limit and cost:
                total = _worst(c, limit[1], population, whose, (cost,))
                if total > limit[0] * (1 + 1e-9):
                    before = _worst(c, limit[1], population, whose, ())
                    raise BudgetError(
                        f"account: with this release epsilon would be {total:.3g} for some people, the limit is "
                        f"{limit[0]:g} at delta={limit[1]:g} (spent so far: {before:.3g}). Spend less, publish without "
                        "those people, or raise the limit."
                    )
            row = c.execute(
                "insert into releases (token, state, bundle, population, kind, method, level, unit, grade, rho, pure, "
                "delta, people) values (?, 'reserved', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                (
                    token, bundle, population, kind, method, guarantee.level, guarantee.unit,
                    guarantee.confirmed().status, *((cost.rho, cost.pure, cost.delta) if cost else (None,) * 3),
                    len(whose),
                ),
            ).lastrowid  # fmt: skip
            c.executemany("insert into people values (?, ?)", ((p, row) for p in whose))
            held, path = self._hold(token)
        return Reservation(self, token, held, path)

    def settle(self) -> None:
        """Decide about reservations whose process is gone, by what lies in the folder."""
        with self.store.writing() as c:
            for row in c.execute("select token, bundle, manifest_sha256 from releases where state = 'reserved'"):
                if self._alive(row["token"]):
                    continue
                there = self.folder / row["bundle"] / "manifest.json"
                if row["manifest_sha256"] and there.is_file() and _sha256(there) == row["manifest_sha256"]:
                    day = datetime.fromtimestamp(there.stat().st_mtime, UTC).date().isoformat()
                    c.execute("update releases set state = 'published', published = ? where token = ?",
                              (day, row["token"]))  # fmt: skip
                else:
                    _delete(c, row["token"])
                self._lock_of(row["token"]).unlink(missing_ok=True)
            self._sweep({row["token"] for row in c.execute("select token from releases where state = 'reserved'")})

    def entries(self, population: str | None = None) -> list[Entry]:
        """Every published release, oldest first."""
        with self.store.reading() as c:
            rows = c.execute("select * from releases where state = 'published' order by release").fetchall()
            return [
                Entry(
                    bundle=r["bundle"], population=r["population"], kind=r["kind"], method=r["method"],
                    level=r["level"], unit=r["unit"], grade=r["grade"], people=r["people"], cost=_cost(r),
                    published=r["published"], withdrawn=r["withdrawn"],
                )
                for r in rows
                if population is None or r["population"] == population
            ]  # fmt: skip

    # -- people -------------------------------------------------------------------------------------------------

    def releases_of(self, people: Iterable[str], population: str = "") -> list[tuple[Entry, int]]:
        """The releases that contain any of these people, each with how many of them."""
        whose = hashes(people, self._key, population)
        with self.store.reading() as c:
            found = _per_release(c, whose)
        entries = dict(self._numbered())
        return [(entries[n], count) for n, count in sorted(found.items()) if n in entries]

    def withdraw(self, people: Iterable[str], population: str = "") -> list[tuple[Entry, int]]:
        """Note that people have withdrawn: later releases must leave them out. Returns the releases that hold them."""
        told = list(people)
        found = self.releases_of(told, population)
        whose = hashes(told, self._key, population)
        with self.store.writing() as c:
            new = [p for p in whose if not _count(c, "withdrawn", [p])]
            c.executemany("insert or ignore into withdrawn values (?)", ((p,) for p in whose))
            for release, count in _per_release(c, new).items():
                c.execute("update releases set withdrawn = withdrawn + ? where release = ?", (count, release))
        return found

    # -- inside -------------------------------------------------------------------------------------------------

    def _numbered(self) -> Iterator[tuple[int, Entry]]:
        with self.store.reading() as c:
            numbers = [r["release"] for r in c.execute("select release from releases where state = 'published' "
                                                       "order by release")]  # fmt: skip
        yield from zip(numbers, self.entries(), strict=True)

    def _lock_of(self, token: str) -> Path:
        return self.folder / f".{NAME}.{token}.lock"

    def _hold(self, token: str) -> tuple[int, Path]:
        path = self._lock_of(token)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        fcntl.flock(handle, fcntl.LOCK_EX)
        return handle, path

    def _sweep(self, reserved: set[str]) -> None:
        """Files that a kill left between two steps: locks without a reservation, accounts that were never finished."""
        for lock in self.folder.glob(f".{NAME}.*.lock"):
            token = lock.name.removeprefix(f".{NAME}.").removesuffix(".lock")
            if token not in reserved and not self._alive(token):
                lock.unlink(missing_ok=True)
        for unfinished in self.folder.glob(f".{NAME}.*.tmp*"):
            unfinished.unlink(missing_ok=True)

    def _alive(self, token: str) -> bool:
        try:
            handle = os.open(self._lock_of(token), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        finally:
            os.close(handle)
        return False


def open_account(folder: str | Path, *, create: bool = False) -> Account:
    """The account of the releases in a folder.

    Parameters
    ----------
    folder
        Where the bundles and their private folders lie.
    create
        Start one where there is none.
    """
    folder = Path(folder)
    store = Store(folder / NAME)
    if not store.path.exists():
        lost = _remembered(folder)
        if lost:
            raise BundleError(
                f"account: '{NAME}' is missing, but {counted(lost, 'release')} in this folder "
                f"{agreed(lost, 'was', 'were')} charged to it. "
                "Restore it from your backup, or move those releases away to start anew."
            )
        if not create:
            raise BundleError(f"account: '{folder.name or folder}' has no account yet; the first `publish` starts one.")
        load_key(folder / KEY, create=True)
        store.create(uuid.uuid4().hex)
    return Account(folder, load_key(folder / KEY, create=False))


def has_account(folder: Path) -> bool:
    """Whether releases of this folder are charged already, even if the account itself was lost."""
    return (folder / NAME).exists() or _remembered(folder) > 0


def _remembered(folder: Path) -> int:
    """How many private folders here were charged to an account."""
    found = 0
    for told_at in folder.glob("*.private/custodian.json"):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            found += bool(json.loads(told_at.read_text("utf-8")).get("account"))
    return found


def _limit(c: sqlite3.Connection, population: str) -> tuple[float, float] | None:
    told = {r["key"]: r["value"] for r in c.execute("select key, value from about")}
    if f"epsilon {population}" not in told:
        return None
    return float(told[f"epsilon {population}"]), float(told[f"delta {population}"])


def _cost(row: sqlite3.Row) -> Cost | None:
    return None if row["rho"] is None else Cost(row["rho"], row["pure"], row["delta"])


def _worst(
    c: sqlite3.Connection, delta: float, population: str, whose: Iterable[bytes] | None, more: tuple[Cost, ...]
) -> float:
    """Epsilon of the person who was in the most costly releases; `whose` narrows it, `more` is added for each."""
    costs = {
        r["release"]: cost
        for r in c.execute("select release, rho, pure, delta from releases where population = ?", (population,))
        if (cost := _cost(r))
    }
    if whose is None:
        rows: Iterable[Any] = c.execute("select person, release from people order by person, release")
    else:
        _narrow(c, whose)
        rows = c.execute("select p.person, p.release from people p join chosen using (person) order by 1, 2")
    together: set[tuple[int, ...]] = {()}
    for _, own in groupby(rows, key=lambda row: row[0]):  # rows of a person stand together
        together.add(tuple(row[1] for row in own if row[1] in costs))
    return max(composed([*(costs[r] for r in s), *more], delta) if s or more else 0.0 for s in together)


def _narrow(c: sqlite3.Connection, whose: Iterable[bytes]) -> None:
    c.execute("create temp table if not exists chosen (person blob primary key) without rowid")
    c.execute("delete from chosen")
    c.executemany("insert or ignore into chosen values (?)", ((p,) for p in whose))


def _count(c: sqlite3.Connection, table: str, whose: Iterable[bytes]) -> int:
    _narrow(c, whose)
    return int(c.execute(f"select count(*) from {table} join chosen using (person)").fetchone()[0])


def _per_release(c: sqlite3.Connection, whose: Iterable[bytes]) -> dict[int, int]:
    _narrow(c, whose)
    rows = c.execute(
        "select release, count(*) from people join chosen using (person) join releases using (release) "
        "where state = 'published' group by release"
    )
    return {r[0]: r[1] for r in rows}


def _delete(c: sqlite3.Connection, token: str) -> None:
    c.execute("delete from people where release = (select release from releases where token = ?)", (token,))
    c.execute("delete from releases where token = ?", (token,))


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
