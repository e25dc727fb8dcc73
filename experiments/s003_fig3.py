"""Frequent patterns kept against epsilon (Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_runs import table

TITLE = "Event logs: frequent patterns kept"
PAPER = "Shaked, Rokach 2016, Figure 3"
NOTE = """Share of the twenty most frequent 2-grams that are kept; the paper sees no trend with epsilon or the setting
and prints no numbers. `literal` fills a section until its time is up, which makes traces too long or too short;
`best` gives it a number of events (`length` is the mean error of trace lengths, 0 is perfect), so on most logs the
patterns of long traces return (not on CPTEVENTS of the demo). Means over 100, 250 and 500 hashes. markov-dp selects
its states with noise and is held against the log with all of them. An empty cell: in some run the test left nothing
to start from."""
CHART = {
    "x": "epsilon",
    "ordered": True,
    "y_title": "share kept",
    "y": ["literal", "best", "markov-dp eps 1", "markov-dp eps 4"],
    "facet": "data",
    "rows": {"shingle": 1},
}
PRINTED = {"TRANSFERS": "no trend", "CPTEVENTS": "no trend"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another figure, and the lengths beside."""
    beside = {
        "literal: 2-gram L1": ("literal", "bigram_l1"),
        "best: 2-gram L1": ("best", "bigram_l1"),
        "literal: length": ("literal", "length"),
        "best: length": ("best", "length"),
    }
    yield from table("top20_2grams", PRINTED, strict=True, beside=beside)
