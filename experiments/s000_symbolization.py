"""The paper's open question: what does the way of symbolizing do to the loss?"""

from collections.abc import Iterator

from experiments.s000_series import discords, loss, stretches

TITLE = "n-grams: how the symbolization changes the loss"
PAPER = "Pajoohan 2016, section 7 (future work)"
NOTE = """k = 10, n = 3, window 10, means over all 27 series. The ways differ less in the probability that moves than
in what the table says: equal-width symbols are skewed, hence easy to predict and seldom rare; quantile symbols are
even, with the hardest prediction and, from four symbols on, the most rare grams; sax lies between. A larger alphabet
moves more probability in all three, although APIL, a mean over all possible grams, falls."""
CHART = {"x": "alphabet", "y": "best", "color": "symbolize"}


def run() -> Iterator[dict]:
    """Means over the series by way and alphabet."""
    for way in ("sax", "equal-width", "quantile"):
        for alphabet in (3, 4, 6, 8):
            options = {"symbolize": way, "alphabet": alphabet}
            data = [d for source in (discords, stretches) for _, d in source(**options)]
            told = [loss(d, 10, 3) for d in data]

            def mean(name: str, told=told) -> float:
                return round(sum(t[name] for t in told) / len(told), 4)

            moved = sum(t["apil"] for t in told) / len(told) * alphabet**3 / 200
            yield {
                "symbolize": way,
                "alphabet": alphabet,
                "rare": mean("rare"),
                "best": mean("apil"),
                "aeil": mean("aeil"),
                "total_variation": round(moved, 4),
                "accuracy_before": mean("accuracy_before"),
                "accuracy": mean("accuracy"),
                "perplexity_before": mean("perplexity_before"),
                "perplexity": mean("perplexity"),
                "verified": all(t["verified"] for t in told),
            }
