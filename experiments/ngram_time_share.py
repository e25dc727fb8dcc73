"""ngram-dp by shares of time against counts of the first symbols, for few people with long signals."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

import sequester as sq
from experiments.ngram_balance import fitbit
from sequester.layouts.grams import Grams
from sequester.utility.symbols import compare, predict, true_tables

TITLE = "ngram-dp: shares of time for few people with long signals"
PAPER = "beyond Chen, Acs, Castelluccia 2012"
NOTE = """Share of the probability that moved at order n, mean of the runs (the worst in its own column). `uniform`: all
grams alike, what one knows without the data. `tree` is the best of l_max 20, 200 and 2000, chosen after looking, which
no custodian may do; `time share` has nothing to choose. Its truth is the average symbol too, although it estimates the
average person. The rule for the measured order, p^m <= people x epsilon / 2, was read off these two data sets, so they
do not test it, and so was the rule that shares are divided by the number of people known in public. A hospital's 48
recordings of 30 minutes are not at hand here; a trial of the design on such data had .155 at epsilon 8 and .337 at
epsilon 1 (n = 5)."""
RUNS, TREE_RUNS = 40, 2


def run() -> Iterator[dict]:
    """A row per data set, order and epsilon."""
    for name, data in (("Fitbit minutes", fitbit()), ("sample", sq.sample("symbols", n_people=60))):
        for n in (3, 5) if name != "sample" else (3,):
            truth = true_tables(data, n)
            even = dict.fromkeys(np.ndindex(*([len(data.alphabet)] * n)), 1.0)
            for epsilon in (8.0, 1.0):
                share = sq.NgramDP(epsilon=epsilon, n_max=n, people_at_least=data.n_people)
                lost, right = zip(*(_one(data, share, truth, n, seed) for seed in range(RUNS)), strict=True)
                trees = [
                    sq.NgramDP(epsilon=epsilon, n_max=n, l_max=m, average="symbol", force=True) for m in (20, 200, 2000)
                ]
                best = min(
                    float(np.mean([_one(data, tree, truth, n, seed)[0] for seed in range(TREE_RUNS)])) for tree in trees
                )
                yield {
                    "data": name,
                    "people": data.n_people,
                    "n": n,
                    "epsilon": epsilon,
                    "measured order": share.measured_order(len(data.alphabet)),
                    "uniform": round(compare(truth[n], even, len(data.alphabet), n)["total_variation"], 3),
                    "tree": round(best, 3),
                    "time share": round(float(np.mean(lost)), 3),
                    "time share, worst": round(max(lost), 3),
                    "next symbol, original": round(predict(truth, truth, n)["accuracy"], 3),
                    "next symbol, time share": round(float(np.mean(right)), 3),
                }


def _one(data: sq.SymbolSeries, method: sq.NgramDP, truth: dict, n: int, seed: int) -> tuple[float, float]:
    release = sq.anonymize(data, method, seed=seed)
    told = Grams.read(release).coded(data.alphabet)
    lost = compare(truth[n], told.get(n, {}), len(data.alphabet), n)["total_variation"]
    return lost, predict(told, truth, n)["accuracy"]
