"""An account in use: reserve, publish, limit, withdraw."""

from __future__ import annotations

import math
import os
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from sequester.accounts.budget import DEFAULT_DELTA, Cost, composed, in_words
from sequester.accounts.reservation import Reservation
from sequester.accounts.secret import check_value, hash_of, hashes, remember, remembered
from sequester.accounts.store import Store
from sequester.accounts.sums import (
    Entry,
    count_in,
    delete_release,
    entries_in,
    most_spent,
    per_release,
    sets_that_share,
)
from sequester.bundle.formats import sha256
from sequester.bundle.lock import locked
from sequester.errors import BudgetError, BundleError, ParameterError, counted, verb_for
from sequester.platform import OURS, lock
from sequester.release import Guarantee

NAME = "sequester.account"
KEY = "sequester.account.key"


class Account:
    """All releases that lie in one folder."""

    def __init__(self, folder: Path, key: bytes) -> None:
        self.folder, self._key = folder, key
        self.store = Store(folder / NAME)

    def hashed(self, word: str, population: str) -> bytes:
        """The keyed hash of a person, a document or a mark."""
        return hash_of(word, self._key, population)

    def remember(self) -> None:
        """Write behind the key how many releases were charged, and the limits: an older account is then noticed."""
        with locked(self.folder / NAME):  # read inside it: of two writers the last has the newest number
            with self.store.reading() as c:
                number = c.execute("select max(release) from releases where state = 'published'").fetchone()[0] or 0
                limits = {r["key"]: r["value"] for r in c.execute(
                    "select key, value from about where key like 'epsilon %' or key like 'delta %'")}  # fmt: skip
            remember(self.folder / KEY, {"identity": self.identity, "number": number, "limits": limits})

    @cached_property
    def identity(self) -> str:
        """Which account this is; private folders remember it, so that a lost account is noticed."""
        with self.store.reading() as c:
            return str(c.execute("select value from about where key = 'identity'").fetchone()["value"])

    def require_key(self) -> None:
        """Refuse a key that was replaced: the people of earlier releases could not be recognised by it."""
        with self.store.reading() as c:
            found = c.execute("select value from about where key = 'key'").fetchone()
        if found is None or found["value"] != check_value(self._key):
            raise BundleError(
                f"account: '{KEY}' is not the key of this '{NAME}', so the people of earlier releases cannot be "
                "recognised. Restore both from the same backup."
            )

    def numbers(self) -> set[int]:
        """Numbers of all releases, those being made too."""
        with self.store.reading() as c:
            return {r["release"] for r in c.execute("select release from releases")}

    def add_lost(
        self, number: int, bundle: str, *, kind: str, method: str, level: str, unit: str, grade: str, cost: Cost | None
    ) -> None:
        """Charge a release to everybody, because nobody knows any more whom it holds."""
        with self.store.writing() as c:
            c.execute(
                "insert into releases (release, token, state, bundle, population, kind, method, level, unit, grade, "
                "rho, pure, delta, people, published, everyone) "
                "values (?, ?, 'published', ?, '', ?, ?, ?, ?, ?, ?, ?, ?, 0, ?, 1)",
                (
                    number, uuid.uuid4().hex, bundle, kind, method, level, unit, grade,
                    *((cost.rho, cost.pure, cost.delta) if cost else (None,) * 3),
                    datetime.now(UTC).date().isoformat(),
                ),
            )  # fmt: skip

    # -- the budget ---------------------------------------------------------------------------------------------

    def set_limit(self, *, epsilon: float, delta: float = DEFAULT_DELTA, population: str = "") -> None:
        """No release may take any person beyond (epsilon, delta), all releases of the population together."""
        for name, value, top in (("epsilon", epsilon, math.inf), ("delta", delta, 1.0)):
            good = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < top
            if not good:
                raise ParameterError(f"account: {name} must be a number above 0, got {name}={value!r}.")
        with self.store.writing() as c:
            found = ((f"epsilon {population}", repr(float(epsilon))), (f"delta {population}", repr(float(delta))))
            c.executemany("insert or replace into about values (?, ?)", found)
        self.remember()

    def restore_limits(self) -> None:
        """Limits that stand behind the key and that an older account lacks, or has higher."""
        kept = remembered(self.folder / KEY).get("limits", {})
        strict = {p: self.limit(p) for p in (k.removeprefix("epsilon ") for k in kept if k.startswith("epsilon "))}
        rows = [(f"{word} {p}", repr(x)) for p, at in strict.items() if at
                for word, x in zip(("epsilon", "delta"), at, strict=True)]  # fmt: skip
        with self.store.writing() as c:
            c.executemany("insert or replace into about values (?, ?)", rows)

    def limit(self, population: str = "") -> tuple[float, float] | None:
        """The limit of a population as (epsilon, delta), if one was set; the stricter one if two copies differ."""
        with self.store.reading() as c:
            fields = {r["key"]: r["value"] for r in c.execute("select key, value from about")}
        both = [fields, remembered(self.folder / KEY).get("limits", {})]
        set_ = [
            (float(x[f"epsilon {population}"]), float(x[f"delta {population}"]))
            for x in both
            if f"epsilon {population}" in x
        ]
        return min(set_, default=None)

    def spent(self, *, delta: float | None = None, population: str = "") -> float:
        """Epsilon of the person who is in the most costly releases, at `delta` (that of the limit, or 1e-6)."""
        limit = self.limit(population)
        at = delta or (limit[1] if limit else DEFAULT_DELTA)
        with self.store.reading() as c:
            return composed(most_spent(c, at, population, None, ()), at)

    def spent_apart(self, population: str = "") -> list[tuple[list[Entry], str]]:
        """What was spent, apart for releases that share nobody: their entries, and the sum in words."""
        limit = self.limit(population)
        delta = limit[1] if limit else DEFAULT_DELTA
        with self.store.reading() as c:
            entries = {e.number: e for e in entries_in(c) if e.population == population and e.cost}
            out = []
            for numbers in sets_that_share(c, entries):
                worst = most_spent(c, delta, population, None, (), only=numbers)
                out.append(([entries[n] for n in sorted(numbers)], in_words(worst, delta)))
        return out

    def standing(self, manifest_sha256: str) -> dict[str, Any] | None:
        """What the releases of a release's people come to, up to and with it; None if it was not charged here.

        Counts and sums alone: nothing that tells of a person.
        """
        with self.store.reading() as c:
            row = c.execute(
                "select release, population, rho from releases where manifest_sha256 = ?", (manifest_sha256,)
            ).fetchone()  # published, or about to be
            if row is None:
                return None
            number, population, cost = row
            people = [r[0] for r in c.execute("select person from people where release = ?", (number,))]
            shared = per_release(c, people)
            before_it = [e for e in entries_in(c) if e.number < number]
            entries = [e for e in before_it if e.everyone or e.number in shared]
            earlier = {e.number for e in entries}
            limit = self.limit(population)
            delta = limit[1] if limit else DEFAULT_DELTA
            before, after = (
                composed(most_spent(c, delta, population, people, (), only=numbers), delta)
                for numbers in (earlier, earlier | {number})
            )
            last = c.execute("select manifest_sha256 from releases where release = ?", (max(earlier, default=-1),))
            previous = last.fetchone()
        return {
            "releases": len(entries) + 1, "draws": number - max((e.number for e in before_it), default=0),
            "unbounded": sum(e.cost is None for e in entries) + (cost is None), "epsilon_before": before,
            "epsilon_after": after, "delta": delta, "previous": previous[0] if previous else None,
        }  # fmt: skip

    def public_rows(self, population: str) -> list[dict[str, Any]]:
        """A population's releases without anything about people: what may be handed out, and the bundle's name."""
        with self.store.reading() as c:
            rows = c.execute(
                "select release, bundle, published, level, unit, grade, manifest_sha256 from releases "
                "where state = 'published' and population = ? order by release",
                (population,),
            ).fetchall()
        return [{"number": row["release"], **{k: row[k] for k in row.keys() if k != "release"}} for row in rows]  # noqa: SIM118

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
            worst = (composed(most_spent(c, delta, population, whose, more), delta) for more, whose in sets.items())
            return max(worst, default=0.0)

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
        """
        self.settle()
        token = uuid.uuid4().hex
        whose = hashes(people, self._key, population)
        limit = self.limit(population)
        with self.store.writing() as c:
            gone = count_in(c, "withdrawn", whose)
            if gone:
                raise BudgetError(
                    f"account: {gone} of {counted(len(whose), 'person', 'people')} {verb_for(gone, 'has', 'have')} "
                    "withdrawn. Leave them out of the source and publish again."
                )
            if limit and cost:
                total = composed(most_spent(c, limit[1], population, whose, (cost,)), limit[1])
                if total > limit[0] * (1 + 1e-9):
                    before = composed(most_spent(c, limit[1], population, whose, ()), limit[1])
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
            path = self._lock_of(token)
            held = os.open(path, os.O_RDWR | os.O_CREAT | OURS, 0o600)
            lock(held, wait=True)
        assert row is not None
        return Reservation(self, bundle, token, row, whose, population, cost, held, path)

    def settle(self) -> None:
        """Decide about reservations whose process is gone, by what lies in the folder."""
        with self.store.writing() as c:
            for row in c.execute("select token, bundle, manifest_sha256 from releases where state = 'reserved'"):
                if self._alive(row["token"]):
                    continue
                there = self.folder / row["bundle"] / "manifest.json"
                if row["manifest_sha256"] and there.is_file() and sha256(there) == row["manifest_sha256"]:
                    day = datetime.fromtimestamp(there.stat().st_mtime, UTC).date().isoformat()
                    c.execute("update releases set state = 'published', published = ? where token = ?",
                              (day, row["token"]))  # fmt: skip
                else:
                    delete_release(c, row["token"])
                self._lock_of(row["token"]).unlink(missing_ok=True)
            self._sweep({row["token"] for row in c.execute("select token from releases where state = 'reserved'")})

    def entries(self, population: str | None = None) -> list[Entry]:
        """Every published release, oldest first."""
        with self.store.reading() as c:
            return [e for e in entries_in(c) if population is None or e.population == population]

    def marks_of(self, number: int) -> dict[bytes, bytes]:
        """Hashed person or document → hashed group or text of an earlier release."""
        with self.store.reading() as c:
            return dict(c.execute("select item, mark from marks where release = ?", (number,)).fetchall())

    # -- people -------------------------------------------------------------------------------------------------

    def releases_of(self, people: Iterable[str], population: str = "") -> list[tuple[Entry, int]]:
        """The releases that contain any of these people, each with how many of them."""
        whose = hashes(people, self._key, population)
        with self.store.reading() as c:
            found = per_release(c, whose)
            return [(e, found[e.number]) for e in entries_in(c) if e.number in found]

    def withdraw(self, people: Iterable[str], population: str = "") -> list[tuple[Entry, int]]:
        """Note that people have withdrawn: later releases must leave them out. Returns the releases that hold them."""
        lines = list(people)
        found = self.releases_of(lines, population)
        whose = hashes(lines, self._key, population)
        with self.store.writing() as c:
            new = [p for p in whose if not count_in(c, "withdrawn", [p])]
            c.executemany("insert or ignore into withdrawn values (?)", ((p,) for p in whose))
            for release, count in per_release(c, new).items():
                c.execute("update releases set withdrawn = withdrawn + ? where release = ?", (count, release))
        return found

    # -- inside -------------------------------------------------------------------------------------------------

    def _lock_of(self, token: str) -> Path:
        return self.folder / f".{NAME}.{token}.lock"

    def _sweep(self, reserved: set[str]) -> None:
        """Files that a kill left between two steps: locks without a reservation, accounts that were never finished."""
        for path in self.folder.glob(f".{NAME}.*.lock"):
            token = path.name.removeprefix(f".{NAME}.").removesuffix(".lock")
            if token not in reserved and not self._alive(token):
                path.unlink(missing_ok=True)
        with locked(self.folder / NAME):  # who writes one now holds this lock
            for unfinished in self.folder.glob(f".{NAME}.*.tmp*"):
                unfinished.unlink(missing_ok=True)

    def _alive(self, token: str) -> bool:
        try:
            handle = os.open(self._lock_of(token), os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not lock(handle)
        finally:
            os.close(handle)
