"""Time for clustering: multi-level against plain MDAV, with and without aggregation."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from experiments.student_minutes import student_people
from sequester.engines import Engine
from sequester.methods.activity.shared.clustering import (
    Clusters,
    Everybody,
    mdav_clusters,
    multilevel_clusters,
    window_edges,
)
from sequester.methods.activity.shared.kernels.mdav import mdav
from sequester.methods.activity.shared.kernels.multilevel import window_counts
from sequester.model import Activities
from sequester.release import Release
from sequester.utility import activity
from sequester.utility.activity_shape import minutes_per_day

TITLE = "Time for clustering 9,800 people (Table 4)"
PAPER = "Parameshwarappa, Chen, Koru 2020, Table 4"
NOTE = """CPU seconds. The paper used R on one thread; these are compiled kernels on two threads, added up, aggregation
of the minutes included, hence a distance of more than three orders of magnitude. Multi-level clustering: `literal` has
the printed fan-out of 50, `best` 200 and three improvement passes, and then loses less than plain MDAV. MDAV on days:
`literal` scans all distances, `best` prunes and finds the same partition. MDAV on every minute, which ran out of
memory in the paper, was not run (6 GB of doubles). Losses are within-cluster sums of squares of daily minutes per
person. The machine did other work meanwhile."""
K = 5


def daily_minutes(data: Activities) -> np.ndarray:
    """People x states x days."""
    return window_counts(data.states, len(data.state_names), window_edges(data, "day"), threads=2)


def daily_loss(data: Activities, clusters: Clusters) -> float:
    """Within-cluster sum of squares of daily minutes, per person."""
    x = daily_minutes(data)
    x = x.reshape(len(x), -1)[clusters.order].astype(float)
    means = np.add.reduceat(x, clusters.bounds[:-1], axis=0) / clusters.sizes[:, None]
    return float(((x - np.repeat(means, clusters.sizes, axis=0)) ** 2).sum() / len(x))


def daily_differences(data: Activities, release: Release) -> dict[str, float]:
    """State → the relative difference of daily minutes, as `measure` has it, without the other figures it takes."""
    published = activity._published(data, release)
    paired, _ = activity._relative_differences(minutes_per_day(data, data.states), published.minutes, published)
    return {state: round(float(paired[:, a].mean()), 4) for a, state in enumerate(data.state_names)}


def multi(data: Activities, *, fan_out: int, passes: int, levels: tuple[str, ...] = ("period", "day")) -> Clusters:
    """Multi-level clustering with the parameters of a row."""
    return multilevel_clusters(
        Everybody.of(data, Engine(threads=2)),
        k=K,
        levels=levels,
        fan_out=fan_out,
        weights={},
        passes=passes,
    )


def single(data: Activities, level: str) -> Clusters:
    """Plain MDAV on one level."""
    return mdav_clusters(Everybody.of(data, Engine(threads=2)), k=K, level=level, weights={})


def scanned(data: Activities) -> Clusters:
    """MDAV on days without pruning."""
    return Clusters.of(mdav(daily_minutes(data).astype(float), K, exhaustive=True))


def run() -> Iterator[dict[str, Any]]:
    """One row per column of the table."""
    small, data = student_people(60, days=2), student_people()
    ways: list[tuple[str, str, dict[str, Callable[[Activities], Clusters]]]] = [
        (
            "MC (k = 5)",
            "1260 (21 min)",
            {"literal": lambda d: multi(d, fan_out=50, passes=0), "best": lambda d: multi(d, fan_out=200, passes=3)},
        ),
        (
            "MDAV (k = 5), with aggregation",
            "9360 (2.6 h)",
            {"literal": scanned, "best": lambda d: single(d, "day")},
        ),
        (
            "MDAV (k = 5), no aggregation",
            "> 45360 (12.6 h), out of memory",
            {},
        ),
    ]
    for name, paper, both in ways:
        row: dict[str, Any] = {"clustering": name, "paper": paper, "literal": None, "best": None}
        for column, cluster in both.items():
            cluster(small)  # compiles
            begun = time.process_time()
            clusters = cluster(data)
            row[column] = round(time.process_time() - begun, 3)
            row[f"{column} loss"] = round(daily_loss(data, clusters))
            row[f"{column} sizes"] = f"{clusters.sizes.min()} to {clusters.sizes.max()}"
        yield row
