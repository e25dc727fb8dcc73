"""Fig. 7: the mean count of 3-grams in the series of Dataset I, and the claim that data7 to data11 stand out."""

from collections.abc import Iterator

import numpy as np

from experiments.s000_series import discords
from sequester.utility.symbols import true_tables

TITLE = "n-grams: mean count of 3-grams, Dataset I (Fig. 7)"
PAPER = "Pajoohan 2016, Fig. 7"
NOTE = """The paper draws the mean frequency of the 3-grams of every series and says that data7 to data11 stand out;
it prints no values. They do stand out, and they are the longest series (1,805 to 4,500 symbols against 375 to
1,500): a mean count grows with the length. `mean` is over the 3-grams that occur, `all` over the 64 there could be,
`below 10` the share of those that occur which are rare at k = 10."""
CHART = {"x": "number", "y": "mean"}


def run() -> Iterator[dict]:
    """A row per series."""
    for name, data in discords():
        counts = np.array(list(true_tables(data, 3)[3].values()))
        yield {
            "series": name,
            "number": int("".join(filter(str.isdigit, name))),
            "symbols": len(data.symbols),
            "3-grams": len(counts),
            "mean": round(float(counts.mean()), 1),
            "all": round(float(counts.sum() / 4**3), 1),
            "below 10": round(float((counts < 10).mean()), 3),
        }
