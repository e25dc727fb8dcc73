"""Tables of grams that k people share: what the flow attack finds before and after balancing, and what that costs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import sequester as sq
from experiments.s000_people import hospital_log
from experiments.s000_series import discords
from experiments.steps import DATA
from sequester.attacks.symbols import imbalance
from sequester.layouts.grams import END, Grams, write
from sequester.methods.ngrams.ngram_k import NgramK
from sequester.methods.ngrams.shared.kernels.ngram_flow import balanced, with_boundary
from sequester.primitives.ngrams import Grams as PackedGrams
from sequester.primitives.ngrams import OwnedGrams, count_owned, derive_lower
from sequester.utility.symbols import compare, predict, true_tables

TITLE = "n-grams of k people: the flow attack, and balanced tables"
PAPER = "beyond Pajoohan 2016 (its unit is the occurrence)"
NOTE = """`before` leaves out grams of fewer than k people and publishes the rest as counted, `after` is the default:
series with their boundaries, the grams on closed walks, balanced by the least change. The attacker looks for contexts
that more published grams lead into than out of, by at least 4, and guesses that a continuation was left out there;
`right` are guesses after which a gram that is not published really occurs, boundary grams included. After balancing
there is nothing to guess at any threshold (`guesses after` counts from 1). `TV` is the share of probability that moved,
over grams without a boundary; `without boundary` is what the same balancing costs when series are not padded, so that
whatever ends short series is dropped; `lifted` is `--unit occurrence`. `next` is the share of next symbols that a table
predicts right from the n - 1 before."""
THRESHOLD = 4
NEXT = ("without boundary", "after")


def run() -> Iterator[dict]:
    """A row per data set and setting."""
    sample = sq.sample("symbols", n_people=60)
    for n, k in ((4, 10), (5, 5)):
        yield _row("sample", sample, n, k)
    yield _row("17 discord series as people", _joined([d for _, d in discords()]), 4, 3)
    for n, k in ((3, 10), (3, 5), (4, 10)):
        yield _row("Sepsis", hospital_log("sepsis"), n, k)
    yield _row("BPIC 2011", hospital_log("bpic2011"), 3, 10)
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
    p = len(data.alphabet)
    padded = with_boundary(data.symbols, data.offsets, n, p)
    all_grams = count_owned(*padded, _owners(data), n, p + 1)
    shared = _shared(all_grams, k)
    before = _as_grams(write(derive_lower(shared), (*data.alphabet, END)))
    closed = balanced(_shared(count_owned(data.symbols, data.offsets, _owners(data), n, p), k), k).grams
    release = sq.anonymize(data, NgramK(k=k, n=n))
    after = Grams.read(release)
    truth = true_tables(data, n)
    every = _as_grams(write([all_grams.grams], (*data.alphabet, END))).by_order[n]
    hidden = {g[:-1] for g in every.keys() - before.by_order[n].keys()}
    guesses = [h for h, d in imbalance(before.by_order, n).items() if d >= THRESHOLD]
    lifted = sq.anonymize(data, NgramK(k=k, n=n, unit="occurrence"))
    tables = {
        "before": before.coded(data.alphabet),
        "without boundary": _as_grams(write(derive_lower(closed), data.alphabet)).coded(data.alphabet),
        "after": after.coded(data.alphabet),
        "lifted": Grams.read(lifted).coded(data.alphabet),
    }
    lost = {f"TV {when}": round(compare(truth[n], t[n], p, n)["total_variation"], 4) for when, t in tables.items()}
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
        "next, original": round(predict(truth, truth, n)["accuracy"], 4),
        **{f"next, {when}": round(predict(tables[when], truth, n)["accuracy"], 4) for when in NEXT},
        "moved, %": round(100 * balance["moved"] / balance["occurrences"], 3),
        "grams dropped": len(shared.codes) - len(after.by_order[n]),
        "verified": sq.verify(release, data).holds,
    }


def _owners(data: sq.SymbolSeries) -> np.ndarray:
    return np.unique(data.persons.astype(str), return_inverse=True)[1]


def _shared(found: OwnedGrams, k: int) -> PackedGrams:
    """The grams of at least k people."""
    kept = found.owners >= k
    return found.grams._replace(codes=found.grams.codes[kept], counts=found.grams.counts[kept])


def _as_grams(table: Any) -> Grams:
    return Grams(table["order"].to_numpy(), table["gram"].to_pylist(), table["count"].to_numpy())
