"""Word frequency: every word left visible is used often enough. Says nothing about words side by side."""

from __future__ import annotations

from sequester.guarantees.substrings import BY, COUNTED
from sequester.release import Guarantee

MODEL = "word-frequency"


def word_frequency(*, k: int, unit: str, mark: str) -> Guarantee:
    """Every visible word, split on white space, occurs `k` times (or in `k` documents, or for `k` people)."""
    limits = [
        "Words side by side: common words can form a rare phrase, an address or a full name.",
        "It is not differential privacy, and the length of every suppressed word is visible.",
    ]
    if unit == "occurrence":
        limits.insert(0, "Documents and people: a name repeated in its owner's own note counts every time.")
    if unit == "person":
        limits.append("The table `owners` shows which documents belong to one (unnamed) person.")
    return Guarantee(
        model=MODEL,
        level=f"words used {k} times by {BY[unit]}",
        parameters={"k": k, "mark": mark},
        unit=unit,
        status="verifiable",
        statement=f"Every visible word occurs {COUNTED[unit].format(k=k)} of the release itself.",
        not_covered=tuple(limits),
    )
