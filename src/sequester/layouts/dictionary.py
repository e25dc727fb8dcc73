"""What every table and column of a release means, in words: for the data package and the reports.

A custodian's own description of a column comes first. What a method adds to a layout in a table that is not listed
here is described by its name alone; `tests/unit/test_dictionary.py` holds every method of ours to a full dictionary.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Words:
    """A table in a sentence, and its columns: a name or pattern → what it means; `{0}` is what the pattern caught."""

    says: str
    columns: Mapping[str, str]


RECORD = "Number of the released record, in random order; it names nobody."
MEASURED = Words(
    "Noisy measurements the release was drawn from; the only thing that was learned from the people.",
    {
        "family": "What was measured.",
        "cell": "Which cell of that measurement.",
        "gram": "Pattern that was counted.",
        "value": "The measured number, with its noise.",
        "noise_sd": "Standard deviation of the noise in it.",
    },
)
SERIES = {
    "records": Words(
        "One row per released record.",
        {
            "record": RECORD,
            "group": "Group of records that share the same value ranges.",
            "pattern": "Ups and downs as letters, a for the lowest step; shared by a subgroup.",
            "level": "How many steps (letters) the pattern knows.",
            "(.+)_lo": "Lower end of the range in which the value at {0} lies, for everybody in the group.",
            "(.+)_hi": "Upper end of the range in which the value at {0} lies, for everybody in the group.",
        },
    ),
    "columns": Words(
        "The role of every column of the table records.",
        {"name": "Name of a column.", "role": "What it is: number, group, low, high, value, pattern or sensitive."},
    ),
    "times": Words(
        "All times in order.",
        {"time": "Name of a time.", "letter": "Which letter of the pattern stands for it; empty: none."},
    ),
    "alphabet": Words("What the letters stand for.", {"value": "Number behind a letter.", "letter": "The letter."}),
    "withheld": Words(
        "Columns of which some cells are not shown.",
        {"column": "Name of the column.", "records": "Records whose cell is withheld."},
    ),
    "sequences": Words(
        "One row per released record.", {"record": RECORD, "sequence": "Letters in order, a space between them."}
    ),
}
STATES = {
    "sequences": Words(
        "One row per released record: what it does in every interval.",
        {
            "record": RECORD,
            "cluster": "Cluster of similar people whose habits the row was drawn from.",
            "group": "Declared group the row belongs to.",
            "states": "Codes of the states, one per interval, in order of time; table states names them.",
            "time": "Beginning of the interval, local clock time.",
            "state": "What the record does in this interval.",
        },
    ),
    "states": Words("Names of the states.", {"code": "Code in the table sequences.", "name": "Name of the state."}),
    "calendar": Words(
        "When the intervals lie.",
        {
            "start": "Beginning of the first interval, local clock time.",
            "interval_seconds": "Length of an interval in seconds.",
            "intervals": "Intervals per record.",
        },
    ),
    "centroids": Words(
        "The average member of every cluster.",
        {"cluster": "Number of the cluster.", "(.+)": "Average of {0} over the cluster's members."},
    ),
    "covariates": Words(
        "Facts about the released records.", {"record": RECORD, "(.+)": "{0} of the record, as it was drawn."}
    ),
    "measurements": MEASURED,
}
LOG = {
    "events": Words(
        "One row per event; events of one object stand together in order of time.",
        {
            "object": "Number of the person or case in the release; it names nobody.",
            "time": "When it happened, or its place where only the order is released.",
            "state": "What happened; OTHER stands for what the release does not name.",
            "(.+)": "Attribute {0} of the event or its case; empty where there is none.",
        },
    ),
    "model": Words(
        "The statistics the log was drawn from.",
        {
            "statistic": "Which statistic the row belongs to.",
            "from": "State before.",
            "to": "State after.",
            "length_from": "Shortest history of the class.",
            "length_to": "Longest history of the class.",
            "value": "Share or number, after the noise.",
        },
    ),
    "codebook": Words("States that may occur.", {"state": "Name of a state."}),
    "measurements": MEASURED,
}
GRAMS = {
    "ngrams": Words(
        "One row per pattern: how often so many symbols follow each other.",
        {
            "order": "How many symbols the pattern has.",
            "gram": "The symbols, a space between them; & stands for the end of a series.",
            "count": "How often the pattern occurs in the released table.",
        },
    ),
    "orders": Words(
        "How patterns of every length were counted: noise, threshold, and what noise may have invented.",
        {
            "order": "How many symbols the patterns have.",
            "candidates": "Patterns that were counted, those nobody has too.",
            "noise": "Standard deviation of the noise of a count.",
            "threshold": "Smallest noisy count that was published.",
            "invented": "Published patterns that nobody has: so many are expected, at most.",
        },
    ),
    "balance": Words(
        "What was moved so that counts of all orders add up.",
        {"moved": "Occurrences that were moved to other patterns.", "occurrences": "Occurrences in all."},
    ),
    "measurements": MEASURED,
}
DOCUMENTS = {
    "documents": Words(
        "One row or file per released document.",
        {"document": "New number of the document.", "text": "Its text, with a mark for what is hidden.",
         "(.+)": "{0} of the document, kept as it was."},
    ),
    "spans": Words(
        "Where text is hidden.",
        {"document": "Number of the document.", "start": "First hidden character, counted from 0.",
         "end": "Character after the last hidden one.", "kind": "What was hidden, where that was found."},
    ),
    "owners": Words(
        "Which documents belong to one unnamed person.",
        {"document": "Number of the document.", "owner": "Number of the person in the release; it names nobody."},
    ),
}  # fmt: skip
WORDS: Mapping[str, Mapping[str, Words]] = {
    "boxes": SERIES, "drawn": SERIES, "letters": SERIES, "states": STATES, "log": LOG, "grams": GRAMS,
    "documents": DOCUMENTS,
}  # fmt: skip


def says(layout: str, table: str) -> str:
    """A table in a sentence; empty if it is not known."""
    found = WORDS.get(layout, {}).get(table)
    return found.says if found else ""


def meaning(manifest: Mapping[str, Any], layout: str, table: str, column: str) -> str:
    """A column in a sentence: the custodian's words first, then those of the layout; empty if neither knows it."""
    described: Mapping[str, str] = manifest.get("publication", {}).get("describes", {})
    if column in described:
        return described[column]
    stem = re.sub("_(lo|hi)$", "", column)
    found = WORDS.get(layout, {}).get(table)
    for pattern, words in (found.columns if found else {}).items():
        caught = re.fullmatch(pattern, column)
        if caught:
            stated = words.format(*caught.groups())
            return f"{stated} {stem}: {described[stem]}" if stem != column and stem in described else stated
    if layout in ("boxes", "drawn") and table == "records":
        return _of_records(manifest, layout, column)
    return ""


def _of_records(manifest: Mapping[str, Any], layout: str, column: str) -> str:
    """Columns that are named after the data: values at a time, or sensitive columns."""
    schema: Mapping[str, Any] = next((f["schema"] for f in manifest["files"] if f["table"] == "records"), {})
    numbers = layout == "drawn" and str(schema.get(column, "")).startswith(("double", "float"))
    return (
        f"Value of {column}, as it was drawn or published."
        if numbers
        else f"Sensitive value {column}, published as it is."
    )
