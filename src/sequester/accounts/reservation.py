"""A release on its way into an account: reserved, compared, announced, published or given back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sequester.accounts.budget import DEFAULT_DELTA, Cost, composed, in_words
from sequester.accounts.secret import Hashes
from sequester.accounts.sums import Entry, entries_in, most_spent, per_release, priced
from sequester.errors import BundleError, counted
from sequester.platform import signals_wait, unlock

if TYPE_CHECKING:
    from sequester.accounts.account import Account


@dataclass(frozen=True)
class Earlier:
    """A published release of the same population that shares people with the one being made."""

    entry: Entry
    shared: int
    """People in both."""
    differ: int
    """People in one of the two only."""


@contextmanager
def saying(state: str) -> Iterator[None]:
    """What the account cannot write, with what is published and what is charged."""
    try:
        yield
    except BundleError as error:
        raise BundleError(f"{str(error).rstrip()} {state}.") from error
    except OSError as error:
        raise BundleError(f"account: it cannot be written ({error.strerror}). {state}.") from error


@dataclass
class Reservation:
    """A place in the account for a release that is being made."""

    account: Account
    bundle: str
    """Name of the folder that will be written."""
    token: str
    number: int
    """The number of the release in its account; its private folder remembers it."""
    whose: Hashes
    population: str
    cost: Cost | None
    _lock: int | None
    _path: Path
    notes: list[str] = field(default_factory=list)
    """What the people concerned have spent; known before anything is drawn."""
    together: list[str] = field(default_factory=list)
    """What earlier releases and this one tell together, in sentences; known once it is staged."""

    @property
    def remembered(self) -> dict[str, Any]:
        """Which account it is charged to, and its number there: the private folder remembers both."""
        return {"account": self.account.identity, "account_number": self.number}

    def about_to_publish(self, manifest_sha256: str) -> None:
        """Announce the bundle, so that a kill after the swap is still charged."""
        with (
            saying(f"'{self.bundle}' was not published and nothing was charged"),
            self.account.store.writing() as c,
        ):
            c.execute("update releases set manifest_sha256 = ? where token = ?", (manifest_sha256, self.token))

    def keep_marks(self, sort: str, k: int | None, marks: Mapping[str, str]) -> dict[bytes, bytes]:
        """Keep what later releases are compared with: who was in which group, or how each text was shown; hashed."""
        kept = {
            self.account.hashed(item, self.population): self.account.hashed(mark, "mark")
            for item, mark in marks.items()
        }
        with self.account.store.writing() as c:
            c.execute("update releases set compared_by = ?, k = ? where token = ?", (sort, k, self.token))
            c.execute("delete from marks where release = ?", (self.number,))
            c.executemany("insert into marks values (?, ?, ?)", ((p, self.number, m) for p, m in kept.items()))
        return kept

    def earlier(self) -> list[Earlier]:
        """Published releases of the population that share people with this one, oldest first."""
        with self.account.store.reading() as c:
            shared = per_release(c, self.whose)
            entries = [e for e in entries_in(c) if e.population == self.population and e.number != self.number]
        return [
            Earlier(e, n, e.people + len(self.whose) - 2 * n)
            for e in entries
            if (n := len(self.whose) if e.everyone else shared.get(e.number, 0))
        ]

    def spending(self) -> tuple[str, float]:
        """What the people of this release have spent, before it and with it, and the sum; empty where nothing is."""
        if self.cost is None:
            return "", 0.0
        with self.account.store.reading() as c:
            limit = self.account.limit(self.population)
            delta = limit[1] if limit else DEFAULT_DELTA
            others = [r for r in priced(c, self.population) if r != self.number]
            spent = most_spent(c, delta, self.population, self.whose, (), but=self.number)
        now, total = in_words([*spent, self.cost], delta), composed([*spent, self.cost], delta)
        if not spent:
            apart = (
                f" None of them is in the {counted(len(others), 'earlier release')} of this folder that spent budget. "
                "If they are another group of people, ‹population=› keeps their account apart."
                if others
                else ""
            )
            return f"With this release {counted(len(self.whose), 'person', 'people')} have spent {now}.{apart}", total
        top = f" The limit is {limit[0]:g}." if limit else " No limit is set."
        return (
            f"Some of these {counted(len(self.whose), 'person', 'people')} had spent {in_words(spent, delta)}; with "
            f"this release it is {now}.{top}"
        ), total

    def published(self) -> None:
        """The bundle is there: the release is charged for good."""
        state = f"'{self.bundle}' is published. It counts as charged, and the next command finishes the entry"
        with saying(state), signals_wait():
            try:
                with self.account.store.writing() as c:
                    c.execute(
                        "update releases set state = 'published', published = ? where token = ?",
                        (datetime.now(UTC).date().isoformat(), self.token),
                    )
                self.account.remember()
            finally:  # what could not be written is settled by what lies in the folder
                self._let_go()

    def given_back(self) -> None:
        """The work ended early: charged if the announced bundle is there all the same, dropped if not."""
        if self._lock is not None:
            with signals_wait():
                self._let_go()
                self.account.settle()

    def _let_go(self) -> None:
        if self._lock is not None:
            unlock(self._path, self._lock)
            self._lock = None
