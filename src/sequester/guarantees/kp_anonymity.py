"""(k,P)-anonymity: value ranges shared by k, patterns shared by P of them (Shou et al. 2013, Definition 5)."""

from __future__ import annotations

from typing import Any

from sequester.release import Guarantee

MODEL = "kp-anonymity"

PATTERN_OF = {
    "record": "every pattern is the record's own word",
    "subgroup": "a pattern is the average shape of the records that share it, not any one record's own",
    "neighbour": "a pattern may be borrowed from another record of the group and false for this one",
}
"""Whose pattern a released row shows."""


def kp_anonymity(
    *,
    k: int,
    p: int,
    unit: str,
    pattern_of: str,
    l: int | None = None,  # noqa: E741
    tolerance: float | None = None,
) -> Guarantee:
    """The promise of `kapra` and `kp-naive`, from their parameters."""
    level = f"({k},{p})-anonymity" + (f" with {l}-diversity" if l else "")
    noun = {"person": "people", "record": "records"}[unit]
    statement = (
        f"Every released value envelope is shared by at least {k} {noun}, and inside such a group every pattern is "
        f"shared by at least {p}; {PATTERN_OF[pattern_of]}."
    )
    parameters: dict[str, Any] = {"k": k, "p": p, "pattern_of": pattern_of}
    if l:
        statement += f" Among those {p} or more, no sensitive value is held by more than one in {l}."
        parameters |= {"l": l, "tolerance": tolerance}
    left_out = [
        "A sensitive value that depends on the series itself: whoever can order a subgroup's sensitive values by its "
        f"members' series may tell them apart, so a guess is right with probability 1/{p} only if it is a blind one.",
        "Differential privacy: the presence of a person may show in an envelope's ends, which are true values.",
        "Several releases of the same people: each is safe alone, not together.",
    ]
    if not l:
        left_out.append("Sensitive values: a subgroup whose members all have the same one gives it away. Pass l.")
    else:
        left_out.append(
            "Closeness: a changed number stays within the tolerance of the truth, so the attacker learns it roughly."
        )
    if unit == "record":
        left_out.append("People with several records: they count once per record, so a group may hold fewer people.")
    if pattern_of == "subgroup":
        left_out.append(
            f"Someone who knows all but one member of a subgroup of {p} can subtract them from the average."
        )
    if pattern_of == "neighbour":
        left_out.append("Truth of a pattern: bounds on unpublished values derived from it may be wrong.")
    return Guarantee(
        model=MODEL,
        level=level,
        parameters=parameters,
        unit=unit,
        status="verifiable",
        statement=statement,
        not_covered=tuple(left_out),
    )
