"""Time for clustering: multi-level against plain MDAV, with and without aggregation."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np

from experiments.student_minutes import student_people
from sequester.methods.activity.clustering import Clusters, mdav_clusters, multilevel_clusters, window_edges
from sequester.model import Activities
from sequester.primitives.aggregate import window_counts

TITLE = "Time for clustering 9,800 people (Table 4)"
PAPER = "Parameshwarappa, Chen, Koru 2020"
NOTE = (
    "The paper used R on one thread; these are compiled kernels on two threads, aggregation of the minutes included. "
    "Loss is the within-cluster sum of squares of daily minutes per person. Multi-level clustering with our three "
    "improvement passes loses less than plain MDAV; MDAV on every minute, which ran out of memory in the paper, ends."
)
CHART = {"x": "method", "y": "seconds", "scale": "log"}
K = 5


def daily_loss(data: Activities, clusters: Clusters) -> float:
    """Within-cluster sum of squares of daily minutes, per person."""
    x = window_counts(data.states, len(data.state_names), window_edges(data, "day"), threads=2)
    x = x.reshape(len(x), -1)[clusters.order].astype(float)
    means = np.add.reduceat(x, clusters.bounds[:-1], axis=0) / clusters.sizes[:, None]
    return float(((x - np.repeat(means, clusters.sizes, axis=0)) ** 2).sum() / len(x))


def multi(data: Activities, *, fan_out: int, passes: int, levels: tuple[str, ...] = ("period", "day")) -> Clusters:
    """Multi-level clustering with the parameters of a row."""
    return multilevel_clusters(
        data, k=K, levels=levels, fan_out=fan_out, sizes=None, weights={}, variant="2k", passes=passes, threads=2
    )


def single(data: Activities, level: str) -> Clusters:
    """Plain MDAV on one level."""
    return mdav_clusters(data, k=K, level=level, weights={}, variant="2k", threads=2)


def run() -> Iterator[dict[str, Any]]:
    """One row per way of clustering."""
    small, data = student_people(60, days=2), student_people()
    ways = [
        ("MC as printed (fan-out 50)", "21 min", lambda d: multi(d, fan_out=50, passes=0)),
        ("MC, fan-out 200", None, lambda d: multi(d, fan_out=200, passes=0)),
        ("MC, fan-out 200, 3 passes (default)", None, lambda d: multi(d, fan_out=200, passes=3)),
        ("MDAV on days (pruned, same partition)", "2.6 h", lambda d: single(d, "day")),
        ("MDAV on every minute (bit-packed)", "> 12.6 h, out of memory", lambda d: single(d, "interval")),
    ]
    for name, paper, cluster in ways:
        cluster(small)  # compiles
        begun = time.perf_counter()
        clusters = cluster(data)
        seconds = time.perf_counter() - begun
        yield {
            "method": name,
            "paper": paper,
            "seconds": round(seconds, 3),
            "loss": round(daily_loss(data, clusters)),
            "smallest": int(clusters.sizes.min()),
            "largest": int(clusters.sizes.max()),
        }
