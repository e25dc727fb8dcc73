"""Fig. 10: loss of 3-grams against k for the stretches of Dataset II; other orders beside."""

from collections.abc import Iterator

from experiments.s000_series import curve, mean_and_series, stretches

TITLE = "n-grams: loss on MIT-BIH 106, T1 to T10 (Fig. 10)"
PAPER = "Pajoohan 2016, Fig. 10 and Table 3"
NOTE = """Curve only: the paper prints no values. Stretches with an anomaly (T1 to T5) lose hardly more than those
without (T6 to T10): 0.38 against 0.35 percent at k = 10, order 3 (`repaired`). At this resolution rare 3-grams come
from ordinary variation as much as from ventricular beats. Every table is verified from itself and beside the
original. `literal` is the printed listing with its fractions, `repaired` its repair in whole units, `best` the flow."""
CHART = {"x": "k", "y": "best", "color": "series", "rows": {"order": 3}}


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """Means, and the figure's order by series."""
    return mean_and_series(rows)


def run() -> Iterator[dict]:
    """Rows by series, order and k."""
    for name, data in stretches():
        yield from curve(name, data, ks=(5, 10, 20, 30, 50, 70, 100))
