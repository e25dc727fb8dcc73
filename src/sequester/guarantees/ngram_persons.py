"""n-grams shared by at least k people; the rest are suppressed and cannot be found by subtraction or by flow."""

from __future__ import annotations

from sequester.guarantees.wording import SEVERAL
from sequester.release import Guarantee

MODEL = "ngram-k-people"
BOUNDARY = "&"
"""Stands before the beginning and behind the end of a series."""


def ngram_persons(k: int, n: int, cap: int | None) -> Guarantee:
    """Order n holds grams of at least k people, balanced; the lower orders are a function of what is published."""
    capped = f", each person adding at most {cap}" if cap else ""
    return Guarantee(
        model=MODEL,
        level=f"n-grams of at least {k} people",
        parameters={"k": k, "n": n, "cap": cap, "boundary": BOUNDARY},
        unit="person",
        status="verifiable",
        needs_original=True,
        statement=(
            f"Every published {n}-gram occurs in the series of at least {k} people{capped}; '{BOUNDARY}' stands before "
            "the beginning and behind the end of a series. The counts are those of series made of such grams, each "
            "from beginning to end or closed in itself: as much leads into every context as out of it, so that neither "
            "a difference between orders nor a difference between what enters and leaves a context gives the count of "
            "a suppressed gram. The table 'balance' says how many occurrences were added or taken away for that."
        ),
        not_covered=(
            "A reader of the table alone can recompute counts, balance and lower orders, not the number of people "
            "behind a gram: the custodian checks that against the original.",
            "Differential privacy: whether a gram passes the threshold can hang on one person.",
            "Guesses from the published grams: an absent gram that a Markov model of the table expects is more likely "
            "to be suppressed than never to have occurred.",
            "What a person's common grams say about a trait shared by all who have them.",
            SEVERAL,
        ),
    )
