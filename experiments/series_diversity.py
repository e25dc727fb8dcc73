"""What l-diversity costs when no value is changed: losses with and without it, and what is withheld."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.series_data import beats, some
from sequester.methods.series.kapra import Kapra

TITLE = "kapra: l-diversity by grouping"
NOTE = """k=8, exact ends. `false`: sensitive values shown that are not the original ones; `withheld`: not shown.
Losses per record, value loss in units of the range, beside the same method without l. Where the label is the shape
(Beats), diversity must mix shapes: that is its price. `own value most frequent`: share of the people with a protected
value in whose cell no other value shown is more frequent; with l = 2 half of a cell is enough for that."""


def settings() -> Iterator[tuple[str, sq.Series, dict[str, Any]]]:
    """Name, data and options."""
    vitals = sq.sample("series")
    outcome = sq.Series(values=vitals.values, times=vitals.times, sensitive={"outcome": vitals.sensitive["outcome"]})
    stay = sq.Series(values=vitals.values, times=vitals.times, sensitive={"stay": vitals.sensitive["stay_days"]})
    whole = sq.Series(
        values=vitals.values, times=vitals.times, sensitive={"stay": np.round(vitals.sensitive["stay_days"])}
    )
    rng = np.random.default_rng(0)
    died = np.where(rng.random(vitals.n_records) < 0.05, "died", "home")
    mortality = sq.Series(values=vitals.values, times=vitals.times, sensitive={"outcome": died.tolist()})
    yield "outcome, harmless home", outcome, {"p": 3, "l": 2, "harmless": ("home",)}
    yield "outcome, harmless home", outcome, {"p": 4, "l": 3, "harmless": ("home",)}
    yield "mortality 5 %, harmless home", mortality, {"p": 3, "l": 2, "harmless": ("home",)}
    yield "stay, whole days", whole, {"p": 3, "l": 2}
    yield "stay, whole days", whole, {"p": 3, "l": 2, "near": ("2",)}
    yield "stay, .1 days", stay, {"p": 3, "l": 2, "near": ("1",)}
    yield "Beats, harmless N", some(beats(), 500)[0], {"p": 3, "l": 2, "harmless": ("N",)}


def run() -> Iterator[dict[str, Any]]:
    for name, data, more in settings():
        row: dict[str, Any] = {"data": name, **{n: v if isinstance(v, int) else ",".join(v) for n, v in more.items()}}
        for way, options in (("with l", more), ("without", {"p": more["p"]})):
            release = sq.anonymize(data, Kapra(k=8, ends_step=0.0, **options), seed=1)
            sq.verify(release, data).raise_if_broken()
            told = sq.measure(data, release, n_queries=0, n_targets=0)
            row[f"{way}: value loss"] = round(told["value loss per record"] / float(np.ptp(data.values)), 4)
            row[f"{way}: pattern loss"] = round(told["pattern loss per record"], 4)
            if way == "with l":
                row |= honest(data, release) | {
                    "own value most frequent": exposed(release, options.get("harmless", ()))
                }
        yield row


def honest(data: sq.Series, release: sq.Release) -> dict[str, Any]:
    """Shares of values that are false, and withheld."""
    table, origin = release.tables["records"], release.private["origin"]
    row = dict(zip(origin["record"].to_pylist(), origin["row"].to_pylist(), strict=True))
    ((name, column),) = data.sensitive.items()
    pairs = [(v, column[row[r] - 1]) for r, v in zip(table["record"].to_pylist(), table[name].to_pylist(), strict=True)]
    return {
        "false": sum(v is not None and v != w for v, w in pairs) / len(pairs),
        "withheld": sum(v is None for v, _ in pairs) / len(pairs),
    }


def exposed(release: sq.Release, harmless: tuple[str, ...]) -> float | None:
    """How often a protected value is the most frequent one of its cell (ties count as seen)."""
    table = release.tables["records"]
    name = table.column_names[-1]
    rows = list(zip(*(table[c].to_pylist() for c in ("group", "pattern", name)), strict=True))
    cells: dict[Any, list[Any]] = {}
    for group, pattern, value in rows:
        cells.setdefault((group, pattern), []).append(value)
    mine = [(cells[g, w], v) for g, w, v in rows if isinstance(v, str) and v not in harmless]
    return round(sum(c.count(v) == max(map(c.count, set(c))) for c, v in mine) / len(mine), 3) if mine else None


if __name__ == "__main__":
    import json

    for row in run():
        print(json.dumps(row), flush=True)
