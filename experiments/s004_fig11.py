"""Figure 11: seconds against the number of series, k = P = 10."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from benchmarks.growth import exponent

import sequester as sq
from experiments.pages import pivot
from experiments.series_data import COLUMNS, motion, named_best, uniform
from sequester.methods import method_class
from sequester.model import Series

TITLE = "(k,P)-anonymity, Figure 11: scalability"
PAPER = "Shou et al. 2013, Figure 11"
NOTE = """Curve only: the paper finds KAPRA quickest, Naive near TGA, BFP2KA much slower. CPU seconds, whole
`anonymize`, compilation excluded. Here, too, the printed KAPRA is quickest and Naive close to it; TGA is quadratic and
from 50,000 on slowest, and BFP2KA, compiled, is not. TGA stops at 50,000. Motion beyond 20,352 rows stacks further
draws of ten channels. BFP2KA reads SAX words of 20 letters, as in the paper; 0 released: no word occurs ten times, the
whole tree is cut. `literal` is the printed KAPRA; `best`, our default, takes longer because it refines the groups, in
fewer rounds the more records there are. Exponents are fitted over all sizes of a column."""
CHART = {"x": "n", "y": "seconds", "color": "method", "facet": "data"}
WAYS = {
    "naive": ("kp-naive", {"p": 10}, 100_000),
    "literal": ("kapra", {"p": 10, "pattern": "literal"}, 100_000),
    "kapra": ("kapra", {"p": 10}, 100_000),
    "tga multi": ("tga", {}, 50_000),
    "bfp2ka": ("bfp2ka", {}, 100_000),
}


def run() -> Iterator[dict[str, Any]]:
    small = Series(values=np.random.default_rng(0).random((300, 10)))
    for method_id, more, _ in WAYS.values():
        few = {"level": 2, "k": 2} if method_id == "bfp2ka" else {"k": 10}
        sq.anonymize(small, method_class(method_id)(**few, **more), seed=1)  # compile
    for name in ("Uniform", "Motion"):
        for n in (10_000, 20_000, 50_000, 100_000):
            data = uniform(n) if name == "Uniform" else motion(n=n)
            for way, (method_id, more, most) in WAYS.items():
                if n > most:
                    continue
                begun = time.process_time()
                try:
                    release = sq.anonymize(data, method_class(method_id)(k=10, **more), seed=1)
                    rows = next(iter(release.tables.values())).num_rows
                except sq.InputError:  # the whole prefix tree was cut
                    rows = 0
                seconds = time.process_time() - begun
                yield {"data": name, "n": n, "method": way, "seconds": round(seconds, 3), "released": rows}


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Methods side by side, and how each grows."""
    part = named_best(rows)
    grown = []
    for data, method in dict.fromkeys((r["data"], r["method"]) for r in part):
        curve = [r for r in part if (r["data"], r["method"]) == (data, method)]
        fitted = exponent([r["n"] for r in curve], [r["seconds"] for r in curve])
        grown.append({"data": data, "method": method, "exponent": fitted})
    return {
        "Seconds": pivot(part, ["data", "n"], "method", ["seconds"], COLUMNS),
        "Exponent": pivot(grown, ["data"], "method", ["exponent"], COLUMNS),
        "Records released": pivot(part, ["data", "n"], "method", ["released"], COLUMNS),
    }


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row))
