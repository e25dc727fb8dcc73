"""What rounding the ends of ranges costs, and what it takes from someone who asks whether a series is in the data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.series_data import beats, days, motion, some, uniform, walk
from sequester.methods.series.kapra import Kapra

TITLE = "kapra: ends of ranges, exact and rounded, against membership attacks"
NOTE = """k=8, P=3, the default. `x`: value loss against exact ends. Attacks: share of members told at 10 % / 1 %
false alarms, by ends met, and by envelopes with 4, 16 and all values known. `inside`: strangers whose whole series
lies inside some envelope. Members and strangers are random halves, at most 300 of each are tried, one draw. In Beats
and Days a record is not a person. The step rule was chosen on these kinds of data."""


def sets() -> dict[str, sq.Series]:
    """Long series first."""
    return {
        "Beats": beats(), "Days": days(), "Walk": some(walk(), 3000)[0],
        "Motion": some(motion(), 3000)[0], "Uniform": uniform(3000), "sample": sq.sample("series", n_people=400),
    }  # fmt: skip


def run() -> Iterator[dict[str, Any]]:
    for name, data in sets().items():
        inside, outside = some(data, data.n_records // 2)
        widths = {}
        for ends, step in (("exact", 0.0), ("rounded", None)):
            release = sq.anonymize(inside, Kapra(k=8, p=3, ends_step=step, unit="record"), seed=1)
            widths[ends] = sq.measure(inside, release, n_queries=200, n_targets=0)
            found = sq.attack(release, inside, control=outside, sample=300)
            row: dict[str, Any] = {"data": name, "times": len(data.times), "ends": ends}
            row["step of ends"] = release.method.parameters["ends_step"]
            lost = [widths[e]["value loss per record"] for e in widths]
            row["x"] = round(lost[-1] / lost[0], 3)
            row["bounds hold"] = widths[ends]["range counts: bounds hold"]
            told = {r["attack"]: r for r in found.rows["attacks"]}
            for column, attack in (
                ("ends", "membership by ends of ranges"),
                ("4 known", "membership by envelopes, 4 values"),
                ("16 known", "membership by envelopes, 16 values"),
                ("whole", "membership by envelopes, whole series"),
            ):
                rates = [
                    told[key]["success"]
                    for key in (f"{attack} at 10% false alarms", f"{attack} at 1% false alarms")
                    if key in told
                ]
                row[column if column != "ends" else "by ends"] = " / ".join(f"{r:.2f}" for r in rates) or None
            whole = [r for a, r in told.items() if "whole series" in a]
            row["inside"] = round(float(np.mean([r["strangers_inside"] for r in whole])), 3)
            yield row


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
