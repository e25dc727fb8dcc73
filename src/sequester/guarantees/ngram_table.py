"""k-anonymous n-gram table: no published count is below k (Pajoohan 2016, Definition 5)."""

from __future__ import annotations

from sequester.release import Guarantee

MODEL = "ngram-k-anonymity"


def ngram_table(k: int, n: int, *, exact: bool = False) -> Guarantee:
    """Every count of orders 1..n is a whole number of at least k, and no gram outnumbers a gram inside it.

    `exact`: all orders together are the table of the original series and further strings.
    """
    whole = " All orders together are exactly the table of the original series and of added strings." if exact else ""
    return Guarantee(
        model=MODEL,
        level=f"n-gram counts of at least {k}",
        parameters={"k": k, "n": n} | ({"exact": True} if exact else {}),
        unit="occurrence",
        status="verifiable",
        statement=(
            f"Every published n-gram of order 1 to {n} has a count of at least {k}, and no gram is counted more often "
            f"than any gram inside it.{whole}"
        ),
        not_covered=(
            "The existence of a rare gram: all grams that occur are listed, rare ones included; only their true "
            "counts are hidden.",
            "What the counts reveal: true counts multiplied by k would keep this promise and hide nothing.",
            f"A count of exactly {k}, which {'nearly always' if exact else 'often'} marks a gram that was rare.",
            f"People: the {k} occurrences behind a count may all be one person's.",
            "Whoever knows all but a few of the true counts: the additions follow a fixed rule, not chance.",
        ),
    )
