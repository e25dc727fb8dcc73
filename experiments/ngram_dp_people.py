"""How many people do noisy n-grams need? Cohorts of growing size, from hopeless to usable."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

import sequester as sq
from experiments.steps import DATA

TITLE = "ngram-dp: how many people it takes"
NOTE = """epsilon 1, grams of up to three symbols, means of three seeded runs; the first cases of the sepsis log (16
activities, 15 symbols of a case) and sample data (4 symbols, 30 of a person). `index` is people x epsilon / (n_max x
symbols): how often a symbol occurs on average, in units of the noise on single symbols. The columns `order` give the
probability that noise moves, the last two how often the next symbol is guessed right. Below 2 the counts are noise,
from 8 pairs can be trusted, from about 20 grams of three; these marks were read off this table."""
N_MAX, RUNS = 3, 3


def run() -> Iterator[dict]:
    """A row per cohort."""
    sepsis = sq.read_symbols(
        DATA / "hospital_event_logs" / "sepsis.csv.gz",
        person="case_id", time="timestamp", value=("activity",), symbolize="none", time_format="iso",
    )  # fmt: skip
    for people in (25, 100, 200, 400, sepsis.n_people):
        yield _row("sepsis", replace(first(sepsis, people), names_public=True), 15)
    for people in (5, 20, 50, 100, 200):
        yield _row("sample", sq.sample("symbols", n_people=people), 30)


def first(data: sq.SymbolSeries, n_series: int) -> sq.SymbolSeries:
    """The first series; in the sepsis log each is a person."""
    offsets = data.offsets[: n_series + 1]
    return replace(data, symbols=data.symbols[: offsets[-1]], offsets=offsets, persons=data.persons[:n_series])


def _row(what: str, data: sq.SymbolSeries, l_max: int) -> dict:
    found = []
    for seed in range(RUNS):
        release = sq.anonymize(data, sq.NgramDP(epsilon=1.0, n_max=N_MAX, l_max=l_max, average="symbol"), seed=seed)
        found.append({f.name: f.value for f in sq.measure(data, release).figures})
    mean = {name: round(float(np.mean([f[name] for f in found])), 3) for name in found[0]}
    return {
        "data": what,
        "people": data.n_people,
        "index": round(data.n_people / (N_MAX * len(data.alphabet)), 1),
        **{f"order {n}": mean[f"total variation, order {n}"] for n in range(1, N_MAX + 1)},
        "next symbol, original": mean["next symbol right, original"],
        "next symbol, release": mean["next symbol right, release"],
    }
