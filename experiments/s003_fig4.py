"""Suppression rate against epsilon (Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_runs import table

TITLE = "Event logs: suppression rate"
PAPER = "Shaked, Rokach 2016, Figure 4"
NOTE = """Share of counted records whose statistic was suppressed. The paper prints no numbers; its text says that it
falls with epsilon, and that small shingles and 100 hashes suppress least. `simultaneous` removes all statistics that
fail the test at once, as printed; `sequential` the smallest first. Lengths, ends, gaps and spans are measured in
both: the paper's own walk, which fills time slots, was taken out of the program. markov-dp suppresses no counts and
has no column."""
CHART = {
    "x": "epsilon",
    "ordered": True,
    "y_title": "suppression rate",
    "y": ["simultaneous", "sequential"],
    "facet": "data",
    "rows": {"shingle": 1},
}
PRINTED = {"TRANSFERS": "falls with epsilon", "CPTEVENTS": "falls with epsilon"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another figure."""
    yield from table("suppression_rate", PRINTED, strict=False, beside={})
