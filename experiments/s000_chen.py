"""How the n-gram paper used the method of Chen et al.: grams fed as rows, synthetic grams added to the true ones."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from experiments.s000_series import loss
from sequester.dp.noise import TeachingNoise
from sequester.model import SymbolSeries
from sequester.primitives.ngram_tree import Walkers, generate, grow_counted
from sequester.utility.symbols import compare

EPSILON, L_MAX, N_MAX, RUNS = 0.1, 3, 3, 20


def as_in_the_paper(data: SymbolSeries, seed: int) -> dict[int, tuple[Counter, Counter]]:
    """Order → (true grams, true grams plus synthetic ones)."""
    rows = [
        data.symbols[a + i : a + i + 3].astype(np.int64) for a, b in pairwise(data.offsets) for i in range(b - a - 2)
    ]
    noise, rng = TeachingNoise(np.random.default_rng(seed)), np.random.default_rng(seed + 10_000)
    after = Walkers(rows, [True] * len(rows), 4).after
    tree = grow_counted(after, n_symbols=4, budget=EPSILON, n_max=N_MAX, positions=L_MAX, noise=noise.laplace)
    drawn = generate(tree, len(rows), longest=L_MAX, order=N_MAX, rng=rng)
    text, ends = data.symbols.tolist(), data.offsets.tolist()
    out = {}
    for n in (2, 3):
        series = [text[a:b] for a, b in pairwise(ends)]
        true = Counter(tuple(s[i : i + n]) for s in series for i in range(len(s) - n + 1))
        extra = Counter(tuple(s[i : i + n]) for s in drawn for i in range(len(s) - n + 1))
        out[n] = (true, true + extra)
    return out


def comparison(name: str, data: SymbolSeries, printed: tuple[float, float, int, int]) -> Iterator[dict]:
    """Rows for orders 2 and 3: the paper's figures, the same procedure rerun, and ngram-k at k = 10."""
    runs = [as_in_the_paper(data, seed) for seed in range(RUNS)]
    for n, paper, paper_k in ((2, printed[0], printed[2]), (3, printed[1], printed[3])):
        lost = [100 * compare(dict(r[n][0]), dict(r[n][1]), 4, n)["apil"] for r in runs]
        reached = [min(r[n][1].values()) for r in runs]
        ours = loss(data, 10, n)
        yield {
            "series": name,
            "number": int("".join(filter(str.isdigit, name))),
            "order": n,
            "paper": paper,
            "literal": round(float(np.mean(lost)), 3),
            "literal_sd": round(float(np.std(lost)), 3),
            "best": round(ours["apil"], 3),
            "paper_k": paper_k,
            "literal_k": f"{min(reached)}..{max(reached)}",
            "best_k": 10,
            "verified": ours["verified"],
        }
