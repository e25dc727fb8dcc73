"""Every column of `records` must be accounted for by the table `columns`: a name, and the role it plays."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pyarrow as pa

from sequester.errors import counted, verb_for
from sequester.model import Series
from sequester.release import Check, Claim

BESIDE = {
    "columns": ["name", "role"],
    "times": ["time", "letter"],
    "alphabet": ["value", "letter"],
    "withheld": ["column", "records"],
}
"""Tables that may stand beside `records`, and their columns."""


def alphabet_misfit(claim: Claim) -> str | None:
    """Why the table `alphabet` is not a list of letters and their values, or None: a doubled row hides a lost one."""
    if "alphabet" not in claim.tables:
        return None
    table = claim.tables["alphabet"]
    if table.column_names != BESIDE["alphabet"]:
        return "the columns of alphabet must be value and letter"
    if not pa.types.is_floating(table.schema.field("value").type):
        return "the column value of alphabet must hold numbers"
    for name in table.column_names:
        cells = table.column(name).to_pylist()
        if None in cells or len(set(cells)) != len(cells):
            return f"the column {name} of alphabet names something twice or not at all"
    if not all(map(math.isfinite, table.column("value").to_pylist())):
        return "a letter of alphabet stands for no number"
    return _words_for_letters(table)


def _words_for_letters(alphabet: pa.Table) -> str | None:
    """A letter that no sequence uses would be a place for words."""
    long = sum(len(letter) != 1 for letter in alphabet.column("letter").to_pylist())
    return f"{counted(long, 'letter')} of alphabet {verb_for(long, 'is', 'are')} not one character" if long else None


def misfit(claim: Claim, roles: Mapping[str, str]) -> str | None:
    """Why the release shows more than it accounts for, or None.

    `roles` tells the columns the promise knows; any other must be stated as sensitive, and stand behind them.
    """
    for name, wanted in BESIDE.items():
        if name in claim.tables and claim.tables[name].column_names != wanted:
            return f"the columns of '{name}' must be {' and '.join(wanted)}"
    if "alphabet" in claim.tables:
        places, letters = (claim.tables["alphabet"].column(name).to_pylist() for name in BESIDE["alphabet"])
        if places != list(range(len(letters))) or len(set(letters)) != len(letters):
            return "the letters of 'alphabet' are not numbered from 0"
        if wrong_letters := _words_for_letters(claim.tables["alphabet"]):
            return wrong_letters
    if "columns" not in claim.tables:
        return "there is no table 'columns' that accounts for the columns of 'records'"
    stated = claim.tables["columns"]
    pairs = list(zip(stated.column("name").to_pylist(), stated.column("role").to_pylist(), strict=True))
    names = claim.tables["records"].column_names
    fields = dict(pairs)
    strange = [name for name in names if name not in fields]
    if strange:
        return (
            f"{counted(len(strange), 'column')} of 'records' {verb_for(len(strange), 'is', 'are')} not "
            f"accounted for (first: '{strange[0]}')"
        )
    if [name for name, _ in pairs] != names:
        return "the table 'columns' does not list the columns of 'records' in their order"
    wrong = [name for name in names if fields[name] != roles.get(name, "sensitive")]
    if wrong:
        return f"{counted(len(wrong), 'column is', 'columns are')} stated in another role (first: '{wrong[0]}')"
    schema = claim.tables["records"].schema
    odd = [name for name in names if fields[name] == "sensitive" and not _is_published(schema.field(name).type)]
    if odd:
        return f"{counted(len(odd), 'sensitive column')} hold neither numbers nor text (first: '{odd[0]}')"
    return None


def _is_published(kind: pa.DataType) -> bool:
    """Whether sensitive values are written in this type: doubles and text alone."""
    return bool(pa.types.is_float64(kind) or pa.types.is_string(kind) or pa.types.is_large_string(kind))


def one_record_each(source: Series) -> Check:
    """A promise per person counts rows, so rows must be people."""
    detail = (
        f"{counted(source.n_records, 'record belongs', 'records belong')} to "
        f"{counted(source.n_people, 'person', 'people')}"
    )
    if not source.people_known:
        detail = "the original does not say whose record each is; name the person column"
    passed = source.people_known and source.n_people == source.n_records
    return Check(name="one record per person", passed=passed, detail=detail)
