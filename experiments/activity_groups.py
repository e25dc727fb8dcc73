"""Condition against control: does the difference survive, and how sure can one be of it?"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import sequester as sq
from experiments.activity_measures import students

TITLE = "Differences between groups"
PAPER = "ours; intervals: Welch 1947"
NOTE = """Two made-up groups of simulated students, by their minutes of walking and chance. Difference of means, more
active minus less, and the width of its 95 % interval relative to the original's: below 1 is false certainty. k = 5,
mean of three seeds."""
MEASURES = ("minutes of walking", "minutes of stationary", "IS", "IV", "RA", "day-to-day SD of walking")


def grouped(n_people: int = 300) -> Any:
    """Students, half of them in the group that walks more."""
    data = students(n_people)
    rng = np.random.default_rng(0)
    walking = (data.states == 1).mean(axis=1)
    rank = np.argsort(np.argsort(walking + rng.normal(0, walking.std(), len(walking))))
    arm = np.where(rank >= len(rank) // 2, "more", "less").astype(object)
    return replace(data, covariates={"arm": arm})


def run() -> Iterator[dict[str, Any]]:
    """A row per measure and way."""
    data = grouped()
    ways = {
        "independent in groups (paper's sampler)": sq.MCKA(k=5, by=("arm",), sampler="independent"),
        "day-types in groups (default)": sq.MCKA(k=5, by=("arm",)),
    }
    for way, method in ways.items():
        seen = [sq.measure(data, sq.anonymize(data, method, seed=s)).rows["groups"] for s in range(3)]
        for measure in MEASURES:
            lines = [next(r for r in rows if r["measure"] == measure) for rows in seen]
            yield {
                "measure": measure,
                "way": way,
                "original": float(f"{lines[0]['original']:.3g}"),
                "released": float(f"{np.mean([r['released'] for r in lines]):.3g}"),
                "width / original's": round(float(np.mean([r["width_ratio"] for r in lines])), 2),
            }
