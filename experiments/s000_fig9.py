"""Fig. 9: loss of 3-grams against k for all series of Dataset I; other orders beside."""

from collections.abc import Iterator

from experiments.s000_series import curve, discords

TITLE = "n-grams: loss on the 17 discord series (Fig. 9)"
PAPER = "Pajoohan 2016, Fig. 9"
NOTE = """The figure's values did not survive in the text. Lead 1 of the electrocardiograms is taken (the paper does not
say which); standard deviations are those of the population. Every table is verified from itself and beside the
original."""
CHART = {"x": "k", "y": "best", "color": "series", "rows": {"order": 3}}


def run() -> Iterator[dict]:
    """Rows by series, order and k."""
    for name, data in discords():
        yield from curve(name, data, ks=(5, 10, 20, 30, 50, 70, 100))
