"""Mean support against epsilon (Figure 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_fig2 import chosen

TITLE = "Event logs: mean support"
PAPER = "Shaked, Rokach 2016, Figure 5"
NOTE = (
    "The paper: the larger epsilon, the lower the mean support; one shingle gives the highest. markov-dp has no row. "
    "100, 250 and 500 hashes give identical rows: the signature trie reads only the first hash positions it needs."
)
CHART = {"x": "epsilon", "y": "mean_support", "color": "setting", "facet": "data"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another column."""
    yield from chosen("mean_support", "suppression_rate")
