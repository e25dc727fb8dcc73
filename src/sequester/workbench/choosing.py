"""Two questions lead to the methods that fit: what will readers compute, and what must the promise withstand?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import sequester as sq
from sequester import _shell
from sequester.workbench import forms

COMPUTE = {
    "ranges": ("count people by ranges of values, with sure bounds", ("boxes",)),
    "shapes": ("follow ups and downs over time", ("boxes", "letters", "drawn", "states")),
    "rows": ("run their usual programs on ordinary rows", ("drawn", "states", "log")),
    "flows": ("see what follows what, and how often", ("log", "states", "grams")),
    "patterns": ("count how often short patterns occur", ("grams",)),
    "reading": ("read the text, or count its words", ("documents",)),
    "sql": ("ask tables of another form by SQL", ("plain",)),
}
"""What readers do → layouts that serve it."""
WITHSTAND = {
    "lookup": ("someone who looks one person up: a colleague, a neighbour, a journalist", "verified"),
    "everything": ("someone who knows almost everything else, or sees many releases", "proved"),
    "compare": ("nothing yet: I want to compare with a published procedure", "as-published"),
}
"""What the promise must withstand → the grade of the methods that do."""
GRADES = {
    "verified": "independent code recomputes the promise from the release",
    "proved": "differential privacy; the ledger is checked, the noise itself cannot be seen",
    "as-published": "a paper's procedure whose formal claim does not hold or cannot be checked",
}


@dataclass(frozen=True, kw_only=True)
class Choice:
    """A method as the page shows it."""

    id: str
    name: str
    """What it does in plain words, and its id."""
    says: str
    promise: str
    statement: str
    unit: str
    grade: str
    graded: str
    not_covered: tuple[str, ...]
    baseline: bool
    layout: str
    example: dict[str, Any]
    why_not: tuple[str, ...] = ()
    """Why it does not fit the answers; empty if it does."""


@cache
def described(method_id: str) -> Choice:
    """A method with the promise of its example's parameters."""
    cls = sq.method_class(method_id)
    example = cls(**cls.example)
    promise = example.guarantee.confirmed()
    return Choice(
        id=method_id,
        name=_shell.plain_name(method_id),
        says=" ".join((cls.__doc__ or "").split("\n\n")[0].split()),
        promise=promise.level,
        statement=promise.statement,
        unit=promise.unit,
        grade=promise.status,
        graded=GRADES.get(promise.status, ""),
        not_covered=tuple(promise.not_covered),
        baseline=cls.baseline,
        layout=example.layout,
        example=dict(cls.example),
    )


def questions(kind: str) -> tuple[dict[str, str], dict[str, str]]:
    """The answers that some method of this kind of data serves."""
    mine = [described(m) for m in sq.methods_for(kind)]
    layouts, grades = {m.layout for m in mine}, {m.grade for m in mine}
    compute = {key: words for key, (words, serves) in COMPUTE.items() if layouts & set(serves)}
    return compute, {key: words for key, (words, grade) in WITHSTAND.items() if grade in grades}


def fitting(kind: str, compute: str, withstand: str) -> tuple[list[Choice], list[Choice]]:
    """Methods that fit both answers, and the others with the reason."""
    fit: list[Choice] = []
    others: list[Choice] = []
    for method_id in sq.methods_for(kind):
        one = described(method_id)
        why: list[str] = []
        if compute in COMPUTE and one.layout not in COMPUTE[compute][1]:
            why.append(f"Its releases do not let readers {COMPUTE[compute][0]}.")
        if withstand in WITHSTAND and one.grade != WITHSTAND[withstand][1]:
            why.append(f"Its grade is {one.grade}: {one.graded}.")
        if one.baseline and withstand != "compare":
            why.append("It is a baseline, there to compare with.")
        (others if why else fit).append(replace(one, why_not=tuple(why)))
    return _in_order(fit), _in_order(others)


def _in_order(choices: list[Choice]) -> list[Choice]:
    """Proved, verified, as published."""
    order = ("proved", "verified", "as-published")
    return sorted(choices, key=lambda c: order.index(c.grade) if c.grade in order else len(order))


DIALS = {"k": "3,5,10,20", "epsilon": "1,2,4,8"}
"""What is computed where nobody says otherwise."""
RATIOS = "0.05,0.2,0.35,0.65,1"
"""The same for an epsilon that is a limit of a ratio, not of privacy."""
PUBLIC = ("people_at_least", "dates", "language")
"""What only the custodian knows: it must not be taken from the data, so its field begins empty."""
GAPS = ("missing",)
"""Without it a method refuses data with a gap."""
UNASKED = ("force", "calibration_people")
"""Of an example, what is there to make it quick."""


@dataclass(frozen=True, kw_only=True)
class Grid:
    """A method as the form of a sweep shows it."""

    choice: Choice
    fields: tuple[forms.Field, ...]
    filled: dict[str, str]
    needs: tuple[str, ...]
    """What must be declared before it can be computed."""


def grids(kind: str, people: int | None) -> list[Grid]:
    """The usual settings of every method for a kind of data; baselines last."""
    out = []
    methods = _in_order([described(m) for m in sq.methods_for(kind)])
    for one in sorted(methods, key=lambda c: c.baseline):
        known = {f.name: f for f in forms.method_fields(one.id)}
        names = [n for n in one.example if n in known and n not in UNASKED]
        names += [n for n in PUBLIC if n in known and n not in names and n != "language"]
        names += [n for n in GAPS if n in known and n not in names]
        filled = {n: forms.shown(one.example[n]) if n in one.example and n not in PUBLIC else "" for n in names}
        dial = "k" if "k" in filled else "epsilon"
        if dial in filled:
            values = RATIOS if one.layout == "log" and one.grade == "as-published" else DIALS[dial]
            most = max(3, (people or 10**9) // 4)  # a half of the people must still hold groups of k
            filled[dial] = ",".join(v for v in values.split(",") if dial != "k" or int(v) <= most)
        if "p" in filled:
            filled["p"] = "2"
        filled |= {n: known[n].default for n in GAPS if n in known}
        needs = tuple(known[n].label for n in names if n in PUBLIC)
        fields = tuple(replace(known[n], required=False) for n in names)  # a method that is not ticked needs nothing
        out.append(Grid(choice=one, fields=fields, filled=filled, needs=needs))
    return out
