"""Attributes of cases as the judge of the ratio test reads them: coded again from the original, beside the method's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from sequester.errors import counted, verb_for
from sequester.judges.events import carried_values, declared_values
from sequester.judges.markov_release import ELSE, MISSING, values_of
from sequester.model import EventLog
from sequester.release import Check, Claim

Codes = Sequence[tuple[str, int, str]]
"""Column, code and value of a person."""


def carried(claim: Claim) -> tuple[str, ...]:
    """Columns that the parameters declare."""
    return tuple(str(text).partition(":")[0] for text in claim.parameters.get("attributes") or ())


def shape(claim: Claim) -> list[Check]:
    """Carried columns have one declared value per object; of a list in a file only the custodian knows the words."""
    names = carried(claim)
    if not names:
        return []
    found, changes = carried_values(claim, names)
    strange = 0
    for name, text in zip(names, claim.parameters["attributes"], strict=True):
        listed = values_of(str(text))
        strange += sum(not isinstance(x, str) if listed is None else x not in listed for x in found[name])
    return [declared_values(strange, changes)]


def recoded(claim: Claim, log: EventLog) -> tuple[dict[str, Codes], list[Check]]:
    """Codes of every person by the custodian's tables, and whether the original has these values."""
    declared = [str(text) for text in claim.parameters.get("attributes") or ()]
    if not declared:
        return {}, []
    cases, named = claim.private.get("cases"), claim.private.get("case_values")
    names = [text.partition(":")[0] for text in declared]
    if cases is None or named is None or not set(names) <= set(log.attributes):
        return {}, [Check(name="map of attributes", passed=False, detail="the custodian's map or a column is missing")]
    values = {(r["column"], r["code"]): r["value"] for r in named.to_pylist()}
    whose = np.repeat(log.persons, np.diff(log.offsets)).tolist()
    wrong = 0
    out: dict[str, Codes] = {}
    fields = {r["person"]: r for r in cases.to_pylist()}
    found: dict[str, dict[str, Any]] = {p: {} for p in log.persons.tolist()}
    for name in names:
        for person, cell in zip(whose, log.attributes[name].tolist(), strict=True):
            if not _blank(cell):
                found[person].setdefault(name, cell)
    for person, own in found.items():
        row = fields.get(person, {})
        codes = []
        for text, name in zip(declared, names, strict=True):
            value = values.get((name, row.get(name)))
            wrong += value is None or not _fits(text, own.get(name), value)
            codes.append((name, int(row.get(name, -1)), str(value)))
        out[person] = tuple(codes)
    return out, [
        Check(
            name="attributes are those of the original",
            passed=wrong == 0 and len(fields) == len(found),
            detail=f"{counted(wrong, 'value')} of {counted(len(found), 'person', 'people')} "
            f"{verb_for(wrong, 'is', 'are')} coded otherwise",
        )
    ]


def _blank(cell: Any) -> bool:
    return cell is None or cell != cell or str(cell).strip() == ""


def _fits(text: str, cell: Any, value: str) -> bool:
    """Whether a value is how a cell must be written."""
    if _blank(cell):
        return value == MISSING
    word = str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell).strip()
    listed = values_of(text)
    if listed is None:  # the list is not in the manifest: a word stands for itself or is none of the list
        return value in (word, ELSE)
    try:
        cuts = [float(p) for p in text.partition(":")[2].split(",") if p.strip()]
    except ValueError:
        return value == (word if word in listed[: listed.index(ELSE)] else ELSE)
    try:
        number = float(word)
    except ValueError:
        return value == MISSING
    return value == (MISSING if number != number else listed[sum(number >= c for c in cuts)])
