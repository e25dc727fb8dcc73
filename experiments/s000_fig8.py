"""Fig. 8: loss against k for "data1", orders 2 to 5."""

from collections.abc import Iterator

from experiments.s000_series import curve, discords

TITLE = "n-grams: loss against k on data1 (Fig. 8)"
PAPER = "Pajoohan 2016, Fig. 8"
NOTE = """The figure's values did not survive in the text. Loss rises with k and flattens, as the paper says. That it
rises with the order of the model holds for the probability that moves (`total_variation`); APIL itself, a mean over
p^n possible grams, falls from order 3 on. `literal` is the printed listing, `best` the repaired default in whole units;
both in percent, every table verified."""
CHART = {"x": "k", "y": "best", "color": "order"}


def run() -> Iterator[dict]:
    """Rows by order and k."""
    name, data = next(discords())
    yield from curve(name, data)
