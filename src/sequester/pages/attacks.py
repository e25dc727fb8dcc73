"""What an adversary achieves, one line per attack, and what choosing other parameters would give."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from sequester.pages.frontier import picture
from sequester.pages.page import Section, Table, folded
from sequester.pages.words import TEST, TESTS, count, interval, percent

Row = Mapping[str, Any]

ATTACKED = "What does an adversary achieve?"
SETTINGS = "What does less risk cost?"


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
            f"{_sentence(str(r.get('says', '')))} {verdict(r)}".strip(),
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


def frontier_section(rows: Sequence[Row], refused: Sequence[Row] = ()) -> list[Section]:
    """One risk and one loss for all settings, as a picture; then the five columns that matter."""
    if not rows or "risk" not in rows[0] or "loss" not in rows[0]:
        return []
    known = [c for c in rows[0] if c not in KNOWN and all(_plain(r.get(c)) for r in rows)]
    before = known[: known.index("promise")] if "promise" in known else known
    names = [c for c in ("k", "p", "l", "n", "epsilon", "setting") if c in rows[0]] or before[:3]
    moving = [c for c in names if len({str(r.get(c)) for r in rows}) > 1] or names
    labels = [", ".join(f"{c} = {_cell(r.get(c))}" for c in names if r.get(c) is not None) for r in rows]
    short = [", ".join(f"{c}={_cell(r.get(c))}" for c in moving if r.get(c) is not None) for r in rows]
    attack, loss = rows[0].get("attack", "the attack"), rows[0].get("loss_is", "loss")
    points = [
        {"x": float(r["loss"]), "y": r["risk"], "low": r.get("low", r["risk"]), "high": r.get("high", r["risk"]),
         "label": words}
        for r, words in zip(rows, short, strict=True) if r.get("risk") is not None and r.get("loss") is not None
    ]  # fmt: skip
    lines = tuple(
        (words, str(r.get("promise", "")), setting_risk(r), r.get("loss"), setting_kept(r))
        for r, words in zip(rows, labels, strict=True)
    )
    more = [folded(f"All columns of {count(len(rows), 'setting')}", rows)]
    if refused:
        more.append(folded(f"{count(len(refused), 'setting')} the method refused, and why", refused))
    return [
        Section(
            title=SETTINGS,
            says=f"Each point is one setting. Risk is the same at every point: the attack “{attack}” with the same "
            f"knowledge. Loss is “{loss}”. Further down is less risk, further left is less loss; bars are 95 % "
            "intervals.",
            svg=picture(points, x_title=f"{loss} (further left is better)", y_title="the attack succeeds"),
            alt=f"Risk against loss for {count(len(rows), 'setting')}: "
            + "; ".join(f"{p['label']}: risk {p['y']:.0%}, loss {p['x']:.3g}" for p in points[:8])
            + ".",
            caption="Settings that were tried",
            columns=("Setting", "Promise", "Attack succeeds [95 % interval]", f"Loss: {loss}", "Promise and bounds"),
            rows=lines,
            after="Overlapping intervals mean that the settings cannot be told apart by this attack. The fold lists "
            "the strongest attack of every setting, which may be another one.",
            more=tuple(more),
        )
    ]


KNOWN = {"attack", "risk", "low", "high", "control", "baseline", "loss", "loss_is", "strongest_attack",
         "strongest_success"}  # fmt: skip


def setting_risk(row: Row) -> str:
    """What the one attack achieved at a setting."""
    return success({**row, "success": row.get("risk")})


def setting_kept(row: Row) -> str:
    """The verdict on a setting, and whether an attack beats a bound."""
    beaten = "An attack beats a bound." if row.get("bounds_kept") is False else ""
    return f"{row.get('verdict', '')} {beaten}".strip()


def _plain(value: Any) -> bool:
    return value is None or isinstance(value, (int, float, str))


def _cell(value: Any) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)


def _sentence(words: str) -> str:
    return words[:1].upper() + words[1:] + ("" if not words or words.endswith((".", "?")) else ".")
