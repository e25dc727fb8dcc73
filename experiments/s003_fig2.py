"""Distance between source and synthetic data against epsilon (Figure 2)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_runs import another_original, table

TITLE = "Event logs: distance between source and synthetic data"
PAPER = "Shaked, Rokach 2016, Figure 2"
NOTE = """`paper` is the range its text prints over all settings; its curves have no numbers. `literal` is
markov-ratio as printed, `best` gives sections a number of events and removes the smallest failing statistic first, a
choice made on these same logs; both are means over 100, 250 and 500 hashes. `another original` is how far an original
object is from the nearest other one: with a hundred patients 0.3 to 0.4, so a synthetic log of the demo that comes
nearer copies or leaves rare states out, and the paper's figures need the paper's size. On logs of that size (marked x
44 and x 35, walked through the demo's own contexts of up to three states, which flatters chains) we are inside or
below its range; only without the test CPTEVENTS lies slightly above it (up to 0.11). Unlike the paper's our distance
does not keep falling with epsilon, because rare states return; on TRANSFERS x 44 it falls up to 0.65. On BPIC 2011
`literal` is nearer because it drops what is hard to meet (see the lengths of Figure 3). On TRANSFERS at 0.05 it
publishes next to nothing. On Sepsis one shingle tells 68 sets of sections apart, fewer than the clusters allowed:
hashes cannot matter there. An empty cell: in some run the test left nothing to start from. markov-dp is forced on the
demo tables, whose hundred patients are too few for it; everywhere it selects its states with noise and is held
against the log with all of them, hence larger distances than on the page `markov_dp`."""
CHART = {
    "x": "epsilon",
    "ordered": True,
    "y_title": "distance",
    "y": ["literal", "best", "markov-dp eps 1", "markov-dp eps 4", "another original"],
    "facet": "data",
    "rows": {"shingle": 1},
}
PRINTED = {"TRANSFERS": "0.19 to 0.24", "CPTEVENTS": "0.00 to 0.10"}


def run() -> Iterator[dict[str, Any]]:
    """Distance one way (the paper's), the other way, and copies of traces that one person has."""
    beside = {
        "literal: back": ("literal", "distance_back"),
        "best: back": ("best", "distance_back"),
        "literal: unique copies": ("literal", "unique_copy_rate"),
        "best: unique copies": ("best", "unique_copy_rate"),
    }
    real: dict[str, float] = {}
    for row in table("distance", PRINTED, strict=True, beside=beside):
        if row["data"] not in real:
            real[row["data"]] = another_original(row["data"])
        yield row | {"another original": real[row["data"]]}
