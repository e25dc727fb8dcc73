"""Mean support against epsilon (Figure 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_runs import table

TITLE = "Event logs: mean support"
PAPER = "Shaked, Rokach 2016, Figure 5"
NOTE = """Records per kept statistic. The paper prints no numbers; its text says that it falls with epsilon and is
highest with one shingle. `simultaneous` removes all statistics that fail the test at once, as printed; `sequential`
the smallest first. Lengths, ends, gaps and spans are measured in both: the paper's own walk, which fills time slots,
was taken out of the program. markov-dp counts everybody in every statistic and has no column."""
CHART = {
    "x": "epsilon",
    "ordered": True,
    "y_free": True,
    "y_title": "mean support",
    "y": ["simultaneous", "sequential"],
    "facet": "data",
    "rows": {"shingle": 1},
}
PRINTED = {"TRANSFERS": "falls with epsilon", "CPTEVENTS": "falls with epsilon"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another figure."""
    yield from table("mean_support", PRINTED, strict=False, beside={})
