"""k-anonymous n-gram table: no published count is below k (Pajoohan 2016, Definition 5)."""

from __future__ import annotations

from sequester.release import Guarantee

MODEL = "ngram-k-anonymity"


def ngram_table(k: int, n: int) -> Guarantee:
    """Every count of orders 1..n is a whole number of at least k, and no gram outnumbers a gram inside it."""
    return Guarantee(
        model=MODEL,
        level=f"n-gram counts of at least {k}",
        parameters={"k": k, "n": n},
        unit="occurrence",
        status="verifiable",
        statement=(
            f"Every published n-gram of order 1 to {n} has a count of at least {k}, and no gram is counted more often "
            "than any gram inside it."
        ),
        not_covered=(
            "The existence of a rare gram: all grams that occur are listed, rare ones included; only their true "
            "counts are hidden.",
            "What the counts reveal: true counts multiplied by k would keep this promise and hide nothing.",
            f"A count of exactly {k}, which often marks a gram that was rare.",
            f"People: the {k} occurrences behind a count may all be one person's.",
            "Whoever knows all but a few of the true counts: the additions follow a fixed rule, not chance.",
        ),
    )
