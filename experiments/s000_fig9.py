"""Fig. 9: loss of 3-grams against k for all series of Dataset I; other orders beside."""

from collections.abc import Iterator

from experiments.s000_series import curve, discords, mean_and_series

TITLE = "n-grams: loss on the 17 discord series (Fig. 9)"
PAPER = "Pajoohan 2016, Fig. 9"
NOTE = """Curve only: the paper prints no values. Lead 1 of the electrocardiograms is taken (the paper does not
say which); standard deviations are those of the population. Every table is verified from itself and beside the
original. `literal` is the printed listing with its fractions, `repaired` its repair in whole units; these two stay
close because repairs concern few grams. `best` is the flow: it moves least up to k = 30, and no longer at k = 100."""
CHART = {"x": "k", "y": "best", "color": "series", "rows": {"order": 3}}


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """Means, and the figure's order by series."""
    return mean_and_series(rows)


def run() -> Iterator[dict]:
    """Rows by series, order and k."""
    for name, data in discords():
        yield from curve(name, data, ks=(5, 10, 20, 30, 50, 70, 100))
