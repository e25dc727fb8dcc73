"""Copying the anomaly against lifting rare grams: what each adds, loses and leaves rare (sections 4.1 and 4.3)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

import sequester as sq
from experiments.s000_series import discords
from sequester.methods.ngrams.shared.kernels.ngram_flow import lift_by_flow
from sequester.methods.ngrams.shared.kernels.ngram_lift import lift
from sequester.primitives.ngrams import count_tables, unpack
from sequester.utility.symbols import compare, true_tables

TITLE = "n-grams: copying the anomaly, or lifting rare grams"
PAPER = "Pajoohan 2016, sections 4.1 and 4.3: the naive way has no table there"
NOTE = """The 17 discord series, n = 5. `naive` copies one window of five symbols, that of the rarest grams, until its
own grams reach k, as the paper describes it; other grams stay rare (`left rare`, of the grams that occur in the
original). `naive, every rare gram` copies one rare gram after the other until all of them reach k, which is what the
other two rows do; where copies meet, grams appear that nobody has (`new grams`). `repaired` is the paper's procedure in
whole units, `flow` ours. Added occurrences and loss (total variation of 5-grams) are means over the series; `adds more
than naive` counts the series on which a way adds more than copying every rare gram. The paper's claims are that lifting
never adds more than copying, and that copying loses more."""
N = 5


def run() -> Iterator[dict]:
    """A row per k and way."""
    for k in (5, 10):
        found: dict[str, list[dict[str, float]]] = {}
        for _, data in discords():
            before = count_tables(data.symbols, data.offsets, N, len(data.alphabet))
            ways = {
                "naive": _copied_once(data, k),
                "naive, every rare gram": _copied(data, k),
                "repaired": lift(before, k).tables,
                "flow": lift_by_flow(before, k).tables,
            }
            truth, rare = true_tables(data, N)[N], int((before[-1].counts < k).sum())
            for way, tables in ways.items():
                top = tables[-1]
                counts = dict(zip(map(tuple, _grams(top)), top.counts.tolist(), strict=True))
                found.setdefault(way, []).append(
                    {
                        "rare": rare,
                        "added": float(top.counts.sum() - before[-1].counts.sum()),
                        "loss": compare(truth, counts, len(data.alphabet), N)["total_variation"],
                        "left rare": sum(counts[g] < k for g in truth),
                        "new grams": len(counts.keys() - truth.keys()),
                    }
                )
        naive = [r["added"] for r in found["naive, every rare gram"]]
        for way, rows in found.items():
            means = {c: round(float(np.mean([r[c] for r in rows])), 4) for c in rows[0]}
            more = sum(r["added"] > n for r, n in zip(rows, naive, strict=True))
            yield {"k": k, "way": way, **means, "adds more than naive": f"{more} of {len(rows)}"}


def _grams(table: Any) -> list[list[int]]:
    """Grams of a packed table as lists of symbols."""
    return unpack(table.codes, table.order, table.bits).tolist()


def _copied_once(data: sq.SymbolSeries, k: int) -> list[Any]:
    """Tables after copies of the rarest window."""
    copied = sq.anonymize(data, sq.NgramCopy(k=k, n=N, length=N)).private["copied"].to_pylist()[0]
    return _with_copies(data, [data.alphabet.index(x) for x in copied["window"].split(" ")], copied["copies"])[1]


def _copied(data: sq.SymbolSeries, k: int) -> list[Any]:
    """Tables after copies of every gram that is rare when its turn comes."""
    first = tables = count_tables(data.symbols, data.offsets, N, len(data.alphabet))
    for code, gram in zip(first[-1].codes, _grams(first[-1]), strict=True):
        count = int(tables[-1].counts[np.searchsorted(tables[-1].codes, code)])
        if count < k:
            data, tables = _with_copies(data, gram, k - count)
    return tables


def _with_copies(data: sq.SymbolSeries, window: list[int], copies: int) -> tuple[sq.SymbolSeries, list[Any]]:
    symbols = np.concatenate([data.symbols, np.tile(window, copies)])
    data = replace(data, symbols=symbols, offsets=[0, len(symbols)])
    return data, count_tables(data.symbols, data.offsets, N, len(data.alphabet))
