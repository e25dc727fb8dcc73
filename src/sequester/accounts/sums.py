"""Questions to the file behind an account: which releases, whose, and what they cost one person together."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from sequester.accounts.budget import Cost, composed


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
    number: int = 0
    compared_by: str = ""
    """What later releases are compared with: `groups`, `texts`, `counts`, or nothing."""
    everyone: bool = False
    """Found again after the account was lost: whom it holds is not known, so it is charged to everybody."""

    @property
    def unbounded(self) -> bool:
        """Whether nothing bounds what it tells: a paper's procedure, or a release of which only its name is left."""
        return self.grade in ("as-published", "unknown")


def entries_in(c: sqlite3.Connection) -> list[Entry]:
    """Every published release, oldest first."""
    rows = c.execute("select * from releases where state = 'published' order by release").fetchall()
    return [
        Entry(
            bundle=r["bundle"], population=r["population"], kind=r["kind"], method=r["method"], level=r["level"],
            unit=r["unit"], grade=r["grade"], people=r["people"], cost=_cost(r), published=r["published"],
            withdrawn=r["withdrawn"], number=r["release"], compared_by=r["compared_by"], everyone=bool(r["everyone"]),
        )
        for r in rows
    ]  # fmt: skip


def _cost(row: sqlite3.Row) -> Cost | None:
    return None if row["rho"] is None else Cost(row["rho"], row["pure"], row["delta"])


def priced(c: sqlite3.Connection, population: str) -> dict[int, Cost]:
    """What each release of a population costs, reserved ones too."""
    rows = c.execute("select release, rho, pure, delta from releases where population = ?", (population,))
    return {r["release"]: cost for r in rows if (cost := _cost(r))}


def most_spent(
    c: sqlite3.Connection,
    delta: float,
    population: str,
    whose: Iterable[bytes] | None,
    more: tuple[Cost, ...],
    *,
    but: int = -1,
    only: set[int] | None = None,
) -> list[Cost]:
    """What the person spent who was in the most costly releases; `whose` narrows it, `more` is added for each."""
    costs = {r: x for r, x in priced(c, population).items() if r != but and (only is None or r in only)}
    all_ = [costs[r["release"]] for r in c.execute("select release from releases where everyone = 1")
            if r["release"] in costs]  # fmt: skip
    if whose is None:
        rows: Iterable[Any] = c.execute("select person, release from people order by person, release")
    else:
        _narrow(c, whose)
        rows = c.execute("select p.person, p.release from people p join chosen using (person) order by 1, 2")
    together: set[tuple[int, ...]] = {()}
    for _, own in groupby(rows, key=lambda row: row[0]):  # rows of a person stand together
        together.add(tuple(row[1] for row in own if row[1] in costs))
    found = ([*all_, *(costs[r] for r in s), *more] for s in together)
    return max(found, key=lambda declared: (composed(declared, delta), composed(declared, 0.5), len(declared)))


def sets_that_share(c: sqlite3.Connection, entries: Mapping[int, Entry]) -> list[set[int]]:
    """Releases in sets: those of two sets have nobody in common."""
    set_of = {n: {n} for n in entries}

    def join(numbers: list[int]) -> None:
        whole = set().union(*(set_of[n] for n in numbers))
        for n in whole:
            set_of[n] = whole

    rows = c.execute("select person, release from people order by person, release")
    seen: set[tuple[int, ...]] = set()
    for _, own in groupby(rows, key=lambda row: row[0]):
        numbers = tuple(row[1] for row in own if row[1] in entries)
        if len(numbers) > 1 and numbers not in seen:
            seen.add(numbers)
            join(list(numbers))
    if any(e.everyone for e in entries.values()):
        join(list(entries))
    return [set_of[n] for n in entries if n == min(set_of[n])]


def _narrow(c: sqlite3.Connection, whose: Iterable[bytes]) -> None:
    c.execute("create temp table if not exists chosen (person blob primary key) without rowid")
    c.execute("delete from chosen")
    c.executemany("insert or ignore into chosen values (?)", ((p,) for p in whose))


def count_in(c: sqlite3.Connection, table: str, whose: Iterable[bytes]) -> int:
    """How many of these people a table holds."""
    _narrow(c, whose)
    return int(c.execute(f"select count(*) from {table} join chosen using (person)").fetchone()[0])


def per_release(c: sqlite3.Connection, whose: Iterable[bytes]) -> dict[int, int]:
    """How many of these people each published release holds."""
    _narrow(c, whose)
    rows = c.execute(
        "select release, count(*) from people join chosen using (person) join releases using (release) "
        "where state = 'published' group by release"
    )
    return {r[0]: r[1] for r in rows}


def delete_release(c: sqlite3.Connection, token: str) -> None:
    """Nothing is left of a release that was not handed out."""
    c.execute("delete from marks where release = (select release from releases where token = ?)", (token,))
    c.execute("delete from people where release = (select release from releases where token = ?)", (token,))
    c.execute("delete from releases where token = ?", (token,))
