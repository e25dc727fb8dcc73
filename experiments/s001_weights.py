"""Weights of states in the distance: equal, or 1 : 50 : 150 : 50 as the paper tried."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.student_minutes import STATES, student_people
from sequester.layouts.states import States
from sequester.utility.activity_shape import minutes_per_day
from sequester.utility.two_samples import relative_difference

TITLE = "Weights of states in the distance"
PAPER = "Parameshwarappa, Chen, Koru 2020, Weights for Euclidean Distance (no figures printed)"
NOTE = """Relative difference of daily minutes, the i-th row of a cluster paired with its i-th member, five runs,
2,450 of the rebuilt people. The paper says that running did not change much, and keeps equal weights."""
WAYS = {
    "equal": (),
    "1 : 50 : 150 : 50": ("stationary=1", "walking=50", "running=150", "missing=50"),
}
RUNS = 5


def run() -> Iterator[dict[str, Any]]:
    """A row per weighting, as printed and with our clusters (the printed sampling on both)."""
    data = student_people(2450)
    before = minutes_per_day(data, data.states)
    for clusters, options in (("literal", {"literal": True}), ("best clusters", {"sampler": "independent"})):
        for name, weights in WAYS.items():
            found = []
            for seed in range(RUNS):
                release = sq.anonymize(data, sq.MCKA(k=5, weights=weights, **options), seed=seed)  # type: ignore[arg-type]
                shown = States.read(release)
                partner = shown.members(release, data)
                after = minutes_per_day(data, shown.states)
                found.append(relative_difference(before[partner], after).mean(axis=(0, 2)))
            mean = np.mean(found, axis=0)
            yield {"clusters": clusters, "weights": name} | {s: round(float(m), 3) for s, m in zip(STATES, mean)}
