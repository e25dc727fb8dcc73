"""Frequent patterns kept against epsilon (Figure 3)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from experiments.s003_fig2 import chosen

TITLE = "Event logs: frequent patterns kept"
PAPER = "Shaked, Rokach 2016, Figure 3"
NOTE = (
    "The paper sees no trend with epsilon and prints no numbers; the two columns are the share of the twenty most "
    "frequent 2-grams kept and the L1 distance of all 2-gram frequencies. 100, 250 and 500 hashes give identical "
    "rows: the signature trie reads only the first hash positions it needs."
)
CHART = {"x": "epsilon", "y": "top20_2grams", "color": "setting", "facet": "data"}


def run() -> Iterator[dict[str, Any]]:
    """The runs of Figure 2, another column."""
    yield from chosen("top20_2grams", "bigram_l1")
