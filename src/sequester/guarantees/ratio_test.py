"""The ratio test of Shaked and Rokach (2016): a filter on small counts that was published as differential privacy."""

from __future__ import annotations

import math

from sequester.release import Guarantee

MODEL = "ratio-test"


def ratio_test(epsilon: float, mode: str) -> Guarantee:
    """What the filter keeps, and why it is not the privacy its epsilon suggests."""
    common = (
        "Differential privacy: the filter involves no randomness, so one record can switch a statistic on or off "
        "for certain (21 of 1000 passes at epsilon 0.05, 20 of 999 does not).",
        "People: the unit is one transition, and a person has many; a statistic may rest on one person alone, and "
        "one that makes up its whole row (2 of 2) always passes.",
        "Side statistics: daily start counts, and which states never open or never close an object steer the synthesis "
        "exactly and untested.",
        "Composition: epsilon is applied to every one of thousands of statistics and never divided among them.",
    )
    if mode == "off":
        statement = "Nothing is suppressed: the synthetic log follows every statistic of the original, rare or not."
        level = "no ratio test"
    else:
        floor = math.ceil(1 / -math.expm1(-epsilon)) if epsilon < 700 else 2
        statement = (
            f"Every start, transition, length, gap, pause and hour frequency in the model rests on at least 2 records, "
            f"on about {max(2, floor)} where its row is large, "
            f"and would change by at most a factor of exp({epsilon:g}) if one of its own records were removed."
        )
        level = f"ratio test at {epsilon:g}"
    return Guarantee(
        model=MODEL,
        level=level,
        parameters={"epsilon": epsilon, "test": mode},
        unit="occurrence",
        status="as-published",
        statement=statement,
        not_covered=common,
    )
