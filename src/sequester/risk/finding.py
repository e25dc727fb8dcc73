"""The three questions put together: what every kind of data has in common."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from sequester.release import Evidence, Figure
from sequester.risk import attackers, unicity

COMMON = {
    "rare": "Something is rare when fewer people than this have it.",
    "population": "People in the population the data was drawn from, for the journalist.",
    "threshold": "Chance of re-identification above which a person counts as at risk; 0.09 is customary.",
    "sample": "People drawn to estimate the shares.",
    "seed": "Seed of the draw: the same seed gives the same figures.",
}
"""Options of every assessor that has them, and what they mean: they end its list of parameters."""

Assessor = TypeVar("Assessor", bound=Callable[..., Evidence])


def explained(assessor: Assessor) -> Assessor:
    """Describe the common options of an assessor at the end of its docstring, which ends with its own."""
    known = [name for name in inspect.signature(assessor).parameters if name in COMMON]
    lines = [line for name in known for line in (name, f"    {COMMON[name]}")]
    assessor.__doc__ = "\n".join([inspect.cleandoc(assessor.__doc__ or "").rstrip(), *lines, ""])
    return assessor


def finding(
    knowledge: unicity.Knowledge,
    *,
    points: int,
    population: int | None,
    threshold: float,
    more: Sequence[Figure] = (),
) -> Evidence:
    """Evidence with the sentence on top, the curve over known points, the three attackers, and what is rare."""
    rows = unicity.curve(knowledge)
    row = rows[points - 1]
    summary = unicity.sentence(rows, points, knowledge.noun)
    if knowledge.short:
        few = f"{knowledge.short} of {len(knowledge.matches)} sampled people"
        summary += f" {few} have fewer than {unicity.DEPTH} {knowledge.noun}."
    figures = [
        Figure(name="unicity", value=row["unique"], better="lower",
               says=f"Share of people alone with {points} known {knowledge.noun}."),
        Figure(name="unicity_low", value=row["low"], better="lower", says="Lower end of its 95 % interval."),
        Figure(name="unicity_high", value=row["high"], better="lower", says="Upper end of its 95 % interval."),
        *attackers.figures(knowledge.at(points), knowledge.n_people, points=points, noun=knowledge.noun,
                           population=population, threshold=threshold),
        *more,
        Figure(name="people", value=knowledge.n_people, says="People in the data."),
        Figure(name="people_sampled", value=len(knowledge.matches), says="People looked for."),
    ]  # fmt: skip
    return Evidence(about="assess", saw_original=True, summary=summary, figures=tuple(figures), rows={"unicity": rows})


def by_person(persons: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]:
    """Rows in the order of their owners, the owner of each row in that order, and the number of people."""
    _, owner = np.unique(persons.astype(str), return_inverse=True)
    order = np.argsort(owner, kind="stable")
    return order, owner[order], int(owner.max()) + 1 if len(owner) else 0


def first_rows(owner: np.ndarray) -> np.ndarray:
    """First row of every owner, owners being sorted."""
    return np.flatnonzero(np.diff(owner, prepend=-1))
