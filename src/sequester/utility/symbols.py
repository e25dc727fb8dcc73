"""What an n-gram table lost: probabilities, entropies, and what its user does with it, predicting the next symbol."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from sequester.layouts.grams import Grams
from sequester.model import SymbolSeries
from sequester.primitives.ngrams import count_tables, unpack
from sequester.release import Claim, Evidence, Figure

Counts = Mapping[tuple[int, ...], float]
"""Gram → count, all of one order."""
UNSEEN = 0.5
"""Added to every continuation before it becomes a probability, so that a lost gram costs a finite surprise."""


def measure_symbols(original: SymbolSeries, claim: Claim) -> Evidence:
    """Compare a published n-gram table with the true one, order by order."""
    before, after = true_tables(original, _longest(claim)), published_tables(claim, original.alphabet)
    n, p = max(before), len(original.alphabet)
    rows = losses_by_order(before, after, p)
    figures = [figure for row in reversed(rows) for figure in _figures(row)]
    old, new = predict(before, before, n), predict(after, before, n)
    figures += [
        Figure(
            name="next symbol right, original",
            value=old["accuracy"],
            better="higher",
            says=f"Share of symbols that the true table predicts from the {n - 1} before.",
        ),
        Figure(
            name="next symbol right, release",
            value=new["accuracy"],
            better="higher",
            says=f"Share of symbols that the published table predicts from the {n - 1} before.",
        ),
        Figure(
            name="perplexity, original",
            value=old["perplexity"],
            better="lower",
            says="How many equally likely next symbols the true table leaves.",
        ),
        Figure(
            name="perplexity, release",
            value=new["perplexity"],
            better="lower",
            says="How many equally likely next symbols the published table leaves, tested on the original.",
        ),
    ]
    moved = 100 * rows[-1]["total_variation"]
    return Evidence(
        about="measure",
        saw_original=True,
        summary=(
            f"{moved:.2f} % of the probability of {n}-grams moved; next-symbol accuracy "
            f"{100 * old['accuracy']:.1f} % before, {100 * new['accuracy']:.1f} % after."
        ),
        figures=tuple(figures),
        rows={"loss by order": rows},
    )


def _figures(losses: dict[str, Any]) -> list[Figure]:
    m, p = losses["order"], "over all possible grams"
    return [
        Figure(
            name=f"APIL, order {m}",
            value=losses["apil"],
            better="lower",
            says=f"Mean change of probability {p}.",
        ),
        Figure(
            name=f"APIL %, order {m}",
            value=100 * losses["apil"],
            better="lower",
            says="The same in percent, as the paper's tables must be read.",
        ),
        Figure(
            name=f"AEIL, order {m}",
            value=losses["aeil"],
            better="lower",
            says=f"Mean change of the entropy term -P log2 P {p}.",
        ),
        Figure(name=f"AEIL %, order {m}", value=100 * losses["aeil"], better="lower", says="The same in percent."),
        Figure(
            name=f"total variation, order {m}",
            value=losses["total_variation"],
            better="lower",
            says="Share of the probability that moved to other grams.",
        ),
        Figure(
            name=f"invented grams, order {m}",
            value=losses["invented"],
            better="lower",
            says="Released grams that occur nowhere in the original.",
        ),
    ]


def true_tables(data: SymbolSeries, n: int) -> dict[int, Counts]:
    """The original's counts of orders 1..n."""
    tables = count_tables(data.symbols, data.offsets, n, len(data.alphabet))
    return {t.order: _as_counts(unpack(t.codes, t.order, t.bits), t.counts) for t in tables}


def _as_counts(rows: np.ndarray, counts: np.ndarray) -> Counts:
    return dict(zip(map(tuple, rows.tolist()), counts.tolist()))


def published_tables(claim: Claim, alphabet: tuple[str, ...]) -> dict[int, Counts]:
    """The release's counts by order; grams with a mark outside the alphabet (the end of a series) are left out."""
    return dict(Grams.read(claim).coded(alphabet))


def _longest(claim: Claim) -> int:
    """The order the method was asked for: a release that holds none of that order has lost it."""
    asked = claim.parameters.get("n") or claim.parameters.get("n_max") or 1
    return max(int(asked), Grams.read(claim).longest if Grams.there(claim) else 1)


def compare(before: Counts, after: Counts, n_symbols: int, order: int) -> dict[str, float]:
    """APIL and AEIL (means over the p**order possible grams), total variation, and grams that only `after` has."""
    total_before, total_after = sum(before.values()), sum(after.values())
    moved = surprise = 0.0
    for gram in before.keys() | after.keys():
        p = before.get(gram, 0) / total_before if total_before else 0.0
        q = after.get(gram, 0) / total_after if total_after else 0.0
        moved += abs(p - q)
        surprise += abs(_entropy(p) - _entropy(q))
    possible = float(n_symbols) ** order
    lost_all = bool(total_before) != bool(total_after)
    return {
        "apil": moved / possible,
        "aeil": surprise / possible,
        "total_variation": 1.0 if lost_all else moved / 2,
        "invented": len(after.keys() - before.keys()),
    }


def _entropy(p: float) -> float:
    return -p * math.log2(p) if p > 0 else 0.0


def predict(table: dict[int, Counts], truth: dict[int, Counts], n: int) -> dict[str, float]:
    """Accuracy and perplexity of the next symbol, given the n-1 before, over the original's n-grams.

    An unknown context is shortened from the left until the table knows it.
    """
    unseen = UNSEEN * len(truth[1])
    laws: dict[tuple[int, ...], dict[int, float]] = {}
    for grams in table.values():
        for gram, count in grams.items():
            laws.setdefault(gram[:-1], {})[gram[-1]] = count
    guesses = {context: (_most_likely(law), sum(law.values())) for context, law in laws.items()}
    right = surprise = weight = 0.0
    for gram, count in truth[n].items():
        context = gram[:-1]
        while context and context not in laws:
            context = context[1:]
        guess, total = guesses.get(context, (None, 0))
        right += count * (guess == gram[-1])
        surprise -= count * math.log2((laws.get(context, {}).get(gram[-1], 0) + UNSEEN) / (total + unseen))
        weight += count
    if not weight:
        return {"accuracy": math.nan, "perplexity": math.nan}
    return {"accuracy": right / weight, "perplexity": 2 ** (surprise / weight)}


def _most_likely(law: dict[int, float]) -> int:
    return min(law, key=lambda x: (-law[x], x))


def losses_by_order(before: dict[int, Counts], after: dict[int, Counts], n_symbols: int) -> list[dict[str, Any]]:
    """The comparison at every order, as rows."""
    return [{"order": m, **compare(before[m], after.get(m, {}), n_symbols, m)} for m in sorted(before)]
