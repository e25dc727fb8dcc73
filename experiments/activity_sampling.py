"""What each sampler keeps of real minutes, and whether it copies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import sequester as sq
from experiments.steps import DATA
from sequester.model import Activities

TITLE = "Samplers on real minutes: durations, bouts, changes, copied stretches"
PAPER = "Parameshwarappa, Chen, Koru 2020 (independent minutes); the sampler day-types is ours"
NOTE = (
    "32 Fitbit people, first 14 days each, k=5, three seeds. Independent minutes keep daily totals and destroy bouts; "
    "day types keep bouts and changes, and share no longer run of changes with a member of their cluster than with "
    "strangers. Exact clusters give true k-anonymity; their daily minutes are means of clusters where k members share "
    "them, and beside them stands what the rows alone would say."
)
CHART = {"x": "sampler", "y": ["bout KS", "relative difference"]}
SHOWN = {
    "bout KS": "bout length KS",
    "mean bout": "mean bout, released",
    "mean bout, real": "mean bout, original",
    "transitions L1": "transition matrix difference",
    "flow difference": "flow difference",
    "daily W1": "daily minutes Wasserstein",
    "copied": "longest copied stretch, own cluster",
    "copied by chance": "longest copied stretch, by chance",
}


def fitbit_people(n_hours: int = 336) -> Activities:
    """Everyone with `n_hours` recorded hours, from their first midnight on; intensity is the state."""
    import pandas as pd

    wide = pd.read_csv(DATA / "fitbit_minutes" / "minuteIntensitiesWide_merged.csv.gz")
    wide["t"] = pd.to_datetime(wide.ActivityHour, format="%m/%d/%Y %H:%M")
    rows = []
    for _, mine in wide.sort_values("t").groupby("Id"):
        mine = mine[(mine.t >= mine.t[mine.t.dt.hour == 0].min())]
        if len(mine) >= n_hours:
            rows.append(mine.filter(like="Intensity").to_numpy()[:n_hours].ravel())
    names = ("sedentary", "light", "fair", "very active")
    return Activities(
        names_public=True,
        states=np.array(rows, dtype=np.uint8),
        state_names=names,
        start=np.datetime64("2016-04-13T00:00"),
    )


def run() -> Iterator[dict[str, Any]]:
    """Means over three seeds."""
    data = fitbit_people()
    ways = {
        "independent minutes (paper)": sq.MCKA(k=5, sampler="independent"),
        "day types (default)": sq.MCKA(k=5),
        "exact": sq.MCKA(k=5, exact=True),
        "exact, rows alone": sq.MCKA(k=5, exact=True),
        "exact, plain MDAV": sq.MDAVKA(k=5, exact=True),
    }
    for name, method in ways.items():
        releases = [sq.anonymize(data, method, seed=s) for s in range(3)]
        if name.endswith("alone"):
            releases = [replace(r, tables={n: t for n, t in r.tables.items() if n != "centroids"}) for r in releases]
        seen = [sq.measure(data, r) for r in releases]
        relative = [np.mean([e[f"daily relative difference: {s}"] for s in data.state_names]) for e in seen]
        told = {column: round(float(np.mean([e[figure] for e in seen])), 3) for column, figure in SHOWN.items()}
        yield {
            "sampler": name,
            "people": data.n_people,
            "relative difference": round(float(np.mean(relative)), 3),
            **{s: round(float(np.mean([e[f"daily relative difference: {s}"] for e in seen])), 3)
               for s in data.state_names},
        } | told  # fmt: skip
