"""Frequent patterns kept against epsilon (Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_runs import table

TITLE = "Event logs: frequent patterns kept"
PAPER = "Shaked, Rokach 2016, Figure 3"
NOTE = """Share of the twenty most frequent 2-grams that are kept; the paper sees no trend with epsilon or the setting
and prints no numbers. `simultaneous` removes all statistics that fail the test at once, as printed; `sequential` the
smallest first. Lengths, ends, gaps and spans are measured in both: the paper's own walk, which fills time slots, was
taken out of the program. `length` is the mean error of trace lengths, 0 is perfect. Means over 100, 250 and 500
hashes. markov-dp selects its states with noise and is held against the log with all of them. An empty cell: in some
run the test left nothing to start from."""
CHART = {
    "x": "epsilon",
    "ordered": True,
    "y_title": "share kept",
    "y": ["simultaneous", "sequential", "markov-dp eps 1", "markov-dp eps 4"],
    "facet": "data",
    "rows": {"shingle": 1},
}
PRINTED = {"TRANSFERS": "no trend", "CPTEVENTS": "no trend"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another figure, and the lengths beside."""
    beside = {
        "simultaneous: 2-gram L1": ("simultaneous", "bigram_l1"),
        "sequential: 2-gram L1": ("sequential", "bigram_l1"),
        "simultaneous: length": ("simultaneous", "length"),
        "sequential: length": ("sequential", "length"),
    }
    yield from table("top20_2grams", PRINTED, strict=True, beside=beside)
