"""Every release with people behind it is charged to the account of its folder, and compared with earlier ones."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sequester.accounts import Account, Reservation, has_account, open_account
from sequester.accounts.budget import DEFAULT_DELTA, Cost, composed
from sequester.accounts.overlap import (
    Together,
    compared,
    compared_counts,
    compared_texts,
    compared_with_all,
    marks_of,
)
from sequester.accounts.reservation import Earlier, saying
from sequester.errors import BudgetError, counted
from sequester.method import Method
from sequester.model import Data
from sequester.query.bundle import Bundle
from sequester.release import Evidence, Figure

OTHER_SORTS = {"": "keeps nothing that could be compared", "groups": "has groups", "texts": "shows texts",
               "counts": "is a table of counts"}  # fmt: skip
TOGETHER = "epsilon of all releases together"
TOGETHER_SAYS = "What the person has spent who is in the most costly releases, this one included."


def compared_with_earlier(charge: Reservation, bundle: Bundle) -> list[Evidence]:
    """What earlier releases of the same people and this staged one tell together; private evidence.

    There are three outcomes: compared and fine, compared and narrowing, and not compared, with the reason.
    """
    sort, marks = marks_of(bundle.layout, bundle.tables, bundle.private)
    k = bundle.guarantee.parameters.get("k")
    k = k if isinstance(k, int) else None
    with saying(f"'{charge.bundle}' was not published and nothing was charged"):
        now = charge.keep_marks(sort, k, marks)
        before = charge.earlier()
    if not before:
        return []
    if charge.cost is not None:  # noise hides no one among k: what counts is the sum
        total = charge.spending()[1]
        value = total if math.isfinite(total) else None
        figures = (Figure(name=TOGETHER, value=value, better="lower", says=TOGETHER_SAYS),)
        words = " ".join(charge.notes)
        return [Evidence(about="account", saw_original=True, summary=words, figures=figures, rows=_listed(before))]
    found, left = _found(charge.account, before, bundle.kind, sort, now, k)
    narrowing = [t.says for t in found if t.says]
    fine = sum(not t.says and bool(t.bundle) for t in found)
    said = list(narrowing)
    if fine:
        said.append(
            f"Compared with {counted(fine, 'earlier release')} of the same people: "
            + ("it narrows nobody down below k." if fine == 1 else "none of them narrows anybody down below k.")
        )
    charge.together = [*narrowing, *(f"Not compared with '{name}': {why}." for name, why in left)]
    said += charge.together[len(narrowing) :]
    rows = [
        {"release": t.bundle or "all of them together", "in both": t.shared, "smallest set": t.smallest,
         "below k": t.below, "documents that differ": t.differing, "people in one only": t.apart,
         "outcome": "narrows people down" if t.says else "fine"}
        for t in found
    ] + [{"release": name, "outcome": f"not compared: {why}"} for name, why in left]  # fmt: skip
    tables = {"earlier_releases": rows, **_listed(before)}
    return [Evidence(about="account", saw_original=True, summary=" ".join(said), rows=tables)]


def _found(
    account: Account, before: list[Earlier], kind: str, sort: str, now: dict[bytes, bytes], k: int | None
) -> tuple[list[Together], list[tuple[str, str]]]:
    """What could be compared, and what could not, with the reason."""
    found: list[Together] = []
    left: list[tuple[str, str]] = []
    grouped = []
    for old in before:
        entry = old.entry
        why = _not_comparable(entry, kind, sort)
        if why:
            left.append((entry.bundle, why))
            continue
        if sort == "counts":
            found.append(compared_counts(entry.bundle, old.shared, old.differ, k))
            continue
        marks = account.marks_of(entry.number)
        if not marks:
            left.append((entry.bundle, "its groups were not kept"))
        elif sort == "groups":
            grouped.append(marks)
            found.append(compared(entry.bundle, marks, now, k))
        else:
            found.append(compared_texts(entry.bundle, marks, now))
    if len(grouped) > 1:
        whole = compared_with_all(grouped, now, k)
        if whole.below > max(t.below for t in found):  # else one release alone tells as much
            found.append(whole)
    return found, left


def _not_comparable(entry: Any, kind: str, sort: str) -> str:
    """Why an earlier release cannot be compared with this one; empty where it can."""
    if entry.everyone:
        return "the account was lost since, and with it whom that release holds"
    if entry.cost is not None:
        return "it is protected by noise, which the account adds up as epsilon"
    if entry.kind != kind:
        return f"it holds {entry.kind} data, this is {kind} data"
    if entry.compared_by != sort or not sort:
        if not entry.compared_by and not sort:
            return "neither has groups, texts or counts that could be compared"
        return f"{entry.method} {OTHER_SORTS[entry.compared_by]}, and this release {OTHER_SORTS[sort]}"
    return ""


def _listed(before: list[Earlier]) -> dict[str, list[dict[str, Any]]]:
    """Earlier releases of the same people, as a table."""
    return {
        "in_the_account": [
            {"release": b.entry.bundle, "published": b.entry.published, "kind": b.entry.kind,
             "method": b.entry.method, "promise": b.entry.level, "unit": b.entry.unit, "people": b.entry.people,
             "of these people": b.shared, "withdrawn": b.entry.withdrawn,
             "spends": "unbounded" if b.entry.unbounded else ""}
            for b in before
        ]
    }  # fmt: skip


@contextmanager
def charged(
    target: Path,
    data: Data | None,
    method: Method,
    *,
    population: str = "",
    people: Callable[[], Iterable[str]] | None = None,
) -> Iterator[Reservation | None]:
    """A place in the account of the target's folder, refused before anything is drawn; given back if nothing appears.

    Without the original, a release says itself whose data it is (`people`). Where nobody knows, nothing can be charged;
    then a release that spends budget is refused if there is a limit.
    """
    folder = target.absolute().parent
    ledger = method.budget()
    known = people is not None if data is None else data.n_records > 0 and data.people_known
    if not known:
        if ledger and has_account(folder) and open_account(folder).limit(population):
            raise BudgetError(
                "account: there is a limit, and nobody can say whose data this release is, so it cannot be charged. "
                "Publish it with ‹source=›."
            )
        yield None
        return
    charge = open_account(folder, create=True).reserve(
        target.name,
        people_of(data) if data is not None else people() if people is not None else (),
        method.guarantee,
        kind=method.accepts.kind,
        method=method.id,
        cost=Cost.of(ledger.to_json()) if ledger else None,
        population=population,
    )
    charge.notes = [n for n in (charge.spending()[0],) if n]
    try:
        yield charge
    finally:
        charge.given_back()


def people_of(data: Data) -> Iterator[str]:
    """Everybody, one part in memory at a time; some may come twice."""
    return (person for persons in data.persons_by_part() for person in persons.tolist())


def planned_problems(releases: Iterable[tuple[Path, Data, Method, str]]) -> tuple[list[str], list[str]]:
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
