"""The entropy loss (AEIL) against k, and the paper's claim that it stops growing before the probability loss (APIL)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from experiments.s000_series import KS, discords, loss, stretches

TITLE = "n-grams: entropy loss and probability loss against k"
PAPER = "Pajoohan 2016, Section 6 (no figure: its curves of AEIL were left out for space)"
NOTE = """APIL is the mean change of a gram's probability, AEIL the mean change of its entropy term -P log2 P, both in
percent over all possible 3-grams, means over the series of a data set. The picture shows both as shares of their
greatest value. The paper claims that AEIL stops growing at a smaller k than APIL. `stops` is the smallest k at which a
series reaches 95 % of its greatest loss, mean over the series; `sooner` counts the series in which AEIL stops at a
smaller k, `later` those at a greater one. The claim holds weakly: AEIL is ahead of APIL at small k and never stops
later, but with the printed listing it stops at the same k in 26 of 27 series. `literal` is the printed listing, `best`
the default (flow)."""
CHART = {"x": "k", "y": ["APIL, share", "AEIL, share"], "facet": "curve", "y_title": "share of the greatest"}
ORDER, REACHED = 3, 0.95
WAYS = {"literal": {"mode": "literal", "apportion": "fraction"}, "best": {}}


def run() -> Iterator[dict]:
    """A row per data set, way and k, then where curves stop."""
    for name, found in (("Dataset I", discords()), ("Dataset II", stretches())):
        series = [data for _, data in found]
        for way, options in WAYS.items():
            lost = [[loss(data, k, ORDER, **options) for k in KS] for data in series]
            both = {w: np.array([[told[w.lower()] for told in curve] for curve in lost]) for w in ("APIL", "AEIL")}
            for i, k in enumerate(KS):
                told = {w: round(float(x[:, i].mean()), 4) for w, x in both.items()}
                share = {f"{w}, share": round(float(x[:, i].mean() / x.mean(axis=0).max()), 4) for w, x in both.items()}
                yield {"data": name, "way": way, "curve": f"{name}, {way}", "k": k} | told | share
            stops = {w: np.array(KS)[(x >= REACHED * x.max(axis=1, keepdims=True)).argmax(axis=1)]
                     for w, x in both.items()}  # fmt: skip
            yield {
                "data": name, "way": way, "series": len(series),
                "APIL stops": round(float(stops["APIL"].mean()), 1),
                "AEIL stops": round(float(stops["AEIL"].mean()), 1),
                "sooner": int((stops["AEIL"] < stops["APIL"]).sum()),
                "later": int((stops["AEIL"] > stops["APIL"]).sum()),
            }  # fmt: skip


def tables(rows: list[dict]) -> dict[str, list[dict]]:
    """Curves, and the claim."""
    shown = ("data", "way", "k", "APIL", "AEIL")
    return {
        "Where growth stops": [r for r in rows if "series" in r],
        "Loss of 3-grams in percent": [{c: r[c] for c in shown} for r in rows if "k" in r],
    }
