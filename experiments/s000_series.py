"""The series of the n-gram paper: 17 discord series (Dataset I), ten stretches of MIT-BIH record 106 (Dataset II)."""

from __future__ import annotations

import csv
from collections.abc import Iterator

import sequester as sq
from experiments.steps import DATA
from sequester.methods.ngrams.ngram_k import NgramK
from sequester.model import SymbolSeries

STRETCHES = {  # Table 3: seconds
    "T1": (80, 120), "T2": (430, 470), "T3": (700, 740), "T4": (960, 1000), "T5": (1040, 1080),
    "T6": (0, 40), "T7": (200, 240), "T8": (600, 640), "T9": (1320, 1360), "T10": (1380, 1420),
}  # fmt: skip
KS = (5, *range(10, 101, 10))
ORDERS = (2, 3, 4, 5)


def discords(**options) -> Iterator[tuple[str, SymbolSeries]]:
    """Dataset I, lead 1 of the electrocardiograms, as the paper symbolizes it: window 10, four symbols."""
    folder = DATA / "keogh_discords"
    for row in csv.DictReader((folder / "index.csv").open(encoding="utf-8")):
        column = "2" if int(row["n_columns"]) == 3 else "1"
        yield row["series"], sq.read_symbols(folder / row["file"], value=(column,), **options)


def stretches(**options) -> Iterator[tuple[str, SymbolSeries]]:
    """Dataset II, lead 1."""
    for name, (start, end) in STRETCHES.items():
        yield name, sq.read_symbols(DATA / "mitbih" / "106", from_=start, to=end, **options)


def loss(data: SymbolSeries, k: int, n: int, **options) -> dict:
    """Losses of one table in percent, and whether the judge confirmed it from the table and beside the original."""
    method = NgramK(k=k, n=n, **{"unit": "occurrence"} | options)
    release = sq.anonymize(data, method)
    told = sq.measure(data, release)
    return {
        "apil": told[f"APIL %, order {n}"],
        "aeil": told[f"AEIL %, order {n}"],
        "rare": release.private["account"]["rare"][0].as_py() if method.unit == "occurrence" else None,
        "verified": sq.verify(release).holds and sq.verify(release, data).holds,
        "accuracy": told["next symbol right, release"],
        "accuracy_before": told["next symbol right, original"],
        "perplexity": told["perplexity, release"],
        "perplexity_before": told["perplexity, original"],
    }


def mean_and_series(rows: list[dict], ks: tuple[int, ...] = (10, 50, 100)) -> dict[str, list[dict]]:
    """Tables of a figure with many curves: means by order and k, then the figure's order 3, series by series."""
    means, single = [], []
    for order in ORDERS:
        for k in dict.fromkeys(r["k"] for r in rows):
            part = [r for r in rows if r["order"] == order and r["k"] == k]
            mean = {c: sum(r[c] for r in part) / len(part) for c in ("literal", "repaired", "best", "total_variation")}
            spread = {"best, least": min(r["best"] for r in part), "best, most": max(r["best"] for r in part)}
            held = sum(r["verified"] for r in part)
            means.append({"order": order, "k": k} | mean | spread | {"verified": f"{held} of {len(part)}"})
    for name in dict.fromkeys(r["series"] for r in rows):
        mine = {r["k"]: r for r in rows if r["series"] == name and r["order"] == 3}
        told = {f"{column}, k = {k}": mine[k][column] for k in ks for column in ("literal", "best")}
        single.append({"series": name} | told | {"rare at k = 10": mine[10]["rare"]})
    return {"Loss in percent, mean over the series": means, "Loss of 3-grams in percent, by series": single}


def curve(name: str, data: SymbolSeries, orders=ORDERS, ks=KS) -> Iterator[dict]:
    """APIL and AEIL (percent) against k: the paper's listing, its repair, and the flow (`best`)."""
    for n in orders:
        for k in ks:
            literal, best = loss(data, k, n, mode="literal", apportion="fraction"), loss(data, k, n)
            repaired = loss(data, k, n, mode="repaired")
            yield {
                "series": name,
                "order": n,
                "k": k,
                "rare": best["rare"],
                "literal": round(literal["apil"], 4),
                "repaired": round(repaired["apil"], 4),
                "best": round(best["apil"], 4),
                "literal_aeil": round(literal["aeil"], 4),
                "best_aeil": round(best["aeil"], 4),
                "total_variation": round(best["apil"] * 4**n / 200, 4),
                "accuracy_before": round(best["accuracy_before"], 4),
                "accuracy": round(best["accuracy"], 4),
                "verified": literal["verified"] and best["verified"],
            }
