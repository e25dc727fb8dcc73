"""(k,P)-anonymity: value ranges shared by k, patterns shared by P of them (Shou et al. 2013, Definition 5)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sequester.guarantees.wording import OWN_ROW, SEVERAL
from sequester.release import Guarantee

MODEL = "kp-anonymity"

PATTERN_OF = {
    "record": "every pattern is the record's own word",
    "subgroup": "a pattern is the average shape of the records that share it, not any one record's own",
    "neighbour": "a pattern may be borrowed from another record of the group and false for this one",
    "nobody": "no pattern is shown",
}
"""Whose pattern a released row shows."""


def kp_anonymity(
    *,
    k: int,
    p: int,
    unit: str,
    pattern_of: str,
    ends: str,
    l: int | None = None,  # noqa: E741
    harmless: Sequence[str] = (),
    near: Sequence[str] = (),
    withhold_up_to: float = 0.0,
) -> Guarantee:
    """The promise of `kapra` and `kp-naive`, from their parameters."""
    noun = {"person": "people", "record": "records"}[unit]
    level = (f"({k},{p})-anonymity" if p > 1 else f"{k}-anonymity of value ranges") + (
        f" with {l}-diversity" if l else ""
    )
    statement = f"Every row belongs to a group that shows one value envelope and holds at least {k} {noun}"
    statement += (
        f", and inside a group every pattern (letters, level and length) is shared by at least {p}" if p > 1 else ""
    )
    statement += f"; {PATTERN_OF[pattern_of]}."
    parameters: dict[str, Any] = {"k": k, "p": p, "pattern_of": pattern_of, "ends": ends}
    if ends == "rounded":
        statement += (
            " Every end of a range is rounded outward to a multiple of the published step (ends_step), so an end is "
            "nobody's exact value, unless that value is such a multiple. No end is more than 100 million steps from 0."
        )
    if l:
        whom = f"those who share a {'pattern' if p > 1 else 'range'}"
        statement += f" Of {whom} and have a known sensitive value, at most one in {l} holds the same protected value"
        statement += ", or numbers as close as stated" if near else ""
        statement += (
            ". Every sensitive value shown is the original one; at most "
            f"{withhold_up_to:.0%} of the rows of a column are withheld."
        )
        parameters |= {
            "l": l, "harmless": list(harmless), "near": list(near), "withhold_up_to": withhold_up_to,
        }  # fmt: skip
    left_out = _not_covered(p, pattern_of, ends, unit, bool(l), bool(harmless))
    return Guarantee(
        model=MODEL,
        level=level,
        parameters=parameters,
        unit=unit,
        status="verifiable",
        statement=statement,
        not_covered=tuple(left_out),
    )


def _not_covered(p: int, pattern_of: str, ends: str, unit: str, diverse: bool, harmless: bool) -> list[str]:
    out = [
        "A sensitive value that depends on the series itself: someone who can order a group's sensitive values by its "
        "members' series may tell them apart. A guess is right with probability "
        + (f"1/{p}" if p > 1 else "1/k")
        + " only if it is a blind one.",
    ]
    if ends == "rounded":
        out.append(
            "Presence in the data (differential privacy): someone who knows a whole series can test whether it lies "
            "inside a published envelope. A series of many values seldom does by chance: in our tests 3 % of "
            "strangers' heart beats of 140 values did at k = 8, so long series can be recognised. `sequester attack` "
            "measures it for your data."
        )
    else:
        out.append(
            "Presence in the data (differential privacy): ends of envelopes are true values of somebody, and someone "
            "who knows a person's values can look for them among the ends."
        )
    out.append(SEVERAL)
    out.append("A value that all people of a group share at some time: the range then is that value, or one step wide.")
    if not diverse:
        out.append("Sensitive values: a group whose members all have the same one gives it away.")
    else:
        out.append("That someone does not hold a protected value may be seen from the values their group shows.")
        if harmless:
            out.append("Values named harmless are shown freely: which ones are is the custodian's judgement.")
    if unit == "person":
        out.append(OWN_ROW)
    if unit == "record":
        out.append("People with several records: they count once per record, so a group may hold fewer people.")
    if pattern_of == "subgroup":
        out.append(
            f"Someone who knows all but one member of a subgroup of {p} can subtract them from the average and learn "
            "the last one's shape closely."
        )
    if pattern_of == "neighbour":
        out.append("Truth of a pattern: bounds on unpublished values derived from it may be wrong.")
    return out
