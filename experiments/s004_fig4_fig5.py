"""Figures 4 and 5: value and pattern loss against P (k=10) and against k (P=5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.pages import pivot
from experiments.series_data import COLUMNS, motion, named_best, walk
from sequester.methods import method_class

TITLE = "(k,P)-anonymity, Figures 4 and 5: losses against P and k"
PAPER = "Shou et al. 2013, Figures 4 and 5"
NOTE = """Curve only: the paper prints no numbers; its statements hold: pattern loss grows with P, value loss of Naive
does not depend on P, pattern loss of KAPRA not on k, that of Naive falls with k, KAPRA keeps patterns, Naive values
(on Motion up to k = 30). Ends of ranges are exact in all columns. `literal` is the paper's KAPRA with one step
repaired, `printed` its listing as printed, `best` our default (prototypes, found by a search on both losses). P = 1
(Section 5.5) shows no pattern; its shape is read off the ranges. The random walk was never published, so its seed
decides: Walk is the median over seeds (30 of the quick methods, 2 of `best`) with the smallest and the largest in
brackets; the picture shows seed 0."""
CHART = {"x": "P", "y": "pattern loss", "color": "method", "facet": "data", "rows": {"figure": "4", "seed": 0}}
SEEDS, FEW_SEEDS = 30, 2
"""Walks of the methods that take a moment, and of those that take seconds."""
WAYS = {
    "naive": ("kp-naive", {}),
    "literal": ("kapra", {"pattern": "literal"}),
    "printed": ("kapra", {"pattern": "printed"}),
    "kapra": ("kapra", {}),
}


def run() -> Iterator[dict[str, Any]]:
    settings = [("4", 10, p) for p in (1, 2, 3, 5, 7, 10)] + [("5", k, 5) for k in (5, 10, 20, 30, 40, 50)]
    sets = [("Motion", 0, motion())] + [("Walk", seed, walk(seed)) for seed in range(SEEDS)]
    for name, seed, data in sets:
        done: dict[tuple[int, int, str], sq.Evidence] = {}
        for figure, k, p in settings:
            for way, (method_id, more) in WAYS.items():
                if p == 1 and way != "kapra":
                    continue
                if seed >= FEW_SEEDS and way == "kapra":
                    continue
                if (k, p, way) not in done:  # one setting stands in both figures
                    release = sq.anonymize(data, method_class(method_id)(k=k, p=p, ends_step=0.0, **more), seed=1)
                    done[k, p, way] = sq.measure(data, release, n_queries=0, n_targets=0)
                told = done[k, p, way]
                yield {
                    "figure": figure, "data": name, "seed": seed, "k": k, "P": p, "method": way,
                    "value loss": told["value loss per record"], "pattern loss": told["pattern loss per record"],
                }  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Methods side by side."""
    out = {}
    for figure, setting, index in (("4", "against P, k = 10", "P"), ("5", "against k, P = 5", "k")):
        part = named_best(_over_seeds([r for r in rows if r["figure"] == figure]))
        out[f"Figure {figure}: {setting}"] = pivot(
            part, ["data", index], "method", ["value loss", "pattern loss"], COLUMNS
        )
    return out


def _over_seeds(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row per setting: the median over seeds, and the band where there are several."""
    found: dict[tuple[Any, ...], list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault((row["data"], row["k"], row["P"], row["method"]), []).append(row)
    return [
        same[0] | {m: _told([r[m] for r in same]) for m in ("value loss", "pattern loss")} for same in found.values()
    ]


def _told(losses: list[float]) -> float | str:
    if len(losses) == 1:
        return losses[0]
    return f"{np.median(losses):.3g} ({min(losses):.3g}-{max(losses):.3g})"


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row))
