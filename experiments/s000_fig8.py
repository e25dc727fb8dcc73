"""Fig. 8: loss against k for "data1", orders 2 to 5."""

from collections.abc import Iterator

from experiments.s000_series import curve, discords

TITLE = "n-grams: loss against k on data1 (Fig. 8)"
PAPER = "Pajoohan 2016, Fig. 8"
NOTE = """Curve only: the paper prints no values. Loss rises with k and flattens beyond 50, as the paper says. That it
rises with the order of the model holds for the probability that moves (`total_variation`) up to k = 20, beyond which
order 5 moves no more than order 4; APIL itself, a mean over p^n possible grams, falls from order 3 on. `literal` is
the printed listing, `repaired` its repair in whole units, `best` the flow; all in percent, every table verified."""
CHART = {"x": "k", "y": "best", "color": "order"}


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """Every other k, and what the figure is about."""
    columns = ("order", "k", "rare", "literal", "best", "total_variation", "accuracy_before", "accuracy", "verified")
    kept = [r for r in rows if r["k"] in (5, 10, 20, 30, 50, 70, 100)]
    return {"Loss in percent": [{c: r[c] for c in columns} for r in kept]}


def run() -> Iterator[dict]:
    """Rows by order and k."""
    name, data = next(discords())
    yield from curve(name, data)
