"""Do hashes and shingles matter? The paper's ten repeats of every setting, and its Friedman tests."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

import sequester as sq
from experiments.event_logs import event_log
from experiments.s003_runs import EPSILONS, HASHES, READINGS, SHINGLES, few_figures

TITLE = "Event logs: Friedman tests of hashes and shingles"
PAPER = "Shaked, Rokach 2016, Section 5"
NOTE = """Ten repeats of every combination of four epsilons, three numbers of hashes and three shingle sizes, as in
the paper, on the demo's two tables (the paper sampled the full database), in the reading `sequential` of Figures 2 to
5. The treatments of a test are the three sizes (or numbers), its blocks all other settings and repeats in which every
treatment could publish; `p` below 0.05 is significant at the paper's level. `mean` lists the treatments' means in
order. The paper found: one shingle gives lower distance and higher support, fewer shingles and 100 hashes less
suppression, and no difference in frequent patterns. **What reproduces**: one shingle gives the lowest distance on
both tables, hashes do not matter for distance, and neither matters for frequent patterns. **What does not**: on
TRANSFERS fewer shingles are suppressed *more* and supported *less*, on CPTEVENTS two shingles are suppressed least and
supported most; the number of hashes changes suppression on neither table and, a little, support on CPTEVENTS."""
MEASURES = ("distance", "top20_2grams", "suppression_rate", "mean_support")
REPEATS = 10
FOUND = {
    ("shingle", "distance"): "one is lowest", ("shingle", "top20_2grams"): "none",
    ("shingle", "suppression_rate"): "fewer is lower", ("shingle", "mean_support"): "one is highest",
    ("hashes", "distance"): "none", ("hashes", "top20_2grams"): "none", ("hashes", "suppression_rate"): "100 is lowest",
    ("hashes", "mean_support"): "none",
}  # fmt: skip


def run() -> Iterator[dict[str, Any]]:
    """A row per table, treatment and figure."""
    from scipy.stats import friedmanchisquare

    for name in ("TRANSFERS", "CPTEVENTS"):
        told = {key: _figures(name, *key) for key in _settings()}
        for treatment, sizes in (("shingle", SHINGLES), ("hashes", HASHES)):
            blocks = _blocks(told, treatment, sizes)
            for measure in MEASURES:
                rows = np.array([[b[measure] for b in block] for block in blocks])
                test = friedmanchisquare(*rows.T)
                yield {
                    "data": name, "treatment": treatment, "figure": measure, "blocks": len(rows),
                    "mean": " / ".join(f"{x:.4g}" for x in rows.mean(0)), "statistic": round(float(test.statistic), 2),
                    "p": float(f"{test.pvalue:.2g}"), "significant": bool(test.pvalue < 0.05),
                    "paper": FOUND[treatment, measure],
                }  # fmt: skip


Setting = tuple[float | None, int, int, int]


def _settings() -> list[Setting]:
    return [(e, h, s, seed) for e in EPSILONS for h in HASHES for s in SHINGLES for seed in range(REPEATS)]


def _figures(name: str, epsilon: float | None, hashes: int, shingle: int, seed: int) -> dict[str, float] | None:
    """Figures of one run; nothing where the test left nothing to start from."""
    told = READINGS["sequential"] | ({} if epsilon else {"test": "off"})
    split = 16_800.0 if name == "TRANSFERS" else 0.0
    method = sq.MarkovRatio(epsilon=epsilon or 1.0, hashes=hashes, shingle=shingle, split_gap=split, **told)  # type: ignore[arg-type]
    try:
        found = few_figures(event_log(name), method, seed)
    except sq.InputError:
        return None
    return {m: found[m] for m in MEASURES}


def _blocks(
    told: dict[Setting, dict[str, float] | None], treatment: str, sizes: tuple[int, ...]
) -> list[list[dict[str, float]]]:
    """Settings and repeats that differ in the treatment alone, in its order."""
    place = {"hashes": 1, "shingle": 2}[treatment]
    out = []
    for setting in told:
        if setting[place] == sizes[0]:
            block = [told[(*setting[:place], size, *setting[place + 1 :])] for size in sizes]
            if all(b is not None for b in block):
                out.append([b for b in block if b is not None])
    return out
