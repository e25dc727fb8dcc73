"""Counts above a threshold beside the tree, shares of time and a plain DPNE."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from statistics import NormalDist

import numpy as np

import sequester as sq
from experiments.steps import DATA
from sequester.dp.ledger import rho_of
from sequester.utility.symbols import compare, predict, true_tables

TITLE = "ngram-dp: what a delta buys"
NOTE = """The sepsis log (16 activities), grams of up to three symbols, delta 10^-6 where there is one, means of three
seeded runs. `DPNE` is a plain version of Kim, Gopi, Kulkarni and Yekhanin (2021) written for this page: public
alphabet, equal shares of the budget, a person's counts cut to a length of 6, thresholds with eta = 0.01, nothing
searched. `ngram-dp` with delta is shown with three bounds on what a person adds. The tree and shares of time promise
pure epsilon, which is more. `2-grams` and `3-grams` are the probability that noise moves, `invented` counts published
grams of any order that never occur."""
DELTA, RUNS = 1e-6, 3


def run() -> Iterator[dict]:
    """A row per epsilon and way."""
    data = replace(
        sq.read_symbols(
            DATA / "hospital_event_logs" / "sepsis.csv.gz",
            person="case_id", time="timestamp", value=("activity",), symbolize="none", time_format="iso",
        ),
        names_public=True,
    )  # fmt: skip
    truth = true_tables(data, 3)
    for epsilon in (1.0, 4.0, 8.0):
        tree = sq.NgramDP(epsilon=epsilon, n_max=3, l_max=15, average="symbol")
        ways = {"DPNE": None, "tree, l_max 15": tree}
        ways["shares of time"] = sq.NgramDP(epsilon=epsilon, n_max=3, people_at_least=1000)
        ways |= {f"with delta, l_max {n}": replace(tree, delta=DELTA, l_max=n) for n in (10, 20, 30)}
        for name, method in ways.items():
            yield {"epsilon": epsilon, "way": name} | _mean(data, truth, method, epsilon)


def _mean(data: sq.SymbolSeries, truth: dict, method: sq.NgramDP | None, epsilon: float) -> dict:
    found = []
    for seed in range(RUNS):
        tables = dpne(truth, data, epsilon, seed) if method is None else _released(data, method, seed)
        p = len(data.alphabet)
        invented = sum(len(tables[m].keys() - truth[m].keys()) for m in tables)
        moved = [compare(truth[m], tables.get(m, {}), p, m)["total_variation"] for m in (2, 3)]
        found.append([*moved, invented, predict(tables, truth, 3)["accuracy"]])
    two, three, invented, right = np.mean(found, axis=0).tolist()
    figures = {"2-grams": two, "3-grams": three, "next symbol right": right}
    return {name: round(x, 3) for name, x in figures.items()} | {"invented": round(invented, 1)}


def _released(data: sq.SymbolSeries, method: sq.NgramDP, seed: int) -> dict:
    from sequester.layouts.grams import Grams

    return Grams.read(sq.anonymize(data, method, seed=seed)).coded(data.alphabet)


def dpne(truth: dict, data: sq.SymbolSeries, epsilon: float, seed: int, length: float = 6.0, eta: float = 0.01) -> dict:
    """Grams of orders 1 to 3, each order with a third of the budget."""
    rng, scale = np.random.default_rng(seed), length / math.sqrt(2 * rho_of(epsilon, DELTA) / 3)
    series = [part.tolist() for part in np.split(data.symbols.astype(int), data.offsets[1:-1])]
    tables: dict[int, dict[tuple, float]] = {}
    for order in (1, 2, 3):
        below = tables.get(order - 1, {})
        candidates = [
            (*g, x) for g in (below or {(): 0}) for x in range(len(data.alphabet)) if order == 1 or (*g[1:], x) in below
        ]
        counts = dict.fromkeys(candidates, 0.0)
        for one in series:
            grams = [g for i in range(len(one) - order + 1) if (g := tuple(one[i : i + order])) in counts]
            own = {g: grams.count(g) for g in grams}
            norm = math.sqrt(sum(c * c for c in own.values()))
            for gram, count in own.items():
                counts[gram] += count * min(1.0, length / norm)
        rate = eta * min(1.0, max(1, len(below)) / max(1, len(candidates)))
        least = scale * NormalDist().inv_cdf(1 - rate)
        noisy = {g: c + rng.normal(0.0, scale) for g, c in counts.items()}
        tables[order] = {g: c for g, c in noisy.items() if c > least}
    return tables
