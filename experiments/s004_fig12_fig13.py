"""Figures 12 and 13: customised publishing, cost of estimation and accuracy of queries against the overlap."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.pages import pivot
from experiments.series_data import COLUMNS, motion, named_best, walk
from sequester.layouts.series_view import look_at
from sequester.methods.series.kapra import Kapra

TITLE = "(k,P)-anonymity, Figures 12 and 13: customised publishing"
PAPER = "Shou et al. 2013, Figures 12 and 13"
NOTE = """Walk, k=10, P=3; overlap = share of times published both as range and as letter, the rest split evenly;
means over 5 draws of times with 300 queries of each kind. Curve only; as in the paper, accuracy grows with the
overlap up to 0.8, the paper's last point; range counts of full publishing are off by more again. The cost of
estimation grows a little with the overlap, as in the paper; at 1.0 there is nothing to estimate. Sure bounds held the
truth in every range query. 1.0 is full publishing. `literal` is the printed KAPRA, `best` publishes each record's own
word with refined groups: tighter ranges, hence smaller errors of range counts, at about equal precision of
patterns."""
ALONE = True
CHART = {"x": "overlap", "y": "similar precision", "color": "method"}


def split_times(times: tuple[str, ...], overlap: float, seed: int) -> dict[str, tuple[str, ...]]:
    """Times for both, for ranges only and for letters only."""
    order = np.random.default_rng(seed).permutation(len(times))
    both = round(overlap * len(times))
    half = (len(times) - both) // 2
    values = {times[i] for i in order[: both + half]}
    patterns = {times[i] for i in [*order[:both], *order[both + half :]]}
    keep = {"publish_values": values, "publish_patterns": patterns}
    return {name: tuple(t for t in times if t in chosen) for name, chosen in keep.items()}


def estimated(release: sq.Release) -> float:
    """Seconds to estimate what was not published, the better of two: the first look may compile."""
    times = []
    for _ in range(2):
        begun = time.perf_counter()
        look_at(release.tables, release.parameters)
        times.append(time.perf_counter() - begun)
    return min(times)


def run() -> Iterator[dict[str, Any]]:
    data = walk()
    for way in ("literal", "own-word"):
        for overlap in (0.2, 0.4, 0.6, 0.8, 1.0):
            rows = []
            for draw in range(1 if overlap == 1.0 else 5):
                chosen = {} if overlap == 1.0 else split_times(data.times, overlap, draw)
                release = sq.anonymize(data, Kapra(k=10, p=3, pattern=way, **chosen), seed=1)
                seconds = estimated(release)
                told = sq.measure(data, release, n_queries=300, n_targets=0, nearness=0.19, seed=draw)
                rows.append(
                    {
                        "seconds of estimation": seconds,
                        "similar precision": told["similar patterns: precision"],
                        "pattern range precision": told["pattern ranges: precision"],
                        "range error": told["range counts: relative error"],
                        "bounds hold": told["range counts: bounds hold"],
                    }
                )
            mean = {name: float(np.mean([r[name] for r in rows])) for name in rows[0]}
            yield {"figure": "13", "data": "Walk", "n": 6553, "method": way, "overlap": overlap, **mean}
    for n in (10_000, 20_000, 50_000, 100_000):
        many = motion(n=n)
        chosen = split_times(many.times, 0.6, 0)
        for way in ("literal", "own-word"):
            if way == "own-word" and n > 50_000:
                continue  # refining that many takes a minute
            release = sq.anonymize(many, Kapra(k=10, p=10, pattern=way, **chosen), seed=1)
            yield {"figure": "12b", "data": "Motion", "n": n, "method": way, "overlap": 0.6,
                   "seconds of estimation": estimated(release)}  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """A table per figure."""
    part = named_best(rows, "own-word")
    walks, motions = ([r for r in part if r["figure"] == f] for f in ("13", "12b"))
    asked = ["similar precision", "pattern range precision", "range error", "bounds hold"]
    return {
        "Figure 12a: seconds of estimation": pivot(walks, ["overlap"], "method", ["seconds of estimation"], COLUMNS),
        "Figure 12b: seconds of estimation": pivot(motions, ["n"], "method", ["seconds of estimation"], COLUMNS),
        "Figure 13: accuracy of queries": pivot(walks, ["overlap"], "method", asked, COLUMNS),
    }


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row))
