"""Tables of grams that k people share: what the flow attack finds before and after balancing, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import sequester as sq
from experiments.s000_series import discords
from experiments.steps import DATA
from sequester.attacks.symbols import imbalance
from sequester.layouts.grams import Grams, write
from sequester.methods.ngrams.ngram_k import NgramK
from sequester.primitives.ngrams import count_owned, derive_lower
from sequester.utility.symbols import compare, true_tables

TITLE = "n-grams of k people: the flow attack, and balanced tables"
PAPER = "beyond Pajoohan 2016 (its unit is the occurrence)"
NOTE = """`before` leaves out grams of fewer than k people and publishes the rest as counted, `after` is the default:
the grams on closed walks, balanced by the least change. The attacker looks for contexts that more published grams lead
into than out of, by at least 4, and guesses that a continuation was left out there; `right` are guesses after which a
gram that is not published really occurs. After balancing there is nothing to guess at any threshold (`guesses after`
counts from 1). `TV` is the share of probability that moved, at order n and at order 2."""
THRESHOLD = 4


def run() -> Iterator[dict]:
    """A row per data set and setting."""
    sample = sq.sample("symbols", n_people=60)
    for n, k in ((4, 10), (5, 5)):
        yield _row("sample", sample, n, k)
    yield _row("17 discord series as people", _joined([d for _, d in discords()]), 4, 3)
    minutes = fitbit()
    for n, k in ((5, 5), (7, 5)):
        yield _row("Fitbit minutes", minutes, n, k)


def fitbit() -> sq.SymbolSeries:
    """33 people, four intensities by the minute, all their hours in order."""
    import pandas as pd

    wide = pd.read_csv(DATA / "fitbit_minutes" / "minuteIntensitiesWide_merged.csv.gz")
    wide["t"] = pd.to_datetime(wide.ActivityHour, format="%m/%d/%Y %H:%M")
    people = wide.sort_values(["Id", "t"]).groupby("Id")
    series = [person.filter(like="Intensity").to_numpy().ravel() for _, person in people]
    return sq.SymbolSeries(
        symbols=np.concatenate(series),
        offsets=np.cumsum([0, *map(len, series)]),
        alphabet=("0", "1", "2", "3"),
        names_public=True,  # the maker's four intensities
    )


def _joined(parts: list[sq.SymbolSeries]) -> sq.SymbolSeries:
    return replace(
        parts[0],
        symbols=np.concatenate([p.symbols for p in parts]),
        offsets=np.cumsum([0, *(len(p.symbols) for p in parts)]),
        persons=np.array([str(i) for i in range(len(parts))], dtype=object),
        people_known=True,
    )


def _row(name: str, data: sq.SymbolSeries, n: int, k: int) -> dict:
    people = np.unique(data.persons.astype(str), return_inverse=True)[1]
    found = count_owned(data.symbols, data.offsets, people, n, len(data.alphabet))
    kept = found.owners >= k
    shared = found.grams._replace(codes=found.grams.codes[kept], counts=found.grams.counts[kept])
    before = _as_grams(write(derive_lower(shared), data.alphabet))
    release = sq.anonymize(data, NgramK(k=k, n=n))
    after = Grams.read(release)
    truth = true_tables(data, n)
    occurs = {tuple(data.alphabet[s] for s in g) for g in truth[n]}
    hidden = {g[:-1] for g in occurs - before.by_order[n].keys()}
    guesses = [h for h, d in imbalance(before.by_order, n).items() if d >= THRESHOLD]
    lost = {}
    for m in (n, 2):
        for when, told in (("before", before), ("after", after)):
            loss = compare(truth[m], told.coded(data.alphabet)[m], len(data.alphabet), m)
            lost[f"TV {when}, order {'n' if m == n else m}"] = round(loss["total_variation"], 4)
    balance = release.tables["balance"].to_pylist()[0]
    return {
        "data": name,
        "people": data.n_people,
        "n": n,
        "k": k,
        "guesses before": len(guesses),
        "right": sum(h in hidden for h in guesses),
        "guesses after": len(imbalance(after.by_order, n)),
        **lost,
        "moved, %": round(100 * balance["moved"] / balance["occurrences"], 3),
        "grams dropped": int(kept.sum()) - len(after.by_order[n]),
        "verified": sq.verify(release, data).holds,
    }


def _as_grams(table: Any) -> Grams:
    return Grams(table["order"].to_numpy(), table["gram"].to_pylist(), table["count"].to_numpy())
