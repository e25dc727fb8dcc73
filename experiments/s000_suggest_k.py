"""The paper's future work: which k? The curve of loss against k, and the suggestion, for every series."""

from __future__ import annotations

from collections.abc import Iterator

from experiments.s000_series import discords, stretches
from sequester.utility.suggest_k import suggest_k

TITLE = "n-grams: the suggested k for the 27 series"
PAPER = "Pajoohan 2016, section 7 (future work)"
NOTE = """The suggestion is the largest k tried that moves at most a tenth of the probability of the n-grams: a larger k
protects more, and a table that moves more than that describes its source poorly. Short recordings bear only small k.
`knee`, where the loss begins to grow more slowly than log k, is given for comparison: it sits higher or is absent,
because the loss flattens only when most rare grams have been lifted."""
CHART = {"x": "symbols", "y": "suggested_k", "color": "order", "scale": "log"}


def run() -> Iterator[dict]:
    """One row per series and order."""
    for source in (discords, stretches):
        for name, data in source():
            for n in (2, 3):
                told = suggest_k(data, n, unit="occurrence")
                yield {
                    "series": name,
                    "symbols": len(data.symbols),
                    "order": n,
                    "suggested_k": told["suggested k"],
                    "total_variation": round(told["probability moved at it"], 4),
                    "accuracy_before": round(told.rows["loss against k"][0]["accuracy_before"], 4),
                    "accuracy": round(told["next symbol right at it"], 4),
                    "knee": told["knee of the curve"],
                }
