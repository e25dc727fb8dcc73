"""Suppression rate against epsilon (Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_runs import table

TITLE = "Event logs: suppression rate"
PAPER = "Shaked, Rokach 2016, Figure 4"
NOTE = """Share of counted records whose statistic was suppressed. The paper prints no numbers; its text says that it
falls with epsilon, and that small shingles and 100 hashes suppress least. The first holds for us too; one shingle
suppresses least on Sepsis and TRANSFERS x 44, hashes change at most 0.004, and the demo of a hundred patients loses
far more than logs of the paper's size. `best` removes the smallest failing statistic first and keeps more than
`literal`, which removes all at once. markov-dp suppresses no counts and has no column."""
CHART = {
    "x": "epsilon",
    "ordered": True,
    "y_title": "suppression rate",
    "y": ["literal", "best"],
    "facet": "data",
    "rows": {"shingle": 1},
}
PRINTED = {"TRANSFERS": "falls with epsilon", "CPTEVENTS": "falls with epsilon"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another figure."""
    yield from table("suppression_rate", PRINTED, strict=False, beside={})
