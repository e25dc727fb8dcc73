"""Figures 12 and 13: customised publishing, cost of estimation and accuracy of queries against the overlap."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.pages import pivot
from experiments.series_data import COLUMNS, motion, walk
from sequester.layouts.series_view import look_at
from sequester.methods.series.kapra import Kapra
from sequester.utility import series_queries as ask

TITLE = "(k,P)-anonymity, Figures 12 and 13: customised publishing"
PAPER = "Shou et al. 2013, Figures 12 and 13"
NOTE = """Walk, k=10, P=3, exact ends; overlap = share of times published both as range and as letter, the rest split
evenly. Range counts have one predicate, on a time whose range is missing at every overlap below 1.0, as the paper
demands; each of 30 draws of times asks the same 2,000 questions at every overlap, full publishing (1.0) included.
Means and medians over all questions, the band is over draws; most of the mean comes from questions with few answers.
100 pattern questions a draw. Seconds of estimation are CPU seconds. Sure bounds held the truth in every range query.
`literal` is the paper's procedure with one step repaired."""
DRAWS = 30
"""Choices of times; which times are left out decides the error."""
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
    """CPU seconds to estimate what was not published, the better of two: the first look may compile."""
    times = []
    for _ in range(2):
        begun = time.process_time()
        look_at(release.tables, release.parameters)
        times.append(time.process_time() - begun)
    return min(times)


def compared(data: sq.Series, release: sq.Release) -> ask.Compared:
    """The release beside its original."""
    rows = release.private["origin"]["row"].to_numpy() - 1
    return ask.Compared(np.asarray(data.values), look_at(release.tables, release.parameters), rows)


def run() -> Iterator[dict[str, Any]]:
    data = walk()
    full = sq.anonymize(data, Kapra(k=10, p=3, pattern="literal", ends_step=0.0), seed=1)
    for overlap in (0.2, 0.4, 0.6, 0.8, 1.0):
        rows, errors = [], []
        for draw in range(DRAWS):
            missing = int(np.random.default_rng(draw).permutation(len(data.times))[-1])
            release = full
            if overlap < 1.0:
                chosen = split_times(data.times, overlap, draw)
                release = sq.anonymize(data, Kapra(k=10, p=3, pattern="literal", ends_step=0.0, **chosen), seed=1)
            both = compared(data, release)
            counts = ask.range_queries(both, 2000, np.random.default_rng([draw, 3]), n_times=1, among=[missing])
            mine = [q["relative_error"] for q in counts if q["relative_error"] is not None]
            errors.append(mine)
            similar = ask.similarity_queries(both, 100, 0.19, np.random.default_rng([draw, 1]))
            shapes = ask.pattern_range_queries(both, 100, np.random.default_rng([draw, 2]))
            rows.append(
                {
                    "seconds of estimation": estimated(release),
                    "similar precision": ask.mean_of(similar, "precision"),
                    "pattern range precision": ask.mean_of(shapes, "precision"),
                    "bounds hold": float(np.mean([q["at_least"] <= q["true"] <= q["at_most"] for q in counts])),
                }
            )
        mean = {name: float(np.mean([r[name] for r in rows])) for name in rows[0]}
        each = [float(np.mean(e)) for e in errors]
        error = {
            "range error": float(np.mean(each)),
            "range error, median": float(np.median(np.concatenate(errors))),
            "range error, band": f"{min(each):.3g} to {max(each):.3g}",
        }
        yield {"figure": "13", "data": "Walk", "n": 6553, "method": "literal", "overlap": overlap, **mean, **error}
    for n in (10_000, 20_000, 50_000, 100_000):
        many = motion(n=n)
        chosen = split_times(many.times, 0.6, 0)
        release = sq.anonymize(many, Kapra(k=10, p=10, ends_step=0.0, **chosen), seed=1)
        yield {"figure": "12b", "data": "Motion", "n": n, "method": "literal", "overlap": 0.6,
               "seconds of estimation": estimated(release)}  # fmt: skip


def tables(rows: list[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """A table per figure."""
    walks, motions = ([r for r in rows if r["figure"] == f] for f in ("13", "12b"))
    asked = ["range error", "range error, median", "range error, band", "similar precision", "pattern range precision",
             "bounds hold"]  # fmt: skip
    return {
        "Figure 12a: seconds of estimation": pivot(walks, ["overlap"], "method", ["seconds of estimation"], COLUMNS),
        "Figure 12b: seconds of estimation": pivot(motions, ["n"], "method", ["seconds of estimation"], COLUMNS),
        "Figure 13: accuracy of queries": pivot(walks, ["overlap"], "method", asked, COLUMNS),
    }


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row))
