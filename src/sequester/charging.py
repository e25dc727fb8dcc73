"""Every release with people behind it is charged to the account of its folder, and compared with earlier ones."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sequester.accounts import Reservation, has_account, open_account
from sequester.accounts.account import DEFAULT_DELTA
from sequester.accounts.budget import Cost, composed
from sequester.accounts.overlap import Together, compared, compared_texts, compared_with_all, grouping, texts
from sequester.errors import SequesterError
from sequester.flow import open_bundle
from sequester.method import Method
from sequester.model import Data, Parts
from sequester.query.bundle import Bundle
from sequester.release import Evidence


@dataclass
class Charge:
    """A release on its way into the account."""

    reserve: Callable[[], Reservation]
    folder: Path
    population: str
    reservation: Reservation | None = None
    """None until there is an account: the first release of a folder starts it, and has no limit to keep."""
    together: list[str] = field(default_factory=list)
    """What earlier releases and this one tell together, in sentences; known once it is staged."""
    _done: bool = False

    @property
    def account(self) -> str:
        """Which account it is charged to."""
        return self._reserved().account.identity

    def about_to_publish(self, manifest_sha256: str) -> None:
        """Announce the bundle, so that a kill after the swap is still charged."""
        self._reserved().about_to_publish(manifest_sha256)

    def published(self) -> None:
        """Both folders are in place."""
        self._done = True
        self._reserved().published()

    def given_back(self) -> None:
        """The work ended early; what was handed out all the same stays charged."""
        if self.reservation is not None and not self._done:
            self.reservation.given_back()

    def _reserved(self) -> Reservation:
        if self.reservation is None:
            self.reservation = self.reserve()
        return self.reservation

    def compared(self, bundle: Bundle) -> list[Evidence]:
        """What earlier releases of the same people and this staged one tell together; private evidence."""
        before = self.reservation.account.entries(self.population) if self.reservation is not None else []
        if not before:
            return []
        earlier = {entry: _opened(entry) for entry in self._earlier(bundle)}
        found = [t for entry, old in earlier.items() if old and (t := _together(entry, old, bundle)) is not None]
        whole = _with_all([old for old in earlier.values() if old], bundle) if found else None
        if whole is not None and whole.below > max(t.below for t in found):  # else one release alone tells as much
            found.append(whole)
        self.together = [t.says for t in found if t.says]
        rows = [
            {"release": t.bundle or "all of them together", "in both": t.shared, "smallest set": t.smallest,
             "below k": t.below, "documents that differ": t.differing}
            for t in found
        ]  # fmt: skip
        listed = [
            {"release": e.bundle, "published": e.published, "kind": e.kind, "method": e.method, "promise": e.level,
             "unit": e.unit, "people": e.people, "withdrawn": e.withdrawn}
            for e in before
        ]  # fmt: skip
        summary = " ".join(self.together) or "No earlier release of this folder narrows a person down below k."
        told: dict[str, list[dict[str, Any]]] = (
            {"earlier_releases": rows, "in_the_account": listed} if rows else {"in_the_account": listed}
        )
        return [Evidence(about="account", saw_original=True, summary=summary, rows=told)]

    def _earlier(self, bundle: Bundle) -> list[Path]:
        if self.reservation is None:
            return []
        entries = self.reservation.account.entries(self.population)
        names = dict.fromkeys(e.bundle for e in entries if e.kind == bundle.kind)
        return [self.folder / name for name in names if (self.folder / name).is_dir()]


@contextmanager
def charged(
    target: Path, data: Data | Parts | None, method: Method, *, population: str = ""
) -> Iterator[Charge | None]:
    """A place in the account of the target's folder, refused before anything is drawn; given back if nothing appears.

    Without the original nobody knows whose data it is, and nothing can be charged.
    """
    if data is None or data.n_records == 0 or not getattr(data, "people_known", True):
        yield None
        return
    folder = target.absolute().parent
    ledger = method.budget()

    def reserve() -> Reservation:
        return open_account(folder, create=True).reserve(
            target.name,
            _people(data),
            method.guarantee,
            kind=data.kind,
            method=method.id,
            cost=Cost.of(ledger.to_json()) if ledger else None,
            population=population,
        )

    charge = Charge(reserve, folder, population)
    if has_account(folder):
        charge.reservation = reserve()
    try:
        yield charge
    finally:
        charge.given_back()


def _people(data: Data | Parts) -> Iterator[str]:
    """Everybody, one part in memory at a time; some may come twice."""
    parts = data.persons_by_part() if isinstance(data, Parts) else (data.persons,)
    return (person for persons in parts for person in persons.tolist())


def planned_problems(releases: Iterable[tuple[Path, Data | Parts, Method, str]]) -> tuple[list[str], list[str]]:
    """What several releases would spend together, before any is made: problems with limits, and sentences to show.

    `releases` are (target, data, method, population).
    """
    folders: dict[tuple[Path, str], list[tuple[set[str], Cost | None]]] = {}
    for target, data, method, population in releases:
        ledger = method.budget()
        cost = Cost.of(ledger.to_json()) if ledger else None
        people = set(data.persons.tolist())
        folders.setdefault((target.absolute().parent, population), []).append((people, cost))
    problems, said = [], []
    for (folder, population), planned in folders.items():
        if not any(cost for _, cost in planned):
            continue
        if not has_account(folder):
            total = _alone(planned)
            said.append(f"The plan spends epsilon = {total:.3g} at delta = {DEFAULT_DELTA:g} on some people.")
            continue
        account = open_account(folder)
        limit = account.limit(population)
        delta = limit[1] if limit else DEFAULT_DELTA
        total = account.with_more(planned, delta=delta, population=population)
        if limit and total > limit[0] * (1 + 1e-9):
            problems.append(
                f"with earlier releases the plan would spend epsilon = {total:.3g} on some people, the limit is "
                f"{limit[0]:g} at delta = {limit[1]:g}."
            )
        said.append(
            f"With earlier releases, the plan spends epsilon = {total:.3g} at delta = {delta:g} on some people."
        )
    return problems, said


def _alone(planned: list[tuple[set[str], Cost | None]]) -> float:
    costs: dict[str, list[Cost]] = {}
    for people, cost in planned:
        for person in people if cost else ():
            costs.setdefault(person, []).append(cost)  # type: ignore[arg-type]
    return max((composed(list(c), DEFAULT_DELTA) for c in {tuple(v) for v in costs.values()}), default=0.0)


def _opened(earlier: Path) -> Bundle | None:
    """An earlier release with its private maps; None where it cannot be read any more."""
    try:
        return open_bundle(earlier, check=False, private=True)
    except (SequesterError, OSError):
        return None


def _together(earlier: Path, before: Bundle, now: Bundle) -> Together | None:
    """Compared with one earlier release; None where its private folder is gone or nothing can be compared."""
    try:
        k = now.guarantee.parameters.get("k")
        mine, theirs = grouping(now.tables, now.private), grouping(before.tables, before.private)
        if mine and theirs:
            return compared(earlier.name, theirs, mine, k if isinstance(k, int) else None)
        here, there = texts(now.tables, now.private), texts(before.tables, before.private)
        return compared_texts(earlier.name, there, here) if here and there else None
    except (SequesterError, KeyError, OSError):
        return None


def _with_all(earlier: list[Bundle], now: Bundle) -> Together | None:
    """Compared with all earlier releases that have groups, at once."""
    try:
        k = now.guarantee.parameters.get("k")
        mine = grouping(now.tables, now.private)
        theirs = [g for b in earlier if (g := grouping(b.tables, b.private))]
        return compared_with_all(theirs, mine, k if isinstance(k, int) else None) if mine and theirs else None
    except (SequesterError, KeyError, OSError):
        return None
