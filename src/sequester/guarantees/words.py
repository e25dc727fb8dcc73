"""Word frequency: every word left visible is used often enough. Says nothing about words side by side."""

from __future__ import annotations

from sequester.guarantees.substrings import COUNTED
from sequester.guarantees.wording import OWNERS, SEVERAL
from sequester.release import Guarantee

MODEL = "word-frequency"
LEVEL = {
    "occurrence": "words used at least {k} times",
    "document": "words in at least {k} documents",
    "person": "words used by at least {k} people",
}


def word_frequency(*, k: int, unit: str, mark: str) -> Guarantee:
    """Every visible word, split on white space, occurs `k` times (or in `k` documents, or for `k` people)."""
    limits = [
        "Words side by side: common words can form a rare phrase, an address or a full name.",
        "It is not differential privacy, and the length of every suppressed word is visible.",
    ]
    limits.append(SEVERAL)
    often = f"{COUNTED[unit].format(k=k)} {'in' if unit == 'occurrence' else 'of'}"
    if unit == "occurrence":
        limits.insert(0, "Documents and people: a name repeated in its owner's own note counts every time.")
    if unit == "person":
        limits.append(OWNERS)
    return Guarantee(
        model=MODEL,
        level=LEVEL[unit].format(k=k),
        parameters={"k": k, "mark": mark},
        unit=unit,
        status="verifiable",
        statement=f"Every visible word occurs {often} the release itself.",
        not_covered=tuple(limits),
    )
