"""The naive anomaly copy: one window's grams are repeated, nothing else is promised."""

from __future__ import annotations

from sequester.release import Guarantee

MODEL = "copied-anomaly"


def copied_anomaly(k: int, n: int) -> Guarantee:
    """The grams inside one copied window reach k; all other rare grams keep their true, small counts."""
    return Guarantee(
        model=MODEL,
        level=f"one window's grams counted at least {k} times",
        parameters={"k": k, "n": n},
        unit="occurrence",
        status="as-published",
        statement=(
            f"The table counts the grams of orders 1 to {n} of series to which one anomalous window was appended until "
            f"the grams inside that window reached {k}."
        ),
        not_covered=(
            f"All rare grams outside the copied window, those on its border among them: their true counts below {k} "
            "are published.",
            "The existence of any gram: all that occur are listed.",
            "People: occurrences are counted, whoever they belong to.",
        ),
    )
