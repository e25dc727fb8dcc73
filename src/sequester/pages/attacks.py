"""What an adversary achieves, one line per attack."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sequester.errors import as_sentence
from sequester.pages.page import Section, Table
from sequester.pages.words import TEST, TESTS, interval, percent

Row = Mapping[str, Any]

ATTACKED = "What does an adversary achieve?"


def attack_section(rows: Sequence[Row], summary: str = "", more: Sequence[Table] = ()) -> list[Section]:
    """One row per attack: its success beside strangers, guesses and the promise, and what it means."""
    if not rows or "success" not in rows[0]:
        return []
    lines = tuple(
        (
            str(r.get("attack", "attack")),
            TEST.get(str(r.get("test", "")), str(r.get("test", ""))),
            success(r),
            percent(r.get("control")),
            percent(r.get("baseline")),
            _bound(r),
            f"{as_sentence(str(r.get('says', '')))} {verdict(r)}".strip(),
        )
        for r in rows
    )
    used = [t for t in TESTS if any(r.get("test") == t for r in rows)]
    return [
        Section(
            title=ATTACKED,
            says=summary,
            caption="Attacks on this release",
            columns=("Attack", "Test", "Success [95 % interval]", "Control", "Guess", "Bound", "What it means"),
            rows=lines,
            after="Control: the same attack on people who are not in the data. Guess: without looking at the release. "
            "Bound: the most the promise allows, where it states one."
            + (f" The regulators' tests are {'; '.join(TESTS[t] for t in used)}." if used else ""),
            more=tuple(more),
        )
    ]


def success(row: Row) -> str:
    """Success with its interval."""
    found = percent(row["success"])
    if row.get("low") is None or row.get("high") is None:
        return found
    return f"{found}\N{NO-BREAK SPACE}{interval(row['low'], row['high'])}"


def verdict(row: Row) -> str:
    """What a success means beside strangers, guesses and the bound."""
    low, others = row.get("low"), max(row.get("control") or 0.0, row.get("baseline") or 0.0)
    if low is None:
        return ""
    promised = row.get("bound") is not None and row.get("covered") is not False
    if promised and low > row["bound"] + 1e-12:
        return "This beats the bound: the promise does not hold."
    if promised and low > others:
        return "More than for strangers and by guessing, and within what the promise allows."
    if low > others and row.get("epsilon") is not None:
        return proved_words(row, others)
    if low > others:
        return "More than for strangers and by guessing: the release gives this away."
    if row["success"] > others:
        return "Somewhat above strangers and guessing, but chance explains it too."
    return "No better than on strangers or by guessing."


def proved_words(row: Row, others: float) -> str:
    """What epsilon allows, what was measured, and why the two agree: in one sentence, for a board."""
    return (
        f"Epsilon = {row['epsilon']:g} allows an attacker for whom it is even odds that a person is in the data to "
        f"become {surest(row['epsilon'])} sure of it; this attack is right for {percent(row['success'])}, beside "
        f"{percent(others)} among strangers or by guessing, and both hold, because epsilon bounds what one person's "
        "own data adds and not what everybody's data teaches about them."
    )


def surest(epsilon: float) -> str:
    """How sure epsilon lets somebody become who began with even odds, rounded up."""
    share = 1 / (1 + math.exp(-min(epsilon, 700.0)))
    return f"{math.ceil(1000 * share) / 10:.1f} %" if share < 0.999 else f"{100 * share:.4g} %"


def _bound(row: Row) -> str:
    if row.get("bound") is None:
        return "none"
    return f"{percent(row['bound'])} (not promised)" if row.get("covered") is False else percent(row["bound"])
