"""Suppression rate against epsilon (Figure 4)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_fig2 import chosen

TITLE = "Event logs: suppression rate"
PAPER = "Shaked, Rokach 2016, Figure 4"
NOTE = (
    "The paper: the larger epsilon, the fewer records are suppressed; small shingles and few hashes suppress least. "
    "markov-dp suppresses nothing and has no row. 100, 250 and 500 hashes give identical rows: the signature trie "
    "reads only the first hash positions it needs."
)
CHART = {"x": "epsilon", "y": "suppression_rate", "color": "setting", "facet": "data"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another column."""
    yield from chosen("suppression_rate", "mean_support")
